// The resolved scene: what a run was made of, every default spelled out; stored with results.
#pragma once
#include <string>

#include "saltus/spec/spec.h"

namespace saltus {

/// JSON text that reads back (read_scene_text) to an equal spec. indent 0: one line.
std::string write_scene(const SceneSpec& spec, int indent = 2);

}  // namespace saltus
