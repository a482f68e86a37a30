// Linear systems M q'' + C q' + K q = F(t) in a scene file.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/bodies/linear.h"

namespace saltus {

constexpr auto names_of(ChainEnds) {
  using enum ChainEnds;
  return std::array{NamedValue{free_free, "free-free"}, NamedValue{fixed_free, "fixed-free"},
                    NamedValue{fixed_fixed, "fixed-fixed"}};
}

/// m q'' + c q' + k q = F.
struct OscillatorSpec {
  double mass = 0.0, stiffness = 0.0, damping = 0.0;

  bool operator==(const OscillatorSpec&) const = default;
  static constexpr auto fields() {
    using T = OscillatorSpec;
    return field_rows(
        required("mass", &T::mass, unit::kg, kPositive, "mass that moves along `direction`"),
        field("stiffness", &T::stiffness, unit::N_per_m, kNotNegative,
              "stiffness of the spring, relaxed at q = 0"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative, "viscosity of the dashpot"));
  }
};

/// Equal masses on a line, neighbours connected by springs and dashpots.
struct ChainSpec {
  int masses = 0;
  double mass = 0.0, stiffness = 0.0, damping = 0.0;
  ChainEnds ends = ChainEnds::free_free;
  double spacing = 1.0;

  bool operator==(const ChainSpec&) const = default;
  static constexpr auto fields() {
    using T = ChainSpec;
    return field_rows(
        required("masses", &T::masses, between(1, 1e6), "number of masses; they move along `axis`"),
        required("mass", &T::mass, unit::kg, kPositive, "mass of each body of the chain"),
        required("stiffness", &T::stiffness, unit::N_per_m, kPositive, "stiffness of each spring"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative,
              "viscosity of the dashpot parallel to each spring"),
        required("ends", &T::ends,
                 "which ends are fixed; a fixed end adds a spring and a dashpot to the end mass"),
        field("spacing", &T::spacing, unit::m, kPositive, "distance between neighbours at rest"));
  }
};

/// A straight elastic bar of equal linear elements that moves in its axial direction.
struct MeshSpec {
  int elements = 0;
  double length = 0.0, young = 0.0, density = 0.0, area = 0.0;
  ChainEnds ends = ChainEnds::free_free;
  bool lumped = false;

  bool operator==(const MeshSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = MeshSpec;
    return field_rows(
        required("elements", &T::elements, between(1, 1e6), "number of elements of equal length"),
        required("length", &T::length, unit::m, kPositive, "distance between the ends"),
        required("young", &T::young, unit::Pa, kPositive, "Young's modulus"),
        required("density", &T::density, unit::kg_per_m3, kPositive, "density of the material"),
        required("area", &T::area, unit::m2, kPositive, "area of the cross section"),
        required("ends", &T::ends,
                 "which ends are fixed; degrees of freedom are the free nodes in order"),
        field("lumped", &T::lumped, "lumped (diagonal) mass matrix instead of the consistent one"));
  }
};

/// Rows, a diagonal, or a file name.
using MatrixSpec = std::variant<std::vector<std::vector<double>>, std::vector<double>, std::string>;
/// Numbers or a file name.
using VectorSpec = std::variant<std::vector<double>, std::string>;

/// A linear system given by its matrices.
struct MatricesSpec {
  MatrixSpec mass;
  std::optional<MatrixSpec> damping, stiffness;
  std::optional<VectorSpec> load;

  bool operator==(const MatricesSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = MatricesSpec;
    return field_rows(
        required("mass", &T::mass,
                 "M: rows [[a, b], [c, d]], a diagonal [a, b], or a file: .mtx (Matrix Market), "
                 ".npy or .csv; symmetric positive definite"),
        field("damping", &T::damping, "C, in the same forms as M; 0 when not given"),
        field("stiffness", &T::stiffness,
              "K, in the same forms as M; without K the system is M v' + C v = F"),
        field("load", &T::load, "constant force on each degree of freedom: a list or a file"));
  }
};

}  // namespace saltus
