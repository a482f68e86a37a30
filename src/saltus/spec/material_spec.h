// Elastic materials in a scene file. All values SI.
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

/// The material of a deformable body.
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
              "stored-energy function; linear is for small rotations only; neo_hooke and "
              "mooney_rivlin resist compression to zero volume; corotated also resists inversion"),
        field("young", &T::young, unit::Pa, kPositive, "Young's modulus at small strains"),
        field("poisson", &T::poisson,
              Range{.low = -1.0, .high = 0.5, .low_open = true, .high_open = true},
              "Poisson's ratio at small strains"),
        field("c10", &T::c10, unit::Pa, kAnyNumber, "coefficient of mooney_rivlin; c10 + c01 > 0"),
        field("c01", &T::c01, unit::Pa, kAnyNumber, "coefficient of mooney_rivlin"),
        field("bulk", &T::bulk, unit::Pa, kPositive, "mooney_rivlin: bulk modulus"),
        required("density", &T::density, unit::kg_per_m3, kPositive, "undeformed"));
  }
};

}  // namespace saltus
