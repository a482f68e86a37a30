#include "saltus/spec/body_names.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "saltus/base/suggest.h"

namespace saltus {
namespace {

std::string copies_text(const BodySpec& body, int count) {
  return "'" + body.name + "' refers to " + std::to_string(count) + " bodies, " +
         copy_name(body, 0) + " to " + copy_name(body, count - 1);
}

const std::optional<CopiesSpec>& copies_spec(const BodySpec& body) {
  static const std::optional<CopiesSpec> none;
  return body.rigid ? body.rigid->copies : body.pseudo_rigid ? body.pseudo_rigid->copies : none;
}
bool has_copies(const BodySpec& body) { return copies_spec(body).has_value(); }

template <class Entry>
std::optional<std::size_t> first_named(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found == entries.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries.begin());
}

}  // namespace

struct NameIndex::Table {
  std::unordered_map<std::string_view, std::size_t> bodies, joints;  ///< first entry of each name
  const SceneSpec* scene = nullptr;
  const Table* before = nullptr;

  static std::optional<std::size_t> look_up(
      const std::unordered_map<std::string_view, std::size_t>& names, std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
  /// That of a scene, of those alive in this thread.
  static const Table* of(const SceneSpec& scene) {
    const Table* table = newest;
    while (table && table->scene != &scene) table = table->before;
    return table;
  }
  static thread_local const Table* newest;
};
thread_local const NameIndex::Table* NameIndex::Table::newest = nullptr;

NameIndex::NameIndex(const SceneSpec& scene) : table_(std::make_unique<Table>()) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    table_->bodies.emplace(scene.bodies[i].name, i);
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    table_->joints.emplace(scene.joints[i].name, i);
  table_->scene = &scene;
  table_->before = Table::newest;
  Table::newest = table_.get();
}
NameIndex::~NameIndex() { Table::newest = table_->before; }

std::optional<std::size_t> NameIndex::body(const SceneSpec& scene, std::string_view name) {
  const Table* table = Table::of(scene);
  return table ? Table::look_up(table->bodies, name) : first_named(scene.bodies, name);
}
std::optional<std::size_t> NameIndex::joint(const SceneSpec& scene, std::string_view name) {
  const Table* table = Table::of(scene);
  return table ? Table::look_up(table->joints, name) : first_named(scene.joints, name);
}

int copies_of(const BodySpec& body) {
  if (!has_copies(body)) return 1;
  const CopiesSpec& copies = *copies_spec(body);
  if (copies.file) return 0;
  if (!copies.at.empty()) return static_cast<int>(copies.at.size());
  int all = 1;
  for (int n : copies.count) all *= n;
  return all;
}

std::string copy_name(const BodySpec& body, int copy) {
  return has_copies(body) ? body.name + "." + std::to_string(copy) : body.name;
}

std::optional<NamedBody> find_body(const SceneSpec& scene, std::string_view name) {
  const auto entry = [&](std::string_view of) { return NameIndex::body(scene, of); };
  if (const auto whole = entry(name))
    return NamedBody{*whole, has_copies(scene.bodies[*whole]) ? -1 : 0};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view number = name.substr(dot + 1);
  int copy = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), copy);
  if (error != std::errc{} || end != number.data() + number.size() || copy < 0 ||
      std::to_string(copy) != number)
    return std::nullopt;
  const auto of = entry(name.substr(0, dot));
  if (!of || !has_copies(scene.bodies[*of])) return std::nullopt;
  const int count = copies_of(scene.bodies[*of]);
  if (count > 0 && copy >= count) return std::nullopt;
  return NamedBody{*of, copy};
}

std::optional<std::size_t> find_joint(const SceneSpec& scene, std::string_view name) {
  return NameIndex::joint(scene, name);
}

std::optional<NamedCoordinate> find_coordinate(const SceneSpec& scene, std::string_view name) {
  if (const auto whole = find_joint(scene, name))
    return NamedCoordinate{*whole,
                           coordinate_count(scene.joints[*whole].placed_kind()) == 1 ? 0 : -1};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto joint = find_joint(scene, name.substr(0, dot));
  if (!joint) return std::nullopt;
  const int i = coordinate_index(scene.joints[*joint].placed_kind(), name.substr(dot + 1));
  if (i < 0) return std::nullopt;
  return NamedCoordinate{*joint, i};
}

std::optional<Fault> one_coordinate_fault(const SceneSpec& scene, const std::string& name,
                                          const std::string& key) {
  const auto found = find_coordinate(scene, name);
  if (found && found->coordinate >= 0) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  const auto joint = found ? std::optional(found->joint)
                     : dot == std::string::npos
                         ? std::nullopt
                         : find_joint(scene, std::string_view(name).substr(0, dot));
  if (!joint) {
    std::vector<std::string_view> names;
    for (const JointSpec& one : scene.joints) names.push_back(one.name);
    return Fault{key, "there is no joint '" + name + "'", did_you_mean(name, names)};
  }
  const JointSpec& of = scene.joints[*joint];
  const std::string kind(name_of(of.kind));
  const int count = coordinate_count(of.placed_kind());
  if (count == 0)
    return Fault{key, "'" + of.name + "' is of kind " + kind + " and has no coordinates",
                 of.kind == JointKind::ball
                     ? "give it an `axis`, for twist, swing_x, swing_y and swing"
                     : "name a joint along which something moves"};
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i > 0 ? ", " : "") + of.name + "." + std::string(coordinate_name(of.placed_kind(), i));
  return Fault{key,
               found ? "'" + name + "' has " + std::to_string(count) + " coordinates"
                     : "'" + of.name + "' has no coordinate '" + name.substr(dot + 1) + "'",
               "allowed: " + list};
}

std::optional<Fault> one_body_fault(const SceneSpec& scene, const std::string& name,
                                    const std::string& key) {
  const auto found = find_body(scene, name);
  if (found && found->copy >= 0) return std::nullopt;
  if (found) {
    const BodySpec& body = scene.bodies[found->entry];
    const int count = copies_of(body);
    if (count == 0)
      return Fault{key, "'" + name + "' refers to several bodies",
                   "name one of them: " + copy_name(body, 0)};
    return Fault{key, copies_text(body, count), "name one of them"};
  }
  std::vector<std::string_view> names;
  for (const BodySpec& body : scene.bodies) names.push_back(body.name);
  std::string hint = did_you_mean(name, names);
  const auto of = std::ranges::find_if(scene.bodies, [&](const BodySpec& body) {
    return has_copies(body) && name.starts_with(body.name + ".");
  });
  if (of != scene.bodies.end() && copies_of(*of) > 0) hint = copies_text(*of, copies_of(*of));
  return Fault{key, "there is no body '" + name + "'", hint};
}

}  // namespace saltus
