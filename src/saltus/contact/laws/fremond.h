// Fremond's law of impact with friction.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Newton's and Coulomb's laws on theta u1 + (1 - theta) u0, with theta of the scheme.
struct Fremond {
  static constexpr std::string_view name = "fremond";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "Newton impact with Coulomb friction on the slip theta u1 + (1 - theta) u0 of the scheme";
  /// It depends on theta of the scheme: bodies in contact need the same theta.
  static constexpr bool reads_theta = true;

  double restitution = 0.0;
  FrictionChoice friction;
  ActivationOptions activation;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Fremond&) const = default;
  static constexpr auto fields() {
    using T = Fremond;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Newton's coefficient e"),
        field("friction", &T::friction, kNotNegative,
              "Coulomb's coefficient; between shapes also one along an axis and one across it"),
        field("activation", &T::activation, "which contacts enter the problem of a step"));
  }
};

}  // namespace saltus
