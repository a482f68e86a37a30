#include "saltus/model/model_check.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
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

std::string ModelCheck::law_path(int law) const {
  return path_of(parts_.law_path, static_cast<std::size_t>(law), "laws");
}

std::vector<std::string> ModelCheck::run() {
  check_options();
  for (std::size_t g = 0; g < parts_.groups.size(); ++g) check_group(g);
  for (const ContactPair& pair : parts_.pairs) check_pair(pair);
  check_joint_laws();
  check_surfaces();
  find_surface_groups();
  check_corrections();
  for (const int index : surface_laws_) check_surface_law(index);
  return std::move(warnings_);
}

void ModelCheck::check_options() const {
  expects(parts_.initial.size() == parts_.groups.size(), "give one initial state per group");
  expects(parts_.options.h > 0.0 && std::isfinite(parts_.options.h),
          "the step must be positive and finite");
  expects(parts_.options.step_tolerance >= 0.0 && parts_.options.step_tolerance <= 0.1,
          "StepOptions::step_tolerance must be between 0 and 0.1");
  if (parts_.options.mode == TimeMode::events) expect_mode(parts_);
  for (std::size_t i = 0; i + 1 < parts_.pairs.size(); ++i)
    expects(parts_.pairs[i].key < parts_.pairs[i + 1].key, "the keys of the pairs must increase");
}

void ModelCheck::check_group(std::size_t g) const {
  const Group& group = parts_.groups[g];
  const std::string path = path_of(parts_.group_path, g, "bodies");
  if (const std::string fault = claims_fault(*group.dynamics); !fault.empty())
    throw SceneError(path, "'" + group.name + "' (kind " + group.kind + ") " + fault,
                     "leave the trait out, or provide what it requires");
  const unsigned has_bits = group.dynamics->traits(), lacks = group.scheme->needs() & ~has_bits,
                 bars = group.scheme->refuses() & has_bits;
  if (lacks != 0 || bars != 0)
    throw SceneError(
        path + ".scheme",
        "'" + std::string(group.scheme->name()) + "' " +
            (lacks != 0 ? "needs " + trait_names(lacks) + ", but '" + group.name + "' (kind " +
                              group.kind + ") has " + trait_names(has_bits)
                        : "cannot move bodies with " + trait_names(bars) + ", which '" +
                              group.name + "' (kind " + group.kind + ") has"),
        "`saltus describe schemes` lists the schemes of each kind");
  const auto stages = group.scheme->stages();
  expects(!stages.empty() && stages.back().level == Level::velocity &&
              std::all_of(stages.begin(), stages.end() - 1,
                          [](const Stage& s) { return s.level == Level::position; }),
          "a scheme must have position stages first and end with one velocity stage");
  if (parts_.options.mode == TimeMode::stepping && parts_.options.on_failure == OnFailure::halve &&
      group.scheme->fixed_step())
    throw SceneError("on_failure",
                     "'halve' needs schemes that can change their step, but '" +
                         std::string(group.scheme->name()) + "' of '" + group.name + "' cannot",
                     "allowed: stop, accept");
  if (parts_.options.mode == TimeMode::stepping && parts_.options.step_tolerance > 0.0 &&
      group.scheme->fixed_step())
    throw SceneError("time.tolerance",
                     "'" + group.name + "' is moved by '" + std::string(group.scheme->name()) +
                         "', whose step is fixed",
                     "leave it out, or use a scheme that can change its step, for example "
                     "moreau-jean (`saltus describe schemes`)");
  const GroupState& state = parts_.initial[g];
  expects(state.q.size() == group.dynamics->positions() &&
              state.v.size() == group.dynamics->velocities(),
          "the initial state must have the size of its group");
}

void ModelCheck::check_pair(const ContactPair& pair) {
  std::vector<const Group*> sides{&parts_.groups[static_cast<std::size_t>(pair.a.group)]};
  if (pair.b.group >= 0) sides.push_back(&parts_.groups[static_cast<std::size_t>(pair.b.group)]);
  check_law(pair.law, pair.tangents > 0, sides);
  const LawFacts& facts = law(pair.law).facts();
  if (facts.friction.directed())
    throw SceneError(
        law_path(pair.law) + ".friction",
        "has an axis fixed to a body, which is available between shapes but not at points",
        "give one coefficient, or the law in `surfaces`");
  if (facts.friction.rolling > 0.0 || facts.friction.spinning > 0.0 || facts.cohesion > 0.0)
    throw SceneError(law_path(pair.law),
                     std::string(facts.friction.rolling > 0.0    ? "rolling friction"
                                 : facts.friction.spinning > 0.0 ? "spinning friction"
                                                                 : "cohesion") +
                         " acts between shapes, not at points",
                     "give it in `surfaces`");
}

void ModelCheck::check_joint_laws() {
  for (const JointLaw& one : parts_.joint_laws) {
    const Joint& joint = parts_.joints[static_cast<std::size_t>(one.joint)];
    std::vector<const Group*> sides;
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0) {
        const Group* group = &parts_.groups[static_cast<std::size_t>(side->group)];
        if (group->dynamics->velocities() > 0) sides.push_back(group);
      }
    if (!sides.empty()) check_law(one.law, false, sides);
  }
}

void ModelCheck::check_surfaces() const {
  const Surfaces& shapes = parts_.surfaces;
  expects((shapes.frames.empty() && shapes.boundaries.empty()) ||
              std::ssize(shapes.law) ==
                  static_cast<std::ptrdiff_t>(shapes.materials) * shapes.materials,
          "surfaces need a law, or -1, for every pair of materials");
  for (const Collider& collider : shapes.colliders)
    expects(collider.material >= 0 && collider.material < shapes.materials &&
                collider.frame < std::ssize(shapes.frames),
            "the material and the frame of a collider must exist");
  const auto exists = [&](int k) { return k >= -1 && k < std::ssize(parts_.running); };
  expects((shapes.runs.empty() || shapes.runs.size() == shapes.colliders.size()) &&
              std::ranges::all_of(shapes.runs, exists) &&
              std::ranges::all_of(parts_.pairs, exists, &ContactPair::runs),
          "the running surface of a collider or pair must exist");
}

void ModelCheck::find_surface_groups() {
  const Surfaces& shapes = parts_.surfaces;
  for (const int law : shapes.law)
    if (law >= 0) surface_laws_.insert(law);
  for (const Surfaces::Frame& frame : shapes.frames)
    if (parts_.groups[static_cast<std::size_t>(frame.group)].dynamics->velocities() > 0)
      surface_groups_.insert(frame.group);
  for (const Surfaces::DeformingBoundary& boundary : shapes.boundaries) {
    expects(boundary.material >= 0 && boundary.material < shapes.materials,
            "the material of a boundary surface must exist");
    check_boundary(boundary);
    surface_groups_.insert(boundary.group);
  }
}

// Corrections also move the bodies that joints connect to a corrected body, and to each other.
void ModelCheck::check_corrections() const {
  std::set<int> moved = surface_groups_;
  for (const Joint& joint : parts_.joints)
    for (const int g : {joint.a.group, joint.b.group})
      if (g >= 0 && !surface_groups_.empty() &&
          islands_[static_cast<std::size_t>(g)] ==
              islands_[static_cast<std::size_t>(*surface_groups_.begin())] &&
          parts_.groups[static_cast<std::size_t>(g)].dynamics->velocities() > 0)
        moved.insert(g);
  for (const int g : moved)
    if (const Scheme& scheme = *parts_.groups[static_cast<std::size_t>(g)].scheme;
        parts_.options.correct_positions && (scheme.fixed_step() || scheme.velocity_at() != 1.0))
      throw SceneError(
          "contact.correct_positions",
          "'" + std::string(scheme.name()) +
              "' uses the positions of the previous step, which a correction would invalidate",
          "use a one-step scheme, for example rig-mid or moreau-jean");
}

void ModelCheck::check_surface_law(int index) {
  expects(index < std::ssize(parts_.laws),
          "the law of a pair of materials must be one of the model's laws");
  const ContactLaw& rule = law(index);
  const std::string path = law_path(index);
  if (rule.bilateral())
    throw SceneError(path,
                     "is not available between shapes: their contacts are detected only up to the "
                     "margin, but the law acts at any gap",
                     "use one of " + laws_that([](const ContactLaw& law) {
                       return !law.bilateral() && !law.position_level();
                     }));
  if (rule.facts().friction.directed()) check_axis(index, path);
  if (!rule.set_valued() && parts_.options.correct_positions)
    throw SceneError(
        "contact.correct_positions",
        "removes penetration at the end of a step, but the compliant law of " + path + " needs it",
        "leave it out");
  if (rule.facts().friction.spinning > 0.0 && !parts_.surfaces.plane.isZero(0.0))
    throw SceneError(path + ".spinning",
                     "bodies of a planar scene do not rotate about the normals of their contacts",
                     "leave it out; `rolling` acts about the normal of the plane");
  const bool friction = rule.facts().friction.coefficient > 0.0;
  for (const int a : surface_groups_)
    for (const int b : surface_groups_)
      if (a <= b) {
        std::vector<const Group*> sides{&parts_.groups[static_cast<std::size_t>(a)]};
        if (a < b) sides.push_back(&parts_.groups[static_cast<std::size_t>(b)]);
        check_law(index, friction, sides);
      }
}

// The axis of friction must belong to bodies that do not deform and that move in space.
void ModelCheck::check_axis(int index, const std::string& path) const {
  const Surfaces& shapes = parts_.surfaces;
  if (!shapes.plane.isZero(0.0))
    throw SceneError(path + ".friction",
                     "has two directions, but the bodies of a planar scene slide along one only",
                     "give one coefficient");
  const auto law = static_cast<std::size_t>(index);
  const int material = law < shapes.axis_material.size() ? shapes.axis_material[law] : -1;
  expects(material >= 0 && material < shapes.materials,
          "a law whose friction has an axis must name the material to which the axis belongs");
  for (const Surfaces::DeformingBoundary& boundary : shapes.boundaries)
    if (boundary.material == material)
      throw SceneError(path + ".friction",
                       "has its axis on '" + boundary.name + "', whose surface deforms",
                       "name the material of the rigid body first in `materials`");
}

// Its points must exist, and no law may act on angular velocities, which its points do not have.
void ModelCheck::check_boundary(const Surfaces::DeformingBoundary& boundary) const {
  const Group& group = parts_.groups[static_cast<std::size_t>(boundary.group)];
  expects(!boundary.boundary.vertices.empty(),
          "the boundary surface of '" + boundary.name + "' must have a vertex");
  for (const BoundaryFacet& facet : boundary.boundary.facets) {
    const int corners = facet.corners();
    expects(corners == boundary.boundary.facets.front().corners(),
            "facets of '" + boundary.name + "' must be all triangles or all edges");
    for (int k = 0; k < corners; ++k)
      expects(
          facet.vertex[static_cast<std::size_t>(k)] >= 0 &&
              facet.vertex[static_cast<std::size_t>(k)] < std::ssize(boundary.boundary.vertices),
          "the vertices of the facets of '" + boundary.name + "' must exist");
  }
  const Surfaces& shapes = parts_.surfaces;
  for (int other = 0; other < shapes.materials; ++other) {
    const int index =
        shapes.law[static_cast<std::size_t>(boundary.material * shapes.materials + other)];
    if (index < 0) continue;
    expects(index < std::ssize(parts_.laws),
            "the law of a pair of materials must be one of the model's laws");
    const Friction& friction = law(index).facts().friction;
    if (friction.rolling > 0.0 || friction.spinning > 0.0)
      throw SceneError(law_path(index),
                       std::string(friction.rolling > 0.0 ? "rolling" : "spinning") +
                           " friction acts between rigid bodies, but the surface of '" +
                           boundary.name + "' (kind " + group.kind + ") deforms",
                       "use friction only");
  }
}

// Event-driven integration does not depend on schemes; handing over to schemes does
// (EventDriver::schemes_fit).
void ModelCheck::check_law(int index, bool friction, const Sides& sides) {
  const ContactLaw& law = this->law(index);
  const std::string path = law_path(index);
  if (steps()) check_stages(path, sides);
  for (const Group* side : sides) check_side(law, path, *side);
  if (steps()) warn_of_instants(path, sides);
  const Friction& moments = law.facts().friction;
  const LawKind kind = law.entry({.tangents = friction ? 1 : 0,
                                  .rolls = friction && moments.rolling > 0.0,
                                  .spins = friction && moments.spinning > 0.0},
                                 1.0)
                           .kind;
  if (steps() && (law.bilateral() || moments.coefficient > 0.0)) check_creep(path, sides);
  if (steps() && !law.set_valued()) check_spring(path, sides);
  if (!parts_.solver->handles(kind))
    throw SceneError("solver.kind",
                     "'" + std::string(parts_.solver->name()) + "' cannot solve the law of " + path,
                     "use auto");
}

void ModelCheck::check_stages(const std::string& path, const Sides& sides) const {
  if (sides.size() == 2 && sides[0]->scheme->stages().size() != sides[1]->scheme->stages().size())
    throw SceneError(path,
                     "'" + sides[0]->name + "' (" + std::string(sides[0]->scheme->name()) +
                         ") and '" + sides[1]->name + "' (" +
                         std::string(sides[1]->scheme->name()) +
                         ") solve different contact problems in a step",
                     "give both bodies the same scheme");
}

void ModelCheck::check_side(const ContactLaw& law, const std::string& path,
                            const Group& side) const {
  if (steps() && law.position_level() && side.scheme->gain() != 1.0)
    throw SceneError(
        path,
        "a position-level law needs schemes of gain 1 on every body it acts on, but '" +
            std::string(side.scheme->name()) + "' of '" + side.name + "' has gain " +
            std::to_string(side.scheme->gain()).substr(0, 4),
        "use " + std::string(DefaultLaw::name) +
            ", or a scheme of gain 1 (modal-exact; moreau-jean with theta: 1)");
  if (steps() && law.position_level() && side.scheme->stages().size() > 1)
    throw SceneError(path,
                     "'" + std::string(side.scheme->name()) + "' of '" + side.name +
                         "' solves its own position problem, which leaves nothing to do for a "
                         "position-level law",
                     "use " + std::string(DefaultLaw::name));
  if (parts_.solver->needs_symmetric() && !has(side.dynamics->traits(), Trait::symmetric))
    throw SceneError("solver.kind",
                     "'" + std::string(parts_.solver->name()) +
                         "' needs symmetric tangents, but '" + side.name + "' (kind " + side.kind +
                         ") does not have them",
                     "use lemke");
}

void ModelCheck::warn_of_instants(const std::string& path, const Sides& sides) {
  if (sides.size() == 2 && sides[0]->scheme->velocity_at() != sides[1]->scheme->velocity_at() &&
      told_.insert(path).second)
    warnings_.push_back(path + ": the velocities of '" + sides[0]->name + "' (" +
                        std::string(sides[0]->scheme->name()) + ") and '" + sides[1]->name + "' (" +
                        std::string(sides[1]->scheme->name()) +
                        ") belong to different instants of the step; their contact is first-order "
                        "accurate and may gain energy; schemes of gain 1 on both sides avoid it");
}

void ModelCheck::check_creep(const std::string& path, const Sides& sides) const {
  for (const Group* side : sides)
    if (side->scheme->stages().size() > 1)
      throw SceneError(path,
                       "'" + std::string(side->scheme->name()) + "' of '" + side->name +
                           "' corrects only gaps at position level: contacts held by friction, a "
                           "relay or an equality would creep",
                       "use generalized-alpha or moreau-jean");
}

void ModelCheck::check_spring(const std::string& path, const Sides& sides) {
  if (sides.front()->scheme->gain() != 0.5 && told_.insert(path).second)
    warnings_.push_back(path + ": under '" + std::string(sides.front()->scheme->name()) +
                        (sides.front()->scheme->gain() < 0.5
                             ? "', whose gain is below 1/2, a spring gains energy"
                             : "', whose gain is above 1/2, a spring loses energy") +
                        " at first order in the step; moreau-jean with theta: 0.5 conserves it");
  for (const Group* side : sides) {
    const double gain = side->scheme->gain();
    if (!(gain > 0.0) || gain != sides.front()->scheme->gain() || side->scheme->stages().size() > 1)
      throw SceneError(path,
                       "a spring needs schemes whose positions depend on its force in the step, "
                       "with the same gain > 0 on both bodies, but '" +
                           std::string(side->scheme->name()) + "' of '" + side->name +
                           "' has gain " + std::to_string(gain).substr(0, 4) +
                           (side->scheme->stages().size() > 1 ? " and two stages" : ""),
                       "give both bodies the same scheme, for example moreau-jean");
  }
}

}  // namespace saltus
