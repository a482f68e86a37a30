// URDF files: what the reader lets through becomes a scene with each of the options, and its text is read as a scene again.
// Meshes can be named: part.stl and part.obj lie beside the robot.
#include "fuzz.h"
#include "saltus/import/urdf.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
using namespace saltus_fuzz;

namespace {

const std::filesystem::path& robot_folder() {
  static const std::filesystem::path& path = []() -> const std::filesystem::path& {
    const char* const corners[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    std::string obj, stl = "solid part\n";
    for (const char* corner : corners) obj += std::string("v ") + corner + "\n";
    for (const auto& face : faces) {
      obj += "f";
      stl += "facet normal 0 0 0\nouter loop\n";
      for (const int k : face) {
        obj += " " + std::to_string(k + 1);
        stl += std::string("vertex ") + corners[k] + "\n";
      }
      obj += "\n";
      stl += "endloop\nendfacet\n";
    }
    write_file(folder().file("part.obj"), obj);
    write_file(folder().file("part.stl"), stl + "endsolid part\n");
    return folder().path();
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  allowed("a.urdf", [&] {
    const UrdfRobot robot =
        read_urdf_text(std::string(text_of(data, size)), "a.urdf", robot_folder());
    UrdfOptions options;
    if (size % 2) options = {UrdfBase::fixed, 0.5, true, robot_folder()};
    const UrdfScene made = urdf_scene(robot, options);
    const std::string yaml = urdf_scene_text(made, "a.urdf");
    try {
      read_scene_text(yaml, "a.yaml", {}, robot_folder());
    } catch (const SceneError& error) {
      stop("the scene of a robot is not read", std::string(error.what()) + "\n" + yaml);
    }
  });
  return 0;
}
