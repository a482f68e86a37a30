// Newmark's method in a nonsmooth form: impulses change v1 and q1, never the stored acceleration.
// With s = exp(-h vdamping) the step returns v1 = s v; the memory is a0 = M^-1 F(t0, q0, v0), and
//
//     v_p = v0 + h (1 - gamma) a0
//     q1 = q0 (+) [ h v0 + h^2 (1/2 - beta) a0 + (beta/gamma) h (v - v_p) ]
//     M(q1) (v - v_p) = h gamma F(t1, q1, v) + r
//     A = (M + h gamma C + h^2 beta K)/s,  gain = beta/(gamma s),     a1 = M^-1 F(t1, q1, v1)
//
// Without impulses this is the usual method. A body at rest on an obstacle stays there only with
// beta = gamma/2: otherwise it moves by h^2 a (1/2 - beta/gamma) per step, where a is its free
// acceleration. solver: linear makes one solve about the start, with M and C evaluated there (order
// 1 where they depend on q),
//
//     A s (v - v_p) = h gamma [ F(t1, q0, v0) - K (h v0 + h^2 (1/2 - beta) a0) - h (1 - gamma) C a0
//         ] + r
//     a1 = (v - v_p - M^-1 r)/(h gamma)          (affine groups: as above)
//
// compat: sofa is the linear form with loads at t0, dashpots D counted twice (- D v0 in the
// brackets) and a first acceleration without Rayleigh damping. compat: seed, a formula for systems
// without dashpots, gives the same form.
// Source: N. M. Newmark 1959, form for impulses after Q.-z. Chen et al. 2013; theory in
// docs/theory/newmark.md.
#include "saltus/schemes/newmark.h"

#include <algorithm>
#include <cmath>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class Newmark final : public ImplicitScheme {
 public:
  explicit Newmark(const NewmarkOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations},
                       o.solver == EquationSolver::linear || o.compat != Compat::none),
        gamma_(o.gamma),
        beta_(o.beta_value()),
        vdamping_(o.vdamping),
        sofa_(o.compat != Compat::none) {}
  std::string_view name() const override { return NewmarkOptions::name; }
  double gain() const override { return beta_ / gamma_; }
  double stability_limit(double xi) const override;
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double) const override {
    return std::make_unique<MassFactor>(body);
  }
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void work_velocity(const Trial& x, const GroupState& end, Out w) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void predict(const Dynamics& body, Trial& x) const override;
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override {
    const double s = damping(h);
    return {1.0 / s, h * gamma_ / s, h * h * beta_ / s};
  }
  double gain_at(double h) const override { return gain() / damping(h); }

 private:
  double damping(double h) const { return std::exp(-h * vdamping_); }  // s
  static const Vector& a0(const Trial& x) { return x.start->memory[0]; }
  void move(const Trial& x, const Vector& v1, Vector& w) const;

  double gamma_, beta_, vdamping_;
  bool sofa_;
};

// a0 = M^-1 F,  sofa: M^-1 (F + rM M v + rK K v)
void Newmark::start(const Dynamics& body, const Prepared* prepared, double t, double,
                    GroupState& state) const {
  Vector a(body.velocities());
  body.force(t, state.q, state.v, a);
  if (sofa_) {
    const Rayleigh R = body.rayleigh();
    Vector damped(body.velocities());
    body.multiply({R.mass, 0.0, R.stiffness}, t, state.q, state.v, state.v, damped);
    a += damped;
  }
  solve_mass(body, prepared, t, state.q, state.v, a);
  state.memory.assign(1, a);
}

// newton: v = v0 + h a0.   linear: v = v_p, where the smooth a1 is 0
void Newmark::predict(const Dynamics&, Trial& x) const {
  const double share = linear_ ? 1.0 - gamma_ : 1.0;
  x.v = damping(x.h) * (x.start->v + x.h * share * a0(x));
}

// w = h v0 + h^2 (1/2 - beta) a0 + (beta/gamma) h (v - v_p)
void Newmark::move(const Trial& x, const Vector& v1, Vector& w) const {
  const double h = x.h, ratio = beta_ / gamma_;
  w = h * (ratio / damping(h)) * v1 + h * (1.0 - ratio) * x.start->v +
      h * h * (0.5 - beta_ - ratio * (1.0 - gamma_)) * a0(x);
}

void Newmark::place_end(const Dynamics& body, Trial& x) const {
  move(x, x.v, x.work[increment]);
  body.retract(x.start->q, x.work[increment], x.q);
}

void Newmark::residual(const Dynamics& body, Trial& x, Vector& res) const {
  const double h = x.h;
  const Vector &q0 = x.start->q, &v0 = x.start->v;
  if (linear_) {  // at v = v_p
    x.work[q_at] = q0;
    x.work[v_at] = v0;
    x.t_at = sofa_ ? x.t0 : x.t0 + h;
    body.force(x.t_at, q0, v0, x.work[force]);
    x.work[change] = h * v0 + h * h * (0.5 - beta_) * a0(x);
    body.multiply({0.0, 0.0, 1.0}, x.t_at, q0, v0, x.work[change], res);
    x.work[change] = h * (1.0 - gamma_) * a0(x);
    body.multiply({0.0, 1.0, 0.0}, x.t_at, q0, v0, x.work[change], x.work[product]);
    res += x.work[product];
    if (sofa_) {  // D = C - rM M - rK K
      const Rayleigh R = body.rayleigh();
      body.multiply({-R.mass, 1.0, -R.stiffness}, x.t_at, q0, v0, v0, x.work[product]);
      res += x.work[product];
    }
    res = h * gamma_ * (res - x.work[force]);
  } else {  // M (v - v_p) - h gamma F(t1, q1, v)
    x.work[v_at] = x.v / damping(h);
    move(x, x.v, x.work[increment]);
    body.retract(q0, x.work[increment], x.work[q_at]);
    x.t_at = x.t0 + h;
    body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
    x.work[change] = x.work[v_at] - v0 - h * (1.0 - gamma_) * a0(x);
    body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change], res);
    res -= h * gamma_ * x.work[force];
  }
}

void Newmark::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  Vector& a1 = x.work[force];
  if (linear_ && (sofa_ || !has(body.traits(), Trait::affine))) {
    x.work[change] = x.r;
    if ((x.r.array() != 0.0).any())
      solve_mass(body, x, x.t0, x.start->q, x.start->v, x.work[change]);
    a1 = (x.v / damping(x.h) - x.start->v - x.work[change]) / (x.h * gamma_) -
         ((1.0 - gamma_) / gamma_) * a0(x);
  } else {
    body.force(x.t0 + x.h, x.q, x.v, a1);
    solve_mass(body, x, x.t0 + x.h, x.q, x.v, a1);
  }
  end.memory.resize(1);
  end.memory[0].swap(a1);
  a1.resize(body.velocities());
  ImplicitScheme::finish(body, x, end);
}

// The roots of the step reach the unit circle where
//     z^2 (gamma/2 - beta) - 2 xi (gamma - 1/2) z - 1 = 0.
double Newmark::stability_limit(double xi) const {
  const double b = 0.5 * gamma_ - beta_, c = xi * (gamma_ - 0.5);
  return b <= 0.0 ? Scheme::stability_limit(xi) : (c + std::sqrt(c * c + b)) / b;
}

void Newmark::work_velocity(const Trial& x, const GroupState& end, Out w) const {
  w = 0.5 * x.start->v + (0.5 / damping(x.h)) * end.v;
}

// Testing M (v - v0) = h [(1 - gamma) F0 + gamma F1] + r with v_m = (v0 + v)/2. With the
// displacement of the step w = h (v_m + e), where e = 0 for beta = gamma/2,
//     E1 - E0 = [(1 - gamma) F0 + gamma F1]_s . w (sources without potential) + r . v_m
//               - (gamma - 1/2) |w|_K^2 - e . (M (v - v0) - r) - (1 - s^2)/2 |v|_M^2
// exact for affine groups (not in the compat form); for others, the rest that is due to curvature
// goes to `unexplained`.
void Newmark::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  const double h = x.h, s = damping(h);
  const Vector &q0 = x.start->q, &v0 = x.start->v;
  Vector &w = x.work[increment], &v = x.work[v_at];
  v = end.v / s;
  move(x, end.v, w);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0, x.t0, q0, v0, w, 1.0 - gamma_, out.by_source);
  book_sources(body, x.t0 + h, x.t0, end.q, v, w, gamma_, out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  if (gamma_ != 0.5) {
    out.scheme -= (gamma_ - 0.5) * curvature(body, x.t0 + h, end.q, v, w, x.work[product]);
  }
  out.scheme +=
      (1.0 - gamma_) * gyroscopic_power(body, v0, w) + gamma_ * gyroscopic_power(body, v, w);
  if (beta_ != 0.5 * gamma_) {
    x.work[change] = v - v0;
    body.multiply({1.0, 0.0, 0.0}, x.t0 + h, end.q, v, x.work[change], x.work[product]);
    x.work[product] -= x.r;
    x.work[change] = w / h - 0.5 * (v0 + v);  // e
    out.scheme -= x.work[change].dot(x.work[product]);
  }
  if (s != 1.0) {
    body.multiply({1.0, 0.0, 0.0}, x.t0 + h, end.q, end.v, end.v, x.work[product]);
    out.scheme -= 0.5 * (1.0 / (s * s) - 1.0) * end.v.dot(x.work[product]);
  }
}

}  // namespace

std::unique_ptr<Scheme> make_newmark(const NewmarkOptions& options) {
  return std::make_unique<Newmark>(options);
}

}  // namespace saltus
