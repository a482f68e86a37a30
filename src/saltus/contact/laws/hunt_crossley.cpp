// N = d^p (k - lambda u). In a step the spring force is averaged over the displacement, which
// conserves its energy; the damping is evaluated at mid-step.
#include "saltus/contact/laws/hunt_crossley.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/contact/laws/spring_law.h"

namespace saltus {
namespace {

class HuntCrossleyLaw final : public DampedSpringLaw {
 public:
  explicit HuntCrossleyLaw(const HuntCrossley& x)
      : DampedSpringLaw(HuntCrossley::name, {.stiffness = x.stiffness, .exponent = x.exponent}),
        lambda_(x.lambda()) {}

  double damping_force(double gap, double rate) const override {
    return -lambda_ * power(gap) * rate;
  }
  double pressing(double, double rate) const override {
    return spring().stiffness - lambda_ * rate;  // N/d^p
  }

 private:
  /// d^p
  double power(double gap) const { return std::pow(std::max(-gap, 0.0), spring().exponent); }
  // lambda d^p (y0 - y1)/h with d at mid-step
  ForceStep damping_step(double h, double y0, double y1) const override {
    const double d = std::max(-0.5 * (y0 + y1), 0.0), p = spring().exponent;
    if (d == 0.0) return {};
    const double q = lambda_ * std::pow(d, p) / h, closing = y0 - y1;
    return {q * closing, q + 0.5 * p * q * closing / d};
  }
  void add_numbers(std::vector<LawNumber>& all) const override {
    DampedSpringLaw::add_numbers(all);
    all.push_back({"damping", lambda_});
  }
  std::string described() const override {
    return fmt::format(", stiffness {:g}, exponent {:g}, damping {:g}", spring().stiffness,
                       spring().exponent, lambda_);
  }

  double lambda_;
};

}  // namespace

std::shared_ptr<const ContactLaw> HuntCrossley::law(const LawContext&) const {
  return std::make_shared<HuntCrossleyLaw>(*this);
}

}  // namespace saltus
