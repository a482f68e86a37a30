// Writes the resolved scene of a run, with every default given explicitly; stored with results.
#pragma once
#include <string>

#include "saltus/spec/spec.h"

namespace saltus {

/// JSON text that reads back (read_scene_text) to an equal spec. indent 0: one line.
std::string write_scene(const SceneSpec& spec, int indent = 2);

}  // namespace saltus
