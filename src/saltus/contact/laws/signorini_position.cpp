// 0 <= y1 perp P >= 0
#include "saltus/contact/laws/signorini_position.h"

namespace saltus {
namespace {

class SignoriniPositionLaw final : public ContactLaw {
 public:
  SignoriniPositionLaw()
      : ContactLaw({.name = SignoriniPosition::name,
                    .position_level = true,
                    .not_by_events = "which restricts the gap at the end of a step"}) {}
};

}  // namespace

std::shared_ptr<const ContactLaw> SignoriniPosition::law(const LawContext&) const {
  return std::make_shared<SignoriniPositionLaw>();
}

}  // namespace saltus
