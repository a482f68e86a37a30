// The Stewart-Trinkle law.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// 0 <= u1 + max(gap, 0)/h perp impulse >= 0 with the gap at the start of the step.
struct StewartTrinkle {
  static constexpr std::string_view name = "stewart-trinkle";
  static constexpr std::string_view reference = "StewartTrinkle1996";
  static constexpr std::string_view help =
      "no penetration of the linearised gap; no restitution coefficient; Coulomb friction";

  FrictionChoice friction;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const StewartTrinkle&) const = default;
  static constexpr auto fields() {
    return field_rows(
        field("friction", &StewartTrinkle::friction, kNotNegative,
              "Coulomb's coefficient; between shapes also one along an axis and one across it"));
  }
};

}  // namespace saltus
