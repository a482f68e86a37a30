#include "saltus/scene_file/scene_write.h"

#include "saltus/base/options_write.h"

namespace saltus {

std::string write_scene(const SceneSpec& spec, int indent) { return to_json(spec, indent); }

}  // namespace saltus
