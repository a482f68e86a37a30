// Reads scenes from YAML (or JSON) text. Every fault is a SceneError with file, line and column.
#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "saltus/spec/scene.h"

namespace saltus {

/// Reads a scene; throws all faults of its entries at once (SceneErrors). `assignments` are
/// "path=value" as given to --set and override the values of the file.
Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments = {});

/// As above from text; `name` is the file name in errors. File names in the scene are relative to
/// `folder`.
Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments = {},
                      const std::filesystem::path& folder = {});

/// As above, but adds faults of entries to `faults`, without positions, and returns all that could
/// be read. Throws if the text is not YAML.
Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments,
                 Faults& faults);
Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments, const std::filesystem::path& folder,
                      Faults& faults);

}  // namespace saltus
