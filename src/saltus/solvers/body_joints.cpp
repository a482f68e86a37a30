// Joints of BodySystem: the body with which each joint is eliminated, and its rows in the matrix.
#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

#include "saltus/solvers/body_system.h"

namespace saltus {
namespace {

constexpr double kCarried = 1e-8;  ///< smallest pivot of G^_jb G^_jb^T, whose diagonal is at most 1

}  // namespace

/// Whether all multipliers of a joint have pivots on a body: rows of G^_jb are independent.
bool BodySystem::carries(const JointSide& side) const {
  const int M = width_, n = joints_[at(side.joint)].rows;
  if (n > M) return false;
  const double* const G = &joint_G_[side.G];
  double L[6][6];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int l = 0; l < M; ++l) sum += G[i * M + l] * G[j * M + l];
      for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i == j) {
        if (!(sum > kCarried)) return false;
        L[i][i] = std::sqrt(sum);
      } else {
        L[i][j] = sum / L[j][j];
      }
    }
  return true;
}

/// Joint j is eliminated with body b.
void BodySystem::take(int j, int b) {
  joints_[at(j)].node = b;
  joints_[at(j)].row = width_;
  size_[at(b)] = width_ + joints_[at(j)].rows;
  seen_[at(b)] = 1;
  queue_.push_back(b);
}

/// Reads joints, their bodies and G^ = G L. The search starts from joints between a body and the
/// world, or from any body of a component without such joints, and follows the joints: each joint
/// is eliminated with the body it leads to, if that body is reached for the first time.
void BodySystem::hang(const BodyRows& joints) {
  const int M = width_;
  joints_.resize(at(joints.contacts()));
  joint_G_.resize(joints.value.size());
  for (int j = 0; j < joints.contacts(); ++j) {
    Joint& joint = joints_[at(j)];
    joint = {-1, 0, joints.size(j), static_cast<int>(sides_.size()), 0};
    for (int k = joints.offset[at(j)]; k < joints.offset[at(j) + 1]; ++k) {
      const int b = joints.body[at(k)];
      if (moves_[at(b)] == 0 || joint.rows == 0) continue;
      size_[at(b)] = M;
      const double *const G = &joints.value[joints.start[at(k)]], *const L = &L_[at(b * M * M)];
      double* const to = &joint_G_[joints.start[at(k)]];
      for (int i = 0; i < joint.rows; ++i)
        for (int m = 0; m < M; ++m) {
          double sum = 0.0;
          for (int l = m; l < M; ++l) sum += G[i * M + l] * L[l * M + m];
          to[i * M + m] = sum;
        }
      sides_.push_back({j, b, -1, -1, joints.start[at(k)]});
    }
    joint.end = static_cast<int>(sides_.size());
  }
  side_offset_.assign(at(bodies_) + 1, 0);
  for (const JointSide& s : sides_) ++side_offset_[at(s.body) + 1];
  for (int b = 0; b < bodies_; ++b) side_offset_[at(b) + 1] += side_offset_[at(b)];
  side_of_.resize(sides_.size());
  for (std::size_t k = sides_.size(); k-- > 0;)
    side_of_[at(--side_offset_[at(sides_[k].body) + 1])] = static_cast<int>(k);
  for (int b = 0; b < bodies_; ++b) side_offset_[at(b)] = side_offset_[at(b) + 1];
  side_offset_.back() = static_cast<int>(sides_.size());

  seen_.assign(at(bodies_), 0);
  queue_.clear();
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (joint.end != joint.begin + 1) continue;
    const JointSide& side = sides_[at(joint.begin)];
    if (seen_[at(side.body)] == 0 && carries(side)) take(static_cast<int>(j), side.body);
  }
  std::size_t next = 0;
  for (int start = 0; start < bodies_; ++start) {
    for (; next < queue_.size(); ++next) {
      const int b = queue_[next];
      for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k) {
        const int j = sides_[at(side_of_[at(k)])].joint;
        const Joint& joint = joints_[at(j)];
        if (joint.node >= 0 || joint.end != joint.begin + 2) continue;
        const JointSide& other =
            sides_[at(sides_[at(joint.begin)].body == b ? joint.begin + 1 : joint.begin)];
        if (seen_[at(other.body)] == 0 && carries(other)) take(j, other.body);
      }
    }
    if (seen_[at(start)] != 0 || side_offset_[at(start)] == side_offset_[at(start) + 1]) continue;
    seen_[at(start)] = 1;
    queue_.push_back(start);
    --start;  // process its joints before the next body
  }
  for (Joint& joint : joints_) {
    if (joint.node >= 0 || joint.begin == joint.end) continue;
    joint.node = static_cast<int>(size_.size());
    size_.push_back(joint.rows);
  }
}

/// Writes G^ and its transpose into the matrix.
void BodySystem::put_joints() {
  const int M = width_;
  for (const JointSide& s : sides_) {
    const Joint& joint = joints_[at(s.joint)];
    const int across = size_[at(s.body)], down = size_[at(joint.node)];
    const double* G = &joint_G_[s.G];
    double* const rows = &value_[start_[at(s.block)]] + joint.row * across;
    double* const columns = &value_[start_[at(s.transposed)]] + joint.row;
    for (int i = 0; i < joint.rows; ++i)
      for (int l = 0; l < M; ++l, ++G) {
        rows[i * across + l] = *G;
        columns[l * down + i] = *G;
      }
  }
}

}  // namespace saltus
