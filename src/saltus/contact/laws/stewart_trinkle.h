// The law of Stewart and Trinkle.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// 0 <= u1 + max(gap, 0)/h perp impulse >= 0 with the gap at the start of the step.
struct StewartTrinkle {
  static constexpr std::string_view name = "stewart-trinkle";
  static constexpr std::string_view reference = "StewartTrinkle1996";
  static constexpr std::string_view help =
      "no penetration of the linearised gap; the impact loses what it must; Coulomb friction";

  FrictionChoice friction;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const StewartTrinkle&) const = default;
  static constexpr auto fields() {
    return field_rows(field("friction", &StewartTrinkle::friction, kNotNegative,
                            "Coulomb's coefficient; between shapes also along and across an axis"));
  }
};

}  // namespace saltus
