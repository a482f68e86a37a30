// Writes a scene as concise YAML: without default values, each entry on one line if it fits.
#pragma once
#include <string>

#include "saltus/spec/spec.h"

namespace saltus {

/// Text that reads back (read_scene_text) to an equal spec; names and schemes that complete() fills
/// in are left out.
std::string write_scene_briefly(const SceneSpec& spec);

}  // namespace saltus
