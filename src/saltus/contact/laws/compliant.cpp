// P = h N of a ContactSpring. With y* the gap of the iterate, y1 = y + gain h W P and y its gap without P; c = 1/2 in the
// middle, 1 at the end:
//     linear:  P/h = -s K (c y1 + (1 - c) y0) - C (c u1 + (1 - c) u0),  P >= 0,   s the way of y* in the middle
//     else:    P/h = F(y*) - F'(y*) (y1 - y*),  F' = -dF/dy1
// divided by kappa = K c gain h + C c, or F' gain h:  0 <= W P + b + P/(h kappa) perp P, or its equality.
#include "saltus/contact/laws/compliant.h"

#include <fmt/format.h>

namespace saltus {
namespace {

class CompliantLaw final : public ContactLaw {
 public:
  explicit CompliantLaw(const ContactSpring& x)
      : ContactLaw({.name = Compliant::name,
                    .set_valued = false,
                    .bilateral = x.pulls,
                    .uses_angle = x.stiffness > 0.0,
                    .reads_start_gap = true,
                    .follows_passes = !x.linear(),
                    .damps_in_middle = x.damping > 0.0 && x.at == ContactSpring::At::middle,
                    .follows_way = x.pulls && x.at == ContactSpring::At::middle,
                    .damping = x.damping}),
        spring_(x) {}

  // Those that are no linear ones where they are pressed in the iterate. A dashpot does not act at a distance.
  bool admits(const Admission& x) const override {
    if (x.gaps_alone) return !bilateral();
    if (!spring_.linear()) return spring_step(spring_, x.y0, x.y).force > 0.0;
    return spring_.pulls || spring_.damping == 0.0 || part(x.y0, x.y) < 0.0;
  }
  Law entry(const ContactShape&, double) const override {
    return {.kind = spring_.pulls || !spring_.linear() ? LawKind::equality : LawKind::unilateral};
  }
  RowTerm row(const RowState& x) const override {
    double kappa, b;
    const double gain_h = x.gain * x.h;
    if (spring_.linear()) {
      const double c = spring_.weight(), y = part(x.y0, x.y + x.h * x.ahead),
                   u = part(x.u0, x.u_free), K = spring_.stiffness * x.way;
      kappa = K * c * gain_h + spring_.damping * c;
      b = (K * y + spring_.damping * u) / kappa;
    } else {
      const SpringStep now = spring_step(spring_, x.y0, x.y);
      kappa = now.slope * gain_h;
      b = (now.slope * x.h * x.ahead - now.force) / kappa;
    }
    return {b, 1.0 / (x.h * kappa)};
  }
  // (P - h F)/(h kappa)
  double row_at_end(const RowEnd& x) const override {
    const double F = spring_.linear() ? -spring_.stiffness * x.way * part(x.y0, x.y) -
                                            spring_.damping * part(x.u0, x.u)
                                      : spring_step(spring_, x.y0, x.y).force;
    return x.compliance * (x.P - x.h * F);
  }

  double stored_energy(double gap) const override { return spring_energy(spring_, gap); }

  double force(double gap, double rate, double) const override {
    return (spring_.exponent == 1.0 ? -spring_.stiffness * gap : spring_force(spring_, gap)) -
           spring_.damping * rate;
  }

 private:
  /// c x1 + (1 - c) x0
  double part(double x0, double x1) const {
    const double c = spring_.weight();
    return c * x1 + (1.0 - c) * x0;
  }
  void add_numbers(std::vector<LawNumber>& all) const override {
    all.push_back({"stiffness", spring_.stiffness});
    all.push_back({"exponent", spring_.exponent, 1.0});
    all.push_back({"damping", spring_.damping});
  }
  std::string described() const override {
    std::string text =
        fmt::format(", stiffness {:g}, exponent {:g}", spring_.stiffness, spring_.exponent);
    if (spring_.damping > 0.0) text += fmt::format(", damping {:g} N s/m", spring_.damping);
    for (const auto& [at, name] : names_of(ContactSpring::At{}))
      if (at == spring_.at) text += fmt::format(", at {}", name);
    return text;
  }

  ContactSpring spring_;
};

}  // namespace

std::shared_ptr<const ContactLaw> law_of(const ContactSpring& spring) {
  return std::make_shared<CompliantLaw>(spring);
}

std::shared_ptr<const ContactLaw> Compliant::law(const LawContext&) const {
  return law_of(ContactSpring{stiffness, exponent, damping, at_value()});
}

}  // namespace saltus
