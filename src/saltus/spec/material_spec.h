// Elastic materials as a scene writes them. All values SI.
#pragma once
#include <array>
#include <optional>
#include <tuple>

#include "saltus/base/options.h"
#include "saltus/bodies/material.h"

namespace saltus {

constexpr auto names_of(MaterialLaw) {
  using enum MaterialLaw;
  return std::array{
      NamedValue{linear, "linear"},       NamedValue{st_venant_kirchhoff, "st_venant_kirchhoff"},
      NamedValue{neo_hooke, "neo_hooke"}, NamedValue{mooney_rivlin, "mooney_rivlin"},
      NamedValue{corotated, "corotated"}, NamedValue{st_venant_kirchhoff, "st-venant-kirchhoff"},
      NamedValue{neo_hooke, "neo-hooke"}, NamedValue{mooney_rivlin, "mooney-rivlin"}};
}
constexpr auto names_of(Viscosity) {
  using enum Viscosity;
  return std::array{NamedValue{current_tangent, "current_tangent"},
                    NamedValue{strain_rate, "strain_rate"}};
}

/// What a deformable body is made of.
struct MaterialSpec {
  MaterialLaw law = MaterialLaw::st_venant_kirchhoff;
  std::optional<double> young, poisson, c10, c01, bulk;
  double density = 0.0;

  Material material() const;
  bool operator==(const MaterialSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{only("law", {"mooney_rivlin"}, "c10", "c01", "bulk"),
                      where("law", {"mooney_rivlin"}, at_least_one("c10", "c01")),
                      where("law", {"mooney_rivlin"}, exactly_one("bulk"))};
  }
  static constexpr auto fields() {
    using T = MaterialSpec;
    return field_rows(
        field("law", &T::law,
              "stored energy; linear is for small turns alone, neo_hooke and mooney_rivlin resist "
              "being squeezed to nothing, corotated also being turned inside out"),
        field("young", &T::young, unit::Pa, kPositive, "Young's modulus of small strains"),
        field("poisson", &T::poisson,
              Range{.low = -1.0, .high = 0.5, .low_open = true, .high_open = true},
              "Poisson's ratio of small strains"),
        field("c10", &T::c10, unit::Pa, kAnyNumber, "of mooney_rivlin; c10 + c01 > 0"),
        field("c01", &T::c01, unit::Pa, kAnyNumber, "of mooney_rivlin"),
        field("bulk", &T::bulk, unit::Pa, kPositive, "of mooney_rivlin: modulus of volume"),
        required("density", &T::density, unit::kg_per_m3, kPositive, "undeformed"));
  }
};

}  // namespace saltus
