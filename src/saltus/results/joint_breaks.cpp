#include "saltus/results/joint_breaks.h"

#include <algorithm>
#include <limits>

#include "saltus/results/layout.h"

namespace saltus {
namespace {

constexpr double kHolds = std::numeric_limits<double>::infinity();

void tell_break(const h5::Group& joint, double at, double by) {
  joint.set("broken_at", at);
  joint.set("broken_by", by);
}

/// Calls use(joint, its group) for each joint that can break.
template <typename Use>
void each_breakable(const h5::File& file, const Model& model, Use&& use) {
  const auto joints = model.joints();
  if (std::none_of(joints.begin(), joints.end(), [](const Joint& x) { return x.strength > 0.0; }))
    return;
  const h5::Group groups = file.group("joints");
  const std::vector<std::string> names = layout::in_order(groups);
  if (names.size() != joints.size())
    throw h5::Error(groups.label() + ": are not the joints of the scene");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (joints[i].strength > 0.0) use(static_cast<int>(i), groups.group(names[i]));
}

}  // namespace

JointBreaks JointBreaks::create(const h5::File& file, const Model& model) {
  each_breakable(file, model, [&](int i, const h5::Group& joint) {
    joint.set("strength", model.joints()[static_cast<std::size_t>(i)].strength);
    tell_break(joint, kHolds, 0.0);
  });
  return open(file, model);
}

JointBreaks JointBreaks::open(const h5::File& file, const Model& model) {
  JointBreaks breaks;
  each_breakable(file, model, [&](int i, h5::Group joint) {
    const double broken_at = joint.real("broken_at");
    breaks.joints_.push_back({i, std::move(joint), broken_at});
  });
  return breaks;
}

void JointBreaks::write(const State& state) {
  std::vector<const BrokenJoint*> of(joints_.size(), nullptr);
  for (const BrokenJoint& one : state.broken) {
    const auto at = std::ranges::lower_bound(joints_, one.joint, {}, &Breakable::joint);
    expects(at != joints_.end() && at->joint == one.joint, "a joint that broke can break");
    of[static_cast<std::size_t>(at - joints_.begin())] = &one;
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const double broken_at = of[i] ? of[i]->t : kHolds;
    if (broken_at == joints_[i].broken_at) continue;
    tell_break(joints_[i].group, broken_at, of[i] ? of[i]->pull : 0.0);
    joints_[i].broken_at = broken_at;
  }
}

}  // namespace saltus
