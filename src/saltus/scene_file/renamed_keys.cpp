#include "saltus/scene_file/renamed_keys.h"

#include <algorithm>
#include <array>

#include "saltus/base/options_read.h"

namespace saltus {
namespace {

struct OldKey {
  std::string_view in;  ///< key of the enclosing map
  std::string_view old, now;
};
constexpr std::array kOldKeys{OldKey{"time", "lane", "mode"},
                              OldKey{"law", "falling", "velocity_weakening"}};

void rename_in(Node& map, std::string_view in, const std::string& path,
               std::vector<std::string>& renamed) {
  for (Node::Key& key : map.keys) {
    const std::string_view now = present_key(in, key.text);
    if (now == key.text) continue;
    if (map.find(now))
      fail_at(key.place, join_path(path, key.text),
              "is the old name of `" + std::string(now) + "`, which is also given",
              "leave `" + key.text + "` out");
    renamed.push_back(join_path(path, key.text) + ": this key is now called `" + std::string(now) +
                      "`");
    key.text = now;
  }
}

void rename_below(Node& node, std::string_view name, const std::string& path,
                  std::vector<std::string>& renamed) {
  if (node.kind == Node::Kind::map) rename_in(node, name, path, renamed);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const bool map = node.kind == Node::Kind::map;
    const std::string key = map ? node.keys[i].text : std::string(name);
    rename_below(node.items[i], key, map ? join_path(path, key) : join_path(path, i), renamed);
  }
}

}  // namespace

std::string_view present_key(std::string_view in, std::string_view key) {
  for (const OldKey& one : kOldKeys)
    if (one.in == in && one.old == key) return one.now;
  return key;
}

std::string present_path(std::string_view path) {
  std::string present;
  std::string_view in;
  while (!path.empty()) {
    const bool index = path.front() == '[';
    const std::size_t end = index ? std::min(path.find(']'), path.size() - 1) + 1
                                  : std::min(path.find_first_of(".[", 1), path.size());
    const std::size_t dot = path.front() == '.' ? 1 : 0;
    const std::string_view step = path.substr(dot, end - dot);
    const std::string_view now = index ? step : present_key(in, step);
    present += std::string(dot, '.') + std::string(now);
    if (!index) in = now;
    path.remove_prefix(end);
  }
  return present;
}

std::vector<std::string> rename_old_keys(Node& document, std::string_view in) {
  std::vector<std::string> renamed;
  rename_below(document, in, "", renamed);
  return renamed;
}

}  // namespace saltus
