// The theta scheme of Moreau and Jean on any group of bodies:
//
//     M(q) (v1 - v0) = h F(t_theta, q_theta, v_theta) + r,        v_theta = theta v1 + (1 - theta) v0
//     q1 = q0 (+) h v_theta,                                      q_theta = q0 (+) h theta v_theta
//     A = M + h theta C + h^2 theta^2 K,  gain = theta
//
// Affine groups take one pass, others iterate on v1 together with the contact impulses. M is taken at q_theta.
// Source: J. J. Moreau 1988, M. Jean 1999; theory in docs/theory/moreau-jean.md.
#include "saltus/schemes/moreau_jean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

enum Work { v_theta, w, q_theta, f, p, work_count };

class MoreauJean final : public Scheme {
 public:
  explicit MoreauJean(const MoreauJeanOptions& options) : theta_(options.theta) {}
  std::string_view name() const override { return MoreauJeanOptions::name; }
  unsigned needs() const override { return static_cast<unsigned>(Trait::tangents); }
  bool one_pass(const Dynamics& body) const override { return has(body.traits(), Trait::affine); }
  double gain() const override { return theta_; }
  double axes_at() const override { return 0.5; }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;
  void work_velocity(const Trial& x, const GroupState& end, Out w) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& work) const override;

 private:
  void place_end(const Dynamics& body, Trial& x) const;  // q1 = q0 (+) h v_theta
  void place_theta(const Dynamics& body,
                   Trial& x) const;  // v_theta, q_theta of the present iterate
  void free_velocity(const Dynamics& body, Trial& x) const;
  double theta_;
};

void MoreauJean::place_end(const Dynamics& body, Trial& x) const {
  x.work[w] = x.h * (theta_ * x.v + (1.0 - theta_) * x.start->v);
  body.retract(x.start->q, x.work[w], x.q);
}

void MoreauJean::place_theta(const Dynamics& body, Trial& x) const {
  x.work[v_theta] = theta_ * x.v + (1.0 - theta_) * x.start->v;
  x.work[w] = x.h * theta_ * x.work[v_theta];
  body.retract(x.start->q, x.work[w], x.work[q_theta]);
}

// v_free = v - A^-1 residual(v),   residual(v) = M (v - v0) - h F_theta
void MoreauJean::free_velocity(const Dynamics& body, Trial& x) const {
  place_theta(body, x);
  body.force(x.t0 + theta_ * x.h, x.work[q_theta], x.work[v_theta], x.work[f]);
  x.work[w] = x.v - x.start->v;
  body.multiply({1.0, 0.0, 0.0}, x.work[q_theta], x.work[v_theta], x.work[w], x.work[p]);
  if (!x.factorised) {
    body.factorise({1.0, x.h * theta_, x.h * x.h * theta_ * theta_}, x.work[q_theta],
                   x.work[v_theta], x.A);
    x.factorised = has(body.traits(), Trait::affine);
  }
  x.v_free = x.h * x.work[f] - x.work[p];
  solve(x.A, x.v_free);
  x.v_free += x.v;
}

void MoreauJean::begin(const Dynamics& body, Trial& x) const {
  if (x.work.empty()) {
    x.work.assign(work_count, Vector(body.velocities()));
    x.work[q_theta].resize(body.positions());
  }
  x.gain = theta_;
  x.v = x.start->v;
  body.prescribe(x.t0 + x.h, x.v);
  // The motion without contact, to first order where the group is curved: a body at rest on its obstacle must be seen
  // to fall into it, or the round-off of its gap decides whether it is held.
  free_velocity(body, x);
  x.v = x.v_free;
  place_end(body, x);
}

void MoreauJean::linearise(const Dynamics& body, Trial& x) const {
  if (!one_pass(body))
    free_velocity(body, x);  // of affine bodies it does not depend on the iterate
}

double MoreauJean::correct(const Dynamics& body, Trial& x) const {
  x.work[f] = x.r;
  solve(x.A, x.work[f]);  // A^-1 r
  x.work[w] = x.v_free + x.work[f];
  x.work[w].swap(x.v);  // w: the iterate before
  double outstanding = 0.0;
  if (!one_pass(body)) {
    x.work[w] = x.v - x.work[w];  // dv
    // |dv|_M against the largest of |v0|_M, |v1|_M, |A^-1 r|_M, body by body; four products with M for the group
    const Eigen::Index bodies = body.bodies(), n = body.velocities() / bodies;
    auto scale = x.work[v_theta].head(bodies);  // squared; place_theta() fills it anew
    scale.setZero();
    const auto square = [&](const Vector& y, Eigen::Index i) {
      return y.segment(i * n, n).dot(x.work[p].segment(i * n, n));
    };
    for (const Vector* y :
         {&x.start->v, static_cast<const Vector*>(&x.v), static_cast<const Vector*>(&x.work[f])}) {
      body.multiply({1.0, 0.0, 0.0}, x.q, x.v, *y, x.work[p]);
      for (Eigen::Index i = 0; i < bodies; ++i) scale[i] = std::max(scale[i], square(*y, i));
    }
    body.multiply({1.0, 0.0, 0.0}, x.q, x.v, x.work[w], x.work[p]);
    for (Eigen::Index i = 0; i < bodies; ++i) {
      const double dv = square(x.work[w], i);
      if (!std::isfinite(dv) || !std::isfinite(scale[i]))
        outstanding = std::numeric_limits<double>::infinity();
      else if (dv > 0.0)
        outstanding = std::max(outstanding, std::sqrt(dv / scale[i]));
    }
  }
  place_end(body, x);
  return outstanding;
}

void MoreauJean::finish(const Dynamics&, Trial& x, GroupState& end) const {
  end.q.swap(x.q);
  end.v.swap(x.v);
}

void MoreauJean::work_velocity(const Trial& x, const GroupState& end, Out w) const {
  w = theta_ * end.v + (1.0 - theta_) * x.start->v;
}

// Testing the scheme with v_theta:
//     E1 - E0 = h F_s . v_theta (sources without potential) + r . v_theta - (theta - 1/2) (|v1 - v0|_M^2 + |q1 - q0|_K^2)
// exact for affine groups; what curvature leaves over goes to `unexplained`.
void MoreauJean::work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const {
  const auto h = x.h;
  x.work[v_theta] = theta_ * end.v + (1.0 - theta_) * x.start->v;
  x.work[w] = h * theta_ * x.work[v_theta];
  body.retract(x.start->q, x.work[w], x.work[q_theta]);
  body.power(x.t0 + theta_ * h, x.work[q_theta], x.work[v_theta], x.work[v_theta], out.by_source);
  const auto sources = body.sources();
  for (std::size_t s = 0; s < sources.size(); ++s)
    out.by_source[s] = sources[s].potential ? 0.0 : h * out.by_source[s];
  if (theta_ != 0.5) {
    x.work[w] = end.v - x.start->v;
    body.multiply({1.0, 0.0, 0.0}, x.work[q_theta], x.work[v_theta], x.work[w], x.work[p]);
    out.scheme = -(theta_ - 0.5) * x.work[w].dot(x.work[p]);
    x.work[w] = h * x.work[v_theta];
    body.multiply({0.0, 0.0, 1.0}, x.work[q_theta], x.work[v_theta], x.work[w], x.work[p]);
    out.scheme -= (theta_ - 0.5) * x.work[w].dot(x.work[p]);
  }
  out.energy = body.energy(x.t0 + h, end.q, end.v);
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const MoreauJeanOptions& options) {
  return std::make_unique<MoreauJean>(options);
}

}  // namespace saltus
