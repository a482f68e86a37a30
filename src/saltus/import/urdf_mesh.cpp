#include <fmt/format.h>

#include <system_error>

#include "saltus/base/error.h"
#include "saltus/import/urdf_tree.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

bool is_mesh_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

/// `package://name/rest`: folders named `name` that contain the robot's file, or lie in one of its
/// parent folders, the nearest first.
fs::path in_package(const fs::path& folder, const fs::path& name, const fs::path& rest) {
  std::error_code error;
  fs::path above = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  if (!above.has_filename()) above = above.parent_path();  // removes a separator at the end
  for (;; above = above.parent_path()) {
    for (const fs::path& package : {above.filename() == name ? above : fs::path(), above / name})
      if (!package.empty() && is_mesh_file(package / rest)) return package / rest;
    if (above == above.parent_path()) return {};
  }
}

}  // namespace

fs::path urdf_mesh_file(const UrdfRobot& robot, const UrdfLink& link, const UrdfShape& shape) {
  const std::string& written = shape.mesh;
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw SceneError(fmt::format("link '{}'", link.name), what, hint).at(robot.file, shape.line, 0);
  };
  std::string ending = fs::path(written).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending != ".obj" && ending != ".stl")
    fail(fmt::format("mesh '{}': files '{}' are not supported", written, ending),
         ".obj or .stl; convert it, or give a box, cylinder or sphere");
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  fs::path file;
  if (written.starts_with(kPackage)) {
    const std::string rest = written.substr(kPackage.size());
    const std::size_t slash = rest.find('/');
    if (slash == 0 || slash == std::string::npos)
      fail(fmt::format("mesh '{}' names no file in a package", written),
           "package://name/folder/file.stl");
    file = in_package(robot.folder, rest.substr(0, slash), rest.substr(slash + 1));
    if (file.empty())
      fail(fmt::format("mesh '{}' does not exist", written),
           fmt::format("a folder '{}' above the robot's file, or next to one above it",
                       rest.substr(0, slash)));
    return file;
  }
  if (written.find("://") != std::string::npos && !written.starts_with(kFile))
    fail(fmt::format("mesh '{}' is not a file", written),
         "a name relative to the robot's file, package:// or file://");
  file =
      written.starts_with(kFile) ? fs::path(written.substr(kFile.size())) : robot.folder / written;
  if (!is_mesh_file(file))
    fail(fmt::format("mesh '{}' does not exist", file.string()),
         "names are relative to the robot's file");
  return file;
}

}  // namespace saltus
