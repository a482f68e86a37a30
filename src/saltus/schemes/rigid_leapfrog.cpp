// Solfec's three updates of a rotation: half a step with the start velocity, then the new velocity,
// then half a step with the new velocity. R is the rotation from body to space, W the angular
// velocity, T and r_W are torque and angular impulse in the body frame, J is the inertia.
//
//     R_h = R0 exp[(h/2) W0],  x_h = x0 + (h/2) v0,  f and T at (t0 + h/2, x_h, R_h)
//     p   = exp[-(h/2) W0] J W0                                                                 (1)
//     W_h = J^-1 (p + (h/2) T)                                                                  (2)
//     Wp  = W0 + J^-1 (h T - h W_h x J W_h + r_W)                                               (3)
//     v1  = v0 + (h f + r_v)/m,  x1 = x_h + (h/2) v1
//     rig-pos:  W1 = Wp                                                                         (4)
//     rig-neg:  W1 = J^-1 exp[-(h/2) Wp] G,     G = p + h T + r_W                               (5)
//     rig-imp:  exp[(h/2) W1] J W1 = G          by Newton from Wp                               (6)
//     R1  = R_h exp[(h/2) Wp]   (rig-imp: W1)
//
// On a locked axis a, where W is 0 and J^-1 has no row, T includes the moment that locks it, so
// that (2) holds there as well:
//
//     T_a = (2/h) (J W_h - p)_a                                                                 (7)
//
// A = blockdiag(m I, J), gain = 1/2. Contact laws hold for the final W1, a nonlinear function of
// r_W: passes with v_free = W1(r) - J^-1 r. With reactions: predictor they hold for Wp, in one
// pass.
// Source: T. Koziara, N. Bicanic 2010; theory in docs/theory/rig-pos.md.
#include "saltus/schemes/rigid_leapfrog.h"

#include <Eigen/LU>
#include <algorithm>

#include "saltus/linear_algebra/blocks_internal.h"
#include "saltus/schemes/rigid_step.h"

namespace saltus {
namespace {

/// Calls use(i) for all bodies, in parallel.
template <class Use>
void for_bodies(std::ptrdiff_t bodies, const Use& use) {
  in_blocks(static_cast<std::size_t>(bodies), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) use(static_cast<std::ptrdiff_t>(i));
  });
}

constexpr int kLeapfrogSteps = 50;
constexpr double kNewtonTolerance = 1e-13;  // of |residual| / |G|
constexpr std::string_view kLeapfrogNotSolved =
    "rig-imp did not converge: bodies rotate too far in a step; use a smaller time step";

class RigidLeapfrog final : public Scheme {
 public:
  enum class Form { pos, neg, imp };
  RigidLeapfrog(Form form, std::string_view name, Reactions reactions, LoadVelocity at)
      : form_(form),
        name_(name),
        predictor_(reactions == Reactions::predictor && form != Form::pos),
        start_load_(at == LoadVelocity::start) {}

  std::string_view name() const override { return name_; }
  unsigned needs() const override { return static_cast<unsigned>(Trait::rigid); }
  bool one_pass(const Dynamics&) const override { return form_ == Form::pos || predictor_; }
  bool free_motion(const Dynamics&) const override { return true; }
  bool axes_fixed() const override { return true; }
  double gain() const override { return 0.5; }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 private:
  /// q_h and, of size velocities(): the velocity v_load at which loads are evaluated, the loads (f,
  /// T), (v1, Wp) without contact, (0, p), (0, W_h), the final velocity, A^-1 r, and scratch.
  enum Scratch {
    q_h,
    v_load,
    load,
    free_velocity,
    momentum,
    middle,
    finished,
    response,
    change,
    product,
    spare,
    scale,
    history,
    count
  };
  void half_step(const Dynamics& body, Trial& x) const;
  void move(const Dynamics& body, Trial& x) const;
  bool turn(const Matrix3& J, const Matrix3& inverse, double h, const Vector3& G, Vector3& W) const;

  Form form_;
  std::string_view name_;
  bool predictor_, start_load_;
};

void RigidLeapfrog::begin(const Dynamics& body, Trial& x) const {
  if (x.work.empty()) {
    x.work.assign(count, Vector::Zero(body.velocities()));
    x.work[q_h].resize(body.positions());
  }
  x.gain = 0.5;
  RoundOff::begin(x.work[history]);
  if (!x.factorised) body.factorise({1.0, 0.0, 0.0}, x.t0, x.start->q, x.start->v, x.A);
  x.factorised = true;
  half_step(body, x);
  x.work[response].setZero();
  move(body, x);
}

// Computes (1) to (3) without r, and the configuration and the loads at mid-step.
void RigidLeapfrog::half_step(const Dynamics& body, Trial& x) const {
  const RigidData& data = *body.rigid();
  const double h = x.h, t = x.t0 + 0.5 * h;
  const Vector& v0 = x.start->v;
  Vector &F = x.work[load], &at_load = x.work[v_load], &p = x.work[momentum];
  const auto bodies = static_cast<std::ptrdiff_t>(data.mass.size());
  x.work[product] = 0.5 * h * v0;
  body.retract(x.start->q, x.work[product], x.work[q_h]);
  for_bodies(bodies, [&](std::ptrdiff_t i) {
    const RigidAt at(i);
    const Vector3 W = at.spin(v0);
    p.segment<3>(at.v + 3) = rotate(-0.5 * h * W, data.inertia[static_cast<std::size_t>(i)] * W);
  });
  at_load = v0;
  body.load(t, x.work[q_h], at_load, F);
  const auto to_middle = [&](Vector& v) {  // v0 + (h/2) f/m,  (2)
    for_bodies(bodies, [&](std::ptrdiff_t i) {
      const auto k = static_cast<std::size_t>(i);
      const RigidAt at(i);
      v.segment<3>(at.v) =
          at.linear(v0) + 0.5 * h * data.mass_inverse[k].cwiseProduct(at.linear(F));
      v.segment<3>(at.v + 3) = data.inertia_inverse[k] * (at.spin(p) + 0.5 * h * at.spin(F));
    });
  };
  if (!start_load_) {
    to_middle(at_load);
    body.load(t, x.work[q_h], at_load, F);
  }
  to_middle(x.work[middle]);
  for_bodies(bodies, [&](std::ptrdiff_t i) {
    const auto k = static_cast<std::size_t>(i);
    const RigidAt at(i);
    const Vector3 W_h = at.spin(x.work[middle]);
    Vector& v = x.work[free_velocity];
    v.segment<3>(at.v) = at.linear(v0) + h * data.mass_inverse[k].cwiseProduct(at.linear(F));
    v.segment<3>(at.v + 3) = at.spin(v0) + h * (data.inertia_inverse[k] *
                                                (at.spin(F) - W_h.cross(data.inertia[k] * W_h)));
    if (form_ == Form::pos) return;
    const Vector3 held = 2.0 / h * (data.inertia[k] * W_h - at.spin(p));  // (7)
    for (int a = 0; a < 3; ++a)
      if (data.inertia_inverse[k](a, a) == 0.0) F[at.v + 3 + a] = held[a];
  });
}

// (6): residual J W - exp[-w] G,  tangent J - (h/2) (exp[-w] G)^ dexp(w),  w = (h/2) W
bool RigidLeapfrog::turn(const Matrix3& J, const Matrix3& inverse, double h, const Vector3& G,
                         Vector3& W) const {
  const double small = kNewtonTolerance * G.norm();
  for (int k = 0; k < kLeapfrogSteps; ++k) {
    const Vector3 w = 0.5 * h * W, turned = rotate(-w, G);
    Vector3 residual = J * W - turned;
    for (int i = 0; i < 3; ++i)
      if (inverse(i, i) == 0.0) residual[i] = 0.0;
    // One more correction after convergence reduces the error to round-off.
    const bool met = residual.norm() <= small;
    rigid::subtract_solution(J - 0.5 * h * skew(turned) * dexp(w), residual, inverse, W);
    if (met) return true;
  }
  return false;
}

// Computes the end of the step under x.r, with x.work[response] = A^-1 r: x.q, x.work[finished] and
// x.v, the velocity for which contact laws hold.
void RigidLeapfrog::move(const Dynamics& body, Trial& x) const {
  const RigidData& data = *body.rigid();
  const double h = x.h;
  x.v = x.work[free_velocity] + x.work[response];  // (3)
  x.work[finished] = x.v;
  Vector& by = x.work[product];  // increments of the second half
  by = x.v;
  for (std::size_t i = 0; form_ != Form::pos && i < data.mass.size(); ++i) {
    const RigidAt at(static_cast<std::ptrdiff_t>(i));
    const Vector3 G = at.spin(x.work[momentum]) + h * at.spin(x.work[load]) + at.spin(x.r);
    Vector3 W = at.spin(x.v);
    if (form_ == Form::neg) {
      W = data.inertia_inverse[i] * rotate(-0.5 * h * W, G);  // (5)
    } else {
      if (!turn(data.inertia[i], data.inertia_inverse[i], h, G, W)) x.failure = kLeapfrogNotSolved;
      by.segment<3>(at.v + 3) = W;
    }
    x.work[finished].segment<3>(at.v + 3) = W;
  }
  if (!predictor_) x.v = x.work[finished];
  by *= 0.5 * h;
  body.retract(x.work[q_h], by, x.q);
}

// v_free = v - A^-1 r
void RigidLeapfrog::linearise(const Dynamics&, Trial& x) const {
  x.v_free = x.v - x.work[response];
}

double RigidLeapfrog::correct(const Dynamics& body, Trial& x) const {
  x.work[response] = x.r;
  solve(x.A, x.work[response]);
  move(body, x);
  if (one_pass(body)) return 0.0;
  x.work[change] = x.v - x.v_free - x.work[response];
  return rigid::outstanding(body, x, x.work[change], x.work[response], x.work[q_h], x.work[middle],
                            x.work[history], x.work[product], x.work[spare], x.work[scale]);
}

void RigidLeapfrog::finish(const Dynamics&, Trial& x, GroupState& end) const {
  end.q.swap(x.q);
  end.v.swap(predictor_ ? x.work[finished] : x.v);
}

void RigidLeapfrog::place(const Dynamics& body, const Trial& x, double fraction, Out q) const {
  if (fraction == 0.5)
    q = x.work[q_h];
  else
    Scheme::place(body, x, fraction, q);
}

// With w = (v0 + v1)/2 every impulse J (W1 - W0) does the work J (W1 - W0) . w, and
//     E1 - E0 = h (f . w_v + T . w_W) + r . w + scheme
//     rig-pos:            scheme = -h (W_h x J W_h) . w_W
//     rig-neg, rig-imp:   scheme = (exp[-(h/2) W] G - J W0 - h T - r_W) . w_W,   W = Wp or W1
void RigidLeapfrog::work(const Dynamics& body, Trial& x, const GroupState& end,
                         StepWork& out) const {
  const RigidData& data = *body.rigid();
  const double h = x.h;
  Vector& w = x.work[change];
  w = 0.5 * (x.start->v + end.v);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0 + 0.5 * h, x.t0, x.work[q_h], x.work[v_load], w, h, out.by_source);
  for (std::size_t i = 0; i < data.mass.size(); ++i) {
    const RigidAt at(static_cast<std::ptrdiff_t>(i));
    const Vector3 turn = at.spin(w), W_h = at.spin(x.work[middle]);
    if (form_ == Form::pos) {
      out.scheme -= h * W_h.cross(data.inertia[i] * W_h).dot(turn);
      continue;
    }
    const Vector3 pushed = h * at.spin(x.work[load]) + at.spin(x.r);
    const Vector3 W = form_ == Form::neg
                          ? Vector3(at.spin(x.work[free_velocity]) + at.spin(x.work[response]))
                          : at.spin(end.v);
    out.scheme += (rotate(-0.5 * h * W, at.spin(x.work[momentum]) + pushed) -
                   data.inertia[i] * at.spin(x.start->v) - pushed)
                      .dot(turn);
  }
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_rig_pos(const RigPosOptions& o) {
  return std::make_unique<RigidLeapfrog>(RigidLeapfrog::Form::pos, RigPosOptions::name,
                                         Reactions::converged, o.load_velocity);
}
std::unique_ptr<Scheme> make_rig_neg(const RigNegOptions& o) {
  return std::make_unique<RigidLeapfrog>(RigidLeapfrog::Form::neg, RigNegOptions::name, o.reactions,
                                         o.load_velocity);
}
std::unique_ptr<Scheme> make_rig_imp(const RigImpOptions& o) {
  return std::make_unique<RigidLeapfrog>(RigidLeapfrog::Form::imp, RigImpOptions::name, o.reactions,
                                         o.load_velocity);
}

}  // namespace saltus
