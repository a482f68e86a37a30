#include "saltus/schemes/implicit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {

void ImplicitScheme::predict(const Dynamics&, Trial& x) const { x.v = x.start->v; }

void ImplicitScheme::factorise(const Dynamics& body, Trial& x) const {
  body.factorise(matrix(x.h), x.t_at, x.work[q_at], x.work[v_at], x.A);
}

// v_free = v - A^-1 residual(v)
void ImplicitScheme::free_velocity(const Dynamics& body, Trial& x) const {
  residual(body, x, x.v_free);
  safeguard(body, x, x.v_free);
  if (!x.factorised && (x.pass == 0 || !frozen_)) {
    factorise(body, x);
    x.factorised = has(body.traits(), Trait::affine);
  }
  solve(x.A, x.v_free);
  x.v_free = x.v - x.v_free;
}

void ImplicitScheme::safeguard(const Dynamics& body, Trial& x, Vector& res) const {
  if (one_solve(body)) return;
  if (x.pass == 0)
    stay(body, x, res);
  else if (x.damp)
    damp(body, x, res);
  if (!x.damp) return;
  x.work[v_before] = x.v;
  x.work[r_before] = res;
}

// Without rotations, q1 is a linear function of v1. A prediction with |residual| <= |M v| is good:
// the forces of the step change the velocity by less than its size.
void ImplicitScheme::stay(const Dynamics& body, Trial& x, Vector& res) const {
  constexpr double kAbsurd = 100.0;
  if (has(body.traits(), Trait::rotations)) return;
  const double predicted = res.norm();
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.v, x.work[product]);
  if (predicted <= x.work[product].norm()) return;
  place_end(body, x);
  x.work[change] = (x.q - x.start->q) / travel(x);
  if (!(x.work[change].array() != 0.0).any()) return;
  x.v -= x.work[change];
  place_end(body, x);
  residual(body, x, res);
  if (kAbsurd * res.norm() < predicted || !std::isfinite(predicted)) return;
  predict(body, x);
  residual(body, x, res);
}

// res is the residual at x.v and r_before that at v_before, both without the impulse r of the last
// pass. The change x.v - v_before solves  A change = r - residual(v_before),  so that it decreases
// |residual - r| if it is short enough. The residual of a slender body grows where it turns, by the
// square of the angle times its stiffness along it; with a limit of 1, passes would creep. Passes
// for a rubber cantilever under 50 to 120 N in steps of 100 s, for two meshes:
//     limit 1: more than 60,  3: 16 to 20,  5: 15 to 18,  10: 14 to 17,  20: 13 to 24 and a failure
void ImplicitScheme::damp(const Dynamics& body, Trial& x, Vector& res) const {
  constexpr double kMostGrowth = 5.0;
  constexpr int kMostHalvings = 12;
  constexpr double kRoundOff = 1e-8;  // changes below this fraction of v are not damped
  const double most = kMostGrowth * (x.work[r_before] - x.r).norm();
  for (int k = 0; k < kMostHalvings && !((res - x.r).norm() < most); ++k) {
    if ((x.v - x.work[v_before]).norm() <= kRoundOff * x.v.norm()) return;
    if (k == 0) ++x.damped;
    x.v = 0.5 * (x.v + x.work[v_before]);
    place_end(body, x);
    residual(body, x, res);
  }
}

void ImplicitScheme::allocate(const Dynamics& body, Trial& x) const {
  if (x.work.empty()) {
    x.work.assign(static_cast<std::size_t>(own + own_vectors()), Vector(body.velocities()));
    x.work[q_at].resize(body.positions());
  }
  RoundOff::begin(x.work[history]);
}

void ImplicitScheme::begin(const Dynamics& body, Trial& x) const {
  allocate(body, x);
  x.gain = gain_at(x.h);
  predict(body, x);
  // The motion without contact, to first order for nonlinear groups: for a body at rest on its
  // obstacle it must show penetration, otherwise the round-off of the gap would decide about the
  // contact.
  free_velocity(body, x);
  x.v = x.v_free;
  place_end(body, x);
}

void ImplicitScheme::linearise(const Dynamics& body, Trial& x) const {
  if (!one_solve(body)) free_velocity(body, x);  // otherwise v_free does not depend on the iterate
}

double ImplicitScheme::correct(const Dynamics& body, Trial& x) const {
  x.work[force] = x.r;
  solve(x.A, x.work[force]);  // A^-1 r
  x.work[change] = x.v_free + x.work[force];
  x.work[change].swap(x.v);  // the previous iterate
  double outstanding = 0.0;
  if (!one_solve(body)) {
    x.work[change] = x.v - x.work[change];
    outstanding = left_over(body, x);
  }
  place_end(body, x);
  return outstanding;
}

double ImplicitScheme::left_over(const Dynamics& body, Trial& x) const {
  const double outstanding = outstanding_change(body, x, x.work[change], x.work[force],
                                                x.work[product], x.work[increment]);
  return RoundOff::reached(body, x, outstanding, x.work[change], x.A, x.work[q_at], x.work[v_at],
                           x.work[history], x.work[product], x.work[force], x.work[increment])
             ? 0.0
             : outstanding;
}

void ImplicitScheme::finish(const Dynamics&, Trial& x, GroupState& end) const {
  end.q.swap(x.q);
  end.v.swap(x.v);
}

void ImplicitScheme::place_between(const Dynamics& body, Trial& x, const Vector& v1, double theta) {
  x.work[v_at] = theta * v1 + (1.0 - theta) * x.start->v;
  x.work[increment] = x.h * theta * x.work[v_at];
  body.retract(x.start->q, x.work[increment], x.work[q_at]);
}

void ImplicitScheme::book_between(const Dynamics& body, Trial& x, const GroupState& end,
                                  double theta, StepWork& out) {
  place_between(body, x, end.v, theta);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0 + theta * x.h, x.t0, x.work[q_at], x.work[v_at], x.work[v_at], x.h,
               out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

double outstanding_change(const Dynamics& body, const Trial& x, const Vector& dv,
                          const Vector& response, Vector& product, Vector& scale_of) {
  if (dv.size() == 0) return 0.0;  // bodies that only follow a prescribed motion
  const Eigen::Index bodies = body.bodies(), n = body.velocities() / bodies;
  auto scale = scale_of.head(bodies);  // squared
  scale.setZero();
  const auto square = [&](const Vector& y, Eigen::Index i) {
    return y.segment(i * n, n).dot(product.segment(i * n, n));
  };
  for (const Vector* y : {&x.start->v, &x.v, &response}) {
    body.multiply({1.0, 0.0, 0.0}, x.t0 + x.h, x.q, x.v, *y, product);
    for (Eigen::Index i = 0; i < bodies; ++i) scale[i] = std::max(scale[i], square(*y, i));
  }
  body.multiply({1.0, 0.0, 0.0}, x.t0 + x.h, x.q, x.v, dv, product);
  double outstanding = 0.0;
  for (Eigen::Index i = 0; i < bodies; ++i) {
    const double change = square(dv, i);
    if (!std::isfinite(change) || !std::isfinite(scale[i]))
      return std::numeric_limits<double>::infinity();
    if (change > kNoEnergy) outstanding = std::max(outstanding, std::sqrt(change / scale[i]));
  }
  return outstanding;
}

void RoundOff::begin(Vector& memory) {
  memory.setConstant(3, std::numeric_limits<double>::infinity());
  memory[2] = 0.0;
}

bool RoundOff::reached(const Dynamics& body, const Trial& x, double change, const Vector& dv,
                       const Factor& A, View q, View v, Vector& memory, Vector& product,
                       Vector& response, Vector& scale) {
  double &before = memory[0], &best = memory[1], &since = memory[2];
  const bool slow = change > 0.5 * before;
  since = change < best ? 0.0 : since + 1.0;
  best = std::min(best, change);
  before = change;
  if (!slow || change == 0.0) return false;
  const Eigen::Index bodies = body.bodies(), n = dv.size() / bodies, m = x.q.size() / bodies;
  const double offset = body.offset();
  bool at_rest = true;
  for (Eigen::Index i = 0; i < bodies; ++i)
    at_rest = at_rest && x.h * dv.segment(i * n, n).lpNorm<Eigen::Infinity>() <=
                             4.0 * std::numeric_limits<double>::epsilon() *
                                 (x.q.segment(i * m, m).lpNorm<Eigen::Infinity>() + offset);
  if (at_rest) return true;
  if (since < 2.0) return false;
  response.setZero();
  if (!has(body.traits(), Trait::rotations)) {
    body.multiply({0.0, 0.0, x.h}, x.t_at, q, v, x.q, response);
    solve(A, response);
  }
  const bool impulse = (x.r.array() != 0.0).any();
  return outstanding_change(body, x, dv, response, product, scale) <= (impulse ? 1e-10 : 1e-6);
}

double curvature(const Dynamics& body, double t, View q, View v, const Vector& w, Vector& product) {
  if (body.rigid()) return 0.0;
  body.multiply({0.0, 0.0, 1.0}, t, q, v, w, product);
  return w.dot(product);
}

double gyroscopic_power(const Dynamics& body, View v, View w) {
  const RigidData* data = body.rigid();
  if (!data) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < data->inertia.size(); ++i) {
    const RigidAt at(static_cast<std::ptrdiff_t>(i));
    const Vector3 Omega = at.spin(v);
    sum -= Omega.cross(data->inertia[i] * Omega).dot(at.spin(w));
  }
  return sum;
}

double book_sources(const Dynamics& body, double t, std::optional<double> held, View q, View v,
                    View w, double weight_h, std::span<double> by_source) {
  std::array<double, 16> rate{};
  const auto sources = body.sources();
  expects(sources.size() <= rate.size(), "a kind has at most 16 sources");
  if (std::all_of(sources.begin(), sources.end(), [](const Source& x) { return x.potential; }))
    return 0.0;
  body.power(t, held, q, v, w, std::span(rate).first(sources.size()));
  double sum = 0.0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const double work = sources[s].potential ? 0.0 : weight_h * rate[s];
    by_source[s] += work;
    sum += work;
  }
  return sum;
}

}  // namespace saltus
