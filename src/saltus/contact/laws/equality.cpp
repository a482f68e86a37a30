// u1 = velocity
#include "saltus/contact/laws/equality.h"

#include <fmt/format.h>

namespace saltus {
namespace {

class EqualityLaw final : public ContactLaw {
 public:
  explicit EqualityLaw(const Equality& x)
      : ContactLaw({.name = Equality::name,
                    .bilateral = true,
                    .uses_angle = false,
                    .drives = true,
                    .velocity = x.velocity,
                    .impact = ImpactForm::held}) {}

  Law entry(const ContactShape&, double) const override { return {.kind = LawKind::equality}; }
  void guards(const HeldContact&, Guards&) const override {}  // it never ends

 private:
  double term(const RateTerm&) const override { return -facts().velocity; }
  std::string described() const override {
    return fmt::format(", velocity {:g} m/s", facts().velocity);
  }
};

}  // namespace

std::shared_ptr<const ContactLaw> Equality::law(const LawContext&) const {
  return std::make_shared<EqualityLaw>(*this);
}

}  // namespace saltus
