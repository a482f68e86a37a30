// Deprecated keys of scenes: they are accepted for one version, and `check` reports the new name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/node.h"

namespace saltus {

/// The present name of `key` in the map under the key `in`: for `lane` in `time` it is `mode`.
std::string_view present_key(std::string_view in, std::string_view key);

/// The path with present names: "time.mode" for "time.lane", "contacts[0].law.velocity_weakening"
/// for "contacts[0].law.falling".
std::string present_path(std::string_view path);

/// Renames deprecated keys of the document. Returns one sentence for each, "time.lane: this key is
/// now called `mode`". Throws SceneError if a map has both names. in: the key of the document, if
/// it is a part of a scene.
std::vector<std::string> rename_old_keys(Node& document, std::string_view in = "");

}  // namespace saltus
