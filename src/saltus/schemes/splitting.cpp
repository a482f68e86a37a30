// Compositions of two exactly known motions, for bodies with  M v' = F(t, q) - inertia:
//
//     drift s:  the motion without forces, t <- t + s          kick s:  M (v+ - v-) = s F(t, q)
//     step h:   drift a_1 h, kick b_1 h, drift a_2 h, ..., kick b_s h, drift a_(s+1) h
//
// In a vector space the drift is q + s v; a rigid body follows the exact free rotation of Euler,
// Poinsot and Jacobi (math/free_rotation.h), so that a free body has no error at any step. Every
// table is symmetric, time-reversible and symplectic.
//
//     A = M,  gain 1/2: one impulse r for the step, in addition to the kicks
//
// A kick changes the kinetic energy by s F . (v- + v+)/2, a drift does not. Hence, for any F,
//
//     E1 - E0 = sum b_i h F_s . w_i (sources without potential) + r . (v0 + v1)/2 + F_s . d +
//         scheme,   d = (h/2) M^-1 r
//     scheme  = sum b_i h F_V . w_i + V1 - V0 + r . (v_free - v0)/2 - F_s . d
//
// Source: G. Strang 1968; S. Blanes, P. C. Moan 2002; E. Celledoni et al. 2008. Theory in
// docs/theory/splitting.md.
#include "saltus/schemes/splitting.h"

#include "saltus/math/compositions.h"
#include "saltus/schemes/explicit.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class Splitting final : public ExplicitScheme {
 public:
  explicit Splitting(const Composition& method)
      : m_(method), stability_limit_(saltus::stability_limit(method)) {}
  std::string_view name() const override { return SplittingOptions::name; }
  unsigned needs() const override { return Trait::separable | Trait::constant_mass; }
  double gain() const override { return 0.5; }
  double stability_limit(double) const override { return stability_limit_; }
  void place(const Dynamics& body, const Trial& x, double fraction, Out q) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { middle = own, books };  ///< velocities; work terms of the kicks (sources, potential)
  int own_vectors(const Dynamics&) const override { return 2; }
  void flight(const Dynamics& body, Trial& x) const override;

 private:
  void keep_books(const Dynamics& body, Trial& x, double t, double s) const;

  const Composition& m_;
  double stability_limit_;
};

void Splitting::flight(const Dynamics& body, Trial& x) const {
  Vector &F = x.work[force], &k = x.work[response];
  x.gain = 0.5;
  use_mass(body, x, x.t0, x.start->q, x.start->v);
  if (x.ledger) x.work[books].setZero(static_cast<Eigen::Index>(body.sources().size()) + 1);
  x.q = x.start->q;
  x.v = x.start->v;
  const Eigen::Ref<const Vector> q(x.q), v(x.v);
  double t = x.t0;
  const auto drift = [&](double s) {
    body.coast(s, x.q, x.v);
    t += s;
  };
  for (std::size_t i = 0; i < m_.kicks; ++i) {
    const double a = m_.drift[i] * x.h, s = m_.kick[i] * x.h;
    if (2 * i == m_.kicks) {  // the middle of the step is the middle of this drift
      drift(0.5 * a);
      x.work[q_at] = x.q;
      drift(0.5 * a);
    } else {
      drift(a);
      if (2 * i + 1 == m_.kicks) x.work[q_at] = x.q;
    }
    body.load(t, q, v, F);
    k = F;
    solve_vector(x.A, k);
    if (x.ledger) keep_books(body, x, t, s);
    x.v += s * k;
  }
  drift(m_.drift[m_.kicks] * x.h);
}

void Splitting::place(const Dynamics& body, const Trial& x, double fraction, Out q) const {
  if (fraction == 0.5)
    q = x.work[q_at];
  else
    Scheme::place(body, x, fraction, q);
}

void Splitting::keep_books(const Dynamics& body, Trial& x, double t, double s) const {
  Vector &w = x.work[middle], &account = x.work[books];
  const std::span by_source(account.data(), static_cast<std::size_t>(account.size() - 1));
  w = x.v + (0.5 * s) * x.work[response];
  account[account.size() - 1] +=
      s * x.work[force].dot(w) - book_sources(body, t, x.t0, x.q, x.v, w, s, by_source);
}

void Splitting::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  const Vector& account = x.work[books];
  for (std::size_t s = 0; s < out.by_source.size(); ++s)
    out.by_source[s] = account[static_cast<Eigen::Index>(s)];
  out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  out.scheme = account[account.size() - 1] + out.energy.potential -
               body.energy(x.t0, x.start->q, x.start->v).potential;
  if (x.pass == 0 || !(x.r.array() != 0.0).any()) return;
  Vector& d = x.work[middle];
  d = (0.5 * x.h) * (end.v - x.v_free);
  out.scheme -=
      book_sources(body, x.t0 + x.h, x.t0, x.work[q_free], x.v_free, d, 1.0, out.by_source);
  d = x.v_free - x.start->v;
  out.scheme += 0.5 * x.r.dot(d);
}

const Composition& composition_of(SplittingOptions::Table table) {
  using enum SplittingOptions::Table;
  switch (table) {
    case strang:
      return kStrang;
    case blanes_moan_4:
      return kBlanesMoan4;
    default:
      return kBlanesMoan6;
  }
}

}  // namespace

std::unique_ptr<Scheme> make_splitting(const SplittingOptions& options) {
  return std::make_unique<Splitting>(composition_of(options.table));
}

}  // namespace saltus
