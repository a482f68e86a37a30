// Keys of scenes that were written under another name: they are read for one version, and `check`
// names the new one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/node.h"

namespace saltus {

/// The present name of `key` in the map that the key `in` holds: of `lane` in `time` it is `mode`.
std::string_view present_key(std::string_view in, std::string_view key);

/// The path with present names: "time.mode" for "time.lane", "contacts[0].law.velocity_weakening"
/// for "contacts[0].law.falling".
std::string present_path(std::string_view path);

/// Gives old keys of the document their present names. Returns one sentence for each, "time.lane:
/// this key is now called `mode`". Throws SceneError where a map has both. in: the key that holds
/// the document, where it is a part of a scene.
std::vector<std::string> rename_old_keys(Node& document, std::string_view in = "");

}  // namespace saltus
