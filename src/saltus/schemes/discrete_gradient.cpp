// The discrete gradient scheme: the midpoint rule with an elastic force whose work is exactly the
// change of the potential V.
//
//     q1 = q0 + d,   d = h v_m,   v_m = (v0 + v1)/2,   q_m = q0 + d/2
//     M (v1 - v0) = h [ F(t_m, q_m, v_m) - lambda M d ] + r
//     lambda = [ V(q1) - V(q0) - grad V(q_m) . d ] / (d . M d)
//     A = (1 + h^2 lambda/2) M + (h/2) C + (h^2/4) K,  gain = 1/2
//
// so that grad V(q_m) + lambda M d is a gradient whose work along d is V(q1) - V(q0). The direction
// M d, rather than d, makes the scheme independent of units in mixed coordinates and puts no force
// on bodies that do not move. V is the potential of the whole group; all its bodies have the same
// lambda.
//
// The bracket is of third order in d and is lost in the round-off of V where the body hardly moves.
// lambda is therefore changed only while the work of the force differs from the change of V by more
// than that round-off and |v_m|_M^2 is over a thousand times larger; it starts at 0 in each step.
// A full Newton step needs, in addition to A, the rank-one term h M d (d lambda/d v1)^T: it enters
// v_free through a second solve with A, so that A stays symmetric. E1 - E0 = h F_s . v_m (sources
// without potential) + r . v_m, exact for any V.
// Source: O. Gonzalez 1996; theory in docs/theory/discrete-gradient.md.
#include "saltus/schemes/discrete_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class DiscreteGradient final : public ImplicitScheme {
 public:
  explicit DiscreteGradient(const DiscreteGradientOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations}, false) {}
  std::string_view name() const override { return DiscreteGradientOptions::name; }
  unsigned needs() const override {
    return Trait::tangents | Trait::potential | Trait::constant_mass;
  }
  unsigned refuses() const override { return static_cast<unsigned>(Trait::rotations); }
  double gain() const override { return 0.5; }
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { force_m = own, Md, slope, number, own_end };
  /// Components of work[number]; `follows` is 1 if the last residual() changed lambda.
  enum Number { lambda, V0, count, follows, numbers };

  int own_vectors() const override { return int{own_end} - int{own}; }
  void predict(const Dynamics& body, Trial& x) const override;
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  void free_velocity(const Dynamics& body, Trial& x) const override;
  Combination matrix(double h) const override { return {1.0, 0.5 * h, 0.25 * h * h}; }

 private:
  static double middle(const Trial& x) { return x.t0 + 0.5 * x.h; }
  static void place_middle(const Dynamics& body, Trial& x, const Vector& v1);
  void weigh(const Dynamics& body, Trial& x) const;
};

void DiscreteGradient::predict(const Dynamics& body, Trial& x) const {
  x.v = x.start->v;
  x.work[number] = Vector::Zero(numbers);
  if (!one_solve(body))
    x.work[number][V0] = body.energy(held_at(body, x, middle(x)), x.start->q, x.start->v).potential;
}

void DiscreteGradient::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = 0.5 * x.h * (x.start->v + x.v);
  body.retract(x.start->q, x.work[increment], x.q);
}

// v_m in work[v_at], q_m in work[q_at]
void DiscreteGradient::place_middle(const Dynamics& body, Trial& x, const Vector& v1) {
  x.work[v_at] = 0.5 * (x.start->v + v1);
  x.work[increment] = 0.5 * x.h * x.work[v_at];
  body.retract(x.start->q, x.work[increment], x.work[q_at]);
}

// Computes lambda for the current iterate; stores -grad V(q_m) in work[force_m], d in
// work[increment] and M d in work[Md].
void DiscreteGradient::weigh(const Dynamics& body, Trial& x) const {
  Vector &f = x.work[force_m], &d = x.work[increment], &n = x.work[number];
  place_end(body, x);
  body.potential_force(held_at(body, x, middle(x)), x.work[q_at], f);
  body.multiply({1.0, 0.0, 0.0}, middle(x), x.work[q_at], x.work[v_at], d, x.work[Md]);
  const double dMd = d.dot(x.work[Md]),
               V1 = body.energy(held_at(body, x, middle(x)), x.q, x.v).potential,
               bracket = V1 - n[V0] + f.dot(d);
  // resolution of V(q1) - V(q0), doubled in each pass so that round-off cannot keep the passes from
  // ending
  const double noise = std::ldexp(std::numeric_limits<double>::epsilon(),
                                  std::min(12, static_cast<int>(n[count])) - 4) *
                       (std::abs(V1) + std::abs(n[V0]) + f.cwiseAbs().dot(x.q.cwiseAbs()));
  n[count] += 1.0;
  const bool moves = dMd > 1e3 * noise * x.h * x.h;
  n[follows] = moves && std::abs(bracket - n[lambda] * dMd) > noise ? 1.0 : 0.0;
  if (n[follows] != 0.0) n[lambda] = bracket / dMd;
}

// residual(v) = M (v - v0) - h (F_m - lambda M d);  affine groups have lambda = 0
void DiscreteGradient::residual(const Dynamics& body, Trial& x, Vector& res) const {
  place_middle(body, x, x.v);
  x.t_at = middle(x);
  body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  x.work[change] = x.v - x.start->v;
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change], res);
  res -= x.h * x.work[force];
  if (one_solve(body)) return;
  weigh(body, x);
  res += x.h * x.work[number][lambda] * x.work[Md];
}

// v_free + A^-1 r = v - J^-1 (residual(v) - r),  J = A + u w^T,  u = M d,
//     w = (h^2/2) d lambda/d d
//       = (h^2/2) [ grad V(q1) - grad V(q_m) - K d/2 - 2 lambda M d ]/(d . M d)
// and J^-1 y = A^-1 y - A^-1 u (w . A^-1 y)/(1 + w . A^-1 u). In y = residual(v) - r, r is the
// impulse of the previous pass.
void DiscreteGradient::free_velocity(const Dynamics& body, Trial& x) const {
  if (one_solve(body)) return ImplicitScheme::free_velocity(body, x);
  residual(body, x, x.v_free);
  const Vector& n = x.work[number];
  const double hh = x.h * x.h;
  Combination s = matrix(x.h);
  s.m = std::max(0.5, 1.0 + 0.5 * hh * n[lambda]);
  body.factorise(s, x.t_at, x.work[q_at], x.work[v_at], x.A);
  if (n[follows] != 0.0) {
    Vector &d = x.work[increment], &u = x.work[Md], &w = x.work[slope], &f1 = x.work[product],
           &y = x.work[change];
    body.multiply({0.0, 0.0, 1.0}, x.t_at, x.work[q_at], x.work[v_at], d, w);
    body.potential_force(held_at(body, x, middle(x)), x.q, f1);
    w = (0.5 * hh / d.dot(u)) * (x.work[force_m] - f1 - 0.5 * w - 2.0 * n[lambda] * u);
    y = x.v_free - x.r;
    solve(x.A, y);
    const double wy = w.dot(y);
    f1 = u;
    solve(x.A, f1);
    const double pivot = 1.0 + w.dot(f1);
    // subtracting this multiple of u makes the solve with A below a solve with J
    if (std::abs(pivot) > 0.25) x.v_free -= (wy / pivot) * u;
  }
  solve(x.A, x.v_free);
  x.v_free = x.v - x.v_free;
}

void DiscreteGradient::work(const Dynamics& body, Trial& x, const GroupState& end,
                            StepWork& out) const {
  place_middle(body, x, end.v);
  std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
  book_sources(body, middle(x), x.t0, x.work[q_at], x.work[v_at], x.work[v_at], x.h, out.by_source);
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_discrete_gradient(const DiscreteGradientOptions& options) {
  return std::make_unique<DiscreteGradient>(options);
}

}  // namespace saltus
