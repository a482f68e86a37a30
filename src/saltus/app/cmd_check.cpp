// `saltus check`: a summary of a scene without running it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "saltus/advice/advice.h"
#include "saltus/app/app.h"
#include "saltus/app/terminal.h"
#include "saltus/exchange/file_names.h"
#include "saltus/model/group_facts.h"
#include "saltus/model/joint_summary.h"
#include "saltus/results/results.h"
#include "saltus/spec/joint_spec.h"
#include "saltus/study/scene_setup.h"

namespace saltus::app {
namespace {

/// Outdated names of keys, which a run accepts silently, and warnings about the model.
std::vector<std::string> warnings_of(const SceneSetup& setup) {
  std::vector<std::string> all = setup.scene.renamed;
  all.insert(all.end(), setup.model.warnings().begin(), setup.model.warnings().end());
  return all;
}

using Json = nlohmann::ordered_json;

struct BodySummary {
  std::string name, kind, scheme;
  int count = 1;   ///< number of bodies
  int shapes = 0;  ///< that may come into contact
  int facets = 0;  ///< of boundary surfaces that may come into contact
  GroupFacts facts;
  std::optional<StepLimit> limit;
  int velocities = 0, prescribed = 0, above_nyquist = 0;
  bool modal = false;
  double lowest = 0.0, highest = 0.0;  ///< range of the undamped modes [Hz]
  int points = 0;                      ///< that may come into contact
  std::set<std::string> laws;
};

/// Adds the shapes of each group and the laws of their materials.
void add_shapes(const Model& model, std::vector<BodySummary>& bodies) {
  const Surfaces& surfaces = model.surfaces();
  const auto add_laws = [&](BodySummary& body, int material) {
    for (int other = 0; other < surfaces.materials; ++other) {
      const int law = surfaces.law[static_cast<std::size_t>(material * surfaces.materials + other)];
      if (law < 0) continue;
      body.laws.insert(model.law(law).description());
    }
  };
  for (const Collider& collider : surfaces.colliders) {
    if (collider.frame < 0) continue;
    const int group = surfaces.frames[static_cast<std::size_t>(collider.frame)].group;
    BodySummary& body = bodies[static_cast<std::size_t>(group)];
    ++body.shapes;
    add_laws(body, collider.material);
  }
  for (const Surfaces::DeformingBoundary& boundary : surfaces.boundaries) {
    BodySummary& body = bodies[static_cast<std::size_t>(boundary.group)];
    body.facets += static_cast<int>(boundary.boundary.facets.size());
    add_laws(body, boundary.material);
  }
}

std::vector<BodySummary> bodies_of(const Model& model, double nyquist) {
  std::vector<BodySummary> bodies;
  for (const Group& group : model.groups()) {
    BodySummary body;
    body.name = group.name;
    body.kind = group.kind;
    body.scheme = group.dynamics->velocities() > 0 ? group.scheme->name() : "prescribed motion";
    body.count = group.bodies.empty() ? 1 : static_cast<int>(group.bodies.size());
    body.velocities = group.dynamics->velocities();
    body.prescribed = group.dynamics->prescribed();
    body.facts = group_facts(*group.dynamics);
    if (!group.dynamics->modal())
      body.limit = step_limit(*group.dynamics, *group.scheme, model.initial()[bodies.size()]);
    if (const ModalData* modal = group.dynamics->modal()) {
      body.modal = true;
      const Vector nu = modal->omega / (2.0 * std::numbers::pi);
      body.lowest = nu.minCoeff();
      body.highest = nu.maxCoeff();
      body.above_nyquist = static_cast<int>((nu.array() > nyquist).count());
    }
    bodies.push_back(std::move(body));
  }
  for (const ContactPair& pair : model.pairs())
    for (const ContactSide* side : {&pair.a, &pair.b}) {
      if (side->group < 0) continue;
      BodySummary& body = bodies[static_cast<std::size_t>(side->group)];
      ++body.points;
      body.laws.insert(model.law(pair.law).description());
    }
  add_shapes(model, bodies);
  return bodies;
}

/// Memory for shapes that may come into contact: their bodies in the model, schemes and detector,
/// plus three contacts each, as in a dense packing, with rows, impulses and the work space of a
/// solver by bodies. Measured on heaps of balls.
double shape_bytes(const Surfaces& surfaces) {
  constexpr double kBody = 4200.0, kContact = 2200.0, kContactsOfShape = 3.0;
  return (kBody + kContactsOfShape * kContact) * static_cast<double>(surfaces.colliders.size());
}

/// Memory of a run without its frames: state, tables of contact points, W, rows waiting to be
/// written, shapes, and finally the program with its libraries.
double run_bytes(const Model& model, std::uint64_t steps) {
  double coordinates = 0.0, table = 0.0;
  for (const Group& group : model.groups()) coordinates += group.dynamics->velocities();
  for (const ContactPair& pair : model.pairs()) {
    const Dynamics& body = *model.groups()[static_cast<std::size_t>(pair.a.group)].dynamics;
    if (body.modal()) table += body.velocities();  // the other kinds have few entries per row
  }
  const auto points = static_cast<double>(model.pairs().size());
  const double rows =
      std::min(static_cast<double>(steps), 16384.0) * static_cast<double>(row_width(model));
  return 8.0 * (12.0 * coordinates + 2.0 * table + 2.0 * points * points + rows) +
         shape_bytes(model.surfaces()) + 45e6;
}

/// Including frames that are being written and the contacts that they are made from.
double memory_bytes(const SceneSetup& setup) {
  const ResultsSpec& results = setup.scene.spec.results;
  const double frames = results.frames > 0 ? 2.5 : 0.0;
  return run_bytes(setup.model, setup.steps) + frames * frame_bytes(results, setup.model);
}

/// Size before compression.
double file_bytes(const SceneSetup& setup) {
  const ResultsSpec& results = setup.scene.spec.results;
  const double frames =
      std::min(static_cast<double>(results.frames), static_cast<double>(setup.steps) + 1.0);
  const double rows = results.every_step ? static_cast<double>(setup.steps) + 1.0 : frames;
  return frames * frame_bytes(results, setup.model) +
         8.0 * rows * static_cast<double>(row_width(setup.model));
}

std::string size_text(double bytes) {
  return bytes < 1e6   ? fmt::format("{:.0f} kB", bytes / 1e3)
         : bytes < 1e9 ? fmt::format("{:.3g} MB", bytes / 1e6)
                       : fmt::format("{:.3g} GB", bytes / 1e9);
}

/// "20 modes", "3 degrees of freedom, 1 more prescribed".
std::string size_of(const BodySummary& body) {
  const bool one = body.velocities == 1;
  const char* what =
      body.modal ? (one ? "mode" : "modes") : (one ? "degree of freedom" : "degrees of freedom");
  return fmt::format("{} {}", body.velocities, what) +
         (body.prescribed > 0 ? fmt::format(", {} more prescribed", body.prescribed) : "");
}

/// "critical step above 41.2 us (lower bound), about 44.6 us from its fastest motion".
std::string limit_text(const StepLimit& limit) {
  const std::string about =
      fmt::format("about {:.3g} us from its fastest motion", 1e6 * limit.about);
  if (limit.safe == 0.0) return "critical step " + about;
  return fmt::format("critical step above {:.3g} us (lower bound), {}", 1e6 * limit.safe, about);
}

/// "ball", "brick.0 and 409 more".
std::string title_of(const BodySummary& body) {
  return body.name + (body.count > 1 ? fmt::format(" and {} more", body.count - 1) : "");
}

/// What a probe observes: "ball", "joint elbow", "joint bearing.slide".
std::string heard_by(const Model& model, const Probe& probe) {
  if (on_coordinate(probe.quantity)) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(probe.joint)];
    return "joint " + coordinate_text(joint.name, joint.kind, probe.coordinate);
  }
  if (probe.quantity == Probe::Quantity::joint_force ||
      probe.quantity == Probe::Quantity::joint_torque)
    return "joint " + model.joints()[static_cast<std::size_t>(probe.joint)].name;
  if (probe.quantity == Probe::Quantity::contact_force ||
      probe.quantity == Probe::Quantity::support)
    return probe.name;
  const Group& group = model.groups()[static_cast<std::size_t>(probe.group)];
  return group.bodies.empty() || probe.point.body < 0
             ? group.name
             : group.bodies[static_cast<std::size_t>(probe.point.body)];
}

/// "1 shape", "2 shapes".
std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Number of joints of each kind, in the order of the kinds.
std::map<JointKind, int> kinds_of(std::span<const Joint> joints) {
  std::map<JointKind, int> count;
  for (const Joint& joint : joints) ++count[joint.kind];
  return count;
}

/// "3 revolute, 1 prismatic".
std::string kinds_text(const Model& model) {
  std::string text;
  for (const auto& [kind, count] : kinds_of(model.joints()))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(kind));
  return text;
}

/// "'hinge', 'slot' and 3 more".
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kNamed); ++k)
    text += fmt::format("{}'{}'", k > 0 ? ", " : "", names[k]);
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

/// "20 rows at level position, 1 depends on others (of 'hinge'): ...".
std::string joint_rows_text(const Model& model) {
  const JointSummary rows = joint_summary(model);
  if (rows.rows == 0) return "no rows";
  const StepOptions& step = model.options();
  std::string text = fmt::format(
      "{} at level {}", counted(static_cast<std::size_t>(rows.rows), "row"), name_of(step.joints));
  if (step.joints == JointLevel::velocity) text += fmt::format(" ({})", name_of(step.bilateral));
  if (step.joints_in_stages) text += " and in the stages";
  if (rows.dependent > 0)
    text += fmt::format(", {} {} on others (of {}): the reactions with the smallest norm are used",
                        rows.dependent, rows.dependent == 1 ? "depends" : "depend",
                        names_text(rows.redundant));
  return text;
}

/// "1 drive, 2 couplings, 3 laws on coordinates"; "" if there are none.
std::string joint_extras_text(const Model& model) {
  const auto drives = static_cast<std::size_t>(std::ranges::count_if(
      model.couplings(), [](const JointCoupling& coupling) { return coupling.terms.size() == 1; }));
  std::string text;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, what);
  };
  add(drives, "drive");
  add(model.couplings().size() - drives, "coupling");
  add(model.joint_laws().size(), "law");
  if (!model.joint_laws().empty()) text += " on coordinates";
  return text;
}

/// How the state is advanced; "" for plain time stepping.
std::string mode_text(const StepOptions& step) {
  if (step.mode == TimeMode::statics) return "static: equilibria, without inertia and damping";
  if (step.mode == TimeMode::events)
    return fmt::format("events: {} to {:g}, impacts {}, {}", name_of(step.events.method),
                       step.events.tolerance, name_of(step.events.impacts),
                       step.events.hand_over
                           ? fmt::format("stepping above {} events a step, {} closed contacts",
                                         step.events.limit, step.events.closed)
                           : "never stepping");
  return step.step_tolerance > 0.0 ? fmt::format("stepping, each step to {:g}", step.step_tolerance)
                                   : "";
}

/// Name and text of the rows about time: one, or one for each phase.
std::vector<std::pair<std::string, std::string>> times_of(const SceneSetup& setup) {
  std::vector<std::pair<std::string, std::string>> rows;
  const double h = setup.model.options().h;
  if (!setup.phases)
    rows.emplace_back("time",
                      fmt::format("{:g} s in {} steps of {:.6g} s ({:.10g} Hz)",
                                  static_cast<double>(setup.steps) * h, setup.steps, h, 1.0 / h));
  else
    for (const auto& [phase, of] : setup.phases->phases)
      rows.emplace_back(
          "phase", fmt::format("{}: {:g} s to {:g} s in {} steps of {:.6g} s", phase.name,
                               phase.from, phase.to, phase.last - phase.first, of.options().h));
  return rows;
}

std::string text_of(const SceneSetup& setup, const std::vector<BodySummary>& bodies,
                    double nyquist) {
  const Model& model = setup.model;
  const StepOptions& step = model.options();
  std::string text;
  const auto row = [&](std::string_view name, const std::string& what) {
    fmt::format_to(std::back_inserter(text), "{:<15} {}\n", name, what);
  };
  if (!setup.scene.spec.title.empty()) text += setup.scene.spec.title + "\n";
  for (const auto& [name, what] : times_of(setup)) row(name, what);
  if (const std::string mode = mode_text(step); !mode.empty()) row("mode", mode);
  for (const BodySummary& body : bodies) {
    row("body",
        fmt::format("{}: {} by {}, {}", title_of(body), body.kind, body.scheme, size_of(body)));
    if (body.highest > 0.0)
      row("",
          fmt::format("{:.6g} to {:.6g} Hz; the Nyquist frequency is {:.6g} Hz, modes above it: {}",
                      body.lowest, body.highest, nyquist, body.above_nyquist));
    if (body.limit) row("", limit_text(*body.limit));
    if (const std::string facts = facts_text(body.facts); !facts.empty()) row("", facts);
    if (body.points + body.shapes + body.facets == 0) continue;
    std::string laws, touching;
    for (const std::string& law : body.laws) laws += (laws.empty() ? "" : "; ") + law;
    if (body.shapes > 0) touching = counted(static_cast<std::size_t>(body.shapes), "shape");
    if (body.facets > 0)
      touching +=
          (touching.empty() ? "" : ", ") + counted(static_cast<std::size_t>(body.facets), "facet");
    if (body.points > 0)
      touching += (touching.empty() ? "" : ", ") +
                  counted(static_cast<std::size_t>(body.points), "contact point");
    row("", touching + (laws.empty() ? " without a law" : " under " + laws));
  }
  const Surfaces& surfaces = model.surfaces();
  if (!surfaces.colliders.empty() || !surfaces.boundaries.empty())
    row("shapes",
        fmt::format("{}, contacts detected within {:.3g} mm",
                    surfaces.colliders.size() + surfaces.boundaries.size(), 1e3 * surfaces.margin));
  if (!model.joints().empty()) {
    row("joints", fmt::format("{} ({}), {}", model.joints().size(), kinds_text(model),
                              joint_rows_text(model)));
    if (const std::string more = joint_extras_text(model); !more.empty()) row("", more);
  }
  const bool heap = step.heap && !setup.scene.spec.solver.tolerance;
  row("contacts",
      fmt::format("{}, gaps at the {} of the step, solver {} to {:g}{}",
                  counted(model.pairs().size(), "point"), name_of(step.instant),
                  model.solver().name(), step.contact.tolerance,
                  heap ? fmt::format(", default for {}; set solver.tolerance to change it",
                                     step.soft ? "soft bodies" : "heaps")
                       : ""));
  for (const Probe& probe : model.probes())
    row("probe", fmt::format("{}: {} of {}{}{}", probe.name, name_of(probe.quantity),
                             heard_by(model, probe), probe.wav.empty() ? "" : ", " + probe.wav,
                             probe.csv.empty() ? "" : ", " + probe.csv));
  row("on failure", std::string(name_of(step.on_failure)));
  const ResultsSpec& results = setup.scene.spec.results;
  if (results.frames > 0 && !frames_hold_contacts(results, model))
    row("frames",
        fmt::format("positions and velocities, {} each; results.contacts: true adds contacts",
                    size_text(frame_bytes(results, model))));
  row("memory", fmt::format("about {}, results file up to {}", size_text(memory_bytes(setup)),
                            size_text(file_bytes(setup))));
  const std::size_t warnings = warnings_of(setup).size();
  row("warnings", warnings == 0 ? "none" : fmt::format("{}, see above", warnings));
  return text;
}

std::string json_of(const SceneSetup& setup, const std::vector<BodySummary>& bodies,
                    double nyquist) {
  const Model& model = setup.model;
  const StepOptions& step = model.options();
  Json json;
  json["scene"] = setup.scene.file;
  json["title"] = setup.scene.spec.title;
  json["end"] = step.end;
  json["step"] = step.h;
  json["steps"] = setup.steps;
  if (setup.phases) {
    json["phases"] = nlohmann::ordered_json::array();
    for (const auto& [phase, of] : setup.phases->phases)
      json["phases"].push_back({{"name", phase.name},
                                {"from", phase.from},
                                {"to", phase.to},
                                {"steps", phase.last - phase.first},
                                {"step", of.options().h}});
  }
  json["nyquist"] = nyquist;
  json["mode"] = json["lane"] = name_of(step.mode);  // "lane": former name of "mode"
  if (const double tolerance =
          step.mode == TimeMode::events ? step.events.tolerance : step.step_tolerance;
      tolerance > 0.0)
    json["tolerance"] = tolerance;
  json["bodies"] = Json::array();
  for (const BodySummary& body : bodies) {
    nlohmann::ordered_json entry{{"name", body.name}, {"kind", body.kind}, {"scheme", body.scheme}};
    if (body.modal) {
      entry["modes"] = body.velocities;
      entry["lowest_frequency"] = body.lowest;
      entry["highest_frequency"] = body.highest;
      entry["above_nyquist"] = body.above_nyquist;
    } else {
      entry["degrees_of_freedom"] = body.velocities;
      entry["prescribed"] = body.prescribed;
    }
    entry["contact_points"] = body.points;
    entry["count"] = body.count;
    entry["shapes"] = body.shapes;
    if (body.facts.mass > 0.0) entry["mass"] = body.facts.mass;
    if (body.facts.nodes > 0) {
      entry["nodes"] = body.facts.nodes;
      entry["elements"] = body.facts.elements;
      entry["element_kinds"] = body.facts.kinds;
    }
    if (body.facets > 0) entry["facets"] = body.facets;
    if (body.limit) {
      if (body.limit->safe > 0.0) entry["safe_step"] = body.limit->safe;
      entry["critical_step"] = body.limit->about;
    }
    entry["laws"] = body.laws;
    json["bodies"].push_back(entry);
  }
  const JointSummary rows = joint_summary(model);
  Json& joints = json["joints"] = {{"count", model.joints().size()}, {"kinds", Json::object()}};
  for (const auto& [kind, count] : kinds_of(model.joints()))
    joints["kinds"][std::string(name_of(kind))] = count;
  joints["rows"] = rows.rows;
  joints["dependent_rows"] = rows.dependent;
  joints["redundant"] = rows.redundant;
  joints["couplings"] = model.couplings().size();
  joints["laws"] = model.joint_laws().size();
  joints["level"] = name_of(step.joints);
  json["contact_points"] = model.pairs().size();
  json["instant"] = name_of(step.instant);
  json["solver"] = model.solver().name();
  json["on_failure"] = name_of(step.on_failure);
  json["memory_bytes"] = memory_bytes(setup);
  json["file_bytes"] = file_bytes(setup);
  json["frame_bytes"] = frame_bytes(setup.scene.spec.results, model);
  json["frames_hold_contacts"] = frames_hold_contacts(setup.scene.spec.results, model);
  json["warnings"] = warnings_of(setup);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int cmd_check(const CheckOptions& options) {
  const SceneSetup setup = set_up(options.scene, options.set);
  if (!options.outputs_anywhere) expect_outputs_beside(setup.scene, "");
  for (const std::string& text : warnings_of(setup)) warn(text);
  const double nyquist = 0.5 / setup.model.options().h;
  const std::vector<BodySummary> bodies = bodies_of(setup.model, nyquist);
  const std::string text =
      options.json ? json_of(setup, bodies, nyquist) : text_of(setup, bodies, nyquist);
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
