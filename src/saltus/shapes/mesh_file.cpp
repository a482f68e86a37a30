#include "saltus/shapes/mesh_file.h"

#include <filesystem>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"

namespace saltus {

SurfaceFile read_surface(const std::string& file, const std::string& path) {
  std::string ending = std::filesystem::path(file).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending != ".obj" && ending != ".stl")
    throw SceneError(path,
                     ending.empty() ? "the file name has no extension"
                                    : "files '" + ending + "' are not supported",
                     ".obj or .stl")
        .at(file, 0, 0);
  const std::string bytes = read_text_file(file, path);
  return ending == ".obj" ? read_obj_text(bytes, file, path) : read_stl_bytes(bytes, file, path);
}

}  // namespace saltus
