// Prescribed rate of the gap.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Prescribes the velocity along the normal, by forces of either sign.
struct Equality {
  static constexpr std::string_view name = "equality";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help = "prescribes the velocity along the normal, at any gap";
  /// It also acts between bodies that are far apart.
  static constexpr bool at_any_gap = true;

  double velocity = 0.0;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Equality&) const = default;
  static constexpr auto fields() {
    return field_rows(field("velocity", &Equality::velocity, unit::m_per_s, kAnyNumber,
                            "prescribed rate of the gap"));
  }
};

}  // namespace saltus
