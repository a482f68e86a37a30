#include "saltus/assembly/joint_loads.h"

#include <algorithm>

#include "saltus/base/index_internal.h"
#include "saltus/contact/jointed.h"

namespace saltus {

BreakableJoints::BreakableJoints(const Model& model, const JointSystem& system) : model_(model) {
  for (std::size_t i = 0; i < model.joints().size(); ++i)
    if (model.joints()[i].strength > 0.0 && system.rows_of(static_cast<int>(i))[1] > 0)
      joint_.push_back(static_cast<int>(i));
  pull_.assign(joint_.size(), 0.0);
  if (!joint_.empty()) left_out_.assign(model.joints().size(), 0);
}

bool BreakableJoints::set_broken(std::span<const BrokenJoint> broken) {
  if (joint_.empty() || std::ranges::equal(broken, broken_, {}, &BrokenJoint::joint)) return false;
  broken_.clear();
  std::vector<char> left_out(left_out_.size(), 0);
  for (const BrokenJoint& one : broken) {
    broken_.push_back(one.joint);
    if (std::ranges::binary_search(joint_, one.joint)) left_out[at(one.joint)] = 1;
  }
  if (left_out == left_out_) return false;
  left_out_ = std::move(left_out);
  return true;
}

void BreakableJoints::clear() { std::fill(pull_.begin(), pull_.end(), 0.0); }

void BreakableJoints::add(const JointSystem& system, const Vector& L, double h) {
  for (std::size_t k = 0; k < joint_.size(); ++k) {
    const auto [first, count] = system.rows_of(joint_[k]);
    if (count > 0) pull_[k] -= L[first] / h;
  }
}

void BreakableJoints::append_broken(double t, std::vector<BrokenJoint>& broken) const {
  for (std::size_t k = 0; k < joint_.size(); ++k) {
    const int i = joint_[k];
    if (left_out_[at(i)] == 0 && pull_[k] > model_.joints()[at(i)].strength)
      broken.push_back({i, t, pull_[k]});
  }
}

void JointLoads::reserve() {
  load_.assign(model_.joints().size(), {Vector3::Zero(), Vector3::Zero()});
  if (prescribed_) on_prescribed_.reserve(4 * (model_.joints().size() + model_.couplings().size()));
}

void JointLoads::clear() {
  load_.assign(load_.size(), {Vector3::Zero(), Vector3::Zero()});
  on_prescribed_.clear();
}

void JointLoads::add(const JointSystem& system, const Vector& L, double h) {
  if (prescribed_)
    system.point_impulses(L, [&](int group, const PointRef& at, const Vector3& p) {
      on_prescribed_.push_back({group, at, p});
    });
  JointRows rows;
  for (std::size_t i = 0; i < load_.size(); ++i) {
    const auto [first, count] = system.rows_of(static_cast<int>(i));
    if (count == 0) continue;
    const Joint& joint = model_.joints()[i];
    const auto [a, b] = system.frames(static_cast<int>(i));
    joint_rows(joint.kind, joint.length, a, b, rows);
    for (int k = 0; k < std::min(count, rows.size); ++k) {  // without rows across links
      const JointRow& row = rows.row[at(k)];
      load_[i][row.spin ? 1 : 0] += L[first + k] / h * row.direction;
    }
  }
}

void JointLoads::add_jointed(const Group& group, const Trial& trial, double h) {
  const auto* const body = dynamic_cast<const Jointed*>(group.dynamics.get());
  if (!body) return;
  body->add_loads(trial.t0, trial.start->q, trial.start->v, 0.5, load_);
  body->add_loads(trial.t0 + h, trial.q, trial.v, 0.5, load_);
}

}  // namespace saltus
