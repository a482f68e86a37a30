// The joints of a model as constraints of its smooth motion, G v + d = 0, and their forces L:
//
//     M a = F + G^T L,     G a + gamma = 0          twice differentiated (index 1)
//
// Redundant rows are detected once per step, after reset_redundant_rows().
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/contact/joint_system.h"
#include "saltus/event_driven/group_kinematics.h"

namespace saltus {

class JointConstraints {
 public:
  JointConstraints(const Model& model, GroupKinematics& kinematics, JointSystem& system);

  int rows() const { return rows_; }
  /// True for drives, or joints on bodies with prescribed motion: such joints do work.
  bool prescribed() const { return prescribed_; }
  /// True if gamma has a closed form for these groups.
  bool analytic() const { return analytic_; }
  /// Returns the largest |g| at the state of the kinematics, and sets g to all of them [m], [rad].
  double gaps(Vector& g);

  /// Call this when the state of the kinematics has changed. rows_made: the rows of the system are
  /// those of the new state.
  void invalidate(bool rows_made = false) {
    rows_made_ = rows_made;
    bias_made_ = false;
  }
  /// Computes the rows G at the state unless they are up to date.
  void make_rows();
  /// G v + d at the state.
  void rates(Vector& rate);
  /// G as a matrix, and rates().
  void dense(Matrix& G, Vector& rate);
  /// gamma at the state, after make_rows().
  void bias(Vector& gamma);
  /// Makes the results of bias() available to JointSystem::coordinate_bias().
  void expect_bias();
  const Vector& drift() const { return system_.drift0(); }  ///< d
  const JointSystem& system() const { return system_; }

  /// The next factorise() detects redundant rows again.
  void reset_redundant_rows() { redundant_known_ = false; }
  /// Factorises G M^-1 G^T, after the rows were computed. again: redundant rows are detected again
  /// at this state.
  void factorise(bool again = false);
  void solve(Eigen::Ref<Matrix> B) { system_.solve(B); }  ///< B <- (G M^-1 G^T)^-1 B
  void add_rate_of(View v, Out rate) const;               ///< rate += G v
  void accelerations(View L, Out a) const;                ///< a = M^-1 G^T L
  /// X <- X - M^-1 G^T R,  R = (G M^-1 G^T)^-1 G X: the part of velocities that joints leave free.
  void project_out(Matrix& X, Matrix& R);
  /// a += M^-1 G^T L with G a = -gamma: the constrained acceleration and the forces L. Computes and
  /// factorises the rows.
  void constrain(Vector& a, Vector& L);

  /// Adds weight times force and torque of each joint on its body b for the multipliers L, in
  /// space, with torques about the joint's point of b.
  void add_loads(const Vector& L, double weight, std::span<std::array<Vector3, 2>> loads);

 private:
  const Model& model_;
  GroupKinematics& kinematics_;
  JointSystem& system_;  ///< member = group
  int rows_ = 0;
  bool prescribed_ = false, analytic_ = true;
  bool rows_made_ = false, bias_made_ = false;  ///< for the present state
  bool redundant_known_ = false;                ///< since reset_redundant_rows()
  Vector gamma_, rhs_;
  Vector scratch_;
};

}  // namespace saltus
