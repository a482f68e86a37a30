#include "saltus/scene_file/phase_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "saltus/base/faults.h"
#include "saltus/base/units.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"

namespace saltus {
namespace {

constexpr std::array<std::string_view, 12> kChangeable{
    "time",   "events",   "contact",  "solver", "on_failure", "gravity",
    "ground", "surfaces", "contacts", "joint",  "joints",     "couplings"};

/// Keys of bodies that have an effect at the start only, and keys under which they mean something
/// else.
constexpr std::array<std::string_view, 9> kAtStart{"initial",  "position", "positions",
                                                   "rotation", "velocity", "velocities",
                                                   "spin",     "start",    "coordinates"};
constexpr std::array<std::string_view, 3> kFunctions{"motion", "loads", "prescribed"};

/// Whether one of the keys of a path is among `keys`.
bool names_one(std::string_view path, std::span<const std::string_view> keys) {
  while (!path.empty()) {
    const std::size_t cut = std::min(path.find_first_of(".["), path.size());
    if (std::ranges::find(keys, path.substr(0, cut)) != keys.end()) return true;
    path = path.substr(std::min(cut + 1, path.size()));
  }
  return false;
}

std::string_view first_key(std::string_view path) {
  return path.substr(0, std::min(path.find_first_of(".["), path.size()));
}

/// Throws for what a change of phase cannot change.
void expect_changeable(const std::string& change, const std::string& path) {
  const std::size_t equal = change.find('=');
  if (equal == std::string::npos || equal == 0)
    throw SceneError(path, "'" + change + "' is not of the form path=value",
                     "for example bodies[beam].fem.fixed=[]");
  const std::string_view changed = std::string_view(change).substr(0, equal);
  const std::string_view key = first_key(changed);
  if (changed == "time.end")
    throw SceneError(path, "a phase cannot change time.end", "give the `end` of the phase");
  if (key != "bodies" && std::ranges::find(kChangeable, key) == kChangeable.end())
    throw SceneError(path, fmt::format("a phase cannot change `{}`", key),
                     "allowed: bodies, time, events, contact, solver, on_failure, gravity, ground, "
                     "surfaces, contacts, joint, joints, couplings");
  if (key == "bodies" && names_one(changed, kAtStart) && !names_one(changed, kFunctions))
    throw SceneError(
        path, fmt::format("`{}` is of the start of a body, which is in motion by then", changed),
        "bodies go on from where the phase before left them; set it in the scene");
}

/// All faults of a phase, at its entry.
[[noreturn]] void fail_in_phase(const SceneError& error, const std::string& path,
                                const std::string& name, const Scene& scene) {
  Faults faults;
  for (const SceneError& one : all_faults(error))
    faults.add(SceneError(path + ".change",
                          fmt::format("in phase '{}' {}{}{}", name, one.path(),
                                      one.path().empty() ? "" : ": ", one.message()),
                          one.hint()),
               path);
  throw_placed(faults, scene);
  throw error;  // not reached
}

/// Leaves out initial values of degrees of freedom that a phase prescribes: bodies are elsewhere by
/// then.
void drop_initial_of_held(SceneSpec& spec) {
  for (BodySpec& body : spec.bodies) {
    if (!body.initial) continue;
    for (const PrescribedSpec& held : body.prescribed)
      for (auto* list : {&body.initial->coordinates, &body.initial->velocities})
        if (*list && held.dof >= 0 && held.dof < std::ssize(**list))
          (**list)[static_cast<std::size_t>(held.dof)] = 0.0;
  }
}

std::uint64_t steps_between(const TimeSpec& time, double from, double to) {
  const double count = time.rate ? (to - from) * *time.rate : (to - from) / time.h();
  return static_cast<std::uint64_t>(std::max(0LL, std::llround(count)));
}

}  // namespace

std::vector<PhaseScene> phase_scenes(const Scene& scene) {
  std::vector<PhaseScene> found;
  if (!scene.spec.phases) return found;
  const std::vector<PhaseSpec>& phases = *scene.spec.phases;
  SceneSpec base = scene.spec;
  base.phases.reset();
  const double end = base.time.end;
  std::vector<std::string> changes;
  double from = 0.0, planned = 0.0;
  std::uint64_t step = 0;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    const PhaseSpec& phase = phases[k];
    const std::string path = fmt::format("phases[{}]", k);
    PhaseScene one{phase.name, path, {}, from, from, step, step};
    try {
      for (std::size_t i = 0; i < phase.change.size(); ++i)
        expect_changeable(phase.change[i], fmt::format("{}.change[{}]", path, i));
    } catch (const SceneError& error) {
      rethrow_placed(error, scene);
    }
    changes.insert(changes.end(), phase.change.begin(), phase.change.end());
    if (k > 0) base.start.reset();
    try {
      one.scene = read_scene_text(write_scene(base, 0), scene.file, changes, scene.folder);
    } catch (const SceneError& error) {
      fail_in_phase(error, path, phase.name, scene);
    }
    if (k > 0) drop_initial_of_held(one.scene.spec);
    one.scene.text = scene.text;
    for (auto& [entry, place] : one.scene.places)
      if (const Place* known = find_place(scene.places, entry)) place = *known;
    const double begins = planned;
    planned = phase.end ? *phase.end : phase.duration ? planned + *phase.duration : end;
    TimeSpec& time = one.scene.spec.time;
    // constant loads of an equilibrium are complete at the end of its phase
    if (time.is_static()) {
      time.end = k + 1 == phases.size() ? end : std::min(planned, end);
      if (!time.step && !time.rate) time.step = time.end - from;
    }
    one.reached = k == 0 || (begins < end - 0.5 * one.scene.spec.time.h() && found.back().reached);
    if (!one.reached) {
      one.from = one.to = begins;
      found.push_back(std::move(one));
      continue;
    }
    const double to = k + 1 == phases.size() ? end : std::min(planned, end);
    const std::uint64_t count = steps_between(one.scene.spec.time, from, to);
    if (count == 0)
      rethrow_placed(SceneError(path,
                                fmt::format("'{}' is shorter than half a step of {}", phase.name,
                                            to_text(one.scene.spec.time.h(), unit::s)),
                                "a longer phase or a smaller step"),
                     scene);
    one.last = step = step + count;
    one.to = from = one.from + static_cast<double>(count) * one.scene.spec.time.h();
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace saltus
