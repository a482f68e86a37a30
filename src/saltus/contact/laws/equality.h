// A rate that is held.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Velocity along the normal held at a value, by forces of either sign.
struct Equality {
  static constexpr std::string_view name = "equality";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help = "velocity along the normal prescribed, whatever the gap";
  /// It acts between bodies that are far from each other too.
  static constexpr bool at_any_gap = true;

  double velocity = 0.0;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Equality&) const = default;
  static constexpr auto fields() {
    return field_rows(field("velocity", &Equality::velocity, unit::m_per_s, kAnyNumber,
                            "rate of the gap that the law holds"));
  }
};

}  // namespace saltus
