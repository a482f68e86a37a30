// Point masses with springs in a scene file.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"

namespace saltus {

/// A spring and dashpot between two particles, or between a particle and a fixed point.
struct SpringSpec {
  std::vector<int> between;
  std::optional<int> particle;
  std::optional<std::array<double, 3>> anchor;
  double stiffness = 0.0, damping = 0.0;
  std::optional<double> length;
  bool tension_only = false;

  bool operator==(const SpringSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("between", "particle"), needs("particle", "anchor"),
                      needs("anchor", "particle")};
  }
  static constexpr auto fields() {
    using T = SpringSpec;
    return field_rows(
        field("between", &T::between, kNotNegative, "numbers of two particles, from 0"),
        field("particle", &T::particle, kNotNegative, "number of the particle at one end"),
        field("anchor", &T::anchor, unit::m, kAnyNumber, "fixed position of the other end"),
        required("stiffness", &T::stiffness, unit::N_per_m, kNotNegative,
                 "stiffness of the spring"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative,
              "viscosity of the parallel dashpot, which acts on the rate of the length"),
        field("length", &T::length, unit::m, kNotNegative,
              "relaxed length; the initial distance when not given"),
        field("tension_only", &T::tension_only,
              "true: a string, which carries no force when shorter than `length`"));
  }
};

/// Point masses in space.
struct ParticlesSpec {
  std::vector<double> mass;
  std::vector<std::array<double, 3>> positions, velocities;
  std::optional<std::string> file;
  std::vector<SpringSpec> springs;
  std::optional<std::array<double, 3>> gravity;
  double drag = 0.0;

  bool operator==(const ParticlesSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("positions", "file"), exactly_one("mass", "file"),
                      at_most_one("file", "velocities")};
  }
  static constexpr auto fields() {
    using T = ParticlesSpec;
    return field_rows(
        field("mass", &T::mass, unit::kg, kPositive,
              "mass of each particle; one number: of all particles"),
        field("positions", &T::positions, unit::m, kAnyNumber,
              "position [x, y, z] of each particle at t = 0"),
        field("velocities", &T::velocities, unit::m_per_s, kAnyNumber,
              "velocity [x, y, z] of each particle at t = 0; at rest when not given"),
        field("file", &T::file,
              "CSV file instead of the lists, one row per particle: mass [kg], x, y, z [m], "
              "optionally vx, vy, vz [m/s]"),
        field("springs", &T::springs, "springs between particles or to fixed points"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on every particle; `gravity` of the scene when not given"),
        field("drag", &T::drag, unit::N_s_per_m, kNotNegative, "force -drag v on every particle"));
  }
};

}  // namespace saltus
