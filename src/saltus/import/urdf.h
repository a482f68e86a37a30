// The scene of a robot that a URDF file describes.
//
//     UrdfScene made = import_urdf("arm.urdf", {.base = UrdfBase::fixed});
//         // throws SceneError: "arm.urdf:12: link ..."
//     std::string yaml = urdf_scene_text(made, "arm.urdf");
//
// Faults that leave no robot are errors of one line. What is doubtful is a warning of the same
// form; what the import decides by itself is a remark.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "saltus/import/urdf_robot.h"
#include "saltus/spec/spec.h"

namespace saltus {

/// How the root of the tree is held; a root named `world` without mass is the world.
enum class UrdfBase { free, fixed };
constexpr auto names_of(UrdfBase) {
  using enum UrdfBase;
  return std::array{NamedValue{free, "free"}, NamedValue{fixed, "fixed"}};
}

struct UrdfOptions {
  std::optional<UrdfBase> base = std::nullopt;  ///< free when not given
  std::optional<double> friction =
      std::nullopt;                         ///< of all shapes; they touch nothing when not given
  bool motors = false;                      ///< one of velocity 0 at every joint that has an effort
  std::filesystem::path scene_folder = {};  ///< mesh files are named from there
};

struct UrdfScene {
  SceneSpec spec;  ///< complete, and checked
  std::vector<std::string> warnings, remarks;
};

/// Links become bodies of the same names, joints joints. A link without mass that is fixed to one
/// with mass is a part of it. Throws SceneError for what moves without mass, inertias that no mass
/// has, and meshes that are not there.
UrdfScene urdf_scene(const UrdfRobot& robot, const UrdfOptions& options = {});
UrdfScene import_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});
/// The scene with warnings and remarks as comments before it.
std::string urdf_scene_text(const UrdfScene& scene, const std::string& source);

}  // namespace saltus
