#include "saltus/contact/laws/hertz.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/laws/spring_law.h"

namespace saltus {
namespace {

class HertzLaw final : public SpringLaw {
 public:
  explicit HertzLaw(const Hertz& x)
      : SpringLaw(Hertz::name, {.stiffness = x.stiffness(), .exponent = 1.5}) {}

 private:
  std::string described() const override {
    return fmt::format(", stiffness {:g} N/m^1.5", spring().stiffness);
  }
};

}  // namespace

double Hertz::stiffness() const {
  const double E = young, nu = poisson, E_b = young_b.value_or(E), nu_b = poisson_b.value_or(nu);
  const double compliance = (1.0 - nu * nu) / E + (1.0 - nu_b * nu_b) / E_b,  // 1/E*
      curvature = 1.0 / radius + (radius_b ? 1.0 / *radius_b : 0.0);          // 1/R
  return 4.0 / 3.0 / compliance / std::sqrt(curvature);
}

std::shared_ptr<const ContactLaw> Hertz::law(const LawContext& context) const {
  if (!std::isfinite(stiffness()))
    throw SceneError(context.path + ".poisson", "is -1 on both sides, which makes them rigid",
                     "above -1");
  return std::make_shared<HertzLaw>(*this);
}

}  // namespace saltus
