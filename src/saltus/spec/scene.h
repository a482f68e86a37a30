// A scene that was read: what it says, and where each entry stands, so that later errors can point
// at it.
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
  std::string text;                  ///< as read, before --set
  std::string file;                  ///< as named by the user
  std::vector<std::string> renamed;  ///< old keys, with their present names
  std::filesystem::path folder;      ///< files named in the scene are relative to it

  /// A file named in the scene: absolute, or relative to the scene's folder.
  std::filesystem::path resolve(const std::string& name) const { return folder / name; }
};

/// The place of a path, or of the nearest entry that holds it; null if there is none.
const Place* find_place(const Places& places, std::string_view path);

/// Throws all faults with their places, in the order of the file; returns where there are none.
void throw_placed(const Faults& faults, const Scene& scene);

/// Throws the error again with the place of its path, or of the nearest entry that holds it. An
/// error that already has a place (in a data file) is thrown as it is.
[[noreturn]] void rethrow_placed(const SceneError& error, const Scene& scene);

}  // namespace saltus
