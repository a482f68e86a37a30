// A scene as people write it: YAML without what holds anyway, an entry on one line where it fits.
#pragma once
#include <string>

#include "saltus/spec/spec.h"

namespace saltus {

/// Text that reads back (read_scene_text) to an equal spec; names and schemes that complete() finds
/// again are left out.
std::string write_scene_briefly(const SceneSpec& spec);

}  // namespace saltus
