#include "saltus/scene/scene_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
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
    for (const Faults::Entry& entry : faults.entries())
      if (!remove(entry.about)) reset(entry.about);
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

  /// Leaves out the entry of a path as counted in `faults`; false if the path is not an entry that
  /// can be left out.
  bool remove(const std::string& path) {
    const EntryPath entry(path);
    if (!entry.index) return false;
    const auto numbers = numbers_.find(entry.key);
    if (numbers == numbers_.end()) return false;
    const auto at = std::ranges::find(numbers->second, *entry.index);
    if (at == numbers->second.end()) return true;  // already removed
    const auto i = static_cast<std::size_t>(at - numbers->second.begin());
    const bool unnamed = names_stay_ && entry.member == "name" && clear_name(entry.key, i);
    if (entry.key == "bodies") {
      if (!unnamed) remove_body(i);
      const bool first = bodies_removed_.insert(*entry.index).second;
      if (names_stay_) return first || unnamed;
    }
    if (unnamed) return true;
    if (entry.key == "joints") remove_joint(i);
    erase(entry.key, [&](std::size_t k) { return k == i; });
    return true;
  }

  /// Resets an option outside lists to its default: "solver.kind"; false if it already has the
  /// default.
  bool reset(const std::string& path) {
    const EntryPath entry(path);
    const SceneSpec before = scene_.spec;
    for_each_field<SceneSpec>([&](const auto& field) {
      auto& value = scene_.spec.*field.member;
      using T = std::remove_cvref_t<decltype(value)>;
      if (field.key != entry.key || field.required || kIsList<T>) return;
      if constexpr (OptionStruct<T>) {
        const T plain{};
        for_each_field<T>([&](const auto& member) {
          if (entry.member == member.key) value.*member.member = plain.*member.member;
        });
      } else {
        value = SceneSpec{}.*field.member;
      }
    });
    if (entry.key == "time" && entry.member == "tolerance") scene_.spec.time.tolerance.reset();
    return !(scene_.spec == before);
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

  /// Removes all references to a body for which gone(name) holds.
  template <class Gone>
  void remove_references(const Gone& gone) {
    const SceneSpec& spec = scene_.spec;
    erase("contacts", [&](std::size_t i) {
      const ContactSpec& contact = spec.contacts[i];
      return gone(contact.on) || (contact.other() && gone(*contact.other()));
    });
    erase("ignore", [&](std::size_t i) { return std::ranges::any_of(spec.ignore[i], gone); });
    erase("outputs", [&](std::size_t i) {
      const OutputSpec& output = spec.outputs[i];
      return gone(output.probe) || (output.from && gone(*output.from));
    });
    for (std::size_t i = spec.joints.size(); i-- > 0;)
      if (std::ranges::any_of(spec.joints[i].between, gone)) {
        remove_joint(i);
        erase("joints", [&](std::size_t k) { return k == i; });
      }
  }

  void remove_body(std::size_t i) {
    remove_references([&](const std::string& name) {
      const auto found = find_body(scene_.spec, name);
      return found && found->entry == i;
    });
  }

  /// Removes all references to a coordinate of a joint for which gone(name) holds.
  template <class Gone>
  void remove_joint_references(const Gone& gone) {
    const SceneSpec& spec = scene_.spec;
    erase("outputs", [&](std::size_t k) {
      return !find_body(spec, spec.outputs[k].probe) && gone(spec.outputs[k].probe);
    });
    erase("couplings", [&](std::size_t k) {
      const CouplingSpec& one = spec.couplings[k];
      return std::ranges::any_of(one.sum, [&](const auto& term) { return gone(term.of); }) ||
             (one.gear && (gone(one.gear->first) || gone(one.gear->second))) ||
             (one.screw && gone(one.screw->joint));
    });
  }

  void remove_joint(std::size_t i) {
    remove_joint_references([&](const std::string& name) {
      const std::size_t dot = name.rfind('.');
      const auto found = find_coordinate(scene_.spec, name);
      const auto joint = found ? std::optional(found->joint)
                               : find_joint(scene_.spec, std::string_view(name).substr(0, dot));
      return joint && *joint == i;
    });
  }

  /// If a name could not be read, unresolved references may refer to it; removes them.
  void remove_unnamed() {
    const SceneSpec& spec = scene_.spec;
    if (nameless_)
      remove_references([&](const std::string& name) {
        return name != "world" && !find_body(spec, name) && !find_coordinate(spec, name);
      });
    if (nameless_joints_)
      remove_joint_references(
          [&](const std::string& name) { return !find_coordinate(spec, name); });
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
  constexpr int kRounds = 64;
  for (int round = 0; round < kRounds && part.bodies_left(); ++round) {
    const Faults found = check(part.scene());
    if (!found.any()) return;
    std::vector<std::string> about;
    for (const Faults::Entry& entry : found.entries()) {
      about.push_back(part.numbered(entry.about));
      if (!by_absence(part, entry.error)) faults.add(numbered(part, entry.error), about.back());
    }
    bool smaller = false;
    for (const std::string& path : about)
      smaller = part.remove(path) || part.reset(path) || smaller;
    if (!smaller) return;
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
