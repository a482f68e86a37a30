// A robot as described by its URDF file: links, joints, and their line numbers. All values SI,
// angles in rad.
//
// Faults and warnings are one line, `file:line: link 'x': what; what is allowed`.
#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/math/rotation.h"

namespace saltus {

/// A collision shape. Boxes are given by full edge lengths; cylinders and capsules are along z,
/// given by full lengths.
struct UrdfShape {
  enum class Kind { box, cylinder, capsule, sphere, mesh };
  Kind kind = Kind::box;
  int line = 0;
  Pose at;                            ///< placement on the link
  Vector3 size = Vector3::Ones();     ///< edges of a box [m], scale factors of a mesh
  double radius = 0.0, length = 0.0;  ///< [m]
  std::string mesh;                   ///< file name as written
};

struct UrdfInertial {
  int line = 0;
  double mass = 0.0;                  ///< [kg]
  Pose at;                            ///< mass centre and inertia axes on the link
  Matrix3 inertia = Matrix3::Zero();  ///< about the mass centre, along the axes of `at` [kg m^2]
};

struct UrdfLink {
  std::string name;
  int line = 0;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfShape> shapes;
};

/// Limit of a joint that rotates [rad], [N m], [rad/s], or slides [m], [N], [m/s].
struct UrdfLimit {
  int line = 0;
  std::optional<double> lower, upper, effort, velocity;
};

/// coordinate = multiplier * (that of `joint`) + offset
struct UrdfMimic {
  int line = 0;
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
};

struct UrdfJoint {
  enum class Kind { fixed, revolute, continuous, prismatic, planar, floating };
  std::string name;
  int line = 0;
  Kind kind = Kind::fixed;
  std::string parent, child;
  Pose at;                          ///< child frame in the parent frame at coordinate 0
  Vector3 axis = Vector3::UnitX();  ///< in the frame of the child, unit; normal of a planar joint
  std::optional<UrdfLimit> limit;
  double damping = 0.0, friction = 0.0;
  std::optional<UrdfMimic> mimic;

  bool turns() const { return kind == Kind::revolute || kind == Kind::continuous; }
  bool has_coordinate() const { return turns() || kind == Kind::prismatic; }
};
constexpr auto names_of(UrdfJoint::Kind) {
  using enum UrdfJoint::Kind;
  return std::array{NamedValue{fixed, "fixed"},           NamedValue{revolute, "revolute"},
                    NamedValue{continuous, "continuous"}, NamedValue{prismatic, "prismatic"},
                    NamedValue{planar, "planar"},         NamedValue{floating, "floating"}};
}

/// The content of the file.
struct UrdfRobot {
  std::string name, file;        ///< file: its name in messages
  std::filesystem::path folder;  ///< folder in which meshes are searched
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<std::string>
      warnings;  ///< unknown elements and attributes, axes that are not unit vectors
  std::vector<std::string> remarks;  ///< elements that are ignored: visual, gazebo, ...
};

/// Checks syntax, numbers, names, required elements and elements that may occur once. Throws
/// SceneError.
UrdfRobot read_urdf(const std::filesystem::path& file);
UrdfRobot read_urdf_text(const std::string& text, const std::string& name,
                         const std::filesystem::path& folder = {});

}  // namespace saltus
