// Hunt and Crossley's contact: damping that grows with the penetration.
#pragma once
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// N = k d^p + lambda d^p d' >= 0,   lambda = damping, or 3/2 alpha k
struct HuntCrossley {
  static constexpr std::string_view name = "hunt-crossley";
  static constexpr std::string_view reference = "HuntCrossley1975";
  static constexpr std::string_view help =
      "force = a power of the penetration times (stiffness + damping times the penetration rate): "
      "no jump where contact begins or ends";

  double stiffness = 0.0;
  double exponent = 1.5;
  std::optional<double> damping, alpha;

  /// lambda [N s/m^(p + 1)]
  double lambda() const { return damping.value_or(1.5 * alpha.value_or(0.0) * stiffness); }
  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const HuntCrossley&) const = default;
  std::optional<Fault> fault() const {
    if (damping && alpha)
      return Fault{"alpha", "sets the same quantity as damping", "give one of them"};
    if (!damping && !alpha) return Fault{"damping", "is missing", "give damping or alpha"};
    return {};
  }
  static constexpr auto fields() {
    using T = HuntCrossley;
    return field_rows(
        required("stiffness", &T::stiffness, kPositive, "k [N/m^p]"),
        field("exponent", &T::exponent, between(1.0, 10.0), "p: 1.5 for round bodies"),
        field("damping", &T::damping, kNotNegative, "lambda [N s/m^(p + 1)]"),
        field("alpha", &T::alpha, kNotNegative,
              "lambda = 3/2 alpha k [s/m]: slow impacts have restitution 1 - alpha times the "
              "impact speed"));
  }
};

}  // namespace saltus
