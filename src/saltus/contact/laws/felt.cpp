// N = d^(p - 1) (k d - r p u). In a step both parts are averaged over the displacement; for the
// second, r (d1^p - d0^p)/h is exact.
#include "saltus/contact/laws/felt.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/contact/laws/spring_law.h"

namespace saltus {
namespace {

class FeltLaw final : public DampedSpringLaw {
 public:
  explicit FeltLaw(const Felt& x)
      : DampedSpringLaw(Felt::name, {.stiffness = x.stiffness, .exponent = x.exponent}),
        r_(x.damping) {}

  double damping_force(double gap, double rate) const override { return -slope(gap) * rate; }
  double pressing(double gap, double rate) const override {
    return -spring().stiffness * gap - r_ * spring().exponent * rate;  // N/d^(p - 1)
  }

 private:
  /// r d(d^p)/dd; at p = 1 it continues beyond the end of contact
  double slope(double gap) const {
    const double p = spring().exponent;
    return r_ * p * (p == 1.0 ? 1.0 : std::pow(std::max(-gap, 0.0), p - 1.0));
  }
  ForceStep damping_step(double h, double y0, double y1) const override {
    const double p = spring().exponent;
    const auto power = [&](double gap) { return std::pow(std::max(-gap, 0.0), p); };
    return {r_ / h * (power(y1) - power(y0)), y1 < 0.0 ? slope(y1) / h : 0.0};
  }
  void add_numbers(std::vector<LawNumber>& all) const override {
    DampedSpringLaw::add_numbers(all);
    all.push_back({"damping", r_});
  }
  std::string described() const override {
    return fmt::format(", stiffness {:g}, exponent {:g}, damping {:g}", spring().stiffness,
                       spring().exponent, r_);
  }

  double r_;
};

}  // namespace

std::shared_ptr<const ContactLaw> Felt::law(const LawContext&) const {
  return std::make_shared<FeltLaw>(*this);
}

}  // namespace saltus
