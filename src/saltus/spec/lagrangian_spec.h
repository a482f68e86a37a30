// Mechanisms and nonlinear structures (kind lagrangian) in a scene file; each body has exactly one
// of these.
#pragma once
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/bodies/lagrangian.h"

namespace saltus {

constexpr auto names_of(Tangents) {
  using enum Tangents;
  return std::array{NamedValue{given, "given"}, NamedValue{differences, "differences"}};
}

namespace option {
inline constexpr std::string_view kGravity = "acceleration of gravity, along -z";
}

struct PendulumSpec {
  double mass = 1.0, length = 1.0, gravity = 9.81, dashpot = 0.0;

  bool operator==(const PendulumSpec&) const = default;
  static constexpr auto fields() {
    using T = PendulumSpec;
    return field_rows(
        field("mass", &T::mass, unit::kg, kPositive, "mass of the bob"),
        field("length", &T::length, unit::m, kPositive, "length of the massless rod"),
        field("gravity", &T::gravity, unit::m_per_s2, kNotNegative, option::kGravity),
        field("dashpot", &T::dashpot, unit::N_m_s, kNotNegative, "viscous damping at the pivot"));
  }
};

struct NPendulumSpec {
  std::vector<double> mass{1.0, 1.0}, length{1.0, 1.0};
  double gravity = 9.81;

  bool operator==(const NPendulumSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = NPendulumSpec;
    return field_rows(
        required("mass", &T::mass, unit::kg, kPositive, "mass of each bob, starting at the pivot"),
        required("length", &T::length, unit::m, kPositive, "length of each rod"),
        field("gravity", &T::gravity, unit::m_per_s2, kNotNegative, option::kGravity));
  }
};

struct DuffingSpec {
  double mass = 1.0, stiffness = 1.0, cubic = 10.0, dashpot = 0.0;

  bool operator==(const DuffingSpec&) const = default;
  static constexpr auto fields() {
    using T = DuffingSpec;
    return field_rows(
        field("mass", &T::mass, unit::kg, kPositive, "mass, moving along z"),
        field("stiffness", &T::stiffness, unit::N_per_m, kAnyNumber, "k in k q + k3 q^3"),
        field("cubic", &T::cubic, unit::N_per_m3, kNotNegative, "k3"),
        field("dashpot", &T::dashpot, unit::N_s_per_m, kNotNegative,
              "dashpot parallel to the spring"));
  }
};

struct SpringPendulumSpec {
  double mass = 1.0, stiffness = 100.0, length = 1.0, gravity = 9.81;

  bool operator==(const SpringPendulumSpec&) const = default;
  static constexpr auto fields() {
    using T = SpringPendulumSpec;
    return field_rows(
        field("mass", &T::mass, unit::kg, kPositive, "mass of the bob"),
        field("stiffness", &T::stiffness, unit::N_per_m, kNotNegative, "stiffness of the spring"),
        field("length", &T::length, unit::m, kNotNegative, "length of the relaxed spring"),
        field("gravity", &T::gravity, unit::m_per_s2, kNotNegative, option::kGravity));
  }
};

struct PlanetSpec {
  double mass = 1.0, mu = 1.0;

  bool operator==(const PlanetSpec&) const = default;
  static constexpr auto fields() {
    using T = PlanetSpec;
    return field_rows(field("mass", &T::mass, unit::kg, kPositive, "mass of the planet"),
                      field("mu", &T::mu, unit::m3_per_s2, kPositive,
                            "gravitational parameter of the centre: the potential is -mu mass/r"));
  }
};

struct PlanarRodSpec {
  double mass = 1.0, length = 1.0;
  std::optional<double> inertia;
  double gravity = 9.81;

  bool operator==(const PlanarRodSpec&) const = default;
  static constexpr auto fields() {
    using T = PlanarRodSpec;
    return field_rows(
        field("mass", &T::mass, unit::kg, kPositive, "mass of the rod"),
        field("length", &T::length, unit::m, kPositive, "length of the rod"),
        field("inertia", &T::inertia, unit::kg_m2, kPositive,
              "moment of inertia about the centre; mass length^2/12 when not given"),
        field("gravity", &T::gravity, unit::m_per_s2, kNotNegative, option::kGravity));
  }
};

struct SliderCrankSpec {
  double crank_length = 0.153, rod_length = 0.306;
  double crank_mass = 0.038, rod_mass = 0.038, slider_mass = 0.076;
  double crank_inertia = 7.4e-5, rod_inertia = 5.9e-4, slider_inertia = 2.7e-6;
  double slider_length = 0.05, slider_height = 0.05;
  double gravity = 9.81, torque = 0.0;

  bool operator==(const SliderCrankSpec&) const = default;
  static constexpr auto fields() {
    using T = SliderCrankSpec;
    return field_rows(
        field("crank_length", &T::crank_length, unit::m, kPositive, "crank length, pivot to pin"),
        field("rod_length", &T::rod_length, unit::m, kPositive, "rod length, pin to pin"),
        field("crank_mass", &T::crank_mass, unit::kg, kPositive, "mass of the crank"),
        field("rod_mass", &T::rod_mass, unit::kg, kPositive, "mass of the connecting rod"),
        field("slider_mass", &T::slider_mass, unit::kg, kPositive, "mass of the slider"),
        field("crank_inertia", &T::crank_inertia, unit::kg_m2, kPositive,
              "moment of inertia of the crank about its centre"),
        field("rod_inertia", &T::rod_inertia, unit::kg_m2, kPositive,
              "moment of inertia of the connecting rod about its centre"),
        field("slider_inertia", &T::slider_inertia, unit::kg_m2, kPositive,
              "moment of inertia of the slider about its centre"),
        field("slider_length", &T::slider_length, unit::m, kPositive,
              "half size of the slider along the guide"),
        field("slider_height", &T::slider_height, unit::m, kPositive,
              "half size of the slider across the guide"),
        field("gravity", &T::gravity, unit::m_per_s2, kNotNegative, option::kGravity),
        field("torque", &T::torque, unit::N_m, kAnyNumber, "torque on the crank"));
  }
};

struct StvkBarSpec {
  int elements = 8;
  double length = 1.0, young = 1000.0, density = 1.0, area = 1.0;

  bool operator==(const StvkBarSpec&) const = default;
  static constexpr auto fields() {
    using T = StvkBarSpec;
    return field_rows(
        field("elements", &T::elements, between(1, 1000),
              "number of elements of equal length, each with one coordinate"),
        field("length", &T::length, unit::m, kPositive, "distance between the ends"),
        field("young", &T::young, unit::Pa, kPositive, "Young's modulus"),
        field("density", &T::density, unit::kg_per_m3, kPositive, "density of the material"),
        field("area", &T::area, unit::m2, kPositive, "area of the cross section"));
  }
};

}  // namespace saltus
