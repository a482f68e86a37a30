#include "saltus/statics/equilibrium.h"

#include <algorithm>
#include <cmath>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

using namespace static_memory;

// epsilon of a body that K does not hold, relative to x . K x/x . M x of an unstructured x.
constexpr double kEpsilon = 1e-6;
// |K y - b|/|b| of the solution y of K y = b, from which K counts as singular.
constexpr double kSingular = 1e-2;
// Largest ratio of an increment to its tangent, and smallest one to q, of a jump. Up to a limit
// point an increment is at most twice its tangent, because the load that is left goes with the
// square of the distance; beyond it there is only a jump. Short increments may cross kinks.
constexpr double kMostOfTangent = 2.5, kLeastOfPlace = 0.01;

class Equilibrium final : public ImplicitScheme {
 public:
  explicit Equilibrium(double end) : ImplicitScheme({1e-10, 25}, false), end_(end) {}
  std::string_view name() const override { return "static"; }
  unsigned needs() const override { return Trait::tangents | Trait::second_order; }
  double gain() const override { return 1.0; }
  /// Passes are made for linear groups too: contacts may be curved.
  bool one_pass(const Dynamics&) const override { return false; }
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void change_step(const Dynamics&, const Prepared*, double, double, double,
                   GroupState&) const override {}
  void velocity(const Dynamics&, const Prepared*, double, double, const GroupState&,
                Out v) const override {
    v.setZero();
  }
  Energy energy(const Dynamics& body, const Prepared*, double t, double,
                const GroupState& state) const override {
    return potential(body, t, state.q);
  }
  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override { free_velocity(body, x); }
  double correct(const Dynamics& body, Trial& x) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  /// Everything is evaluated in the equilibrium.
  void place(const Dynamics&, const Trial& x, double, Out q) const override { q = x.q; }
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override {
    std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
    out.energy = potential(body, x.t0 + x.h, end.q);
  }

 protected:
  enum Own { tangent = own };  ///< entry 0: size of the first change, < 0: unknown
  int own_vectors() const override { return 1; }
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {0.0, 0.0, h * h}; }
  void factorise(const Dynamics& body, Trial& x) const override;

 private:
  static Energy potential(const Dynamics& body, double t, View q) {
    return {0.0, body.energy(t, q, Vector::Zero(body.velocities())).potential};
  }
  double remaining(double t) const { return std::max(0.0, 1.0 - t / end_); }  // 1 - lambda
  bool jumps(const Trial& x) const;

  double end_;
};

/// An unstructured vector.
Vector unstructured(Eigen::Index n) {
  Vector b(n);
  for (Eigen::Index i = 0; i < n; ++i) b[i] = std::sin(1.0 + 2.399963 * static_cast<double>(i));
  return b;
}

// epsilon of a group at (t, q); 0 if K is regular.
double regularisation(const Dynamics& body, double t, View q) {
  constexpr Combination K{0.0, 0.0, 1.0};
  const Eigen::Index n = body.velocities();
  const Vector b = unstructured(n), none = Vector::Zero(n);
  Vector product(n);
  body.multiply(K, t, q, none, b, product);
  const double stiffness = b.dot(product);
  body.multiply({1.0, 0.0, 0.0}, t, q, none, b, product);
  const double inertia = b.dot(product);
  const double scale = inertia > 0.0 ? std::abs(stiffness) / inertia : 0.0;
  if (!(scale > 0.0)) return 1.0;  // only contacts and joints hold the body, at any epsilon
  if (has(body.traits(), Trait::rigid)) return kEpsilon * scale;
  Factor factor;
  body.factorise(K, t, q, none, factor);
  Vector y = b;
  solve(factor, y);
  body.multiply(K, t, q, none, y, product);
  const bool regular = (product - b).norm() <= kSingular * b.norm();  // false if not finite
  return regular ? 0.0 : kEpsilon * scale;
}

void Equilibrium::start(const Dynamics& body, const Prepared*, double t, double,
                        GroupState& state) const {
  const Eigen::Index n = body.velocities();
  state.v.setZero();
  state.memory.assign(count, Vector::Zero(n));
  if (n == 0) return;
  if (const double rest = remaining(t); rest > 0.0) {
    body.force(t, state.q, state.v, state.memory[hold]);
    state.memory[hold] /= rest;
  }
  state.memory[epsilon].setConstant(regularisation(body, t, state.q));
}

void Equilibrium::begin(const Dynamics& body, Trial& x) const {
  allocate(body, x);
  x.gain = 1.0;
  if (!x.damp) x.factorisations = 0;  // otherwise this is the second attempt at the increment
  x.v = x.work[v_before] = x.start->memory[guess];
  if (x.v.size() > 0) x.work[tangent][0] = (x.v.array() != 0.0).any() ? -1.0 : 0.0;
  place_end(body, x);
}

void Equilibrium::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = x.h * x.v;
  body.retract(x.start->q, x.work[increment], x.q);
}

// -h (F(t1, q1, 0) - (1 - lambda) F_0)
void Equilibrium::residual(const Dynamics& body, Trial& x, Vector& res) const {
  x.t_at = x.t0 + x.h;
  x.work[increment] = x.h * x.v;
  body.retract(x.start->q, x.work[increment], x.work[q_at]);
  x.work[v_at].setZero(body.velocities());
  body.force(x.t_at, x.work[q_at], x.work[v_at], res);
  res = -x.h * (res - remaining(x.t_at) * x.start->memory[hold]);
}

void Equilibrium::factorise(const Dynamics& body, Trial& x) const {
  ++x.factorisations;
  const double e = x.v.size() > 0 ? x.start->memory[epsilon][0] : 0.0;
  body.factorise({e * x.h * x.h, 0.0, x.h * x.h}, x.t_at, x.work[q_at], x.work[v_at], x.A);
}

double Equilibrium::correct(const Dynamics& body, Trial& x) const {
  x.work[force] = x.r;
  solve(x.A, x.work[force]);
  x.work[change] = x.v_free + x.work[force];
  x.work[change].swap(x.v);
  x.work[change] = x.v - x.work[change];
  place_end(body, x);
  const double outstanding = left_over(body, x);
  if (x.v.size() == 0) return outstanding;
  if (x.pass == 1 && x.work[tangent][0] == 0.0) x.work[tangent][0] = x.v.norm();
  if (outstanding <= limits_.tolerance && jumps(x)) x.failure = kJump;
  return outstanding;
}

// Contacts that hold a floating body may be found only after the first pass.
bool Equilibrium::jumps(const Trial& x) const {
  const double first = x.work[tangent][0], last = x.v.norm();
  return !floats(*x.start) && first >= 0.0 && x.h * last > kLeastOfPlace * x.q.norm() &&
         last > kMostOfTangent * first;
}

void Equilibrium::finish(const Dynamics& body, Trial& x, GroupState& end) const {
  end.memory = x.start->memory;
  end.memory[guess].setZero();
  ImplicitScheme::finish(body, x, end);
}

}  // namespace

std::unique_ptr<Scheme> make_equilibrium(double end) { return std::make_unique<Equilibrium>(end); }

bool floats(const GroupState& state) {
  return state.memory.size() == count && state.memory[epsilon].size() > 0 &&
         state.memory[epsilon][0] > 0.0;
}

}  // namespace saltus
