// The theta scheme of Moreau and Jean on any group of bodies:
//
//     M (v1 - v0) = h F_theta + r,        v_theta = theta v1 + (1 - theta) v0
//     q1 = q0 (+) h v_theta,              q_theta = q0 (+) h theta v_theta
//     ends:  F_theta = (1 - theta) F(t0, q0, v0) + theta F(t1, q1, v1)
//     mid:   F_theta = F(t0 + theta h, q_theta, w v1 + (1 - w) v0)
//     A = M + h w C + h^2 theta^2 K,  gain = theta
//
// w = theta; with dashpots: decaying, and h c/m > 2 of the fastest dashpot of the group, w is at
// least dashpot_weight(h c/m).
//
// Affine groups need one pass; others iterate on v1 together with the contact impulses. M is
// evaluated at q0, q_theta or q1. C and K are the tangents of the force at v1; the derivative of
// M(q) is included with tangent: exact only.
// Source: J. J. Moreau 1988, M. Jean 1999; theory in docs/theory/moreau-jean.md.
#include "saltus/schemes/moreau_jean.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/dynamics/dashpot_weight.h"
#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

using Newton = MoreauJeanOptions::Newton;
using MassAt = MoreauJeanOptions::MassAt;
using Criterion = MoreauJeanOptions::Criterion;

class MoreauJean final : public ImplicitScheme {
 public:
  explicit MoreauJean(const MoreauJeanOptions& o, double rate = 0.0);
  std::string_view name() const override { return MoreauJeanOptions::name; }
  /// one_pass_refreshed linearises about the predicted state in a pass, which begin() does not
  /// make.
  bool one_pass(const Dynamics& body) const override {
    return has(body.traits(), Trait::affine) ||
           (newton_ != Newton::one_pass_refreshed && ImplicitScheme::one_pass(body));
  }
  double gain() const override { return theta_; }
  bool damps(double rate) const override { return rate <= rate_; }
  std::unique_ptr<Scheme> adapted(const std::function<double()>& fastest) const override {
    if (options_.dashpots == MoreauJeanOptions::Dashpots::theta) return nullptr;
    return std::make_unique<MoreauJean>(options_, fastest());
  }
  double stability_limit(double xi) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { start_force = own, q_mass };
  int own_vectors() const override { return 2; }
  void predict(const Dynamics& body, Trial& x) const override;
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override {
    return {1.0, h * weight(h), h * h * theta_ * theta_};
  }
  double left_over(const Dynamics& body, Trial& x) const override;

 private:
  void factorise(const Dynamics& body, Trial& x) const override;
  const Vector& place_mass(const Dynamics& body, Trial& x) const;

  /// w
  double weight(double h) const {
    return rate_ > 0.0 ? std::max(theta_, dashpot_weight(h * rate_)) : theta_;
  }

  MoreauJeanOptions options_;
  double theta_;
  double rate_;  ///< c/m of the fastest dashpot that decays [1/s]
  bool ends_;
  MassAt mass_at_;
  Newton newton_;
  Criterion criterion_;
  bool exact_;
};

PassLimits limits(const MoreauJeanOptions& o) {
  PassLimits limits{o.newton_tolerance, o.newton_iterations};
  limits.detect = o.newton == Newton::full_with_detection;
  limits.only_one = o.newton == Newton::one_pass || o.newton == Newton::one_pass_refreshed;
  limits.freeze_rows = o.operators == MoreauJeanOptions::Operators::frozen;
  return limits;
}

MoreauJean::MoreauJean(const MoreauJeanOptions& o, double rate)
    : ImplicitScheme(limits(o), limits(o).only_one),
      options_(o),
      theta_(o.theta),
      rate_(rate),
      ends_(o.quadrature == MoreauJeanOptions::Quadrature::ends),
      mass_at_(o.mass_at),
      newton_(o.newton),
      criterion_(o.criterion),
      exact_(o.tangent == MoreauJeanOptions::Tangent::exact) {
  frozen_ = o.tangent == MoreauJeanOptions::Tangent::frozen;
}

// v = v0; also F(t0, q0, v0), which does not change between passes
void MoreauJean::predict(const Dynamics& body, Trial& x) const {
  x.v = x.start->v;
  x.work[q_mass].resize(body.positions());
  if (ends_ && theta_ != 1.0) body.force(x.t0, x.start->q, x.start->v, x.work[start_force]);
}

// q1 = q0 (+) h v_theta
void MoreauJean::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = x.h * (theta_ * x.v + (1.0 - theta_) * x.start->v);
  body.retract(x.start->q, x.work[increment], x.q);
}

// Configuration at which M(q) is evaluated. x.work[q_at] is the configuration of the force.
const Vector& MoreauJean::place_mass(const Dynamics& body, Trial& x) const {
  if (mass_at_ == MassAt::start) return x.start->q;
  const bool at_end = mass_at_ == MassAt::iterate;
  if (at_end == ends_ || has(body.traits(), Trait::constant_mass)) return x.work[q_at];
  x.work[increment] = x.h * (theta_ * x.v + (1.0 - theta_) * x.start->v);
  if (!at_end) x.work[increment] *= theta_;
  body.retract(x.start->q, x.work[increment], x.work[q_mass]);
  return x.work[q_mass];
}

// residual(v) = M (v - v0) - h F_theta
void MoreauJean::residual(const Dynamics& body, Trial& x, Vector& res) const {
  if (ends_) {
    x.work[increment] = x.h * (theta_ * x.v + (1.0 - theta_) * x.start->v);
    body.retract(x.start->q, x.work[increment], x.work[q_at]);
    x.work[v_at] = x.v;
    x.t_at = x.t0 + x.h;
    body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
    if (theta_ != 1.0)
      x.work[force] = (1.0 - theta_) * x.work[start_force] + theta_ * x.work[force];
  } else {
    place_between(body, x, x.v, theta_);
    x.t_at = x.t0 + theta_ * x.h;
    if (const double w = weight(x.h); w != theta_) x.work[v_at] = w * x.v + (1.0 - w) * x.start->v;
    body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  }
  x.work[change] = x.v - x.start->v;
  body.multiply({1.0, 0.0, 0.0}, x.t_at, place_mass(body, x), x.v, x.work[change], res);
  res -= x.h * x.work[force];
}

// A + d(M (v - v0))/dq dq/dv,  dq/dv = h theta at q1, h theta^2 at q_theta, 0 at q0
void MoreauJean::factorise(const Dynamics& body, Trial& x) const {
  if (!exact_ || mass_at_ == MassAt::start) return ImplicitScheme::factorise(body, x);
  const double moved = x.h * theta_ * (mass_at_ == MassAt::iterate ? 1.0 : theta_);
  x.work[change] = x.v - x.start->v;
  body.factorise_exact(matrix(x.h), moved, x.work[change], x.t_at, x.work[q_at], x.work[v_at], x.A);
}

void MoreauJean::linearise(const Dynamics& body, Trial& x) const {
  if (newton_ == Newton::one_pass_refreshed && x.pass == 1 && !has(body.traits(), Trait::affine))
    free_velocity(body, x);
  else
    ImplicitScheme::linearise(body, x);
}

// residual:            |residual(v1) - r| / max(|M v0|, |M v1|, |h F_theta|, |r|)
// relative increment:  |h theta dv| / (1 + |q0|)
// each per body; the largest is returned
double MoreauJean::left_over(const Dynamics& body, Trial& x) const {
  if (criterion_ == Criterion::velocity_change) return ImplicitScheme::left_over(body, x);
  const Eigen::Index bodies = body.bodies(), n = x.v.size() / bodies, m = x.q.size() / bodies;
  double largest = 0.0;
  const auto take = [&](double size, double scale) {
    if (!std::isfinite(size) || !std::isfinite(scale))
      largest = std::numeric_limits<double>::infinity();
    else if (size > 0.0)
      largest = std::max(largest, size / scale);
  };
  if (criterion_ == Criterion::relative_increment) {
    for (Eigen::Index i = 0; i < bodies; ++i)
      take(x.h * theta_ * x.work[change].segment(i * n, n).norm(),
           1.0 + x.start->q.segment(i * m, m).norm());
    return largest;
  }
  Vector& rest = x.work[product];
  residual(body, x, rest);  // leaves F_theta in `force`
  rest -= x.r;
  Vector &M_v0 = x.work[change], &M_v1 = x.work[increment];
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.start->v, M_v0);
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.v, M_v1);
  for (Eigen::Index i = 0; i < bodies; ++i) {
    const auto size = [&](const Vector& y) { return y.segment(i * n, n).norm(); };
    take(size(rest), std::max({size(M_v0), size(M_v1), x.h * size(x.work[force]), size(x.r)}));
  }
  return largest;
}

// |R(mu)| <= 1 of the theta method at mu = z (-xi +- sqrt(xi^2 - 1)):
//     2 Re mu + (1 - 2 theta) |mu|^2 <= 0
// If both mu are real, the one with the larger modulus sets the limit.
double MoreauJean::stability_limit(double xi) const {
  if (theta_ >= 0.5) return Scheme::stability_limit(xi);
  const double s = xi > 1.0 ? 1.0 / (xi + std::sqrt(xi * xi - 1.0)) : xi;
  return 2.0 * s / (1.0 - 2.0 * theta_);
}

// Testing the scheme with v_theta, and r . v_theta = r . (v0 + v1)/2 + (theta - 1/2) r . (v1 - v0):
//     E1 - E0 = h F_s,theta . v_theta (sources without potential) + r . (v0 + v1)/2
//               - (theta - 1/2) (|v1 - v0|_M^2 - r . (v1 - v0) + |q1 - q0|_K^2)
// exact for affine groups with either quadrature; for others, the rest that is due to curvature
// goes to `unexplained`. For rigid bodies K is 0, and `ends` adds the work of gyroscopic moments
// along v_theta, which differs from the velocity at which they are evaluated.
void MoreauJean::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  if (ends_) {
    place_between(body, x, end.v, theta_);
    std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
    if (theta_ != 1.0)
      book_sources(body, x.t0, x.t0, x.start->q, x.start->v, x.work[v_at], (1.0 - theta_) * x.h,
                   out.by_source);
    if (theta_ != 0.0)
      book_sources(body, x.t0 + x.h, x.t0, end.q, end.v, x.work[v_at], theta_ * x.h, out.by_source);
    out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
    out.scheme += (1.0 - theta_) * x.h * gyroscopic_power(body, x.start->v, x.work[v_at]) +
                  theta_ * x.h * gyroscopic_power(body, end.v, x.work[v_at]);
  } else {
    place_between(body, x, end.v, theta_);
    const double w = weight(x.h);
    x.work[product] = x.work[v_at];
    if (w != theta_) x.work[product] = w * end.v + (1.0 - w) * x.start->v;
    std::fill(out.by_source.begin(), out.by_source.end(), 0.0);
    book_sources(body, x.t0 + theta_ * x.h, x.t0, x.work[q_at], x.work[product], x.work[v_at], x.h,
                 out.by_source);
    out.energy = body.energy(held_at(body, x, x.t0 + x.h), end.q, end.v);
  }
  if (theta_ != 0.5) {
    x.work[change] = end.v - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change],
                  x.work[product]);
    out.scheme -= (theta_ - 0.5) * x.work[change].dot(x.work[product] - x.r);
    x.work[change] = x.h * x.work[v_at];
    out.scheme -= (theta_ - 0.5) * curvature(body, x.t_at, x.work[q_at], x.work[v_at],
                                             x.work[change], x.work[product]);
  }
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const MoreauJeanOptions& options) {
  return std::make_unique<MoreauJean>(options);
}

}  // namespace saltus
