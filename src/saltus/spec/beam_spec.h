// Thin elastic beams in a scene file. All values SI.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/bodies/beam.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

namespace option {
inline constexpr std::string_view kBeamNode =
    "start, end, or the place of a node along the beam: a multiple of the length over `elements`";
}  // namespace option

/// Which motions of a beam node are restrained: position and direction, or one of them.
enum class BeamHold { pinned, clamped, guided };
constexpr auto names_of(BeamHold) {
  using enum BeamHold;
  return std::array{NamedValue{pinned, "pinned"}, NamedValue{clamped, "clamped"},
                    NamedValue{guided, "guided"}};
}

/// A restrained node.
struct BeamHeldSpec {
  NumberOrName at;
  BeamHold as = BeamHold::clamped;

  bool operator==(const BeamHeldSpec&) const = default;
  static constexpr auto fields() {
    using T = BeamHeldSpec;
    return field_rows(required("at", &T::at, unit::m, kAnyNumber, option::kBeamNode),
                      required("as", &T::as,
                               "pinned: the position is fixed; clamped: position and direction; "
                               "guided: the direction only"));
  }
};

/// A force on a beam; its direction is fixed in space.
struct BeamLoadSpec {
  std::optional<NumberOrName> at;
  std::optional<std::array<double, 3>> force, line_force;
  std::optional<CourseSpec<unit::one>> factor;

  bool operator==(const BeamLoadSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("force", "line_force"), needs("force", "at"),
                      needs("at", "force")};
  }
  static constexpr auto fields() {
    using T = BeamLoadSpec;
    return field_rows(
        field("at", &T::at, unit::m, kAnyNumber,
              "point of application of `force`: start, end, or a place along the undeformed beam"),
        field("force", &T::force, unit::N, kAnyNumber, "force vector [x, y, z] in space"),
        field("line_force", &T::line_force, unit::N_per_m, kAnyNumber,
              "force per metre of the undeformed beam, [x, y, z] in space"),
        field("factor", &T::factor, "factor as a function of time; 1 when not given"));
  }
};

/// A beam that is straight when undeformed. The section is round, square, or given by its
/// stiffnesses.
struct BeamSpec {
  std::array<double, 3> start{0, 0, 0}, end{0, 0, 0};
  int elements = 10;
  std::optional<double> radius, inner_radius, side, young, density, axial, bending, linear_density;
  std::array<double, 3> velocity{0, 0, 0}, spin{0, 0, 0};
  std::optional<std::array<double, 3>> gravity;
  std::vector<BeamHeldSpec> held;
  std::vector<BeamLoadSpec> loads;

  /// EA, EI and rho A of a valid spec.
  BeamSection section() const;
  double length() const;  ///< [m]
  bool operator==(const BeamSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("radius", "side", "axial"),
                      needs("inner_radius", "radius"),
                      needs("bending", "axial"),
                      needs("linear_density", "axial"),
                      at_most_one("axial", "young"),
                      at_most_one("axial", "density")};
  }
  static constexpr auto fields() {
    using T = BeamSpec;
    return field_rows(
        required("start", &T::start, unit::m, kAnyNumber, "position of the end x = 0, undeformed"),
        required("end", &T::end, unit::m, kAnyNumber,
                 "position of the other end; the beam is straight"),
        field("elements", &T::elements, between(1, 1e6),
              "number of elements of equal length, with a node at each of their ends"),
        field("radius", &T::radius, unit::m, kPositive, "radius of a round section"),
        field("inner_radius", &T::inner_radius, unit::m, kPositive, "inner radius of a tube"),
        field("side", &T::side, unit::m, kPositive, "side of a square section"),
        field("young", &T::young, unit::Pa, kPositive,
              "Young's modulus; for a section given by its dimensions"),
        field("density", &T::density, unit::kg_per_m3, kPositive,
              "density of the material; for a section given by its dimensions"),
        field("axial", &T::axial, unit::N, kPositive,
              "E A; for a section given by its stiffnesses"),
        field("bending", &T::bending, unit::N * unit::m2, kPositive,
              "E I, equal about both axes of the section; for a section given by its stiffnesses"),
        field("linear_density", &T::linear_density, unit::kg_per_m, kPositive, "mass per length"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber,
              "velocity of the midpoint at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0 about the midpoint, along the axes of space"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on this body; `gravity` of the scene when not given"),
        field("held", &T::held, "restrained nodes"),
        field("loads", &T::loads, "point forces and forces along the whole beam"));
  }
};

}  // namespace saltus
