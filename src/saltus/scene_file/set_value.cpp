#include <algorithm>
#include <charconv>

#include "saltus/base/error.h"
#include "saltus/base/options_read.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/yaml_document.h"

namespace saltus {
namespace {

/// Reads the steps of a path like "bodies[0].scheme.theta" one by one.
class PathReader {
 public:
  PathReader(std::string_view path, const Place& place) : path_(path), place_(place) {}

  bool done() const { return at_ == path_.size(); }
  std::string so_far() const { return std::string(path_.substr(0, at_)); }

  /// The next step: an index in [ ] if `index` is set on return, otherwise a key.
  std::string_view next(bool& index) {
    index = path_[at_] == '[';
    if (index) {
      const std::size_t end = path_.find(']', at_);
      if (end == std::string_view::npos) fail("`]` is missing");
      const std::string_view step = path_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      if (!done() && path_[at_] != '.' && path_[at_] != '[') fail("a dot is missing after `]`");
      return step;
    }
    if (at_ > 0 && path_[at_] == '.') ++at_;
    const std::size_t end = std::min(path_.find_first_of(".[", at_), path_.size());
    const std::string_view step = path_.substr(at_, end - at_);
    if (step.empty()) fail("a name is missing in the path");
    at_ = end;
    return step;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    fail_at(place_, std::string(path_), message,
            hint.empty() ? "for example bodies[0].scheme.theta=1" : hint);
  }

 private:
  std::string_view path_;
  const Place& place_;
  std::size_t at_ = 0;
};

/// The entry of a list with this number, or with this `name`.
Node& child_by_index(Node& node, std::string_view text, const PathReader& path) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool number = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (node.kind != Node::Kind::list)
    path.fail("`" + path.so_far() + "` does not exist: there is no list");
  if (!number) {
    for (Node& item : node.items)
      if (Node* name = item.kind == Node::Kind::map ? item.find("name") : nullptr)
        if (name->kind == Node::Kind::scalar && name->text == text) return item;
    path.fail("'" + std::string(text) + "' is not an index, and no entry has this name");
  }
  if (index >= node.items.size())
    path.fail("`" + path.so_far() + "` does not exist",
              "the list has " + std::to_string(node.items.size()) + " entries, the first is [0]");
  return node.items[index];
}

Node& child_by_key(Node& node, std::string_view key, const Place& place, const PathReader& path) {
  if (node.kind == Node::Kind::list)
    path.fail("`" + std::string(key) + "` is a key, but a list needs an index",
              "an index such as [0]");
  if (node.kind == Node::Kind::scalar) {
    Node name = node;
    node = Node{};
    node.place = name.place;
    node.keys.push_back({"kind", name.place});
    node.items.push_back(std::move(name));
  }
  node.kind = Node::Kind::map;
  if (Node* child = node.find(key)) return *child;
  node.keys.push_back({std::string(key), place});
  node.items.emplace_back();
  node.items.back().place = place;
  return node.items.back();
}

/// Sets the position of a value and all its members to that of the assignment.
void put_at(Node& node, const Place& place) {
  node.place = place;
  for (Node::Key& key : node.keys) key.place = place;
  for (Node& item : node.items) put_at(item, place);
}

void remove_child(Node& parent, const Node& child) {
  const auto index = &child - parent.items.data();
  if (parent.kind == Node::Kind::map) parent.keys.erase(parent.keys.begin() + index);
  parent.items.erase(parent.items.begin() + index);
}

}  // namespace

void set_value(Node& document, const std::string& assignment) {
  const Place place{"--set " + assignment.substr(0, 120), 0, 0};
  const std::size_t equal = assignment.find('=');
  if (equal == std::string::npos || equal == 0)
    fail_at(place, "", "is not of the form path=value", "for example bodies[0].scheme.theta=1");
  Node value;
  try {
    value = parse_yaml(assignment.substr(equal + 1), place.source);
  } catch (const SceneError& error) {
    fail_at(place, assignment.substr(0, equal), "the value " + error.message(), error.hint());
  }
  put_at(value, place);
  const std::string path = assignment.substr(0, equal);
  PathReader reader(path, place);
  Node *node = &document, *parent = nullptr;
  std::string_view in;  // key of the current map
  while (!reader.done()) {
    bool index = false;
    const std::string_view written = reader.next(index);
    const std::string_view step = index ? written : present_key(in, written);
    if (!index) in = step;
    parent = node;
    node = index ? &child_by_index(*node, step, reader) : &child_by_key(*node, step, place, reader);
  }
  if (value.kind == Node::Kind::empty)
    remove_child(*parent, *node);
  else
    *node = std::move(value);
}

}  // namespace saltus
