// Newton's step of implicit methods within constraints, with the joints first among them:
//
//     x <- A^-1 M x + A^-1 D mu,     B x as it was,     A = M + g C + g^2 K
#pragma once
#include <vector>

#include "saltus/event_driven/joint_constraints.h"

namespace saltus {

class ConstrainedCorrection {
 public:
  ConstrainedCorrection(const Model& model, const GroupKinematics& kinematics,
                        JointConstraints& joints);

  /// At the place of the kinematics, with rows B of contacts and the directions D of their forces;
  /// g [s].
  void factorise(double g, const Matrix& B, const Matrix& D);
  /// The correction of x, at the place of the last factorise() or near it.
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
