// Checks of the joints, couplings and coordinate laws of a Model.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/model/model.h"

namespace saltus {
namespace {

std::string joint_path_of(const ModelParts& parts, int joint) {
  const auto i = static_cast<std::size_t>(joint);
  return i < parts.joint_path.size() ? parts.joint_path[i] : "joints[" + std::to_string(i) + "]";
}

/// The groups of some joints that forces can move, each once.
std::vector<const Group*> held_groups(const ModelParts& parts, const std::vector<int>& joints) {
  std::set<int> of;
  for (const int j : joints) {
    const Joint& joint = parts.joints[static_cast<std::size_t>(j)];
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0 &&
          parts.groups[static_cast<std::size_t>(side->group)].dynamics->velocities() > 0)
        of.insert(side->group);
  }
  std::vector<const Group*> found;
  for (const int g : of) found.push_back(&parts.groups[static_cast<std::size_t>(g)]);
  return found;
}

/// Checks that the schemes of the groups connected by `name` support the chosen joint level.
void check_schemes(const StepOptions& options, const std::string& name, const std::string& path,
                   const std::vector<const Group*>& held) {
  const auto text = [](const Group& group) {
    return "'" + std::string(group.scheme->name()) + "' of '" + group.name + "'";
  };
  for (const Group* group : held) {
    const Scheme &scheme = *group->scheme, &first = *held.front()->scheme;
    if (scheme.stages().size() != first.stages().size())
      throw SceneError(path,
                       "'" + name + "' joins bodies whose schemes solve different problems in a " +
                           "step: " + text(*held.front()) + " and " + text(*group),
                       "give them the same scheme");
    if (scheme.stages().size() > 1)
      throw SceneError(
          path,
          "'" + name + "' would act only in the second problem of " + text(*group) +
              ", not in its prediction, so that the motion would be wrong",
          "use a scheme with one contact problem per step: generalized-alpha, rig-mid");
    if (options.joints == JointLevel::velocity) continue;
    const std::string why = options.joints == JointLevel::both ? "level both" : "level position";
    if (!(scheme.gain() > 0.0))
      throw SceneError(
          path,
          "'" + name + "' is enforced at " + why +
              ", which requires positions that depend on the forces of the step; those of " +
              text(*group) + " do not",
          "joint: {level: velocity}, or a scheme of gain > 0");
    if (scheme.gain() != first.gain())
      throw SceneError(path,
                       "'" + name + "' is enforced at " + why +
                           ", which requires schemes with the same gain: " + text(*held.front()) +
                           " has " + std::to_string(first.gain()).substr(0, 4) + ", " +
                           text(*group) + " " + std::to_string(scheme.gain()).substr(0, 4),
                       "joint: {level: velocity}, or give them the same scheme");
    if (options.joints == JointLevel::both && scheme.velocity_at() != 1.0)
      throw SceneError(path,
                       "'" + name + "' is enforced at level both, but " + text(*group) +
                           " has no velocity at the end of a step",
                       "joint: {level: position}");
  }
}

bool has_coordinate(const ModelParts& parts, int joint, int i) {
  return joint >= 0 && joint < std::ssize(parts.joints) && i >= 0 &&
         i < coordinate_count(parts.joints[static_cast<std::size_t>(joint)].kind);
}

void expect_actuators(const ModelParts& parts) {
  std::vector<char> acts(parts.actuators.size(), 0);
  for (const JointLaw& one : parts.joint_laws) {
    const LawFacts& law = parts.laws[static_cast<std::size_t>(one.law)]->facts();
    expects(one.actuator >= -1 && one.actuator < std::ssize(parts.actuators),
            "the actuator of a law on a joint must be one of the model's");
    expects(one.actuator >= 0 || !law.actuates, "the law of a servo needs an actuator");
    if (one.actuator < 0) continue;
    expects(std::exchange(acts[static_cast<std::size_t>(one.actuator)], 1) == 0,
            "an actuator acts through one law");
    expects(law.slides_on_normal || law.actuates,
            "an actuator needs the law of a motor, of a servo or of a given force");
  }
  expects(std::ranges::all_of(acts, [](char one) { return one != 0; }),
          "every actuator needs a law on a joint");
}

void expect_probes(const ModelParts& parts) {
  using Quantity = Probe::Quantity;
  for (const Probe& probe : parts.probes)
    if (on_coordinate(probe.quantity))
      expects(has_coordinate(parts, probe.joint, probe.coordinate),
              "a probe of a joint must refer to one of its coordinates");
    else if (probe.quantity == Quantity::joint_force || probe.quantity == Quantity::joint_torque)
      expects(probe.joint >= 0 && probe.joint < std::ssize(parts.joints),
              "a probe of the load of a joint must refer to a joint");
}

}  // namespace

void Model::check_joints() const {
  const ModelParts& parts = *parts_;
  const auto groups_count = static_cast<int>(parts.groups.size());
  const auto joint_count = static_cast<int>(parts.joints.size());
  for (int j = 0; j < joint_count; ++j) {
    const Joint& joint = parts.joints[static_cast<std::size_t>(j)];
    for (const JointSide* side : {&joint.a, &joint.b})
      expects(side->group >= -1 && side->group < groups_count,
              "a side of a joint must be a group or the world (-1)");
    const std::vector<const Group*> held = held_groups(parts, {j});
    if (held.empty())
      throw SceneError(joint_path_of(parts, j),
                       "'" + joint.name + "' connects no body that forces can move",
                       "join a body that is not fixed and has no prescribed motion");
    if (joint.kind == JointKind::distance && !(joint.length > 0.0))
      throw SceneError(joint_path_of(parts, j), "'" + joint.name + "' has no length",
                       "a joint of kind ball holds two points together");
    if (joint.kind != JointKind::distance && joint.strength != 0.0)
      throw SceneError(joint_path_of(parts, j),
                       "'" + joint.name + "' is of kind " + std::string(name_of(joint.kind)) +
                           " and cannot break",
                       "strength 0, or kind distance");
    if (!(joint.strength >= 0.0))
      throw SceneError(joint_path_of(parts, j), "'" + joint.name + "' has a strength below 0",
                       "give a strength > 0 [N], or 0 for a joint that cannot break");
    // Its force would vanish within a step, which the stages cannot represent.
    if (joint.strength > 0.0 && parts.options.joints_in_stages)
      throw SceneError(joint_path_of(parts, j),
                       "'" + joint.name + "' can break, but joints inside stages cannot",
                       "joint: {in_stages: false}, or no strength");
    if (row_count(joint.kind) > 0)
      check_schemes(parts.options, joint.name, joint_path_of(parts, j), held);
  }

  using Coordinate = std::array<int, 2>;
  std::map<Coordinate, std::string> driven;
  const auto drive = [&](const Coordinate& of, const std::string& by) {
    const auto [known, fresh] = driven.emplace(of, by);
    if (fresh) return;
    throw SceneError(joint_path_of(parts, of[0]),
                     "'" + known->second + "' and '" + by + "' drive the same coordinate of '" +
                         parts.joints[static_cast<std::size_t>(of[0])].name + "'",
                     "use one motor or drive per coordinate");
  };
  for (const JointCoupling& coupling : parts.couplings) {
    expects(!coupling.terms.empty(), "a coupling must have terms");
    std::vector<int> joined;
    for (const JointCoupling::Term& term : coupling.terms) {
      expects(has_coordinate(parts, term.joint, term.coordinate),
              "the coordinates of a coupling must be those of joints");
      joined.push_back(term.joint);
    }
    check_schemes(parts.options, coupling.name, joint_path_of(parts, joined.front()),
                  held_groups(parts, joined));
    if (coupling.terms.size() == 1)
      drive({coupling.terms[0].joint, coupling.terms[0].coordinate}, coupling.name);
  }

  std::uint64_t next = parts.pairs.empty() ? 0 : parts.pairs.back().key + 1;
  for (const JointLaw& one : parts.joint_laws) {
    expects(one.key >= next, "the keys of laws on joints must increase and follow those of pairs");
    next = one.key + 1;
    expects(has_coordinate(parts, one.joint, one.coordinate),
            "a law on a joint needs a coordinate");
    expects(one.sign == 1.0 || one.sign == -1.0, "the sign of a law on a joint must be 1 or -1");
    expects(one.law >= 0 && one.law < static_cast<int>(parts.laws.size()),
            "the law on a joint must be one of the model's laws");
    const LawFacts& law = parts.laws[static_cast<std::size_t>(one.law)]->facts();
    expects(law.friction.coefficient == 0.0 && law.cohesion == 0.0,
            "a law on a joint must have no friction and no cohesion");
    const bool motor =
        one.actuator >= 0 && one.actuator < std::ssize(parts.actuators) &&
        parts.actuators[static_cast<std::size_t>(one.actuator)].kind == Actuator::Kind::motor;
    if (law.drives || motor) drive({one.joint, one.coordinate}, one.name);
  }
  expect_actuators(parts);
  expect_probes(parts);
}

}  // namespace saltus
