// Converts a robot in a URDF file to a scene.
//
//     UrdfScene made = import_urdf("arm.urdf", {.base = UrdfBase::fixed});
//         // throws SceneError: "arm.urdf:12: link ..."
//     std::string yaml = urdf_scene_text(made, "arm.urdf");
//
// Faults that prevent a robot are errors of one line. Doubtful input gives a warning of the same
// form; decisions of the import are reported as remarks.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "saltus/import/urdf_robot.h"
#include "saltus/spec/spec.h"

namespace saltus {

/// Whether the root of the tree is free or fixed; a massless root named `world` is the world.
enum class UrdfBase { free, fixed };
constexpr auto names_of(UrdfBase) {
  using enum UrdfBase;
  return std::array{NamedValue{free, "free"}, NamedValue{fixed, "fixed"}};
}

struct UrdfOptions {
  std::optional<UrdfBase> base = std::nullopt;  ///< free when not given
  std::optional<double> friction =
      std::nullopt;     ///< friction between all shapes; no contact when not given
  bool motors = false;  ///< adds a motor of velocity 0 to every joint that has an effort
  std::filesystem::path scene_folder = {};  ///< names of mesh files are relative to this folder
};

struct UrdfScene {
  SceneSpec spec;  ///< complete and checked
  std::vector<std::string> warnings, remarks;
};

/// Links become bodies and joints become joints of the same names. A massless link fixed to a link
/// with mass is merged into it. Throws SceneError for moving links without mass, inertias that no
/// mass distribution has, and missing meshes.
UrdfScene urdf_scene(const UrdfRobot& robot, const UrdfOptions& options = {});
UrdfScene import_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});
/// The scene, preceded by warnings and remarks as comments.
std::string urdf_scene_text(const UrdfScene& scene, const std::string& source);

}  // namespace saltus
