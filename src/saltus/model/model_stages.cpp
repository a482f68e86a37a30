// Joints inside the stages of schemes: groups are wrapped by contact/jointed.h.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/jointed.h"
#include "saltus/model/model.h"

namespace saltus {
namespace {

// fraction of the step: fourth-order differences have errors of 1e-5 h^4
constexpr double kDriftTime = 1.0 / 8.0;

/// Reason why joints cannot act in the stages of this group; empty: they can.
std::string unfit(const Group& group) {
  const Dynamics& body = *group.dynamics;
  if (!has(body.traits(), Trait::rigid) && !has(body.traits(), Trait::fixed_points))
    return "has points whose rates depend on the configuration";
  if (body.prescribed() > 0) return "has prescribed degrees of freedom";
  return {};
}

}  // namespace

void Model::put_joints_in_stages() {
  ModelParts parts = *parts_;
  const auto path_of_joint = [&](std::size_t j) {
    return j < parts.joint_path.size() ? parts.joint_path[j] : "joints[" + std::to_string(j) + "]";
  };
  const auto moves = [&](int g) {
    return g >= 0 && parts.groups[static_cast<std::size_t>(g)].dynamics->velocities() > 0;
  };
  // Finds the group of a joint; each joint or coupling must be confined to one group.
  const auto add_group = [&](int& known, const Joint& joint, std::size_t at,
                             const std::string& name) {
    for (const JointSide* side : {&joint.a, &joint.b}) {
      if (!moves(side->group)) continue;
      if (known >= 0 && known != side->group)
        throw SceneError(path_of_joint(at),
                         "'" + name + "' joins bodies of several groups, '" +
                             parts.groups[static_cast<std::size_t>(known)].name + "' and '" +
                             parts.groups[static_cast<std::size_t>(side->group)].name +
                             "', whose stages do not run together",
                         "joint: {in_stages: false}, or bodies of one kind with one scheme");
      known = side->group;
    }
  };
  std::set<int> held;
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    if (row_count(parts.joints[j].kind) == 0) continue;
    int group = -1;
    add_group(group, parts.joints[j], j, parts.joints[j].name);
    held.insert(group);
  }
  for (const JointCoupling& coupling : parts.couplings) {
    int group = -1;
    for (const JointCoupling::Term& term : coupling.terms) {
      const auto j = static_cast<std::size_t>(term.joint);
      add_group(group, parts.joints[j], j, coupling.name);
    }
    held.insert(group);
  }

  std::vector<JointedGroup> moved;
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    if (parts.groups[g].dynamics->velocities() == 0)
      moved.push_back({static_cast<int>(g), parts.groups[g].dynamics});
  for (const int g : held) {
    Group& group = parts.groups[static_cast<std::size_t>(g)];
    if (dynamic_cast<const Jointed*>(group.dynamics.get()) != nullptr) continue;  // already wrapped
    const std::string what = unfit(group);
    if (!what.empty())
      throw SceneError("joint.in_stages", "'" + group.name + "' (kind " + group.kind + ") " + what,
                       "joint: {in_stages: false}");
    auto jointed = std::make_shared<const Jointed>(parts.joints, parts.couplings,
                                                   JointedGroup{g, group.dynamics}, moved,
                                                   kDriftTime * parts.options.h);
    const Scheme& scheme = *group.scheme;
    if ((scheme.needs() & ~jointed->traits()) != 0 || !scheme.one_pass(*jointed) ||
        scheme.stages().size() != 1 || scheme.velocity_at() != 1.0)
      throw SceneError("joint.in_stages",
                       "'" + std::string(scheme.name()) + "' of '" + group.name +
                           "' is not an explicit scheme with positions and velocities at the end "
                           "of a step",
                       "use runge-kutta, or joint: {in_stages: false}");
    group.dynamics = std::move(jointed);
  }
  parts_ = std::make_shared<const ModelParts>(std::move(parts));
}

}  // namespace saltus
