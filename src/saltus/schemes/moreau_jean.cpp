// The theta scheme of Moreau and Jean on any group of bodies:
//
//     M(q) (v1 - v0) = h F(t_theta, q_theta, v_theta) + r,        v_theta = theta v1 + (1 - theta) v0
//     q1 = q0 (+) h v_theta,                                      q_theta = q0 (+) h theta v_theta
//     A = M + h theta C + h^2 theta^2 K,  gain = theta
//
// Affine groups take one pass, others iterate on v1 together with the contact impulses. M is taken at q_theta.
// Source: J. J. Moreau 1988, M. Jean 1999; theory in docs/theory/moreau-jean.md.
#include "saltus/schemes/moreau_jean.h"

#include <cmath>

#include "saltus/schemes/implicit.h"

namespace saltus {
namespace {

class MoreauJean final : public ImplicitScheme {
 public:
  explicit MoreauJean(const MoreauJeanOptions& o)
      : ImplicitScheme({o.newton_tolerance, o.newton_iterations}, false), theta_(o.theta) {}
  std::string_view name() const override { return MoreauJeanOptions::name; }
  double gain() const override { return theta_; }
  double stability_limit(double xi) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  void place_end(const Dynamics& body, Trial& x) const override;
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {1.0, h * theta_, h * h * theta_ * theta_}; }

 private:
  double theta_;
};

// q1 = q0 (+) h v_theta
void MoreauJean::place_end(const Dynamics& body, Trial& x) const {
  x.work[increment] = x.h * (theta_ * x.v + (1.0 - theta_) * x.start->v);
  body.retract(x.start->q, x.work[increment], x.q);
}

// residual(v) = M (v - v0) - h F_theta
void MoreauJean::residual(const Dynamics& body, Trial& x, Vector& res) const {
  place_between(body, x, x.v, theta_);
  body.force(x.t0 + theta_ * x.h, x.work[q_at], x.work[v_at], x.work[force]);
  x.work[change] = x.v - x.start->v;
  body.multiply({1.0, 0.0, 0.0}, x.work[q_at], x.work[v_at], x.work[change], res);
  res -= x.h * x.work[force];
}

// |R(mu)| <= 1 of the theta method at mu = z (-xi +- sqrt(xi^2 - 1)):  2 Re mu + (1 - 2 theta) |mu|^2 <= 0, which the
// larger of two real mu meets last
double MoreauJean::stability_limit(double xi) const {
  if (theta_ >= 0.5) return Scheme::stability_limit(xi);
  const double s = xi > 1.0 ? 1.0 / (xi + std::sqrt(xi * xi - 1.0)) : xi;
  return 2.0 * s / (1.0 - 2.0 * theta_);
}

// Testing the scheme with v_theta, and r . v_theta = r . (v0 + v1)/2 + (theta - 1/2) r . (v1 - v0):
//     E1 - E0 = h F_s . v_theta (sources without potential) + r . (v0 + v1)/2
//               - (theta - 1/2) (|v1 - v0|_M^2 - r . (v1 - v0) + |q1 - q0|_K^2)
// exact for affine groups; what curvature leaves over goes to `unexplained`.
void MoreauJean::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  book_between(body, x, end, theta_, out);
  if (theta_ != 0.5) {
    x.work[change] = end.v - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, x.work[q_at], x.work[v_at], x.work[change], x.work[product]);
    out.scheme = -(theta_ - 0.5) * x.work[change].dot(x.work[product] - x.r);
    x.work[change] = x.h * x.work[v_at];
    body.multiply({0.0, 0.0, 1.0}, x.work[q_at], x.work[v_at], x.work[change], x.work[product]);
    out.scheme -= (theta_ - 0.5) * x.work[change].dot(x.work[product]);
  }
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const MoreauJeanOptions& options) {
  return std::make_unique<MoreauJean>(options);
}

}  // namespace saltus
