// In a step from (y0, u0) to (y1, u1), with a weight w of the end and the mean T of the given
// force:
//     P/h = clip(T - k (w y1 + (1 - w) y0) - c (w u1 + (1 - w) u0), bound),   y1 = y + gain h W P
// divided by kappa = w (k gain h + c), with the law -P in h bound Sgn(s) of a box:
//     s = W P + b + P/(h kappa),
//     b = (k (w y + (1 - w) y0) + c (w u + (1 - w) u0) - T)/kappa
// with w = dashpot_weight(h c W).
// A given force alone is the known impulse h T; its row keeps a box of bound 0.
#include "saltus/contact/laws/actuator_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

class ActuatorLaw final : public ContactLaw {
 public:
  explicit ActuatorLaw(const ActuatorForce& x)
      : ContactLaw({.name = "actuator",
                    .set_valued = false,
                    .bilateral = true,
                    .uses_angle = x.stiffness > 0.0,
                    .reads_start_gap = true,
                    .reads_W = x.damping > 0.0,
                    .actuates = true,
                    .given = x.stiffness == 0.0 && x.damping == 0.0}),
        x_(x) {}

  Law entry(const ContactShape&, double h) const override {
    if (facts().given) return {.kind = LawKind::box, .bound = 0.0};
    if (!std::isfinite(x_.bound)) return {.kind = LawKind::equality};
    return {.kind = LawKind::box, .bound = h * x_.bound};
  }
  RowTerm row(const RowState& x) const override {
    if (facts().given) return {x.u_free, 0.0};
    const double w = weight(x.h, x.W), kappa = w * (x_.stiffness * x.gain * x.h + x_.damping);
    const double y = between(w, x.y0, x.y + x.h * x.ahead), u = between(w, x.u0, x.u_free);
    return {-linear(y, u, x.effort) / kappa, 1.0 / (x.h * kappa)};
  }
  double row_at_end(const RowEnd& x) const override {
    if (facts().given) return x.u;
    const double w = weight(x.h, x.W);
    return x.compliance *
           (x.P - x.h * linear(between(w, x.y0, x.y), between(w, x.u0, x.u), x.effort));
  }
  double force(double gap, double rate, double) const override { return actuation(gap, rate, 0.0); }
  double actuation(double gap, double rate, double effort) const override {
    return std::clamp(linear(gap, rate, effort), -x_.bound, x_.bound);
  }
  double damping_force(double gap, double rate) const override { return force(gap, rate, 0.0); }

 private:
  double weight(double h, double W) const { return dashpot_weight(h * x_.damping * W); }
  static double between(double w, double x0, double x1) { return w * x1 + (1.0 - w) * x0; }
  double linear(double gap, double rate, double effort) const {
    return effort - x_.stiffness * gap - x_.damping * rate;
  }
  void add_numbers(std::vector<LawNumber>& all) const override {
    all.push_back({"stiffness", x_.stiffness});
    all.push_back({"damping", x_.damping});
    all.push_back({"bound", x_.bound, std::numeric_limits<double>::infinity()});
  }
  std::string described() const override {
    if (facts().given) return ", given force";
    std::string text = fmt::format(", stiffness {:g}, damping {:g}", x_.stiffness, x_.damping);
    if (std::isfinite(x_.bound)) text += fmt::format(", bound {:g}", x_.bound);
    return text;
  }

  ActuatorForce x_;
};

}  // namespace

std::shared_ptr<const ContactLaw> law_of(const ActuatorForce& force) {
  return std::make_shared<ActuatorLaw>(force);
}

}  // namespace saltus
