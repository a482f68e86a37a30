// Point masses with springs as a scene writes them.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"

namespace saltus {

/// A spring and dashpot between two particles, or between a particle and a fixed place.
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
        field("anchor", &T::anchor, unit::m, kAnyNumber, "fixed place of the other end"),
        required("stiffness", &T::stiffness, unit::N_per_m, kNotNegative, "of the spring"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative,
              "of the dashpot beside it, on the rate of its length"),
        field("length", &T::length, unit::m, kNotNegative,
              "at rest; that of the start when not given"),
        field("tension_only", &T::tension_only, "a string: no force where shorter than `length`"));
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
        field("mass", &T::mass, unit::kg, kPositive, "of each particle; one number: of all"),
        field("positions", &T::positions, unit::m, kAnyNumber, "[x, y, z] of each at t = 0"),
        field("velocities", &T::velocities, unit::m_per_s, kAnyNumber,
              "[x, y, z] of each at t = 0; at rest when not given"),
        field("file", &T::file,
              "CSV file instead, one row a particle: mass [kg], x, y, z [m], perhaps vx, vy, vz "
              "[m/s]"),
        field("springs", &T::springs, "between particles or to fixed places"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "on every particle; `gravity` of the scene when not given"),
        field("drag", &T::drag, unit::N_s_per_m, kNotNegative, "force -drag v on every particle"));
  }
};

}  // namespace saltus
