#include "saltus/assembly/joint_angles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// If two bodies turn by less than this in a step [rad], the angle between them changes by less
/// than half a turn and its rates are not needed.
constexpr double kSmallTurn = 1.5;

}  // namespace

JointAngles::JointAngles(const Model& model) : model_(model), count_(model.groups().size(), 0) {
  for (const JointAngle& of : model.angles()) {
    const Joint& joint = model.joints()[at(of.joint)];
    coordinates_.push_back({of.joint, of.coordinate});
    ++count_[at(of.group)];
    const auto bounded = [&](const JointSide& side) {
      return side.group < 0 || model.groups()[at(side.group)].dynamics->rigid();
    };
    bounded_.push_back(bounded(joint.a) && bounded(joint.b) ? 1 : 0);
  }
  for (Vector* x : {&c_, &u0_, &u1_}) x->setZero(std::ssize(coordinates_));
}

void JointAngles::values(JointSystem& joints, double t, std::span<const GroupState> groups) {
  joints.coordinates(
      t, [&](int g) -> const Vector& { return groups[at(g)].q; }, coordinates_, c_);
}

void JointAngles::rates(JointSystem& joints, double t, std::span<const GroupState> groups,
                        Vector& u) const {
  joints.angle_rates(
      t, [&](int g) -> const Vector& { return groups[at(g)].q; },
      [&](int g) -> const Vector& { return groups[at(g)].v; }, coordinates_, u);
}

bool JointAngles::known(std::span<const GroupState> groups) const {
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].angles.size() != count_[g]) return false;
  return true;
}

void JointAngles::start(JointSystem& joints, double t, std::span<GroupState> groups) {
  values(joints, t, groups);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].angles.assign(count_[g], 0.0);
  for (std::size_t k = 0; k < model_.angles().size(); ++k) {
    const JointAngle& of = model_.angles()[k];
    const double c = c_[static_cast<Eigen::Index>(k)],
                 start = model_.joints()[at(of.joint)].start[at(of.coordinate)];
    groups[at(of.group)].angles[at(of.slot)] =
        start != 0.0
            ? nearest_turn(c, start)
            : angle_between_stops(model_.joint_laws(), model_.laws(), of.joint, of.coordinate, c);
  }
}

/// The largest rate of an angle between two rigid bodies [rad/s].
double JointAngles::turning(const JointAngle& of, std::span<const GroupState> groups) const {
  const Joint& joint = model_.joints()[at(of.joint)];
  const JointSide* const sides[] = {&joint.a, &joint.b};
  double sum = 0.0;
  for (const JointSide* side : sides)
    if (side->group >= 0)
      sum += groups[at(side->group)].v.segment<3>(6 * side->ref.body + 3).norm();
  return sum;
}

const JointAngle* JointAngles::follow(JointSystem& joints, double t0,
                                      std::span<const GroupState> before, double t1,
                                      std::span<GroupState> after) {
  const JointAngle* doubtful = nullptr;
  if (empty()) return doubtful;
  values(joints, t1, after);
  const double h = t1 - t0;
  bool rates_known = false;
  for (std::size_t k = 0; k < model_.angles().size(); ++k) {
    const JointAngle& of = model_.angles()[k];
    const double earlier = stored_angle(of, before);
    double predicted = earlier;
    if (h > 0.0 && !(bounded_[k] != 0 && h * turning(of, before) < kSmallTurn &&
                     h * turning(of, after) < kSmallTurn)) {
      if (!rates_known) {
        rates(joints, t0, before, u0_);
        rates(joints, t1, after, u1_);
        rates_known = true;
      }
      const auto i = static_cast<Eigen::Index>(k);
      predicted += 0.5 * h * (u0_[i] + u1_[i]);
    }
    std::vector<double>& angles = after[at(of.group)].angles;
    angles.resize(count_[at(of.group)]);
    angles[at(of.slot)] = nearest_turn(c_[static_cast<Eigen::Index>(k)], predicted);
    if (std::abs(angles[at(of.slot)] - predicted) >= 0.5 * std::numbers::pi && !doubtful)
      doubtful = &of;
  }
  return doubtful;
}

}  // namespace saltus
