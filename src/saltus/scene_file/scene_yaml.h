// Scenes from YAML (or JSON) text. Everything wrong is a SceneError with file, line and column.
#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "saltus/spec/scene.h"

namespace saltus {

/// Reads a scene, throws all that is wrong with its entries at once (SceneErrors); `assignments`
/// are "path=value" as given to --set and override what the file says.
Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments = {});

/// The same from text; `name` stands for the file in errors. Files the scene names are relative to
/// `folder`.
Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments = {},
                      const std::filesystem::path& folder = {});

/// The same; what is wrong with the entries is added to `faults`, without places, and what could be
/// read is returned. Text that is no YAML throws.
Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments,
                 Faults& faults);
Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments, const std::filesystem::path& folder,
                      Faults& faults);

}  // namespace saltus
