// A scene that was read: its spec, and the position of each entry in the file for error messages.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/faults.h"
#include "saltus/base/options_read.h"
#include "saltus/spec/spec.h"

namespace saltus {

struct Scene {
  SceneSpec spec;
  Places places;
  std::string text;                  ///< as read, before --set is applied
  std::string file;                  ///< file name as given by the user
  std::vector<std::string> renamed;  ///< deprecated keys, with their present names
  std::filesystem::path folder;      ///< files named in the scene are relative to it

  /// A file named in the scene: absolute, or relative to the scene's folder.
  std::filesystem::path resolve(const std::string& name) const { return folder / name; }
};

/// The position of a path, or of the nearest enclosing entry; null if there is none.
const Place* find_place(const Places& places, std::string_view path);

/// Throws all faults with their positions, in the order of the file; returns if there are none.
void throw_placed(const Faults& faults, const Scene& scene);

/// Rethrows the error with the position of its path, or of the nearest enclosing entry. An error
/// that already has a position (in a data file) is rethrown unchanged.
[[noreturn]] void rethrow_placed(const SceneError& error, const Scene& scene);

}  // namespace saltus
