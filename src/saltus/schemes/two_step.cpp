#include "saltus/schemes/two_step.h"

#include <algorithm>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

struct TwoStepFactor final : Prepared {
  Factor A;
};

double share(TwoStepForce force, double h) { return force == TwoStepForce::mean ? 0.25 * h : 0.0; }

/// Solves  M d = h F(t, q (+) s d, v + c d)  for d by Newton steps, one on affine groups. For use
/// outside the step.
Vector velocity_change(const Dynamics& body, TwoStepForce where, double t, double h,
                       const Vector& q, const Vector& v, double c) {
  const double s = share(where, h);
  const Eigen::Index n = body.velocities();
  Vector d = Vector::Zero(n), f(n), Md(n), q_f = q, v_f = v;
  Factor A;
  double before = 0.0;
  for (int i = 0; i < 20; ++i) {
    body.force(t, q_f, v_f, f);
    body.multiply({1.0, 0.0, 0.0}, t, q_f, v_f, d, Md);
    f = h * f - Md;
    body.factorise({1.0, c * h, s * h}, t, q_f, v_f, A);
    solve_vector(A, f);
    d += f;
    const double change = f.norm();
    if (has(body.traits(), Trait::affine) || !(change > 1e-15 * d.norm()) ||
        (i > 1 && change >= before))
      break;
    before = change;
    f = s * d;
    body.retract(q, f, q_f);
    v_f = v + c * d;
  }
  return d;
}

/// True if F depends on v at (q, v): C times a vector with distinct components is not 0. Bodies
/// with rotations always have gyroscopic moments, even if their tangents omit them.
bool damped(const Dynamics& body, double t, View q, View v, Vector& probe, Vector& product) {
  if (has(body.traits(), Trait::rotations)) return true;
  for (Eigen::Index i = 0; i < probe.size(); ++i)
    probe[i] = 1.0 + 1.0 / (1.7 + static_cast<double>(i));
  body.multiply({0.0, 1.0, 0.0}, t, q, v, probe, product);
  return (product.array() != 0.0).any();
}

}  // namespace

std::unique_ptr<Prepared> two_step_prepare(const Dynamics& body, TwoStepForce force, double h) {
  const bool affine = has(body.traits(), Trait::affine);
  auto kept = std::make_unique<TwoStepFactor>();
  if (!affine && !constant_mass(body)) return kept;
  const Vector q = Vector::Zero(body.positions()), v = Vector::Zero(body.velocities());
  body.factorise(affine ? Combination{1.0, 0.5 * h, h * share(force, h)} : Combination{}, 0.0, q, v,
                 kept->A);
  return kept;
}

void two_step_start(const Dynamics& body, TwoStepForce force, double t, double h,
                    GroupState& state) {
  state.v -= 0.5 * velocity_change(body, force, t, h, state.q, state.v, 0.0);
}

void two_step_velocity(const Dynamics& body, TwoStepForce force, const Prepared* prepared, double t,
                       double h, const GroupState& state, Out v) {
  const auto* kept = static_cast<const TwoStepFactor*>(prepared);
  bool one_solve = kept && has(body.traits(), Trait::affine);
  Vector d(body.velocities());
  if (kept && !one_solve && force == TwoStepForce::here && constant_mass(body)) {
    Vector probe(body.velocities());
    one_solve = !damped(body, t, state.q, state.v, probe, d);
  }
  if (one_solve) {
    body.force(t, state.q, state.v, d);
    d *= h;
    solve_vector(kept->A, d);
  } else {
    d = velocity_change(body, force, t, h, state.q, state.v, 0.5);
  }
  v = state.v + 0.5 * d;
}

Energy two_step_energy(const Dynamics& body, TwoStepForce force, double t, double held, double h,
                       View q, View w, Vector& q_m, Vector& u, Vector& Ku) {
  u = (-0.5 * h) * w;
  body.retract(q, u, q_m);
  Energy E = body.energy(held, q_m, w);
  if (force == TwoStepForce::here) {
    body.multiply({0.0, 0.0, 1.0}, t - 0.5 * h, q_m, w, u, Ku);
    E.potential -= 0.5 * u.dot(Ku);
  }
  return E;
}

void two_step_work(const Dynamics& body, TwoStepForce force, const Trial& x, const GroupState& end,
                   Vector& q_m, Vector& u, Vector& w_m, StepWork& out) {
  const double h = x.h;
  const GroupState& at0 = *x.start;
  w_m = 0.5 * (at0.v + end.v);
  u.setZero();
  if (force == TwoStepForce::mean) u = (0.25 * h) * (end.v - at0.v);
  body.retract(at0.q, u, q_m);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0, x.t0, q_m, w_m, w_m, h, out.by_source);
  out.energy = two_step_energy(body, force, x.t0 + h, held_at(body, x, x.t0 + 0.5 * h), h, end.q,
                               end.v, q_m, u, w_m);
}

Energy TwoStepExplicit::energy(const Dynamics& body, const Prepared*, double t, double h,
                               const GroupState& state) const {
  Vector q_m(body.positions()), u(body.velocities()), Ku(body.velocities());
  return two_step_energy(body, TwoStepForce::here, t, measured_at(body, t, h), h, state.q, state.v,
                         q_m, u, Ku);
}

void TwoStepExplicit::work(const Dynamics& body, Trial& x, const GroupState& end,
                           StepWork& out) const {
  two_step_work(body, TwoStepForce::here, x, end, x.work[q_at], x.work[d], x.work[v_at], out);
}

// Affine groups: A d = h F(t0, q0, w), because F is affine in v and C constant.
void TwoStepExplicit::flight(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector &q0 = x.start->q, &w = x.start->v;
  const Combination A{1.0, 0.5 * h, 0.0};
  Vector& change = x.work[d];
  x.gain = 1.0;
  body.force(x.t0, q0, w, change);
  change *= h;
  if (has(body.traits(), Trait::affine)) {
    use(body, x, A, x.t0, q0, w);
    solve_vector(x.A, change);
  } else if (!damped(body, x.t0, q0, w, x.work[v_at], x.work[product])) {
    use_mass(body, x, x.t0, q0, w);
    solve_vector(x.A, change);
  } else {
    x.factorised = false;
    body.factorise(A, x.t0, q0, w, x.A);
    solve_vector(x.A, change);
    Vector &v0 = x.work[v_at], &more = x.work[force];
    v0 = w + 0.5 * change;
    body.force(x.t0, q0, v0, more);
    body.multiply({1.0, 0.0, 0.0}, x.t0, q0, v0, change, x.work[product]);
    more = h * more - x.work[product];
    body.factorise(A, x.t0, q0, v0, x.A);
    solve_vector(x.A, more);
    change += more;
  }
  x.v = w + change;
  change = h * x.v;
  body.retract(q0, change, x.q);
}

}  // namespace saltus
