// Backward Euler (tr = 1) and the implicit midpoint rule (tr = 1/2) on any group of bodies, of
// second or first order. With s = exp(-h vdamping) the step returns v1 = s v, and
//
//     M (v - v0) = h F(t0 + tr h, q_tr, v_tr) + r,      v_tr = tr v + (1 - tr) v0,
//         q_tr = q0 (+) tr h v_tr
//     q1 = q0 (+) h v_tr                                positions move with the undamped v
//     A = (M + tr h C + tr^2 h^2 K)/s,  gain = tr/s
//         both refer to v1, so that laws hold for the velocity that the step returns
//
// M is evaluated at q_tr. solver: linear makes one solve about the start: exact for affine groups,
// of order 1 where M or C depends on q, because both are evaluated at the start:
//
//     A s (v - v0) = h [ F(t0 + tr h, q0, v0) - tr h K v0 ] + r
//
// compat: sofa is the linear form with loads at t0 and q1 = q0 (+) h v for either tr: of order 1.
// compat: seed is the linear form with tr = 1, loads at t0 and q1 = q0 (+) h v0, gain 0: undamped
// at any h, of order 1.
// Source: D. Baraff, A. Witkin 1998; theory in docs/theory/euler-implicit.md.
#include "saltus/schemes/euler_implicit.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class EulerImplicit final : public ImplicitScheme {
 public:
  explicit EulerImplicit(const EulerImplicitOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations},
                       o.solver == EquationSolver::linear || o.compat != Compat::none),
        tr_(o.trapezoidal ? 0.5 : 1.0),
        // q1 = q0 (+) h (weight_ v + (1 - weight_) v0)
        weight_(o.compat == Compat::none ? tr_ : (o.compat == Compat::sofa ? 1.0 : 0.0)),
        load_(o.compat == Compat::none ? tr_ : 0.0),
        vdamping_(o.vdamping) {}
  std::string_view name() const override { return EulerImplicitOptions::name; }
  double gain() const override { return weight_; }
  double stability_limit(double xi) const override;
  void work_velocity(const Trial& x, const GroupState& end, Out w) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void predict(const Dynamics&, Trial& x) const override { x.v = damping(x.h) * x.start->v; }
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override {
    const double s = damping(h);
    return {1.0 / s, tr_ * h / s, tr_ * tr_ * h * h / s};
  }
  double gain_at(double h) const override { return weight_ / damping(h); }

 private:
  double damping(double h) const { return std::exp(-h * vdamping_); }  // s
  void place_forces(const Dynamics& body, Trial& x, const Vector& v1) const;

  double tr_, weight_, load_, vdamping_;
};

void EulerImplicit::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = x.h * ((weight_ / damping(x.h)) * x.v + (1.0 - weight_) * x.start->v);
  body.retract(x.start->q, x.work[increment], x.q);
}

// v_tr in work[v_at], q_tr in work[q_at]
void EulerImplicit::place_forces(const Dynamics& body, Trial& x, const Vector& v1) const {
  x.work[v_at] = (tr_ / damping(x.h)) * v1 + (1.0 - tr_) * x.start->v;
  x.work[increment] = tr_ * x.h * x.work[v_at];
  body.retract(x.start->q, x.work[increment], x.work[q_at]);
}

// newton: M (v - v0) - h F_tr.   linear, at v = v0:  -h [F(q0, v0) - tr h K v0]
void EulerImplicit::residual(const Dynamics& body, Trial& x, Vector& res) const {
  const double t = x.t_at = x.t0 + load_ * x.h;
  if (linear_) {
    x.work[q_at] = x.start->q;
    x.work[v_at] = x.start->v;
    body.force(t, x.start->q, x.start->v, x.work[force]);
    body.multiply({0.0, 0.0, tr_ * x.h}, t, x.start->q, x.start->v, x.start->v, res);
    res = x.h * (res - x.work[force]);
  } else {
    place_forces(body, x, x.v);
    body.force(t, x.work[q_at], x.work[v_at], x.work[force]);
    x.work[change] = x.v / damping(x.h) - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, t, x.work[q_at], x.work[v_at], x.work[change], res);
    res -= x.h * x.work[force];
  }
}

// Only the midpoint equation with q1 = q0 + h v has a stability limit:
// |2 - 4 s| <= 2 with s = z^2/4, for any xi.
double EulerImplicit::stability_limit(double xi) const {
  return tr_ == 0.5 && weight_ == 1.0 ? 2.0 : Scheme::stability_limit(xi);
}

void EulerImplicit::work_velocity(const Trial& x, const GroupState& end, Out w) const {
  w = 0.5 * (end.v / damping(x.h) + x.start->v);
}

// Testing the scheme with v_tr, with V the potential and
//     r . v_tr = r . (v + v0)/2 + (tr - 1/2) r . (v - v0):
//     E1 - E0 = h F_s . v_tr (sources without potential) + r . (v + v0)/2
//               - (tr - 1/2) (|v - v0|_M^2 - r . (v - v0) + |h v_tr|_K^2)
//               + V(q1) - V(q0 (+) h v_tr) - (1 - s^2)/2 |v|_M^2
// exact for affine groups; for others, the rest that is due to curvature goes to `unexplained`.
void EulerImplicit::work(const Dynamics& body, Trial& x, const GroupState& end,
                         StepWork& out) const {
  const double h = x.h, s = damping(h);
  place_forces(body, x, end.v);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0 + load_ * h, x.t0, x.work[q_at], x.work[v_at], x.work[v_at], h,
               out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  if (tr_ != 0.5) {
    x.work[change] = end.v / s - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change],
                  x.work[product]);
    out.scheme -= (tr_ - 0.5) * x.work[change].dot(x.work[product] - x.r);
    x.work[change] = h * x.work[v_at];
    out.scheme -= (tr_ - 0.5) * curvature(body, x.t_at, x.work[q_at], x.work[v_at], x.work[change],
                                          x.work[product]);
  }
  if (weight_ != tr_) {
    x.work[change] = h * x.work[v_at];
    body.retract(x.start->q, x.work[change], x.work[q_at]);
    out.scheme += out.energy.potential -
                  body.energy(held_at(body, x, x.t0 + x.h), x.work[q_at], end.v).potential;
  }
  if (s != 1.0) {
    body.multiply({1.0, 0.0, 0.0}, x.t0 + h, end.q, end.v, end.v, x.work[product]);
    out.scheme -= 0.5 * (1.0 / (s * s) - 1.0) * end.v.dot(x.work[product]);
  }
}

}  // namespace

std::unique_ptr<Scheme> make_euler_implicit(const EulerImplicitOptions& options) {
  expects(options.compat != Compat::seed || !options.trapezoidal,
          "euler-implicit: compat: seed needs trapezoidal: false; use compat: none or sofa");
  return std::make_unique<EulerImplicit>(options);
}

}  // namespace saltus
