// Hertz's contact of two elastic bodies.
#pragma once
#include <limits>
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Two round elastic bodies:
///     force = 4/3 E* sqrt(R) penetration^(3/2)
///     1/E* = (1 - nu^2)/E + (1 - nu_b^2)/E_b,   1/R = 1/radius + 1/radius_b
struct Hertz {
  static constexpr std::string_view name = "hertz";
  static constexpr std::string_view reference = "Hertz1882";
  static constexpr std::string_view help =
      "elastic force between two round bodies of given moduli and radii; conserves energy";

  double young = 0.0, poisson = 0.0, radius = 0.0;
  std::optional<double> young_b, poisson_b, radius_b;

  /// K of force = K penetration^(3/2) [N/m^1.5]
  double stiffness() const;
  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Hertz&) const = default;
  std::optional<Fault> fault() const {
    if (poisson_b && !young_b)
      return Fault{"poisson_b", "is used only with young_b", "give young_b"};
    if (radius_b && *radius_b < 0.0 && !(-*radius_b > radius))
      return Fault{"radius_b", "describes a hollow in which a ball of `radius` does not fit",
                   "below -radius, or above 0"};
    if (radius_b == 0.0) return Fault{"radius_b", "is 0", "leave it out for a flat side"};
    return {};
  }
  static constexpr auto fields() {
    using T = Hertz;
    return field_rows(required("young", &T::young, unit::Pa, kPositive, "E, Young's modulus"),
                      required("poisson", &T::poisson, between(-1.0, 0.5), "nu, Poisson's ratio"),
                      field("young_b", &T::young_b, unit::Pa, kPositive,
                            "E of the other side; that of both when not given"),
                      field("poisson_b", &T::poisson_b, between(-1.0, 0.5),
                            "nu of the other side; that of both when not given"),
                      required("radius", &T::radius, unit::m, kPositive,
                               "radius of the round side at the contact"),
                      field("radius_b", &T::radius_b, unit::m, kAnyNumber,
                            "radius of the other side: 1/R = 1/radius + 1/radius_b; flat when not "
                            "given, negative for a hollow"));
  }
};

}  // namespace saltus
