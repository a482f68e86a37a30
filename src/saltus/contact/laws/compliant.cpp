#include "saltus/contact/laws/compliant.h"

#include "saltus/contact/laws/spring_law.h"

namespace saltus {

std::shared_ptr<const ContactLaw> law_of(const ContactSpring& spring) {
  return std::make_shared<SpringLaw>(Compliant::name, spring);
}

std::shared_ptr<const ContactLaw> Compliant::law(const LawContext&) const {
  return law_of(ContactSpring{stiffness, exponent, damping, at_value()});
}

}  // namespace saltus
