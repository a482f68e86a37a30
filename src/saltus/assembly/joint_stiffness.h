// Geometric stiffness of joints: their forces turn with the bodies on which they act.
//
// A pass takes the rows G of the iterate v_k and would solve  A (v - v_k) + s = G_k^T L  with
// s = A (v_k - v_free). But the forces depend on the motion: G(v)^T L = G_k^T L - K (v - v_k) + ...
// The impulse F of a joint at the arm r of a rigid body, a mean over the step, turns by gain h/2 of
// the change dW of the angular velocity, and its torque changes by
//
//     -K dW = (gain h/2) (dW x r) x F,   K = (gain h/2) ((r . F) 1 - (r F^T + F r^T)/2)      (1)
//
// where the symmetric part is taken. Newton's method solves  (A + K)(v - v_k) + s = G_k^T L.
// Without K the passes converge only if K A^-1 is small: light links under a large tension do not.
// Only the positive part of K is used, so that A + K is positive definite, and only where it
// matters. The motion to which the passes converge is that of A.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/contact/joint_system.h"

namespace saltus {

class JointStiffness {
 public:
  /// groups: the members of the island, in their order.
  JointStiffness(const Model& model, std::span<const int> groups);

  void begin();  ///< a step begins
  /// Replaces A and v_free of the bodies by those of Newton's method, for the impulses L of the
  /// previous pass on the present rows.
  void add(IslandStep& step, const JointSystem& system, const Vector& L);
  /// Puts A and v_free back, and subtracts K (v - v_k) from the impulses of the trials.
  void take_back(IslandStep& step);
  /// Puts A and v_free back.
  void drop(IslandStep& step);
  /// Energy of the impulses that take_back() has subtracted, twice [J].
  double outstanding() const { return outstanding_; }

 private:
  using Block = Eigen::Matrix<double, 6, 6>;
  struct Body {
    int group = 0, body = 0;
    bool acts = false;  ///< K is used in this pass
    Matrix3 K;          ///< in the axes of the body [kg m^2]
    Block inverse;      ///< A^-1
    Eigen::Matrix<double, 6, 1> v_free;
  };
  /// One side of a joint.
  struct Side {
    int joint = 0;
    double sign = 1.0;  ///< of the force on it
    std::size_t body = 0;
  };

  const Model& model_;
  std::vector<Body> bodies_;
  std::vector<Side> sides_;
  double outstanding_ = 0.0;
};

}  // namespace saltus
