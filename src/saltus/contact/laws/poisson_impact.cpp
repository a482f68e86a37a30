// P = (1 + e) P_c + P_x:  0 <= u_c perp P_c >= 0 without P_x, then 0 <= u1 perp P_x >= 0
#include "saltus/contact/laws/poisson_impact.h"

#include <fmt/format.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

class PoissonImpactLaw final : public ContactLaw {
 public:
  PoissonImpactLaw(const PoissonImpact& x, const LawContext& context)
      : ContactLaw({.name = PoissonImpact::name,
                    .expands = true,
                    .restitution = x.restitution,
                    .activation = context.activation(x.activation),
                    .impact = ImpactForm::poisson}) {}

 private:
  std::string described() const override {
    return fmt::format(", restitution {:g}", facts().restitution);
  }
};

}  // namespace

std::shared_ptr<const ContactLaw> PoissonImpact::law(const LawContext& context) const {
  if (activation.kind == ActivationKind::gap_closing)
    throw SceneError(context.path + ".activation.kind",
                     "poisson-impact keeps the gap at which a contact becomes active",
                     "siconos, or the law newton-impact");
  return std::make_shared<PoissonImpactLaw>(*this, context);
}

}  // namespace saltus
