#include "saltus/scene/scene_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "saltus/kinds/kinds.h"
#include "saltus/scene/build.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// The first parts of a path: "bodies[2].string.modes" is bodies, 2, string.
struct EntryPath {
  std::string_view key, member;
  std::optional<std::size_t> index;

  explicit EntryPath(std::string_view path) {
    const std::size_t cut = std::min(path.find_first_of(".["), path.size());
    key = path.substr(0, cut);
    path.remove_prefix(cut);
    if (path.starts_with('[')) {
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), number);
      if (error == std::errc{}) index = number;
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
    }
    if (path.starts_with('.')) {
      path.remove_prefix(1);
      member = path.substr(0, std::min(path.find_first_of(".["), path.size()));
    }
  }
};

/// A scene without its faulty entries and without references to them.
class SoundPart {
 public:
  SoundPart(const Scene& scene, const Faults& faults) : scene_(scene) {
    SceneSpec& spec = scene_.spec;
    for_each_field<SceneSpec>([&](const auto& field) {
      if constexpr (kIsList<std::remove_cvref_t<decltype(spec.*field.member)>>) {
        auto& numbers = numbers_[std::string(field.key)];
        numbers.resize((spec.*field.member).size());
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
      }
    });
    nameless_ = !names_known(faults, "bodies", spec.bodies.size());
    nameless_joints_ = nameless_ || !names_known(faults, "joints", spec.joints.size());
    spec.saltus = kSceneVersion;
    if (!faults.all_known("time")) mend_time(spec.time);
    if (spec.time.automatic()) {  // the program chooses what the remaining bodies do not need
      spec.time.scheme = TimeScheme::bodies;
      spec.time.step = spec.time.h();
      spec.time.rate.reset();
      spec.time.tolerance.reset();
      for (BodySpec& body : spec.bodies) body.scheme.reset();
    }
    std::vector<std::string> about;
    for (const Faults::Entry& entry : faults.entries()) about.push_back(entry.about);
    remove(about);
    remove_unnamed();
  }

  const Scene& scene() const { return scene_; }
  bool bodies_left() const { return !scene_.spec.bodies.empty(); }
  /// Whether bodies were left out, to which other entries may refer.
  bool bodies_removed() const { return !bodies_removed_.empty(); }
  /// Removes faulty bodies, which until now were kept with their names so that references to them
  /// are valid.
  void drop_bodies() {
    names_stay_ = false;
    erase("bodies", [&](std::size_t i) {
      return bodies_removed_.contains(numbers_.find("bodies")->second[i]);
    });
  }

  /// Leaves out the entries of these paths as counted in `faults` and all references to them, and
  /// resets options outside lists. False if nothing has changed. The cost is that of the scene plus
  /// that of the paths, not their product.
  bool remove(std::span<const std::string> paths) {
    bool changed = false;
    Going going;
    std::set<std::size_t> bodies;
    for (const std::string& path : paths) {
      const EntryPath entry(path);
      const auto numbers = numbers_.find(entry.key);
      if (!entry.index || numbers == numbers_.end()) {
        changed = reset(path) || changed;
        continue;
      }
      const auto at = std::ranges::lower_bound(numbers->second, *entry.index);
      if (at == numbers->second.end() || *at != *entry.index) {  // already removed
        changed = true;
        continue;
      }
      const auto i = static_cast<std::size_t>(at - numbers->second.begin());
      const bool unnamed = names_stay_ && entry.member == "name" && clear_name(entry.key, i);
      const bool body = entry.key == "bodies";
      if (body && !unnamed) bodies.insert(i);
      const bool first = body && bodies_removed_.insert(*entry.index).second;
      if (!unnamed && !(body && names_stay_)) going[std::string(entry.key)].insert(i);
      changed = changed || unnamed || first || !(body && names_stay_);
    }
    std::optional<NameIndex> index(scene_.spec);
    add_references(going, [&](const std::string& name) {
      const auto found = bodies.empty() ? std::nullopt : find_body(scene_.spec, name);
      return found && bodies.contains(found->entry);
    });
    index.reset();
    erase(going);
    return changed;
  }

  /// Resets an option outside lists to its default: "solver.kind"; false if it already has the
  /// default.
  bool reset(const std::string& path) {
    const EntryPath entry(path);
    bool changed = false;
    for_each_field<SceneSpec>([&](const auto& field) {
      auto& value = scene_.spec.*field.member;
      using T = std::remove_cvref_t<decltype(value)>;
      if constexpr (!kIsList<T>) {
        if (field.key != entry.key || field.required) return;
        const T before = value;
        if constexpr (OptionStruct<T>) {
          const T plain{};
          for_each_field<T>([&](const auto& member) {
            if (entry.member == member.key) value.*member.member = plain.*member.member;
          });
        } else {
          value = SceneSpec{}.*field.member;
        }
        changed = !(value == before);
      }
    });
    if (entry.key == "time" && entry.member == "tolerance" && scene_.spec.time.tolerance) {
      scene_.spec.time.tolerance.reset();
      changed = true;
    }
    return changed;
  }

  /// Converts the numbers of entries in a text from this scene to the whole scene.
  std::string numbered(const std::string& text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = std::min(text.find('[', at), text.size());
      out += text.substr(at, open - at);
      at = open;
      if (at == text.size()) break;
      std::size_t end = at + 1;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      if (const auto number = number_behind(out, text.substr(at + 1, end - at - 1))) {
        out += "[" + std::to_string(*number);
        at = end;
      } else {
        out += text[at++];
      }
    }
    return out;
  }

 private:
  /// Of each list: numbers of entries of this scene that leave it.
  using Going = std::map<std::string, std::set<std::size_t>, std::less<>>;

  /// Whether the names of all entries of a list are as written in the file.
  static bool names_known(const Faults& faults, const std::string& list, std::size_t entries) {
    bool all = faults.known(list);
    for (std::size_t i = 0; i < entries && all; ++i) {
      const std::string path = list + "[" + std::to_string(i) + "]";
      all = faults.known(path + ".name") && faults.known(path + ".kind");
      for (const KindRow& kind : kinds()) {
        if (!kind.copies) continue;
        const std::string copies = fmt::format("{}.{}.copies", path, kind.entries);
        all = all && faults.known(copies) && faults.all_known(copies);
      }
    }
    return all;
  }

  static void mend_time(TimeSpec& time) {
    if (!(time.end > 0.0)) time.end = 1.0;
    if (time.rate && !(*time.rate > 0.0)) time.rate.reset();
    if (time.step && !(*time.step > 0.0)) time.step.reset();
    if (time.rate) time.step.reset();
    if (!time.rate && !time.step) time.step = 1e-3 * time.end;
  }

  /// The number of an entry in the whole scene, if `front` ends with the name of a list.
  std::optional<std::size_t> number_behind(const std::string& front,
                                           const std::string& digits) const {
    for (const auto& [key, numbers] : numbers_) {
      if (!front.ends_with(key) || digits.empty() || digits.size() > 9) continue;
      const char before = front.size() > key.size() ? front[front.size() - key.size() - 1] : ' ';
      if (before == '_' || before == '.' || (before >= 'a' && before <= 'z')) continue;
      const auto i = static_cast<std::size_t>(std::stoul(digits));
      if (i < numbers.size()) return numbers[i];
    }
    return std::nullopt;
  }

  /// Clears an unusable name, so that the rest of its entry can be checked. False if the name is
  /// empty.
  bool clear_name(std::string_view list, std::size_t i) {
    bool cleared = false;
    for_each_field<SceneSpec>([&](const auto& field) {
      auto& value = scene_.spec.*field.member;
      if constexpr (requires { value.front().name.clear(); }) {
        if (field.key != list || value[i].name.empty()) return;
        value[i].name.clear();
        cleared = true;
      }
    });
    return cleared;
  }

  /// Removes the entries of a list for which gone(index) holds.
  template <class Gone>
  void erase(std::string_view list, const Gone& gone) {
    for_each_field<SceneSpec>([&](const auto& field) {
      auto& value = scene_.spec.*field.member;
      if constexpr (kIsList<std::remove_cvref_t<decltype(value)>>) {
        if (field.key != list) return;
        auto& numbers = numbers_.find(list)->second;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
          if (gone(i)) continue;
          if (kept != i) value[kept] = std::move(value[i]);
          numbers[kept++] = numbers[i];
        }
        value.resize(kept);
        numbers.resize(kept);
      }
    });
  }

  /// Erases the entries of `going`, each list once.
  void erase(const Going& going) {
    for (const auto& [list, entries] : going)
      erase(list, [&entries](std::size_t i) { return entries.contains(i); });
  }

  /// Adds to `going` all references to a body for which gone(name) holds, and to joints that leave.
  template <class Gone>
  void add_references(Going& going, const Gone& gone) const {
    const SceneSpec& spec = scene_.spec;
    for (std::size_t i = 0; i < spec.contacts.size(); ++i) {
      const ContactSpec& contact = spec.contacts[i];
      if (gone(contact.on) || (contact.other() && gone(*contact.other())))
        going["contacts"].insert(i);
    }
    for (std::size_t i = 0; i < spec.ignore.size(); ++i)
      if (std::ranges::any_of(spec.ignore[i], gone)) going["ignore"].insert(i);
    for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
      const OutputSpec& output = spec.outputs[i];
      if (gone(output.probe) || (output.from && gone(*output.from))) going["outputs"].insert(i);
    }
    for (std::size_t i = 0; i < spec.joints.size(); ++i)
      if (std::ranges::any_of(spec.joints[i].between, gone)) going["joints"].insert(i);
    const auto joints = going.find("joints");
    if (joints == going.end()) return;
    add_joint_references(going, [&, left = joints->second](const std::string& name) {
      const std::size_t dot = name.rfind('.');
      const auto found = find_coordinate(spec, name);
      const auto joint = found ? std::optional(found->joint)
                               : find_joint(spec, std::string_view(name).substr(0, dot));
      return joint && left.contains(*joint);
    });
  }

  /// Adds to `going` all references to a coordinate of a joint for which gone(name) holds.
  template <class Gone>
  void add_joint_references(Going& going, const Gone& gone) const {
    const SceneSpec& spec = scene_.spec;
    for (std::size_t k = 0; k < spec.outputs.size(); ++k)
      if (!find_body(spec, spec.outputs[k].probe) && gone(spec.outputs[k].probe))
        going["outputs"].insert(k);
    for (std::size_t k = 0; k < spec.couplings.size(); ++k) {
      const CouplingSpec& one = spec.couplings[k];
      if (std::ranges::any_of(one.sum, [&](const auto& term) { return gone(term.of); }) ||
          (one.gear && (gone(one.gear->first) || gone(one.gear->second))) ||
          (one.screw && gone(one.screw->joint)))
        going["couplings"].insert(k);
    }
  }

  /// If a name could not be read, unresolved references may refer to it; removes them.
  void remove_unnamed() {
    const SceneSpec& spec = scene_.spec;
    Going going;
    std::optional<NameIndex> index(spec);
    if (nameless_)
      add_references(going, [&](const std::string& name) {
        return name != "world" && !find_body(spec, name) && !find_coordinate(spec, name);
      });
    if (nameless_joints_)
      add_joint_references(going,
                           [&](const std::string& name) { return !find_coordinate(spec, name); });
    index.reset();
    erase(going);
  }

  Scene scene_;
  /// numbers in the whole scene
  std::map<std::string, std::vector<std::size_t>, std::less<>> numbers_;
  std::set<std::size_t> bodies_removed_;  ///< numbers in the whole scene
  bool nameless_ = false, nameless_joints_ = false, names_stay_ = true;
};

SceneError numbered(const SoundPart& part, const SceneError& error) {
  const SceneError one(part.numbered(error.path()), part.numbered(error.message()),
                       part.numbered(error.hint()));
  return error.placed() ? one.at(error.file(), error.line(), error.column()) : one;
}

/// True for faults that may result from the removal of bodies.
bool by_absence(const SoundPart& part, const SceneError& error) {
  if (!part.bodies_removed()) return false;
  const std::string& path = error.path();
  return path == "bodies" ||
         (path.starts_with("surfaces[") && path.find(".materials[") != std::string::npos);
}

/// Repeats a check on the remaining part, removing faulty entries each time.
template <class Check>
void find_all(SoundPart& part, Faults& faults, const Check& check) {
  // a check that stops at its first fault is repeated often, unless the scene is very large
  constexpr std::size_t kMostRounds = 64, kMostEntries = 100'000;
  const SceneSpec& spec = part.scene().spec;
  const std::size_t entries = 1 + spec.bodies.size() + spec.contacts.size() + spec.joints.size() +
                              spec.outputs.size(),
                    rounds = std::clamp(kMostEntries / entries, std::size_t{2}, kMostRounds);
  for (std::size_t round = 0; round < rounds && part.bodies_left(); ++round) {
    const Faults found = check(part.scene());
    if (!found.any()) return;
    std::vector<std::string> about;
    for (const Faults::Entry& entry : found.entries()) {
      about.push_back(part.numbered(entry.about));
      if (!by_absence(part, entry.error)) faults.add(numbered(part, entry.error), about.back());
    }
    if (found.count() > Faults::kMost || !part.remove(about)) return;
  }
}

Faults rules_between(const Scene& scene) {
  Faults found;
  if (const std::optional<Fault> fault = scene.spec.fault())
    found.add(SceneError(fault->key, fault->message, fault->hint), fault->key);
  return found;
}

Faults try_build(const Scene& scene) {
  Faults found;
  Scene whole = scene;
  complete(whole.spec);
  build_faults(whole, found);
  return found;
}

}  // namespace

void find_faults(const Scene& scene, Faults& faults) {
  // what is known of the others is not stored: their entries could not be left out
  if (faults.count() > Faults::kMost) return;
  SoundPart part(scene, faults);
  try {
    find_all(part, faults, &rules_between);
    part.drop_bodies();
    find_all(part, faults, &try_build);
  } catch (const std::exception&) {  // of an incomplete scene: faults found so far are reported
  }
}

Model build_or_find_faults(const Scene& scene) {
  try {
    return build(scene);
  } catch (const SceneError&) {
    Faults faults;
    find_faults(scene, faults);
    throw_placed(faults, scene);
    throw;
  }
}

}  // namespace saltus
