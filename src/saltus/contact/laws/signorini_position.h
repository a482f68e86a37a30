// Signorini's law at position level.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// 0 <= gap at the end of the step perp impulse >= 0.
struct SignoriniPosition {
  static constexpr std::string_view name = "signorini-position";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "no penetration at the end of each step; no restitution coefficient";

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const SignoriniPosition&) const = default;
  static constexpr auto fields() { return field_rows(); }
};

}  // namespace saltus
