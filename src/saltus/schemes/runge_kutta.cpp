// Explicit Runge-Kutta methods on  q' = v, v' = M(q)^-1 F(t, q, v): stages without contact, then
// one impulse for the step.
//
//     V_i = v0 + h sum_j a_ij k_j,    Q_i = q0 (+) h sum_j a_ij V_j,
//         k_i = M^-1 F at (t0 + c_i h, Q_i, V_i)
//     v_free = v0 + h sum_i b_i k_i,  q_free = q0 (+) h sum_i b_i V_i
//     A = M(q_free),  gain = sum_i b_i c_i = 1/2,  order of the table
//
// In a vector space the V_j are substituted: Q_i = q0 + h c_i v0 + h^2 sum_j (a a)_ij k_j, and only
// the k_j are stored. If, in addition, neither M nor F depends on v, the V_i are not computed. For
// bodies with rotations, increments W are integrated instead of positions,
// W' = dexp^-1_W(V), Q = q0 (+) W.
//
// dormand-prince with `tolerance` divides the step into parts of length s such that
//
//     max(|e_v|_M, |e_q|_M/h) <= tolerance (s/h) max(|v0|_M, |v|_M, |s k_0|_M)      for every body,
//
// where e is the difference between the results of order 5 and 4, v the velocity at the end of the
// part, and k_0 its first stage. The criterion does not depend on units or on the origin, and the
// errors of the parts add up to the tolerance. The first length tried is h: no length is stored
// between steps.
//
// compat: sofa omits Rayleigh damping from F and evaluates loads at t0 in all stages.
// Source: E. Hairer, S. P. Norsett, G. Wanner 1993, II.1 and II.4; tables and their sources in
// math/tableaus.h.
#include "saltus/schemes/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/math/tableaus.h"
#include "saltus/schemes/explicit.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

constexpr int kMostParts = 100'000;
constexpr double kShortestPart = 1e-13;
constexpr std::string_view kNotMet =
    "runge-kutta would need over 100000 parts of the step, or parts below round-off, to satisfy "
    "its tolerance; use a larger tolerance";

class RungeKutta final : public ExplicitScheme {
 public:
  RungeKutta(const Tableau& method, const RungeKuttaOptions& options);
  std::string_view name() const override { return RungeKuttaOptions::name; }
  double gain() const override { return 0.5; }
  double stability_limit(double xi) const override {
    return tolerance_ > 0.0 ? Scheme::stability_limit(xi) : saltus::stability_limit(m_, xi);
  }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double) const override {
    return std::make_unique<MassFactor>(body);
  }
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  static constexpr int kMost = Tableau::kMost;
  /// V, W, four for sums, work terms of the motion without contact (sources, scheme), k_0 .. k_6
  /// and, for bodies with rotations, W'_0 .. W'_6
  enum Own { v_at = own, w_at, reach, sum, product, scale, books, k_0, rate_0 = k_0 + kMost };
  int own_vectors(const Dynamics& body) const override {
    return 7 + (has(body.traits(), Trait::rotations) ? 2 : 1) * kMost;
  }
  void flight(const Dynamics& body, Trial& x) const override;

 private:
  struct Part {  ///< part of the step: from (t, q, v) over h
    double t, h;
    const Vector &q, &v;
  };
  void acceleration(const Dynamics& body, Trial& x, double t, const Vector& q, const Vector& v,
                    Vector& k) const;
  bool needs_velocities(const Dynamics& body) const;
  void place_stage(const Dynamics& body, Trial& x, const Part& part, std::size_t i,
                   bool velocity = true) const;
  void advance(const Dynamics& body, Trial& x, const Part& part) const;
  void in_parts(const Dynamics& body, Trial& x) const;
  double error(const Dynamics& body, Trial& x, const Part& part) const;
  void keep_books(const Dynamics& body, Trial& x, const Part& part) const;

  const Tableau& m_;
  double tolerance_;  ///< 0: the step is not subdivided
  bool sofa_;
  Terms b_, ba_, e_, ea_;            ///< b, b a, e = b - embedded, e a
  std::array<Terms, kMost> a_, aa_;  ///< rows of a, a a
  std::array<Terms, kMost> E_, Ea_;  ///< rows of E = (b_i a_ij + b_j a_ji - b_i b_j), of E a
  Tableau::Weights E_sum_{};         ///< row sums of E
};

RungeKutta::RungeKutta(const Tableau& method, const RungeKuttaOptions& options)
    : m_(method),
      tolerance_(options.tolerance.value_or(0.0)),
      sofa_(options.compat == Compat::sofa),
      b_(method.b),
      ba_(times_a(method.b, method)) {
  Tableau::Weights e{};
  for (std::size_t i = 0; i < e.size(); ++i) {
    a_[i] = Terms(m_.a[i]);
    aa_[i] = Terms(times_a(m_.a[i], m_));
    Tableau::Weights row{};
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = m_.b[i] * m_.a[i][j] + m_.b[j] * m_.a[j][i] - m_.b[i] * m_.b[j];
    E_[i] = Terms(row);
    Ea_[i] = Terms(times_a(row, m_));
    E_sum_[i] = std::accumulate(row.begin(), row.end(), 0.0);
    e[i] = m_.b[i] - m_.embedded[i];
  }
  e_ = Terms(e);
  ea_ = Terms(times_a(e, m_));
}

// k = M^-1 F
void RungeKutta::acceleration(const Dynamics& body, Trial& x, double t, const Vector& q,
                              const Vector& v, Vector& k) const {
  if (sofa_)
    undamped_force(body, x, x.t0, q, v, k);
  else
    body.force(t, q, v, k);
  solve_mass(body, x, t, q, v, k);
}

/// False if k_i does not depend on V_i.
bool RungeKutta::needs_velocities(const Dynamics& body) const {
  return sofa_ || !has(body.traits(), Trait::separable) || has(body.traits(), Trait::rotations);
}

// Stores V_i in work[v_at], Q_i in work[q_at] and, for bodies with rotations, W_i in work[w_at].
void RungeKutta::place_stage(const Dynamics& body, Trial& x, const Part& part, std::size_t i,
                             bool velocity) const {
  const auto& [t, h, q, v] = part;
  if (velocity) add_up(x.work[v_at], v, h, a_[i], &x.work[k_0]);
  if (has(body.traits(), Trait::rotations)) {
    add_up(x.work[w_at], Vector::Zero(v.size()), h, a_[i], &x.work[rate_0]);
    body.retract(q, x.work[w_at], x.work[q_at]);
  } else {
    add_up(x.work[q_at], q + (h * m_.c[i]) * v, h * h, aa_[i], &x.work[k_0]);
  }
}

// Computes the end of the part in x.q, x.v. In a subdivided step k_0 is already known, and the
// stage at the end of the part is added.
void RungeKutta::advance(const Dynamics& body, Trial& x, const Part& part) const {
  const auto& [t, h, q, v] = part;
  const bool turns = has(body.traits(), Trait::rotations), divided = tolerance_ > 0.0;
  const bool velocities = needs_velocities(body);
  Vector *k = &x.work[k_0], *rate = turns ? &x.work[rate_0] : nullptr;
  Vector &Q = x.work[q_at], &W = x.work[w_at];
  const Vector& V = velocities ? x.work[v_at] : v;
  if (!divided) acceleration(body, x, t, q, v, k[0]);
  if (turns) rate[0] = v;
  for (int i = 1; i < m_.stages; ++i) {
    const auto stage = static_cast<std::size_t>(i);
    place_stage(body, x, part, stage, velocities);
    if (turns) body.increment_rate(W, V, rate[i]);
    acceleration(body, x, t + m_.c[stage] * h, Q, V, k[i]);
  }
  add_up(x.v, v, h, b_, k);
  if (turns) {
    add_up(W, Vector::Zero(v.size()), h, b_, rate);
    body.retract(q, W, x.q);
  } else {
    add_up(x.q, q + h * v, h * h, ba_, k);
  }
  if (!divided) return;
  acceleration(body, x, t + h, x.q, x.v, k[m_.stages]);
  if (turns) body.increment_rate(W, x.v, rate[m_.stages]);
}

void RungeKutta::flight(const Dynamics& body, Trial& x) const {
  x.gain = 0.5;
  x.failure = {};
  if (x.ledger) x.work[books].setZero(static_cast<Eigen::Index>(body.sources().size()) + 1);
  if (tolerance_ > 0.0) {
    in_parts(body, x);
  } else {
    const Part step{x.t0, x.h, x.start->q, x.start->v};
    advance(body, x, step);
    if (x.ledger) keep_books(body, x, step);
  }
  use_mass(body, x, x.t0 + x.h, x.q, x.v);
}

// Usual control of the length of a part: factor 0.9 (tolerance/error)^(1/4), between 1/5 and 5; no
// growth after a rejected part.
void RungeKutta::in_parts(const Dynamics& body, Trial& x) const {
  Vector &q = x.work[q_free], &v = x.v_free, &k = x.work[k_0];
  q = x.start->q;
  v = x.start->v;
  acceleration(body, x, x.t0, q, v, k);
  double done = 0.0, length = x.h, growth = 5.0;
  for (int tried = 0; tried < kMostParts && length > kShortestPart * x.h; ++tried) {
    const bool last = done + length >= x.h * (1.0 - 1e-12);
    if (last) length = x.h - done;
    if (stop_requested(x.stop)) break;
    const Part part{x.t0 + done, length, q, v};
    advance(body, x, part);
    const double off = error(body, x, part);
    const bool good = off <= tolerance_;
    if (good) {
      if (x.ledger) keep_books(body, x, part);
      if (last) return;
      done += length;
      q = x.q;
      v = x.v;
      k.swap(x.work[k_0 + static_cast<std::size_t>(m_.stages)]);
    }
    length *= std::clamp(0.9 * std::pow(tolerance_ / off, 0.25), 0.2, growth);
    growth = good ? 5.0 : 1.0;
  }
  x.failure = kNotMet;
}

// Left side over right side of the condition in the header comment, times the tolerance.
double RungeKutta::error(const Dynamics& body, Trial& x, const Part& part) const {
  const double h = part.h;
  const auto relative = [&] {
    return outstanding_change(body, x, x.work[sum], x.work[reach], x.work[product], x.work[scale]);
  };
  const auto zero = Vector::Zero(part.v.size());
  x.work[reach] = h * x.work[k_0];
  add_up(x.work[sum], zero, h, e_, &x.work[k_0]);
  const double of_v = relative();
  if (has(body.traits(), Trait::rotations))
    add_up(x.work[sum], zero, h / x.h, e_, &x.work[rate_0]);
  else
    add_up(x.work[sum], zero, h * h / x.h, ea_, &x.work[k_0]);
  return std::max(of_v, relative()) * x.h / h;
}

// Sources: h sum_i b_i F_s(t_i, Q_i, V_i) . V_i. On affine groups the energy is a quadratic form,
// which the method additionally changes by (K. Burrage, J. C. Butcher 1979)
//     scheme = -(h^2/2) sum_ij E_ij (k_i . M k_j + V_i . K V_j)
void RungeKutta::keep_books(const Dynamics& body, Trial& x, const Part& part) const {
  const auto& [t, h, q, v] = part;
  const Vector &Q = x.work[q_at], &V = x.work[v_at], *k = &x.work[k_0];
  Vector& account = x.work[books];
  const std::span by_source(account.data(), static_cast<std::size_t>(account.size() - 1));
  for (std::size_t i = 0; i < static_cast<std::size_t>(m_.stages); ++i) {
    place_stage(body, x, part, i);
    if (m_.b[i] != 0.0)
      book_sources(body, sofa_ ? x.t0 : t + m_.c[i] * h, x.t0, Q, V, V, h * m_.b[i], by_source);
    if (!has(body.traits(), Trait::affine)) continue;
    body.multiply({1.0, 0.0, 0.0}, t + m_.c[i] * h, Q, V, k[i], x.work[product]);
    add_up(x.work[sum], Vector::Zero(v.size()), 1.0, E_[i], k);
    double change = x.work[product].dot(x.work[sum]);
    body.multiply({0.0, 0.0, 1.0}, t + m_.c[i] * h, Q, V, V, x.work[product]);
    add_up(x.work[sum], E_sum_[i] * v, h, Ea_[i], k);
    change += x.work[product].dot(x.work[sum]);
    account[account.size() - 1] -= 0.5 * h * h * change;
  }
}

// An impulse moves the end by d = (h/2) M^-1 r. The mean force of the step is M (v_free - v0)/h,
// and its work along d is r . (v_free - v0)/2. The part of a source is the work of its force at
// q_free. F_V is the sum of the forces with a potential:
//     E1 - E0 = motion without contact + r . (v0 + v1)/2 + F_s . d + scheme
//     scheme  = r . (v_free - v0)/2 - F_s . d - (F_V(q_free) + F_V(q1)) . d/2
// exact for constant M and quadratic potentials.
void RungeKutta::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  const double t1 = x.t0 + x.h;
  const Vector& account = x.work[books];
  for (std::size_t s = 0; s < out.by_source.size(); ++s)
    out.by_source[s] = account[static_cast<Eigen::Index>(s)];
  out.scheme = account[account.size() - 1];
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  if (x.pass == 0 || !(x.r.array() != 0.0).any()) return;
  Vector &d = x.work[w_at], &f = x.work[force];
  d = (0.5 * x.h) * (end.v - x.v_free);
  const double sources =
      book_sources(body, t1, x.t0, x.work[q_free], x.v_free, d, 1.0, out.by_source);
  if (!constant_mass(body)) return;
  x.work[sum] = 0.5 * (x.v_free - x.start->v);
  out.scheme +=
      x.r.dot(x.work[sum]) - sources -
      0.5 * (potential_power(body, t1, held_at(body, x, t1), x.work[q_free], x.v_free, d, f) +
             potential_power(body, t1, held_at(body, x, t1), end.q, end.v, d, f));
}

const Tableau& table_of(RungeKuttaOptions::Table table) {
  using enum RungeKuttaOptions::Table;
  switch (table) {
    case midpoint:
      return kMidpoint;
    case heun:
      return kHeun;
    case rk3:
      return kKutta3;
    case rk4:
      return kKutta4;
    default:
      return kDormandPrince;
  }
}

}  // namespace

std::unique_ptr<Scheme> make_runge_kutta(const RungeKuttaOptions& options) {
  expects(options.compat != Compat::seed,
          "runge-kutta: compat: seed is not available; use compat: none or sofa");
  expects(
      !options.tolerance || options.table == RungeKuttaOptions::Table::dormand_prince,
      "runge-kutta: tolerance applies only to table: dormand-prince, which has an error estimate");
  return std::make_unique<RungeKutta>(table_of(options.table), options);
}

}  // namespace saltus
