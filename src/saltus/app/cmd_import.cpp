// `saltus import ROBOT.urdf`: converts a robot to a scene.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "saltus/app/app.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/import/urdf.h"
#include "saltus/results/output_file.h"

namespace saltus::app {
namespace {

std::optional<UrdfBase> base_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& known : names_of(UrdfBase{})) {
    if (known.name == name) return known.value;
    names.push_back(known.name);
  }
  throw SceneError("--base", "there is no '" + name + "'", did_you_mean(name, names));
}

/// Protects edited scenes from a second import: a file is overwritten only if its name was given,
/// and the robot file never.
std::filesystem::path scene_file(const ImportOptions& options) {
  namespace fs = std::filesystem;
  const fs::path robot(options.file);
  fs::path scene(options.output);
  std::error_code error;
  if (options.output.empty()) {
    scene = robot.filename().replace_extension(".yaml");
    if (fs::exists(fs::symlink_status(scene, error)))
      throw SceneError("", "already exists and is not overwritten", "give a name with -o")
          .at(scene.string(), 0, 0);
  }
  if (fs::exists(scene, error) && fs::equivalent(scene, robot, error))
    throw SceneError("", "is the robot file itself", "give the scene another name with -o")
        .at(scene.string(), 0, 0);
  return scene;
}

}  // namespace

int cmd_import(const ImportOptions& options) {
  UrdfOptions how;
  how.base = base_named(options.base);
  how.friction = options.friction;
  how.motors = options.motors;
  const std::filesystem::path file = scene_file(options);
  how.scene_folder = file.parent_path();
  const UrdfScene scene = import_urdf(options.file, how);
  for (const std::string& text : scene.warnings) warn(text);
  OutputFile out(file.string());
  out.write(urdf_scene_text(scene, options.file));
  out.commit();
  if (options.json) {
    const nlohmann::ordered_json object = {{"file", file.string()},
                                           {"bodies", scene.spec.bodies.size()},
                                           {"joints", scene.spec.joints.size()},
                                           {"couplings", scene.spec.couplings.size()},
                                           {"warnings", scene.warnings},
                                           {"remarks", scene.remarks}};
    std::puts(object.dump(1).c_str());
    return kDone;
  }
  for (const std::string& text : scene.remarks) std::puts(text.c_str());
  fmt::print("{} written (bodies: {}, joints: {}, couplings: {}); next: saltus check {}\n",
             file.string(), scene.spec.bodies.size(), scene.spec.joints.size(),
             scene.spec.couplings.size(), file.string());
  return kDone;
}

}  // namespace saltus::app
