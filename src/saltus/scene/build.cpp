#include "saltus/scene/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "saltus/advice/advice.h"
#include "saltus/advice/damper_advice.h"
#include "saltus/advice/detune_advice.h"
#include "saltus/base/faults.h"
#include "saltus/base/suggest.h"
#include "saltus/kinds/build_body.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/model/event_check.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene/build_contact.h"
#include "saltus/scene/build_joint.h"
#include "saltus/scene/build_output.h"
#include "saltus/scene/joint_assembly.h"
#include "saltus/scene/rigid_assembly.h"
#include "saltus/scene/stop_surfaces.h"
#include "saltus/scene/surface_overlaps.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

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

/// Thrown where faults were collected and what follows needs the entries that have them.
struct Collected {};

class Builder {
 public:
  /// faults: where they are given, those of the entries of a list are collected, and the list is gone through to its end.
  explicit Builder(const Scene& scene, Faults* faults = nullptr)
      : scene_(scene), spec_(scene.spec), faults_(faults) {}

  Model build() {
    parts_.warnings = scene_.renamed;
    parts_.options.h = spec_.time.h();
    parts_.options.end = spec_.time.end;
    parts_.options.instant = spec_.contact.instant;
    parts_.options.correct_positions = spec_.contact.correct_positions;
    parts_.options.joints = spec_.joint.level;
    parts_.options.bilateral = spec_.joint.bilateral;
    parts_.options.joints_in_stages = spec_.joint.in_stages;
    lane_options();
    end_of_run();
    parts_.solver = solver_of(spec_.solver.kind);
    each("bodies", spec_.bodies.size(), [&](std::size_t i) { body(i); });
    rigid_.finish_groups(bodies_);
    each("bodies", spec_.bodies.size(), [&](std::size_t i) { finish_body(i); });
    if (parts_.groups.empty())
      throw SceneError("bodies", "nothing in the scene can move",
                       "at least one body that is not fixed");
    pass_limits();
    each("contacts", spec_.contacts.size(),
         [&](std::size_t i) { add_contact(scene_, bodies_, i, parts_); });
    warn_of_gravity();
    finish_surfaces();
    expect_shapes_to_correct();
    expect_single_stops(scene_, bodies_, rigid_, parts_);
    add_joints(scene_, bodies_, parts_);
    assemble(parts_);
    expect_meshes();
    advise_dampers();
    // Faces that rest on each other share their load in many ways: their residual can end just above 1e-12.
    const bool shapes_touch =
        std::ranges::any_of(parts_.surfaces.law, [](int law) { return law >= 0; });
    const bool steps = shapes_touch && parts_.options.lane == TimeMode::stepping &&
                       !(parts_.options.step_tolerance > 0.0);
    parts_.options.soft = steps && soft_bodies() > kSoftBodies;
    parts_.options.heap = parts_.options.soft || (steps && rigid_.is_heap());
    parts_.options.on_failure = spec_.on_failure.value_or(
        parts_.options.heap && can_halve() ? OnFailure::halve : OnFailure::stop);
    const double tolerance = parts_.options.heap ? 1e-4 : shapes_touch ? 1e-9 : 1e-12;
    parts_.options.contact = {spec_.solver.tolerance.value_or(tolerance), spec_.solver.iterations};
    if (parts_.options.heap && !spec_.solver.tolerance) parts_.options.contact.enough = 1e-3;
    each("outputs", spec_.outputs.size(), [&](std::size_t i) {
      parts_.probes.push_back(probe_of(scene_, bodies_, parts_.initial, parts_.joints, i));
    });
    return Model(std::move(parts_));
  }

 private:
  /// Bodies that deform whose surface has a law with some other.
  std::size_t soft_bodies() const {
    const Surfaces& surfaces = parts_.surfaces;
    const auto n = static_cast<std::size_t>(surfaces.materials);
    return static_cast<std::size_t>(
        std::ranges::count_if(surfaces.boundaries, [&](const auto& boundary) {
          const auto row =
              std::span(surfaces.law).subspan(n * static_cast<std::size_t>(boundary.material), n);
          return std::ranges::any_of(row, [](int law) { return law >= 0; });
        }));
  }
  bool can_halve() const {
    return std::ranges::none_of(parts_.groups,
                                [](const auto& group) { return group.scheme->fixed_step(); });
  }
  /// step(i) of each entry of a list. What comes after them needs all of them: their faults are thrown at the end.
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

  /// Runs are whole steps.
  void end_of_run() {
    const double h = spec_.time.h(), end = spec_.time.end;
    const long long steps = step_count(spec_.time);
    const double reached = static_cast<double>(steps) * h;
    if (std::abs(reached - end) <= 1e-9 * end) return;
    parts_.warnings.push_back(
        fmt::format("time.end: {:.10g} s is no whole number of steps of {:.10g} s: the run ends at "
                    "{:.10g} s, with {} {}",
                    end, h, reached, steps, steps == 1 ? "step" : "steps"));
  }

  void lane_options() {
    StepOptions& options = parts_.options;
    options.lane = spec_.time.chosen_mode();
    if (options.lane == TimeMode::stepping) {
      options.step_tolerance = spec_.time.tolerance.value_or(0.0);
      return;
    }
    const EventSpec events = spec_.events.value_or(EventSpec{});
    options.events = {.method = events.method,
                      .tolerance = spec_.time.tolerance.value_or(EventOptions{}.tolerance),
                      .impacts = events.impacts,
                      .zeno = events.zeno,
                      .limit = events.limit,
                      .closed = events.closed,
                      .hand_over = events.hand_over};
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
    for (const std::string& text : built.warnings) parts_.warnings.push_back(text);
    parts_.initial.push_back(built.initial);
    parts_.group_path.push_back(path);
  }

  /// In a scene of bodies on which the gravity of the scene does not act.
  void warn_of_gravity() {
    if (spec_.gravity == std::array<double, 3>{} || spec_.bodies.empty()) return;
    for (const BodySpec& body : spec_.bodies)
      if (kind_row(body.kind).weight.empty()) return;
    const BodySpec& first = spec_.bodies.front();
    const KindRow& kind = kind_row(first.kind);
    parts_.warnings.push_back(
        fmt::format("gravity: it acts on no body of the scene, '{}' is of kind {}; {}", first.name,
                    kind.name, kind.weight));
  }

  /// Shapes and boundary surfaces, the laws between them, what never touches, and what starts inside each other.
  void finish_surfaces() {
    SurfaceTable table(scene_, parts_);
    rigid_.add_surfaces(table);
    bool in_space = false, in_xy = false;
    int number = 0;  // of a boundary surface, below 0: those of rigid bodies count from 0
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const BuiltBody& body = bodies_[i];
      if (body.boundaries.empty()) continue;
      table.moved_by(spec_.bodies[i].chosen_scheme());
      (body.plane ? in_xy : in_space) = true;
      for (const BuiltBoundary& boundary : body.boundaries) {
        const int material =
            table.hold(boundary.material, {--number, boundary.name, true, boundary.self});
        table.moves(boundary.thickness);
        parts_.surfaces.boundaries.push_back(
            {body.group, boundary.name, boundary.boundary, material, boundary.self});
      }
    }
    table.find_laws();
    expect_surfaces();
    if (parts_.surfaces.colliders.empty() && parts_.surfaces.boundaries.empty()) return;
    rigid_.find_excluded();
    rigid_.find_plane(in_space, in_xy);
    rigid_.expect_running();
    table.find_margin();
    table.warn_of_lawless();
    rigid_.warn_of_overlaps();
    warn_of_boundary_overlaps(bodies_, rigid_, parts_);
  }

  /// Laws of `surfaces` and bodies that have none: whatever meets such a body goes through it. One that `contacts` names touches
  /// by its points.
  void expect_surfaces() {
    const auto first = std::ranges::find_if(spec_.surfaces, &SurfaceLawSpec::touches);
    if (first == spec_.surfaces.end()) return;
    const auto all = std::ranges::find_if(spec_.surfaces, [](const SurfaceLawSpec& law) {
      return law.touches && law.materials.empty();
    });
    const auto law = all == spec_.surfaces.end() ? first : all;
    const auto path = fmt::format("surfaces[{}]", law - spec_.surfaces.begin());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const BodySpec& body = spec_.bodies[i];
      const SurfaceLack lack = bodies_[i].kind->surface_lack(body);
      if (lack.by_choice || !bodies_[i].boundaries.empty()) continue;
      if (touched(body.name) || (lack.joint_suffices && joined(body.name))) continue;
      const std::string what =
          fmt::format("'{}' (kind {}{}) has no surface", body.name, name_of(body.kind), lack.why);
      if (lack.solid && all != spec_.surfaces.end())
        throw SceneError(path, what + ": bodies would pass through it",
                         "`materials` of the shapes that this law is for, or `contacts` for points "
                         "of the body");
      if (lack.solid || (parts_.surfaces.frames.empty() && parts_.surfaces.boundaries.empty()))
        parts_.warnings.push_back(path + ": " + what +
                                  ": bodies pass through it; let its points touch by `contacts`");
    }
  }

  /// Positions are corrected between shapes alone.
  void expect_shapes_to_correct() {
    if (!spec_.contact.correct_positions || parts_.options.lane == TimeMode::events) return;
    const auto point = std::ranges::find_if(parts_.pairs, [&](const ContactPair& pair) {
      return !parts_.laws[static_cast<std::size_t>(pair.law)]->bilateral();
    });
    if (point == parts_.pairs.end()) return;
    const std::string path = "contact.correct_positions";
    const bool shapes = !parts_.surfaces.frames.empty() || !parts_.surfaces.boundaries.empty();
    if (!shapes)
      throw SceneError(path, "acts between shapes alone, and here points touch, by `contacts`",
                       "leave it out; a shorter step, or `time: {mode: events}`, keeps points from "
                       "penetrating far");
    parts_.warnings.push_back(path +
                              ": acts between shapes alone; the points of `contacts` stay as deep "
                              "as the steps leave them");
  }

  /// Fields of meshes are asked for and there is no mesh.
  void expect_meshes() {
    if (std::ranges::any_of(bodies_, [](const BuiltBody& body) { return body.kind->has_mesh(); }))
      return;
    const ResultsSpec& results = spec_.results;
    for (const auto& [key, asked] :
         {std::pair{"stress", results.stress}, std::pair{"strain", results.strain},
          std::pair{"resultants", results.resultants}})
      if (asked)
        parts_.warnings.push_back(
            fmt::format("results.{}: no body moves by its mesh: nothing more is stored", key));
  }

  /// What is asked of a body whose group is complete.
  void finish_body(std::size_t i) {
    const BodySpec& spec = spec_.bodies[i];
    const BuiltBody& built = bodies_[i];
    if (built.group < 0) return;
    const std::string path = fmt::format("bodies[{}]", i);
    const auto g = static_cast<std::size_t>(built.group);
    expect_fit(spec, built, *parts_.groups[g].scheme, path);
    advise_spin(i, path);
    if (!built.own_group) return;
    expect_start(built, path);
    advise(i, path);
  }

  static void expect_fit(const BodySpec& spec, const BuiltBody& built, const Scheme& scheme,
                         const std::string& path) {
    const unsigned traits = built.dynamics->traits();
    if (fits(scheme, traits)) return;
    const unsigned lacks = scheme.needs() & ~traits, bars = scheme.refuses() & traits;
    std::string why = lacks != 0
                          ? "needs " + trait_names(lacks) + ", and '" + spec.name + "' (kind " +
                                std::string(name_of(spec.kind)) + ") has " + trait_names(traits)
                          : "cannot move bodies with " + trait_names(bars) + ", as '" + spec.name +
                                "' (kind " + std::string(name_of(spec.kind)) + ") has";
    why += built.kind->why_lacks(lacks);
    if (has(lacks, Trait::separable))
      why +=
          "; separable is what has constant mass and no damping, drag or dashpots, but for "
          "lagrangian "
          "bodies, mass redistribution and rigid bodies with a locked axis that couples to two "
          "others";
    throw SceneError(path + ".scheme", "'" + std::string(scheme.name()) + "' " + why,
                     "allowed here: " + schemes_for(traits));
  }

  /// Forces at the start must be numbers: a planet in its centre has none.
  static void expect_start(const BuiltBody& built, const std::string& path) {
    if (built.dynamics->modal() != nullptr) return;  // its forces are linear in q and v
    Vector f(built.dynamics->velocities());
    built.dynamics->force(0.0, built.initial.q, built.initial.v, f);
    if (!f.allFinite())
      throw SceneError(path, "the forces on the body at the start are not finite",
                       "give it another place: `initial`, or particles.positions");
  }

  /// Passes end as the strictest scheme that makes any asks for.
  void pass_limits() {
    double tolerance = std::numeric_limits<double>::infinity();
    int passes = 0;
    for (const Group& group : parts_.groups) {
      if (group.scheme->one_pass(*group.dynamics)) continue;
      const PassLimits limits = group.scheme->pass_limits();
      tolerance = std::min(tolerance, limits.tolerance);
      passes = std::max(passes, limits.passes);
    }
    if (passes == 0) return;  // the model takes the defaults of its schemes
    parts_.options.pass_tolerance = tolerance;
    parts_.options.pass_limit = passes;
  }

  /// The fastest of a body at the start, of its copies too [rad/s].
  double spin_of(std::size_t i) const {
    const BuiltBody& built = bodies_[i];
    return built.kind->spin(built, spec_.bodies[i],
                            parts_.initial[static_cast<std::size_t>(built.group)]);
  }

  void advise_spin(std::size_t i, const std::string& path) {
    if (parts_.options.lane != TimeMode::stepping || parts_.options.step_tolerance > 0.0) return;
    const SchemeChoice choice = spec_.bodies[i].chosen_scheme();
    const bool exact = std::holds_alternative<RigMidOptions>(choice) ||
                       std::holds_alternative<SplittingOptions>(choice);
    if (const auto advice = spin_advice(spin_of(i), spec_.time.h(), exact, spec_.bodies[i].name))
      parts_.warnings.push_back(path + ": " + *advice);
  }

  bool touched(const std::string& name) const {
    return std::ranges::any_of(spec_.contacts, [&](const ContactSpec& contact) {
      return contact.on == name || (contact.other() && *contact.other() == name);
    });
  }

  bool joined(const std::string& name) const {
    return std::ranges::any_of(spec_.joints, [&](const JointSpec& joint) {
      return std::ranges::find(joint.between, name) != joint.between.end();
    });
  }

  void advise(std::size_t i, const std::string& path) {
    const BodySpec& body = spec_.bodies[i];
    if (parts_.options.lane == TimeMode::stepping && !(parts_.options.step_tolerance > 0.0))
      advise_scheme(i, path);  // else h is no step of it
    if (!body.pluck || !body.string) return;
    if (const auto advice =
            pluck_advice(body.pluck->at, body.string->length, body.string->modes, body.name))
      parts_.warnings.push_back(path + ".pluck: " + *advice);
  }

  void advise_dampers() {
    if (parts_.options.lane != TimeMode::stepping || parts_.options.step_tolerance > 0.0) return;
    for (std::size_t g = 0; g < parts_.groups.size(); ++g)
      for (const std::string& text :
           damper_advice(parts_.groups[g], parts_.initial[g], parts_.options.h))
        parts_.warnings.push_back(text);
  }

  void advise_scheme(std::size_t i, const std::string& path) {
    const BodySpec& body = spec_.bodies[i];
    const Group& group = parts_.groups[static_cast<std::size_t>(bodies_[i].group)];
    const SchemeChoice choice = body.chosen_scheme();
    const double h = spec_.time.h();
    const auto say = [&](const std::string& where, const std::optional<std::string>& advice) {
      if (advice) parts_.warnings.push_back(path + where + ": " + *advice);
    };
    const ModalData* modes = group.dynamics->modal();
    if (modes && touched(body.name) && std::holds_alternative<ModalExactOptions>(choice))
      say("", contact_advice(*modes, h, body.name));
    if (modes && !spec_.outputs.empty())
      say(".scheme", detune_advice(*modes, *group.scheme, h, body.name));
    const auto* mj = std::get_if<MoreauJeanOptions>(&choice);
    if (modes && mj) {
      if (mj->theta < 0.5) say(".scheme", stability_advice(*modes, mj->theta, h, body.name));
    } else if (modes) {
      say(".scheme", step_advice(*modes, group.dynamics->traits(), *group.scheme, h, body.name));
    } else {
      say(".scheme", step_advice(*group.dynamics, *group.scheme, bodies_[i].initial, h, body.name));
    }
    if (const auto* form = std::get_if<VariationalSymplecticOptions>(&choice);
        form && form->compat == Compat::sofa && touched(body.name))
      say(".scheme",
          "compat: sofa stores the momentum from before the contact, so obstacles do not stop '" +
              body.name + "'; compat: none does");
    if (const auto* newmark = std::get_if<NewmarkOptions>(&choice); newmark && touched(body.name))
      say(".scheme", rest_advice(newmark->gamma, newmark->beta_value(), body.name));
  }

  const Scene& scene_;
  const SceneSpec& spec_;
  Faults* faults_;
  ModelParts parts_;
  std::vector<BuiltBody> bodies_;
  RigidAssembly rigid_{scene_, parts_};
};

}  // namespace

Model build(const Scene& scene) {
  try {
    if (scene.spec.time.automatic())
      throw SceneError("time.scheme",
                       "'auto' is chosen for whole runs alone: by `saltus run`, `saltus study` and "
                       "saltus.run()",
                       "name `mode`, `step` and the schemes of the bodies here");
    return Builder(scene).build();
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
}

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
