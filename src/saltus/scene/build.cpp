#include "saltus/scene/build.h"

#include <fmt/format.h>

#include <vector>

#include "saltus/advice/damper_advice.h"
#include "saltus/base/faults.h"
#include "saltus/base/suggest.h"
#include "saltus/kinds/build_body.h"
#include "saltus/scene/body_checks.h"
#include "saltus/scene/build_contact.h"
#include "saltus/scene/build_joint.h"
#include "saltus/scene/build_output.h"
#include "saltus/scene/joint_assembly.h"
#include "saltus/scene/rigid_assembly.h"
#include "saltus/scene/run_options.h"
#include "saltus/scene/scene_surfaces.h"
#include "saltus/scene/stop_surfaces.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"
#include "saltus/spec/body_names.h"
#include "saltus/statics/static_model.h"

namespace saltus {
namespace {

std::shared_ptr<const ContactSolver> solver_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const SolverRow& row : solvers()) {
    if (row.name == name) return row.make();
    names.emplace_back(row.name);
  }
  throw SceneError("solver.kind", "there is no contact solver '" + name + "'",
                   did_you_mean(name, names));
}

/// Thrown when faults were collected and the next stage needs the faulty entries.
struct Collected {};

class Builder {
 public:
  /// faults: if given, collects the faults of all entries of a list before stopping.
  /// placed: the bodies get another state, so nothing is said about how joints move them.
  explicit Builder(const Scene& scene, Faults* faults = nullptr, bool placed = false)
      : scene_(scene), spec_(scene.spec), faults_(faults), placed_(placed) {}

  Model build() {
    set_run_options(spec_, parts_);
    parts_.solver = solver_of(spec_.solver.kind);
    each("bodies", spec_.bodies.size(), [&](std::size_t i) { body(i); });
    rigid_.finish_groups(bodies_);
    const bool is_static = spec_.time.is_static();
    if (is_static) use_static_schemes(parts_);
    BodyChecks checks(scene_, bodies_, parts_);
    each("bodies", spec_.bodies.size(), [&](std::size_t i) { checks.check(i); });
    if (parts_.groups.empty())
      throw SceneError("bodies", "no body of the scene can move",
                       "at least one body that is not fixed");
    set_pass_limits(parts_);
    each("contacts", spec_.contacts.size(),
         [&](std::size_t i) { add_contact(scene_, bodies_, i, parts_); });
    checks.warn_of_gravity();
    add_surfaces(scene_, bodies_, rigid_, parts_);
    expect_surfaces_to_correct(spec_, parts_);
    expect_single_stops(scene_, bodies_, rigid_, parts_);
    add_joints(scene_, bodies_, parts_);
    const std::size_t told = parts_.warnings.size();
    assemble(parts_);
    if (placed_) parts_.warnings.resize(told);
    checks.warn_of_fields();
    adapt_schemes();
    checks.advise_dampers();
    if (is_static) use_static_laws(parts_);
    set_solver_options(spec_, rigid_, parts_);
    each("outputs", spec_.outputs.size(),
         [&](std::size_t i) { parts_.probes.push_back(probe_of(scene_, bodies_, parts_, i)); });
    return Model(std::move(parts_));
  }

 private:
  /// Calls step(i) for each entry of a list. Later stages need all entries, so their faults are
  /// thrown at the end.
  template <class Step>
  void each(const char* list, std::size_t count, const Step& step) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!faults_) {
        step(i);
        continue;
      }
      faults_->attempt(fmt::format("{}[{}]", list, i), [&] { step(i); });
    }
    if (faults_ && faults_->any()) throw Collected{};
  }

  void body(std::size_t i) {
    const BodySpec& spec = spec_.bodies[i];
    const std::string path = fmt::format("bodies[{}]", i);
    bodies_.push_back(build_body({scene_, spec, i, path, rigid_}));
    BuiltBody& built = bodies_.back();
    if (!built.own_group) return;
    built.group = static_cast<int>(parts_.groups.size());
    parts_.groups.push_back({built.copies.empty() ? spec.name : built.copies.front(),
                             std::string(name_of(spec.kind)), built.dynamics,
                             make_scheme(spec.chosen_scheme()), built.copies});
    if (spec.colour)
      parts_.groups.back().colours.assign(static_cast<std::size_t>(built.dynamics->bodies()),
                                          colour_of(*spec.colour));
    for (const std::string& text : built.warnings) parts_.warnings.push_back(text);
    parts_.initial.push_back(built.initial);
    parts_.group_path.push_back(path);
  }

  void adapt_schemes() {
    for (std::size_t g = 0; g < parts_.groups.size(); ++g) {
      Group& group = parts_.groups[g];
      const auto fastest = [&] {
        return fastest_damping(*group.dynamics, parts_.initial[g], spec_.time.h());
      };
      if (auto scheme = group.scheme->adapted(fastest)) group.scheme = std::move(scheme);
    }
  }

  const Scene& scene_;
  const SceneSpec& spec_;
  const NameIndex names_{spec_};
  Faults* faults_;
  bool placed_;
  ModelParts parts_;
  std::vector<BuiltBody> bodies_;
  RigidAssembly rigid_{scene_, parts_};
};

/// Statics has no damping: dashpots would feel the rates of prescribed motions.
Scene undamped(Scene scene) {
  for (BodySpec& body : scene.spec.bodies) body.rayleigh.reset();
  return scene;
}

Model build_alone(const Scene& scene, bool placed) {
  try {
    if (scene.spec.time.automatic())
      throw SceneError(
          "time.scheme",
          "'auto' is chosen for whole runs only: by `saltus run`, `saltus study` and saltus.run()",
          "name `mode`, `step` and the schemes of the bodies here");
    if (scene.spec.phases)
      throw SceneError("phases", "are run as a whole only: by `saltus run` and saltus.run()",
                       "leave out `phases` here");
    if (scene.spec.time.is_static()) return Builder(undamped(scene), nullptr, placed).build();
    return Builder(scene, nullptr, placed).build();
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
}

}  // namespace

Model build(const Scene& scene) {
  if (scene.spec.start)
    rethrow_placed(SceneError("start", "is read by build_run() only, in C++ and in Saltus itself",
                              "call build_run() of saltus/phases/build_run.h"),
                   scene);
  return build_alone(scene, false);
}

Model build_placed(const Scene& scene) { return build_alone(scene, true); }

void build_faults(const Scene& scene, Faults& faults) {
  try {
    Builder(scene, &faults).build();
  } catch (const Collected&) {
    return;
  } catch (const SceneError& error) {
    faults.add(error, error.path());
  }
}

}  // namespace saltus
