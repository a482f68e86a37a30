// The variational integrators of Kharevych et al. in terms of the momentum p, which is the memory.
// M is constant.
//
// explicit:   v1 = M^-1 ( p0 + h F(t0, q0, v0) + r ),    q1 = q0 (+) h v1,    p1 = M v1,
//             A = M, gain 1, order 1
//
// implicit:   M v_m = p0 + (h/2) F(t0 + h/2, q_m, v_m) + r/2,    q_m = q0 (+) (h/2) v_m
//             q1 = q0 (+) h v_m,    p1 = M v_m + (h/2) F_m + r/2 = p0 + h F_m + r
//
// is the midpoint rule with v_m = (v0 + v1)/2 and v = M^-1 p; it is solved for v1:
//
//             residual(v1) = M v1 - p0 - h F_m,    A = M + (h/2) C + (h^2/4) K, gain 1/2, order 2
//
// compat: sofa, with f the force without Rayleigh damping, loads at t0, p1 without contact:
//
// explicit:   v1 = M^-1 ( p0 + h f(t0, q0, v0) + r ) - h rM v0
// implicit:   [ (4/h^2 + 4 rM/h) M + (1 + 4 rK/h) K(q_i-1) ] s_i
//                 = f(q_i-1) + K(q_i-1) s_i-1 + (2/h) p0
//             q_i = q0 + s_i;  v1 = 2 s/h, the velocity of mid-step,  q1 = q0 + h v1,
//                 p1 = M v1 + (h/2) f(q0 + s)
//
// Source: L. Kharevych et al. 2006; theory in docs/theory/variational-symplectic.md.
#include "saltus/schemes/variational_symplectic.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/schemes/explicit.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

using SymplecticOptions = VariationalSymplecticOptions;

constexpr Combination kMass{1.0, 0.0, 0.0};

/// Stores p = M v in the memory.
void keep_momentum(const Dynamics& body, double t, const Vector& v, GroupState& state) {
  state.memory.resize(1);
  state.memory[0].resize(body.velocities());
  body.multiply(kMass, t, state.q, v, v, state.memory[0]);
}

class VariationalExplicit final : public ExplicitScheme {
 public:
  explicit VariationalExplicit(const SymplecticOptions& o) : sofa_(o.compat == Compat::sofa) {}
  std::string_view name() const override { return SymplecticOptions::name; }
  unsigned needs() const override { return static_cast<unsigned>(Trait::constant_mass); }
  double gain() const override { return 1.0; }
  /// Without contact it is symplectic Euler.
  double stability_limit(double xi) const override { return 2.0 * (std::sqrt(1.0 + xi * xi) - xi); }
  void start(const Dynamics& body, const Prepared*, double t, double,
             GroupState& s) const override {
    keep_momentum(body, t, s.v, s);
  }
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { d = own };
  int own_vectors(const Dynamics&) const override { return 1; }
  void flight(const Dynamics& body, Trial& x) const override;

 private:
  bool sofa_;
};

void VariationalExplicit::flight(const Dynamics& body, Trial& x) const {
  const Vector &q0 = x.start->q, &v0 = x.start->v, &p0 = x.start->memory[0];
  x.gain = 1.0;
  use_mass(body, x, x.t0, q0, v0);
  if (sofa_)
    undamped_force(body, x, x.t0, q0, v0, x.v);
  else
    body.force(x.t0, q0, v0, x.v);
  x.v = p0 + x.h * x.v;
  solve_vector(x.A, x.v);
  if (sofa_) x.v -= (x.h * body.rayleigh().mass) * v0;
  x.work[d] = x.h * x.v;
  body.retract(q0, x.work[d], x.q);
}

void VariationalExplicit::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  ExplicitScheme::finish(body, x, end);
  keep_momentum(body, x.t0 + x.h, sofa_ && x.pass > 0 ? x.v_free : end.v, end);
}

void VariationalExplicit::work(const Dynamics& body, Trial& x, const GroupState& end,
                               StepWork& out) const {
  x.work[d] = x.h * end.v;
  book(body, x, end, x.t0, x.start->q, x.start->v, x.work[d], out);
}

class VariationalImplicit final : public ImplicitScheme {
 public:
  /// A tolerance of 0 means convergence to round-off.
  explicit VariationalImplicit(const SymplecticOptions& o)
      : ImplicitScheme({std::max(o.newton_tolerance.value_or(1e-10), 1e-14), o.steps.value_or(20)},
                       false) {}
  std::string_view name() const override { return SymplecticOptions::name; }
  unsigned needs() const override { return Trait::tangents | Trait::constant_mass; }
  double gain() const override { return 0.5; }
  void start(const Dynamics& body, const Prepared*, double t, double,
             GroupState& s) const override {
    keep_momentum(body, t, s.v, s);
  }
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override {
    ImplicitScheme::finish(body, x, end);
    keep_momentum(body, x.t0 + x.h, end.v, end);
  }
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {1.0, 0.5 * h, 0.25 * h * h}; }
};

// q1 = q0 (+) h v_m
void VariationalImplicit::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = 0.5 * x.h * (x.start->v + x.v);
  body.retract(x.start->q, x.work[increment], x.q);
}

void VariationalImplicit::residual(const Dynamics& body, Trial& x, Vector& res) const {
  place_between(body, x, x.v, 0.5);
  x.t_at = x.t0 + 0.5 * x.h;
  body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  body.multiply(kMass, x.t_at, x.work[q_at], x.work[v_at], x.v, res);
  res -= x.start->memory[0] + x.h * x.work[force];
}

// E1 - E0 = h F_s . v_m (sources without potential) + r . v_m,  exact for affine groups.
void VariationalImplicit::work(const Dynamics& body, Trial& x, const GroupState& end,
                               StepWork& out) const {
  book_between(body, x, end, 0.5, out);
}

/// Iterates to convergence inside flight(); contact then adds a correction with M.
class VariationalImplicitSofa final : public ExplicitScheme {
 public:
  explicit VariationalImplicitSofa(const SymplecticOptions& o)
      : tolerance_(o.newton_tolerance.value_or(0.01)), steps_(o.steps.value_or(5)) {}
  std::string_view name() const override { return SymplecticOptions::name; }
  unsigned needs() const override { return Trait::tangents | Trait::constant_mass; }
  unsigned refuses() const override { return static_cast<unsigned>(Trait::rotations); }
  double gain() const override { return 0.5; }
  double stability_limit(double xi) const override { return Scheme::stability_limit(xi); }
  void start(const Dynamics& body, const Prepared*, double t, double,
             GroupState& s) const override {
    keep_momentum(body, t, s.v, s);
  }
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { half_step = own, right, product };  // s, right side, K s and f
  int own_vectors(const Dynamics&) const override { return 3; }
  void flight(const Dynamics& body, Trial& x) const override;

 private:
  double tolerance_;
  int steps_;
};

// Ends after a step smaller than the tolerance times |q0|; with tolerance 0, when steps no longer
// decrease.
void VariationalImplicitSofa::flight(const Dynamics& body, Trial& x) const {
  const double h = x.h;
  const Vector &q0 = x.start->q, &v0 = x.start->v, &p0 = x.start->memory[0];
  const Rayleigh R = body.rayleigh();
  Vector &q = x.work[q_at], &s = x.work[half_step], &b = x.work[right];
  s.setZero();
  q = q0;
  double before = 0.0;
  for (int i = 0; i < steps_; ++i) {
    undamped_force(body, x, x.t0, q, v0, x.work[product]);
    b = x.work[product] + (2.0 / h) * p0;
    body.multiply({0.0, 0.0, 1.0}, x.t0, q, v0, s, x.work[product]);
    b += x.work[product];
    if (!x.factorised || !has(body.traits(), Trait::affine))
      body.factorise({4.0 / (h * h) + 4.0 * R.mass / h, 0.0, 1.0 + 4.0 * R.stiffness / h}, x.t0, q,
                     v0, x.M);
    use_mass(body, x, x.t0, q, v0);
    solve_vector(x.M, b);
    const double change = (b - s).norm();
    s.swap(b);
    q = q0 + s;
    if (change <= tolerance_ * q0.norm() || (tolerance_ == 0.0 && i > 0 && change >= before)) break;
    before = change;
  }
  x.gain = 0.5;
  x.v = (2.0 / h) * s;
  x.q = q0 + h * x.v;
}

void VariationalImplicitSofa::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  ExplicitScheme::finish(body, x, end);
  keep_momentum(body, x.t0 + x.h, x.pass > 0 ? x.v_free : end.v, end);
  undamped_force(body, x, x.t0, x.work[q_at], x.start->v, x.work[product]);
  end.memory[0] += 0.5 * x.h * x.work[product];
}

// No energy identity: terms that this form omits or counts twice appear as `unexplained`.
void VariationalImplicitSofa::work(const Dynamics& body, Trial& x, const GroupState& end,
                                   StepWork& out) const {
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, x.t0, x.t0, x.work[q_at], end.v, end.v, x.h, out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_variational_symplectic(const SymplecticOptions& options) {
  expects(options.compat != Compat::seed,
          "variational-symplectic: compat: seed is not available; use compat: none or sofa");
  if (options.form == SymplecticOptions::Form::explicit_form)
    return std::make_unique<VariationalExplicit>(options);
  if (options.compat == Compat::sofa) return std::make_unique<VariationalImplicitSofa>(options);
  return std::make_unique<VariationalImplicit>(options);
}

}  // namespace saltus
