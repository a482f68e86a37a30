// Felt: a spring that loses energy between compression and release.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// N = k d^p + r d(d^p)/dt >= 0
struct Felt {
  static constexpr std::string_view name = "felt";
  static constexpr std::string_view reference = "ChabassierChaigneJoly2013";
  static constexpr std::string_view help =
      "hammer felt: stiffness times a power of the penetration, plus damping times the rate of "
      "that power";

  double stiffness = 0.0, exponent = 0.0, damping = 0.0;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Felt&) const = default;
  static constexpr auto fields() {
    using T = Felt;
    return field_rows(
        required("stiffness", &T::stiffness, kPositive, "k [N/m^p]"),
        required("exponent", &T::exponent, between(1.0, 10.0), "p: 2 to 4 for hammers"),
        field("damping", &T::damping, kNotNegative, "r [N s/m^p]"));
  }
};

}  // namespace saltus
