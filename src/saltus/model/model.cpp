#include "saltus/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "saltus/base/error.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/model/event_check.h"
#include "saltus/model/group_facts.h"

namespace saltus {
namespace {

std::string path_of(const std::vector<std::string>& paths, std::size_t i,
                    const std::string& otherwise) {
  return i < paths.size() ? paths[i] : otherwise + "[" + std::to_string(i) + "]";
}

}  // namespace

std::string_view name_of(Probe::Quantity quantity) {
  switch (quantity) {
    case Probe::Quantity::velocity:
      return "velocity";
    case Probe::Quantity::reaction:
      return "reaction";
    case Probe::Quantity::joint:
      return "coordinate";
    case Probe::Quantity::joint_rate:
      return "coordinate rate";
    default:
      return "displacement";
  }
}
std::string_view unit_of(Probe::Quantity quantity) {
  switch (quantity) {
    case Probe::Quantity::velocity:
    case Probe::Quantity::joint_rate:
      return "m/s";
    case Probe::Quantity::reaction:
      return "N";
    default:
      return "m";
  }
}
std::string_view unit_of(const Probe& probe, std::span<const Joint> joints) {
  const bool rate = probe.quantity == Probe::Quantity::joint_rate;
  if (!rate && probe.quantity != Probe::Quantity::joint) return unit_of(probe.quantity);
  const Joint& joint = joints[static_cast<std::size_t>(probe.joint)];
  if (!is_angle(joint.kind, probe.coordinate)) return unit_of(probe.quantity);
  return rate ? "rad/s" : "rad";
}

Model::Model(ModelParts parts) {
  StepOptions& step = parts.options;
  PassLimits asked{std::numeric_limits<double>::infinity(), 1};
  for (const Group& group : parts.groups) {
    const PassLimits limits = group.scheme->pass_limits();
    asked.tolerance = std::min(asked.tolerance, limits.tolerance);
    asked.passes = std::max(asked.passes, limits.passes);
  }
  if (!(step.pass_tolerance > 0.0)) step.pass_tolerance = asked.tolerance;
  if (step.pass_limit <= 0) step.pass_limit = asked.passes;
  parts_ = std::make_shared<const ModelParts>(std::move(parts));
  warnings_ = parts_->warnings;
  // Islands: groups joined by a pair. The root of each is its smallest group.
  islands_.resize(groups().size());
  for (std::size_t g = 0; g < islands_.size(); ++g) islands_[g] = static_cast<int>(g);
  const auto root = [&](int g) {
    while (islands_[static_cast<std::size_t>(g)] != g) g = islands_[static_cast<std::size_t>(g)];
    return g;
  };
  for (const ContactPair& pair : pairs()) {
    expects(pair.law >= 0 && pair.law < static_cast<int>(laws().size()),
            "the law of a pair is one of the model's");
    expects(pair.a.group >= 0 && pair.a.group < static_cast<int>(groups().size()) &&
                pair.b.group < static_cast<int>(groups().size()),
            "side a of a pair is a group, side b a group or the world (-1)");
    if (pair.b.group < 0) continue;
    const int a = root(pair.a.group), b = root(pair.b.group);
    islands_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  const auto join = [&](int& known, int g) {
    if (g < 0) return;
    if (known >= 0) {
      const int a = root(known), b = root(g);
      islands_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    known = g;
  };
  check_joints();
  if (options().joints_in_stages) put_joints_in_stages();
  for (const Joint& joint : joints()) {
    int known = -1;
    for (const JointSide* side : {&joint.a, &joint.b}) join(known, side->group);
  }
  for (const JointCoupling& coupling : couplings()) {
    int known = -1;
    for (const JointCoupling::Term& term : coupling.terms) {
      const Joint& joint = joints()[static_cast<std::size_t>(term.joint)];
      for (const JointSide* side : {&joint.a, &joint.b}) join(known, side->group);
    }
  }
  // What has a surface may touch whatever else has one.
  int surfaced = -1;
  const auto join_surface = [&](int g) {
    expects(g >= 0 && g < static_cast<int>(groups().size()),
            "a frame of shapes and a boundary surface belong to a group");
    join(surfaced, g);
  };
  for (const Surfaces::Frame& frame : surfaces().frames) join_surface(frame.group);
  for (const Surfaces::DeformingBoundary& boundary : surfaces().boundaries)
    join_surface(boundary.group);
  std::vector<int> number(islands_.size(), -1);
  std::vector<int> of_group(islands_.size());
  for (std::size_t g = 0; g < islands_.size(); ++g) {
    const auto r = static_cast<std::size_t>(root(static_cast<int>(g)));
    if (number[r] < 0) number[r] = island_count_++;
    of_group[g] = number[r];
  }
  islands_ = of_group;

  for (const Group& group : groups())
    for (const Source& source : group.dynamics->sources())
      if (!source.potential &&
          std::find(accounts_.begin(), accounts_.end(), source.name) == accounts_.end())
        accounts_.push_back(source.name);
  if (std::ranges::any_of(
          joint_laws(), [&](const JointLaw& one) { return law(one.law).facts().damping > 0.0; }) &&
      std::find(accounts_.begin(), accounts_.end(), "damping") == accounts_.end())
    accounts_.emplace_back("damping");
  // A surface that rubs and moves or runs is driven, and so are motors and coordinates that are functions of time.
  if ((!running().empty() ||
       std::ranges::any_of(couplings(), [](const JointCoupling& c) { return bool(c.value); }) ||
       std::any_of(laws().begin(), laws().end(),
                   [](const AnyLaw& law) {
                     return law->slides_on_normal() && law->facts().velocity != 0.0;
                   })) &&
      std::find(accounts_.begin(), accounts_.end(), "prescribed") == accounts_.end())
    accounts_.emplace_back("prescribed");
  if ((!couplings().empty() || !joint_laws().empty() ||
       std::ranges::any_of(joints(),
                           [](const Joint& joint) { return row_count(joint.kind) > 0; })) &&
      std::find(accounts_.begin(), accounts_.end(), "joints") == accounts_.end())
    accounts_.emplace_back("joints");
  const bool aligned = options().joints == JointLevel::both || options().controlled() ||
                       (options().joints == JointLevel::position && !breaks().jumps.empty());
  if (options().correct_positions || (!joints().empty() && aligned) ||
      std::any_of(groups().begin(), groups().end(),
                  [](const Group& group) { return group.scheme->stages().size() > 1; }))
    accounts_.emplace_back("projection");
  if (std::any_of(laws().begin(), laws().end(),
                  [](const AnyLaw& law) { return law->has_friction(); }))
    accounts_.emplace_back("friction");
  for (const char* name : {"impact", "scheme", "unexplained"}) accounts_.emplace_back(name);
  check();
}

Breaks Model::breaks() const {
  Breaks all;
  const auto put = [](std::vector<double>& into, const std::vector<double>& of) {
    into.insert(into.end(), of.begin(), of.end());
  };
  for (const Group& group : groups()) group.dynamics->breaks(all);
  for (const JointCoupling& coupling : couplings()) {
    put(all.ends, coupling.breaks.ends);
    put(all.jumps, coupling.breaks.jumps);
  }
  for (const RunningSurface& one : running()) {  // at a corner its acceleration jumps
    one.value.points(all.ends);
    one.value.jumps(all.jumps);
  }
  for (std::vector<double>* list : {&all.ends, &all.jumps}) {
    std::ranges::sort(*list);
    const auto again = std::unique(list->begin(), list->end(), [](double a, double b) {
      return b - a <= Breaks::kSameInstant * std::abs(a);
    });
    list->erase(again, list->end());
  }
  return all;
}

Model Model::with_ledger(bool ledger) const {
  ModelParts parts = *parts_;
  parts.options.ledger = ledger;
  return Model(std::move(parts));
}

void Model::check() {
  expects(parts_->solver != nullptr, "a model has a contact solver");
  solver_ = make_certified(parts_->solver);
  expects(parts_->initial.size() == groups().size(), "one initial state a group");
  expects(options().h > 0.0 && std::isfinite(options().h), "the step is positive and finite");
  expects(options().step_tolerance >= 0.0 && options().step_tolerance <= 0.1,
          "StepOptions::step_tolerance is between 0 and 0.1");
  if (options().lane == TimeMode::events) expect_mode(*parts_);
  for (std::size_t i = 0; i + 1 < pairs().size(); ++i)
    expects(pairs()[i].key < pairs()[i + 1].key, "the keys of the pairs increase");

  for (std::size_t g = 0; g < groups().size(); ++g) {
    const Group& group = groups()[g];
    const std::string path = path_of(parts_->group_path, g, "bodies");
    if (const std::string fault = claims_fault(*group.dynamics); !fault.empty())
      throw SceneError(path, "'" + group.name + "' (kind " + group.kind + ") " + fault,
                       "leave the trait out, or give what it claims");
    const unsigned has_bits = group.dynamics->traits(), lacks = group.scheme->needs() & ~has_bits,
                   bars = group.scheme->refuses() & has_bits;
    if (lacks != 0 || bars != 0)
      throw SceneError(
          path + ".scheme",
          "'" + std::string(group.scheme->name()) + "' " +
              (lacks != 0 ? "needs " + trait_names(lacks) + ", and '" + group.name + "' (kind " +
                                group.kind + ") has " + trait_names(has_bits)
                          : "cannot move bodies with " + trait_names(bars) + ", as '" + group.name +
                                "' (kind " + group.kind + ") is"),
          "`saltus describe schemes` lists the schemes of each kind");
    const auto stages = group.scheme->stages();
    expects(!stages.empty() && stages.back().level == Level::velocity &&
                std::all_of(stages.begin(), stages.end() - 1,
                            [](const Stage& s) { return s.level == Level::position; }),
            "a scheme has position stages first and ends with one velocity stage");
    if (options().lane == TimeMode::stepping && options().on_failure == OnFailure::halve &&
        group.scheme->fixed_step())
      throw SceneError("on_failure",
                       "'halve' needs schemes that can change their step, and '" +
                           std::string(group.scheme->name()) + "' of '" + group.name + "' cannot",
                       "allowed: stop, accept");
    if (options().lane == TimeMode::stepping && options().step_tolerance > 0.0 &&
        group.scheme->fixed_step())
      throw SceneError("time.tolerance",
                       "'" + group.name + "' is moved by '" + std::string(group.scheme->name()) +
                           "', whose step is fixed",
                       "leave it out, or use a scheme that can change its step, for example "
                       "moreau-jean (`saltus describe schemes`)");
    const GroupState& state = parts_->initial[g];
    expects(state.q.size() == group.dynamics->positions() &&
                state.v.size() == group.dynamics->velocities(),
            "the initial state has the size of its group");
  }

  std::set<std::string> told;
  for (const ContactPair& pair : pairs()) {
    std::vector<const Group*> sides{&groups()[static_cast<std::size_t>(pair.a.group)]};
    if (pair.b.group >= 0) sides.push_back(&groups()[static_cast<std::size_t>(pair.b.group)]);
    check_law(pair.law, pair.tangents > 0, sides, told);
    const LawFacts& facts = law(pair.law).facts();
    if (facts.friction.directed())
      throw SceneError(
          path_of(parts_->law_path, static_cast<std::size_t>(pair.law), "laws") + ".friction",
          "has an axis of a body, which contacts between shapes know and points do not",
          "give one coefficient, or the law in `surfaces`");
    if (facts.friction.rolling > 0.0 || facts.friction.spinning > 0.0 || facts.cohesion > 0.0)
      throw SceneError(path_of(parts_->law_path, static_cast<std::size_t>(pair.law), "laws"),
                       std::string(facts.friction.rolling > 0.0    ? "rolling friction"
                                   : facts.friction.spinning > 0.0 ? "spinning friction"
                                                                   : "cohesion") +
                           " acts between shapes, not at points",
                       "give it in `surfaces`");
  }
  for (const JointLaw& one : joint_laws()) {
    const Joint& joint = joints()[static_cast<std::size_t>(one.joint)];
    std::vector<const Group*> sides;
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0) {
        const Group* group = &groups()[static_cast<std::size_t>(side->group)];
        if (group->dynamics->velocities() > 0) sides.push_back(group);
      }
    if (!sides.empty()) check_law(one.law, false, sides, told);
  }
  const Surfaces& shapes = surfaces();
  expects((shapes.frames.empty() && shapes.boundaries.empty()) ||
              std::ssize(shapes.law) ==
                  static_cast<std::ptrdiff_t>(shapes.materials) * shapes.materials,
          "surfaces have a law, or -1, for every pair of materials");
  for (const Collider& collider : shapes.colliders)
    expects(collider.material >= 0 && collider.material < shapes.materials &&
                collider.frame < std::ssize(shapes.frames),
            "the material and the frame of a collider exist");
  const auto exists = [&](int k) { return k >= -1 && k < std::ssize(running()); };
  expects((shapes.runs.empty() || shapes.runs.size() == shapes.colliders.size()) &&
              std::ranges::all_of(shapes.runs, exists) &&
              std::ranges::all_of(pairs(), exists, &ContactPair::runs),
          "the running surface of a collider or pair exists");
  std::set<int> laws_of_shapes, groups_of_shapes;
  for (const int law : shapes.law)
    if (law >= 0) laws_of_shapes.insert(law);
  for (const Surfaces::Frame& frame : shapes.frames)
    if (groups()[static_cast<std::size_t>(frame.group)].dynamics->velocities() > 0)
      groups_of_shapes.insert(frame.group);
  for (const Surfaces::DeformingBoundary& boundary : shapes.boundaries) {
    expects(boundary.material >= 0 && boundary.material < shapes.materials,
            "the material of a boundary surface exists");
    check_boundary(boundary);
    groups_of_shapes.insert(boundary.group);
  }
  // What is corrected takes with it what joints hold to it, and to each other.
  std::set<int> moved = groups_of_shapes;
  for (const Joint& joint : joints())
    for (const int g : {joint.a.group, joint.b.group})
      if (g >= 0 && !groups_of_shapes.empty() &&
          islands_[static_cast<std::size_t>(g)] ==
              islands_[static_cast<std::size_t>(*groups_of_shapes.begin())] &&
          groups()[static_cast<std::size_t>(g)].dynamics->velocities() > 0)
        moved.insert(g);
  for (const int g : moved)
    if (const Scheme& scheme = *groups()[static_cast<std::size_t>(g)].scheme;
        options().correct_positions && (scheme.fixed_step() || scheme.velocity_at() != 1.0))
      throw SceneError(
          "contact.correct_positions",
          "'" + std::string(scheme.name()) +
              "' remembers the positions of the step before, which a correction breaks",
          "use a scheme of one step, for example rig-mid or moreau-jean");
  for (const int index : laws_of_shapes) {
    expects(index < std::ssize(laws()), "the law of a pair of materials is one of the model's");
    const ContactLaw& rule = law(index);
    const std::string path = path_of(parts_->law_path, static_cast<std::size_t>(index), "laws");
    if (rule.bilateral())
      throw SceneError(path,
                       "does not act between shapes: contacts between them are known up to the "
                       "margin, and it acts at any gap",
                       "use one of " + laws_that([](const ContactLaw& law) {
                         return !law.bilateral() && !law.position_level();
                       }));
    if (rule.facts().friction.directed()) check_axis(index, path);
    if (!rule.set_valued() && options().correct_positions)
      throw SceneError("contact.correct_positions",
                       "pushes apart what penetrates at the end of a step, and under the law of " +
                           path + " bodies do",
                       "leave it out");
    if (rule.facts().friction.spinning > 0.0 && !shapes.plane.isZero(0.0))
      throw SceneError(path + ".spinning",
                       "bodies of a planar scene do not turn about the normals of their contacts",
                       "leave it out; `rolling` acts about the normal of the plane");
    const bool friction = rule.facts().friction.coefficient > 0.0;
    for (const int a : groups_of_shapes)
      for (const int b : groups_of_shapes)
        if (a <= b) {
          std::vector<const Group*> sides{&groups()[static_cast<std::size_t>(a)]};
          if (a < b) sides.push_back(&groups()[static_cast<std::size_t>(b)]);
          check_law(index, friction, sides, told);
        }
  }
}

// The axis of friction belongs to bodies that do not deform and move in space.
void Model::check_axis(int index, const std::string& path) const {
  const Surfaces& shapes = surfaces();
  if (!shapes.plane.isZero(0.0))
    throw SceneError(path + ".friction",
                     "has two directions, and the bodies of this scene slide along one",
                     "give one coefficient");
  const auto law = static_cast<std::size_t>(index);
  const int material = law < shapes.axis_material.size() ? shapes.axis_material[law] : -1;
  expects(material >= 0 && material < shapes.materials,
          "a law whose friction has an axis says to which material that belongs");
  for (const Surfaces::DeformingBoundary& boundary : shapes.boundaries)
    if (boundary.material == material)
      throw SceneError(path + ".friction",
                       "has its axis on '" + boundary.name + "', whose surface deforms",
                       "name the material of the rigid body first in `materials`");
}

// Its points exist, and no law with it acts on angular velocities, which its points have none of.
void Model::check_boundary(const Surfaces::DeformingBoundary& boundary) const {
  const Group& group = groups()[static_cast<std::size_t>(boundary.group)];
  expects(!boundary.boundary.vertices.empty(),
          "the boundary surface of '" + boundary.name + "' has a vertex");
  for (const BoundaryFacet& facet : boundary.boundary.facets) {
    const int corners = facet.corners();
    expects(corners == boundary.boundary.facets.front().corners(),
            "facets of '" + boundary.name + "' are all triangles or all edges");
    for (int k = 0; k < corners; ++k)
      expects(
          facet.vertex[static_cast<std::size_t>(k)] >= 0 &&
              facet.vertex[static_cast<std::size_t>(k)] < std::ssize(boundary.boundary.vertices),
          "the vertices of the facets of '" + boundary.name + "' exist");
  }
  const Surfaces& shapes = surfaces();
  for (int other = 0; other < shapes.materials; ++other) {
    const int index =
        shapes.law[static_cast<std::size_t>(boundary.material * shapes.materials + other)];
    if (index < 0) continue;
    expects(index < std::ssize(laws()), "the law of a pair of materials is one of the model's");
    const Friction& friction = law(index).facts().friction;
    if (friction.rolling > 0.0 || friction.spinning > 0.0)
      throw SceneError(path_of(parts_->law_path, static_cast<std::size_t>(index), "laws"),
                       std::string(friction.rolling > 0.0 ? "rolling" : "spinning") +
                           " friction acts between rigid bodies, and the surface of '" +
                           boundary.name + "' (kind " + group.kind + ") deforms",
                       "use friction alone");
  }
}

void Model::check_law(int index, bool friction, const std::vector<const Group*>& sides,
                      std::set<std::string>& told) {
  const ContactLaw& law = this->law(index);
  const std::string path = path_of(parts_->law_path, static_cast<std::size_t>(index), "laws");
  // Event-driven integration asks nothing of schemes; a hand-over to them does (Simulation::Work::schemes_fit).
  const bool steps = options().lane == TimeMode::stepping;
  if (steps && sides.size() == 2 &&
      sides[0]->scheme->stages().size() != sides[1]->scheme->stages().size())
    throw SceneError(path,
                     "'" + sides[0]->name + "' (" + std::string(sides[0]->scheme->name()) +
                         ") and '" + sides[1]->name + "' (" +
                         std::string(sides[1]->scheme->name()) +
                         ") solve different contact problems in a step",
                     "give both bodies the same scheme");
  for (const Group* side : sides) {
    if (steps && law.position_level() && side->scheme->gain() != 1.0)
      throw SceneError(
          path,
          "a position-level law needs schemes of gain 1 on every body it touches, and '" +
              std::string(side->scheme->name()) + "' of '" + side->name + "' has gain " +
              std::to_string(side->scheme->gain()).substr(0, 4),
          "use " + std::string(DefaultLaw::name) +
              ", or a scheme of gain 1 (modal-exact; moreau-jean with theta: 1)");
    if (steps && law.position_level() && side->scheme->stages().size() > 1)
      throw SceneError(path,
                       "'" + std::string(side->scheme->name()) + "' of '" + side->name +
                           "' solves a position problem of its own, after which a position-level "
                           "law has nothing left to do",
                       "use " + std::string(DefaultLaw::name));
    if (parts_->solver->needs_symmetric() && !has(side->dynamics->traits(), Trait::symmetric))
      throw SceneError("solver.kind",
                       "'" + std::string(parts_->solver->name()) +
                           "' needs symmetric tangents, and '" + side->name + "' (kind " +
                           side->kind + ") has none",
                       "use lemke");
  }
  if (steps && sides.size() == 2 &&
      sides[0]->scheme->velocity_at() != sides[1]->scheme->velocity_at() &&
      told.insert(path).second)
    warnings_.push_back(
        path + ": the velocities of '" + sides[0]->name + "' (" +
        std::string(sides[0]->scheme->name()) + ") and '" + sides[1]->name + "' (" +
        std::string(sides[1]->scheme->name()) +
        ") belong to different instants of the step; their contact is first order and may gain "
        "energy; schemes of gain 1 on both sides avoid it");
  const Friction& moments = law.facts().friction;
  const LawKind kind = law.entry({.tangents = friction ? 1 : 0,
                                  .rolls = friction && moments.rolling > 0.0,
                                  .spins = friction && moments.spinning > 0.0},
                                 1.0)
                           .kind;
  if (steps && (law.bilateral() || moments.coefficient > 0.0))
    for (const Group* side : sides)
      if (side->scheme->stages().size() > 1)
        throw SceneError(path,
                         "'" + std::string(side->scheme->name()) + "' of '" + side->name +
                             "' holds gaps alone where it corrects positions: what friction, a "
                             "relay or an equality holds would creep",
                         "use generalized-alpha or moreau-jean");
  if (steps && !law.set_valued() && sides.front()->scheme->gain() != 0.5 &&
      told.insert(path).second)
    warnings_.push_back(path + ": under '" + std::string(sides.front()->scheme->name()) +
                        (sides.front()->scheme->gain() < 0.5
                             ? "', whose gain is below 1/2, a spring gains energy"
                             : "', whose gain is above 1/2, a spring loses energy") +
                        " at first order in the step; moreau-jean with theta: 0.5 keeps it");
  if (steps && !law.set_valued())
    for (const Group* side : sides) {
      const double gain = side->scheme->gain();
      if (!(gain > 0.0) || gain != sides.front()->scheme->gain() ||
          side->scheme->stages().size() > 1)
        throw SceneError(path,
                         "a spring needs schemes that let positions feel its force in the step, "
                         "by one gain > 0 on both bodies, and '" +
                             std::string(side->scheme->name()) + "' of '" + side->name +
                             "' has gain " + std::to_string(gain).substr(0, 4) +
                             (side->scheme->stages().size() > 1 ? " and two stages" : ""),
                         "give both bodies one scheme, for example moreau-jean");
    }
  if (!parts_->solver->handles(kind))
    throw SceneError(
        "solver.kind",
        "'" + std::string(parts_->solver->name()) + "' cannot solve the law of " + path,
        "use auto");
}

}  // namespace saltus
