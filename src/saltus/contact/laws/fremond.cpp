// theta (u1_N + e u0_N) and theta u1_T + (1 - theta) u0_T in the rows of Newton and Coulomb, both
// divided by theta; gaps close under load as with Newton's law (activation.h)
#include "saltus/contact/laws/fremond.h"

#include <fmt/format.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

Friction on_mean(Friction x, double theta) {
  x.tangential = (1.0 - theta) / theta;
  return x;
}

class FremondLaw final : public ContactLaw {
 public:
  FremondLaw(const Fremond& x, const LawContext& context)
      : ContactLaw({.name = Fremond::name,
                    .closes_gaps = context.closes_gaps(x.activation),
                    .rebounds = true,
                    .restitution = x.restitution,
                    .friction = on_mean(resolved(x.friction), context.theta),
                    .activation = context.activation(x.activation),
                    .impact = ImpactForm::newton,
                    .not_by_events = "which averages over a step"}) {}

 private:
  std::string described() const override {
    std::string text = fmt::format(", restitution {:g}", facts().restitution);
    if (has_friction()) text += friction_text();
    return text;
  }
};

}  // namespace

std::shared_ptr<const ContactLaw> Fremond::law(const LawContext& context) const {
  if (!(context.theta > 0.0))
    throw SceneError(context.path,
                     "fremond averages over the step with theta of the scheme, which is 0",
                     "theta > 0");
  return std::make_shared<FremondLaw>(*this, context);
}

}  // namespace saltus
