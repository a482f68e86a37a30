// The joints of a model as constraints of its smooth motion, G v + d = 0, and their forces L:
//
//     M a = F + G^T L,     G a + gamma = 0          twice differentiated (index 1)
//
// Redundant rows are detected once a step, after reset_redundant_rows().
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
  /// Drives, or joints on bodies with prescribed motion: the joints do work.
  bool prescribed() const { return prescribed_; }
  /// gamma has a closed form for these groups.
  bool analytic() const { return analytic_; }
  /// The largest |g| at the place of the kinematics, and all of them in g [m], [rad].
  double gaps(Vector& g);

  /// The kinematics are at another place. rows_made: the rows of the system are those of the place.
  void invalidate(bool rows_made = false) {
    rows_made_ = rows_made;
    bias_made_ = false;
  }
  /// Makes the rows G at the place where that is still to do.
  void make_rows();
  /// G v + d at the place.
  void rates(Vector& rate);
  /// G as a matrix, and rates().
  void dense(Matrix& G, Vector& rate);
  /// gamma at the place, after make_rows().
  void bias(Vector& gamma);
  /// What bias() gives, for JointSystem::coordinate_bias().
  void expect_bias();
  const Vector& drift() const { return system_.drift0(); }  ///< d
  const JointSystem& system() const { return system_; }

  /// The next factorise() detects redundant rows again.
  void reset_redundant_rows() { redundant_known_ = false; }
  /// Factors of G M^-1 G^T, after the rows were made. again: redundant rows are detected at this
  /// place.
  void factorise(bool again = false);
  void solve(Eigen::Ref<Matrix> B) { system_.solve(B); }  ///< B <- (G M^-1 G^T)^-1 B
  void add_rate_of(View v, Out rate) const;               ///< rate += G v
  void accelerations(View L, Out a) const;                ///< a = M^-1 G^T L
  /// X <- X - M^-1 G^T R,  R = (G M^-1 G^T)^-1 G X: what joints leave of velocities.
  void project_out(Matrix& X, Matrix& R);
  /// a += M^-1 G^T L with G a = -gamma: the constrained acceleration and the forces L. Makes and
  /// factorises the rows.
  void constrain(Vector& a, Vector& L);

  /// Adds weight times force and torque of each joint on its b for the multipliers L, in space,
  /// torques about the point of b.
  void add_loads(const Vector& L, double weight, std::span<std::array<Vector3, 2>> loads);

 private:
  const Model& model_;
  GroupKinematics& kinematics_;
  JointSystem& system_;  ///< member = group
  int rows_ = 0;
  bool prescribed_ = false, analytic_ = true;
  bool rows_made_ = false, bias_made_ = false;  ///< at the place
  bool redundant_known_ = false;                ///< since reset_redundant_rows()
  Vector gamma_, rhs_;
  Vector scratch_;
};

}  // namespace saltus
