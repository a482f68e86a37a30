// Poisson's law of impact.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// An expansion impulse of at least e times the compression impulse.
struct PoissonImpact {
  static constexpr std::string_view name = "poisson-impact";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "expansion impulse = restitution times compression impulse, on active contacts";

  double restitution = 0.0;
  ActivationOptions activation;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const PoissonImpact&) const = default;
  static constexpr auto fields() {
    using T = PoissonImpact;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Poisson's coefficient e"),
        field("activation", &T::activation, "which contacts enter the problem of a step"));
  }
};

}  // namespace saltus
