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
    const bool twist = joint.kind == JointKind::socket;
    if (twist) {
      twists_.push_back(coordinates_.size() - 1);
      swings_.push_back({of.joint, kSwing});
      components_.push_back({of.joint, kSwingX});
      components_.push_back({of.joint, kSwingY});
    }
    bounded_.push_back(!twist && bounded(joint.a) && bounded(joint.b) ? 1 : 0);
  }
  for (Vector* x : {&c_, &u0_, &u1_}) x->setZero(std::ssize(coordinates_));
  for (Swings* of : {&before_, &after_}) {
    of->theta.setZero(std::ssize(swings_));
    of->rate = of->theta;
    of->s.setZero(std::ssize(components_));
  }
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

/// theta', s_x, s_y
void JointAngles::measure(JointSystem& joints, double t, std::span<const GroupState> groups,
                          Swings& of) const {
  const auto q = [&](int g) -> const Vector& { return groups[at(g)].q; };
  joints.coordinates(t, q, components_, of.s);
  joints.angle_rates(
      t, q, [&](int g) -> const Vector& { return groups[at(g)].v; }, swings_, of.rate);
}

// Where the axes of a ball joint are opposite, its twist jumps by up to a full turn, which the
// rates at the ends of a step do not show. There theta has a maximum, n turns round, and the way by
// pi is the shorter one.
const JointAngle* JointAngles::passed_opposite(JointSystem& joints, double t0,
                                               std::span<const GroupState> before, double t1,
                                               std::span<const GroupState> after) {
  constexpr double kRight = 0.5 * std::numbers::pi;
  joints.coordinates(
      t1, [&](int g) -> const Vector& { return after[at(g)].q; }, swings_, after_.theta);
  if (!(after_.theta.maxCoeff() > kRight)) return nullptr;
  measure(joints, t0, before, before_);
  measure(joints, t1, after, after_);
  for (std::size_t i = 0; i < swings_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const auto s0 = before_.s.segment<2>(2 * k), s1 = after_.s.segment<2>(2 * k);
    const double way = 2.0 * std::numbers::pi - s0.norm() - s1.norm(),
                 moved = 0.5 * (t1 - t0) * (before_.rate[k] - after_.rate[k]);
    if (s0.dot(s1) < 0.0 && before_.rate[k] > 0.0 && after_.rate[k] < 0.0 &&
        way < std::numbers::pi && moved > 0.5 * way)
      return &model_.angles()[twists_[i]];
  }
  return nullptr;
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
  if (!doubtful && !swings_.empty() && h > 0.0)
    doubtful = passed_opposite(joints, t0, before, t1, after);
  return doubtful;
}

}  // namespace saltus
