// Newton's step of implicit methods under constraints; rows of joints come before those of
// contacts:
//
//     x <- A^-1 M x + A^-1 D mu  with unchanged B x,     A = M + g C + g^2 K
#pragma once
#include <vector>

#include "saltus/event_driven/joint_constraints.h"

namespace saltus {

class ConstrainedCorrection {
 public:
  ConstrainedCorrection(const Model& model, const GroupKinematics& kinematics,
                        JointConstraints& joints);

  /// Factorises at the state of the kinematics, with rows B of contacts and the directions D of
  /// their forces; g [s].
  void factorise(double g, const Matrix& B, const Matrix& D);
  /// Computes the correction of x, at or near the state of the last factorise().
  void apply(Out x);

 private:
  const Model& model_;
  const GroupKinematics& kinematics_;
  JointConstraints& joints_;
  std::vector<Factor> A_;  ///< of each group
  Matrix G_, B_, D_;       ///< of joints; rows and directions of joints and contacts
  Matrix Y_, S_;           ///< Y = A^-1 D, S = B Y
  Vector joint_rate_, rhs_, mu_;
};

}  // namespace saltus
