// Rigid bodies in a scene file. All values SI.
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

/// A locked motion: of the mass centre in space or about an axis of the body.
enum class Freedom { x, y, z, rx, ry, rz };
constexpr auto names_of(Freedom) {
  using enum Freedom;
  return std::array{NamedValue{x, "x"},   NamedValue{y, "y"},   NamedValue{z, "z"},
                    NamedValue{rx, "rx"}, NamedValue{ry, "ry"}, NamedValue{rz, "rz"}};
}

/// A body with prescribed motion, which contacts do not change.
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
    return field_rows(
        field("x", &T::x, "displacement of the body's origin from `position` along x"),
        field("y", &T::y, "along y"), field("z", &T::z, "along z"),
        field("axis", &T::axis, "axis through the body's origin, fixed in space"),
        field("angle", &T::angle, "angle about the axis, measured from `rotation`"));
  }
};

/// Many equal bodies. Their names are the name of the body followed by .0, .1, ...
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
              "number along x, y and z: [nx, ny, nz]; numbered along x first, then y, then z"),
        field("spacing", &T::spacing, unit::m, kAnyNumber,
              "distance between neighbours along x, y and z"),
        field("turn", &T::turn,
              "rotation from each copy to the next about the body's origin: makes rings, arches, "
              "drums"),
        field("at", &T::at, unit::m, kAnyNumber,
              "offset [x, y, z] of each copy, added to `position`"),
        field(
            "file", &T::file,
            "CSV file, one row per copy: x, y, z [m] added to `position`, optionally a quaternion "
            "w, x, y, z applied after `rotation`, optionally a scale factor as the last column"));
  }
};

/// A rigid body. Its frame is the one in which its shapes are given.
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

  /// Moves under forces: neither fixed nor with prescribed motion.
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
        field("shape", &T::shape, "shape of the body"),
        field("shapes", &T::shapes, "several shapes; where they overlap, mass counts twice"),
        field("density", &T::density, unit::kg_per_m3, kPositive,
              "density of the shapes; defines mass, mass centre and inertia"),
        field("mass", &T::mass, unit::kg, kPositive,
              "mass instead of the density; mass centre and inertia follow from the shapes, or are "
              "given"),
        field("inertia", &T::inertia, unit::kg_m2, kAnyNumber,
              "inertia about the mass centre in the axes of the body: [xx, yy, zz] or [xx, yy, zz, "
              "xy, xz, yz]"),
        field("centre", &T::centre, unit::m, kAnyNumber,
              "mass centre in the frame of the body, with `inertia`; the origin when not given"),
        field("position", &T::position, unit::m, kAnyNumber,
              "position of the body's origin at t = 0"),
        field("rotation", &T::rotation, "rotation of the body at t = 0"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber,
              "velocity of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0, along the axes of the body"),
        field("locked", &T::locked,
              "locked motions: x, y, z of the mass centre, rx, ry, rz about the axes of the body"),
        field("fixed", &T::fixed, "the body does not move: a floor, a wall"),
        field("motion", &T::motion, "prescribed motion: of a drum, a shaker"),
        field("copies", &T::copies, "makes many equal bodies: name.0, name.1, ..."),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on this body; `gravity` of the scene when not given"),
        field("drag", &T::drag, unit::N_s_per_m, kNotNegative, "force -drag v at the mass centre"),
        field("spin_drag", &T::spin_drag, unit::N_m_s, kNotNegative,
              "torque -spin_drag times the angular velocity"),
        field("touches", &T::touches,
              "false: its shapes define the mass but are not used for contact"));
  }
};

/// The plane in which all bodies of a scene move.
enum class Planar { xy, xz, yz };
constexpr auto names_of(Planar) {
  using enum Planar;
  return std::array{NamedValue{xy, "xy"}, NamedValue{xz, "xz"}, NamedValue{yz, "yz"}};
}
/// Index of the axis perpendicular to the plane.
constexpr int across(Planar plane) { return plane == Planar::xy ? 2 : plane == Planar::xz ? 1 : 0; }

/// The law between two materials, or no contact between them.
struct SurfaceLawSpec {
  std::vector<std::string> materials;
  std::optional<LawChoice> law;  ///< when there is contact
  bool touches = true;

  bool operator==(const SurfaceLawSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = SurfaceLawSpec;
    return field_rows(field("materials", &T::materials,
                            "the two materials, in any order; all pairs when not given"),
                      field("law", &T::law,
                            "contact law between their shapes; required, unless `touches: false`"),
                      field("touches", &T::touches,
                            "false: the shapes pass through each other without any report"));
  }
};

}  // namespace saltus
