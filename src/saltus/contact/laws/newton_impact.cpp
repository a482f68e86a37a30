// 0 <= u1 + e u0 perp P >= 0 on the contacts that the activation admits; they close their gaps
// under load (activation.h)
#include "saltus/contact/laws/newton_impact.h"

#include <fmt/format.h>

namespace saltus {
namespace {

Friction friction_of(const NewtonImpact& x) {
  Friction made = resolved(x.friction);
  made.tangential = x.slip == Slip::mean ? 1.0 : x.restitution_tangential;
  made.rolling = x.rolling;
  made.spinning = x.spinning;
  return made;
}

class NewtonImpactLaw final : public ContactLaw {
 public:
  NewtonImpactLaw(const NewtonImpact& x, const LawContext& context)
      : ContactLaw({.name = NewtonImpact::name,
                    .closes_gaps = context.closes_gaps(x.activation),
                    .rebounds = true,
                    .restitution = x.restitution,
                    .cohesion = x.cohesion,
                    .friction = friction_of(x),
                    .velocity_weakening = resolved(x.velocity_weakening),
                    .activation = context.activation(x.activation),
                    .impact = ImpactForm::newton}),
        slip_(x.slip) {}

 private:
  std::string described() const override {
    const Friction& x = facts().friction;
    std::string text = fmt::format(", restitution {:g}", facts().restitution);
    if (x.coefficient > 0.0) {
      text += friction_text();
      if (slip_ == Slip::mean)
        text += " on the mean slip";
      else if (x.tangential > 0.0)
        text += fmt::format(", tangential restitution {:g}", x.tangential);
    }
    return text;
  }

  Slip slip_;
};

}  // namespace

std::shared_ptr<const ContactLaw> NewtonImpact::law(const LawContext& context) const {
  return std::make_shared<NewtonImpactLaw>(*this, context);
}

}  // namespace saltus
