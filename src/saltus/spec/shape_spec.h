// Shapes of rigid bodies in a scene file, in the frame of the body. All values SI.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/math/rotation.h"
#include "saltus/spec/contact_spec.h"

namespace saltus {

/// Rotation by an angle about an axis.
struct AxisAngleSpec {
  static constexpr std::string_view key = "axis";
  static constexpr std::string_view help = "a rotation about an axis";

  std::array<double, 3> axis{0, 0, 1};
  double angle = 0.0;

  bool operator==(const AxisAngleSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = AxisAngleSpec;
    return field_rows(required("axis", &T::axis, "axis of the rotation, of any length"),
                      required("angle", &T::angle, unit::rad, kAnyNumber,
                               "angle of the rotation, right-handed about the axis"));
  }
};

/// Rotation by a quaternion (w, x, y, z), which need not be normalised.
struct QuaternionSpec {
  static constexpr std::string_view key = "quaternion";
  static constexpr std::string_view help = "a rotation given by a quaternion";

  std::array<double, 4> quaternion{1, 0, 0, 0};

  bool operator==(const QuaternionSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    return field_rows(required("quaternion", &QuaternionSpec::quaternion,
                               "[w, x, y, z]; need not be normalised"));
  }
};

/// Rotation by the vector angle * axis.
struct RotationVectorSpec {
  static constexpr std::string_view key = "vector";
  static constexpr std::string_view help = "a rotation given by its rotation vector";

  std::array<double, 3> vector{0, 0, 0};

  bool operator==(const RotationVectorSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(required("vector", &RotationVectorSpec::vector, unit::rad, kAnyNumber,
                               "rotation vector: direction = axis, length = angle"));
  }
};

/// A rotation; the identity when not given.
using RotationSpec = std::variant<AxisAngleSpec, QuaternionSpec, RotationVectorSpec>;
Quaternion rotation_of(const RotationSpec& rotation);

struct SphereSpec {
  double radius = 0.0;
  bool operator==(const SphereSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("radius", &SphereSpec::radius, unit::m, kPositive, "radius of the sphere"));
  }
};

struct EllipsoidSpec {
  std::array<double, 3> radii{0, 0, 0};
  bool operator==(const EllipsoidSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("radii", &EllipsoidSpec::radii, unit::m, kPositive, "semi-axes along x, y, z"));
  }
};

/// A capsule or a cylinder, along z.
struct RoundBarSpec {
  double radius = 0.0, length = 0.0;
  bool operator==(const RoundBarSpec&) const = default;
  static constexpr auto fields() {
    using T = RoundBarSpec;
    return field_rows(required("radius", &T::radius, unit::m, kPositive, "radius, across z"),
                      required("length", &T::length, unit::m, kPositive,
                               "length along z: of a cylinder between its flat ends, of a capsule "
                               "between the centres of its round ends"));
  }
};

struct BoxSpec {
  std::array<double, 3> size{0, 0, 0};
  bool operator==(const BoxSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("size", &BoxSpec::size, unit::m, kPositive, "edge lengths along x, y, z"));
  }
};

/// The convex hull of points.
struct HullSpec {
  std::vector<std::array<double, 3>> points;
  std::optional<std::string> file;
  double scale = 1.0;

  bool operator==(const HullSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("points", "file")}; }
  static constexpr auto fields() {
    using T = HullSpec;
    return field_rows(
        field("points", &T::points, unit::m, kAnyNumber,
              "at least four points [x, y, z] that are not in one plane"),
        field("file", &T::file, "OBJ or STL file, or a CSV file with columns x, y, z [m]"),
        field("scale", &T::scale, kPositive, "factor of the points: 0.001 for a file in mm"));
  }
};

/// A triangle mesh.
struct SurfaceSpec {
  std::string file;
  std::vector<std::string> pieces;
  double scale = 1.0;

  bool operator==(const SurfaceSpec&) const = default;
  static constexpr auto fields() {
    using T = SurfaceSpec;
    return field_rows(
        required("file", &T::file,
                 "OBJ or STL file; moving bodies need a closed surface with outward orientation"),
        field("pieces", &T::pieces,
              "files of convex pieces that replace the mesh of a moving body in contact detection; "
              "not needed for a convex mesh"),
        field("scale", &T::scale, kPositive, "factor of the vertices: 0.001 for files in mm"));
  }
};

/// Heights over a grid; only for fixed bodies.
struct HeightFieldSpec {
  std::string file;
  std::array<double, 2> spacing{0, 0}, origin{0, 0};

  bool operator==(const HeightFieldSpec&) const = default;
  static constexpr auto fields() {
    using T = HeightFieldSpec;
    return field_rows(
        required("file", &T::file,
                 "CSV file of heights along z [m]: x increases along a row, y from row to row"),
        required("spacing", &T::spacing, unit::m, kPositive, "grid spacing along x and y"),
        field("origin", &T::origin, unit::m, kAnyNumber, "x and y of the first height"));
  }
};

/// One shape of a rigid body, and its placement on the body.
struct ShapeSpec {
  std::optional<SphereSpec> sphere;
  std::optional<EllipsoidSpec> ellipsoid;
  std::optional<RoundBarSpec> capsule, cylinder;
  std::optional<BoxSpec> box;
  std::optional<PlaneSpec> plane;
  std::optional<HullSpec> hull;
  std::optional<SurfaceSpec> mesh;
  std::optional<HeightFieldSpec> height_field;
  std::array<double, 3> position{0, 0, 0};
  RotationSpec rotation;
  std::string material = "default";
  std::optional<double> density;
  std::optional<SurfaceVelocitySpec> surface_velocity;

  bool operator==(const ShapeSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("sphere", "ellipsoid", "capsule", "cylinder", "box", "plane",
                                  "hull", "mesh", "height_field")};
  }
  static constexpr auto fields() {
    using T = ShapeSpec;
    return field_rows(
        field("sphere", &T::sphere, "a sphere"),
        field("ellipsoid", &T::ellipsoid, "an ellipsoid with its axes along x, y, z"),
        field("capsule", &T::capsule, "a rod with round ends, along z"),
        field("cylinder", &T::cylinder, "a rod with flat ends, along z"),
        field("box", &T::box, "a box with its edges along x, y, z"),
        field("plane", &T::plane, "the half space below a plane; `plane: {}` is the floor z = 0"),
        field("hull", &T::hull, "a convex polyhedron"), field("mesh", &T::mesh, "a triangle mesh"),
        field("height_field", &T::height_field, "ground as heights over a grid"),
        field("position", &T::position, unit::m, kAnyNumber, "position of the shape on the body"),
        field("rotation", &T::rotation, "rotation of the shape on the body"),
        field("material", &T::material,
              "material name; `surfaces` gives the law between two materials"),
        field("density", &T::density, unit::kg_per_m3, kPositive,
              "density of this shape; that of the body when not given"),
        field("surface_velocity", &T::surface_velocity, unit::m_per_s, kAnyNumber,
              "velocity of the surface material in the axes of the body, as of a belt or a track, "
              "while the shape itself does not move; friction uses its component tangential to the "
              "contact"));
  }
};

}  // namespace saltus
