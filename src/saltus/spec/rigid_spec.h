// Rigid bodies as a scene writes them. All values SI.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/spec/shape_spec.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

/// A motion that is held at 0, of the mass centre in space or about an axis of the body.
enum class Freedom { x, y, z, rx, ry, rz };
constexpr auto names_of(Freedom) {
  using enum Freedom;
  return std::array{NamedValue{x, "x"},   NamedValue{y, "y"},   NamedValue{z, "z"},
                    NamedValue{rx, "rx"}, NamedValue{ry, "ry"}, NamedValue{rz, "rz"}};
}

/// A body that moves as it is told, whatever it meets.
struct MotionSpec {
  std::optional<CourseSpec<unit::m>> x, y, z;
  std::optional<std::array<double, 3>> axis;
  std::optional<CourseSpec<unit::rad>> angle;

  bool operator==(const MotionSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{at_least_one("x", "y", "z", "angle"), needs("angle", "axis"),
                      needs("axis", "angle")};
  }
  static constexpr auto fields() {
    using T = MotionSpec;
    return field_rows(field("x", &T::x, "way of the body's origin from `position` along x"),
                      field("y", &T::y, "along y"), field("z", &T::z, "along z"),
                      field("axis", &T::axis, "through the body's origin, fixed in space"),
                      field("angle", &T::angle, "about the axis, from `rotation` on"));
  }
};

/// Many equal bodies. Their names are that of the body with .0, .1, ... behind it.
struct CopiesSpec {
  std::vector<int> count;
  std::array<double, 3> spacing{0, 0, 0};
  std::optional<AxisAngleSpec> turn;
  std::vector<std::array<double, 3>> at;
  std::optional<std::string> file;

  bool operator==(const CopiesSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("count", "at", "file"), needs("turn", "count")};
  }
  static constexpr auto fields() {
    using T = CopiesSpec;
    return field_rows(
        field("count", &T::count, between(1, 1e6),
              "along x, y and z: [nx, ny, nz]; numbered along x first, then y, then z"),
        field("spacing", &T::spacing, unit::m, kAnyNumber, "between neighbours along x, y and z"),
        field("turn", &T::turn,
              "from each to the next about the body's origin: makes rings, arches, drums"),
        field("at", &T::at, unit::m, kAnyNumber, "[x, y, z] of each, added to `position`"),
        field("file", &T::file,
              "CSV file, one row a copy: x, y, z [m] added to `position`, perhaps a quaternion w, "
              "x, y, z before `rotation`, perhaps last a factor of the size"));
  }
};

/// A rigid body. Its frame is that in which its shapes are given.
struct RigidSpec {
  std::optional<ShapeSpec> shape;
  std::vector<ShapeSpec> shapes;
  std::optional<double> density, mass;
  std::vector<double> inertia;
  std::optional<std::array<double, 3>> centre;
  std::array<double, 3> position{0, 0, 0};
  RotationSpec rotation;
  std::array<double, 3> velocity{0, 0, 0}, spin{0, 0, 0};
  std::vector<Freedom> locked;
  bool fixed = false;
  std::optional<MotionSpec> motion;
  std::optional<CopiesSpec> copies;
  std::optional<std::array<double, 3>> gravity;
  double drag = 0.0, spin_drag = 0.0;
  bool touches = true;

  /// Moves by forces: neither fixed nor told how to move.
  bool free() const { return !fixed && !motion; }
  bool operator==(const RigidSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{at_most_one("shape", "shapes"), at_most_one("density", "mass"),
                      needs("inertia", "mass"), needs("centre", "inertia")};
  }
  static constexpr auto fields() {
    using T = RigidSpec;
    return field_rows(
        field("shape", &T::shape, "what it looks like"),
        field("shapes", &T::shapes, "several together; where they overlap, mass counts twice"),
        field("density", &T::density, unit::kg_per_m3, kPositive,
              "of its shapes; gives mass, mass centre and inertia"),
        field("mass", &T::mass, unit::kg, kPositive,
              "instead of the density; mass centre and inertia are those of the shapes, or given"),
        field("inertia", &T::inertia, unit::kg_m2, kAnyNumber,
              "about the mass centre, axes of the body: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]"),
        field("centre", &T::centre, unit::m, kAnyNumber,
              "mass centre in the frame of the body, with `inertia`; its origin when not given"),
        field("position", &T::position, unit::m, kAnyNumber, "of the body's origin at t = 0"),
        field("rotation", &T::rotation, "of the body at t = 0"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber, "of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0, along the axes of the body"),
        field("locked", &T::locked,
              "motions that are held: x, y, z of the mass centre, rx, ry, rz about the axes of the "
              "body"),
        field("fixed", &T::fixed, "stands still: a floor, a wall"),
        field("motion", &T::motion, "moves as it is told: a drum, a shaker"),
        field("copies", &T::copies, "many such bodies: name.0, name.1, ..."),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "on this body; `gravity` of the scene when not given"),
        field("drag", &T::drag, unit::N_s_per_m, kNotNegative, "force -drag v at the mass centre"),
        field("spin_drag", &T::spin_drag, unit::N_m_s, kNotNegative,
              "torque -spin_drag times the angular velocity"),
        field("touches", &T::touches, "false: its shapes give mass and touch nothing"));
  }
};

/// The plane in which all bodies of a scene move.
enum class Planar { xy, xz, yz };
constexpr auto names_of(Planar) {
  using enum Planar;
  return std::array{NamedValue{xy, "xy"}, NamedValue{xz, "xz"}, NamedValue{yz, "yz"}};
}
/// Index of the axis across it.
constexpr int across(Planar plane) { return plane == Planar::xy ? 2 : plane == Planar::xz ? 1 : 0; }

/// The law between two materials, or that they do not touch.
struct SurfaceLawSpec {
  std::vector<std::string> materials;
  std::optional<LawChoice> law;  ///< of all that touches
  bool touches = true;

  bool operator==(const SurfaceLawSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = SurfaceLawSpec;
    return field_rows(
        field("materials", &T::materials, "the two, in any order; all pairs when not given"),
        field("law", &T::law,
              "that holds where their shapes touch; must be given, or `touches: false`"),
        field("touches", &T::touches,
              "false: they pass through each other, and no run tells of it"));
  }
};

}  // namespace saltus
