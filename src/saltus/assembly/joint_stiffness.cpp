#include "saltus/assembly/joint_stiffness.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <map>
#include <utility>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// K is used for bodies for which K A^-1 may exceed this: otherwise the passes converge quickly.
constexpr double kMatters = 0.03;

/// The positive part of a symmetric matrix.
Matrix3 positive_part(const Matrix3& K) {
  Eigen::SelfAdjointEigenSolver<Matrix3> modes;
  modes.computeDirect(K);
  const Vector3 values = modes.eigenvalues().cwiseMax(0.0);
  return modes.eigenvectors() * values.asDiagonal() * modes.eigenvectors().transpose();
}

}  // namespace

JointStiffness::JointStiffness(const Model& model, std::span<const int> groups) : model_(model) {
  std::map<std::pair<int, int>, std::size_t> known;
  for (int j = 0; j < std::ssize(model.joints()); ++j) {
    const Joint& joint = model.joints()[at(j)];
    if (row_count(joint.kind) == 0 || under_b(joint.kind)) continue;
    for (const JointSide* side : {&joint.a, &joint.b}) {
      if (std::ranges::find(groups, side->group) == groups.end()) continue;
      const Group& group = model.groups()[at(side->group)];
      if (!has(group.dynamics->traits(), Trait::rigid) || group.scheme->axes_fixed()) continue;
      const auto [entry, fresh] = known.try_emplace({side->group, side->ref.body}, bodies_.size());
      if (fresh) bodies_.push_back({side->group, side->ref.body, false, {}, {}, {}});
      sides_.push_back({j, side == &joint.b ? 1.0 : -1.0, entry->second});
    }
  }
}

void JointStiffness::begin() {
  outstanding_ = 0.0;
  for (Body& body : bodies_) body.acts = false;
}

void JointStiffness::add(IslandStep& step, const JointSystem& system, const Vector& L) {
  for (Body& body : bodies_) body.K.setZero();
  JointRows rows;
  for (const Side& side : sides_) {
    const auto [first, count] = system.rows_of(side.joint);
    if (count == 0) continue;
    const Joint& joint = model_.joints()[at(side.joint)];
    const auto [a, b] = system.frames(side.joint);
    joint_rows(joint.kind, joint.length, a, b, rows);
    Vector3 F = Vector3::Zero();
    for (int k = 0; k < std::min(count, rows.size); ++k)
      if (!rows.row[at(k)].spin) F += L[first + k] * rows.row[at(k)].direction;
    Body& body = bodies_[side.body];
    const Trial& trial = step.trials[at(body.group)];
    const auto q = trial.q.segment<7>(7 * body.body);
    const Quaternion Q(q[3], q[4], q[5], q[6]);
    const Vector3 r = side.sign > 0.0 ? joint.b.ref.local : joint.a.ref.local,
                  f = side.sign * (Q.conjugate() * F);
    body.K += (0.5 * trial.gain * trial.h) *
              (r.dot(f) * Matrix3::Identity() - 0.5 * (r * f.transpose() + f * r.transpose()));
  }
  for (Body& body : bodies_) {
    Trial& trial = step.trials[at(body.group)];
    auto* const blocks = std::get_if<Blocks6>(&trial.A.form);
    body.acts = false;
    if (!blocks) continue;
    Block& A = blocks->inverse[at(body.body)];
    if (!(body.K.norm() * A.bottomRightCorner<3, 3>().norm() > kMatters)) continue;
    body.K = positive_part(body.K);
    body.acts = true;
    body.inverse = A;
    body.v_free = trial.v_free.segment<6>(6 * body.body);
    // (A + K)^-1 = A^-1 - A^-1 (1 + K A^-1)^-1 K A^-1
    const Matrix3 turning = A.bottomRightCorner<3, 3>();
    const Matrix3 M = (Matrix3::Identity() + body.K * turning).inverse() * body.K;
    A -= body.inverse.rightCols<3>() * M * body.inverse.bottomRows<3>();
    // v_free = v_k - (A + K)^-1 s,   (A + K)^-1 A = 1 - (A + K)^-1 K
    const Eigen::Matrix<double, 6, 1> moved = trial.v.segment<6>(6 * body.body) - body.v_free;
    trial.v_free.segment<6>(6 * body.body) += A.rightCols<3>() * (body.K * moved.tail<3>());
  }
}

void JointStiffness::drop(IslandStep& step) {
  outstanding_ = 0.0;
  for (Body& body : bodies_) {
    if (!std::exchange(body.acts, false)) continue;
    Trial& trial = step.trials[at(body.group)];
    std::get<Blocks6>(trial.A.form).inverse[at(body.body)] = body.inverse;
    trial.v_free.segment<6>(6 * body.body) = body.v_free;
  }
}

void JointStiffness::take_back(IslandStep& step) {
  double left = 0.0;
  for (const Body& body : bodies_) {
    if (!body.acts) continue;
    Trial& trial = step.trials[at(body.group)];
    const Block& A = std::get<Blocks6>(trial.A.form).inverse[at(body.body)];
    auto r = trial.r.segment<6>(6 * body.body);
    const Eigen::Matrix<double, 6, 1> dv =
        trial.v_free.segment<6>(6 * body.body) + A * r - trial.v.segment<6>(6 * body.body);
    const Vector3 turned = body.K * dv.tail<3>();
    r.tail<3>() -= turned;
    left += turned.dot(body.inverse.bottomRightCorner<3, 3>() * turned);
  }
  drop(step);
  outstanding_ = left;
}

}  // namespace saltus
