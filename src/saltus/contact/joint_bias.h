// Second time derivatives of joint constraints and coordinates: g'' and c'' for given velocities
// and accelerations of the two sides.
//
// Rows are rates, g' = G v + d. Their time derivative is g'' = G v' + gamma, so that gamma is g''
// for v' = 0.
#pragma once
#include "saltus/contact/joint.h"

namespace saltus {

/// Motion of a side: its point, and its axes about that point. In space.
struct JointMotion {
  Vector3 v = Vector3::Zero();      ///< [m/s]
  Vector3 omega = Vector3::Zero();  ///< [rad/s]
  Vector3 a = Vector3::Zero();      ///< v' [m/s^2]
  Vector3 alpha = Vector3::Zero();  ///< omega' [rad/s^2]
};

/// g'' of each row of joint_rows(), in any position of the sides.
std::array<double, 6> joint_accelerations(JointKind kind, const JointFrame& a, const JointFrame& b,
                                          const JointMotion& of_a, const JointMotion& of_b);

/// c'' of coordinate i. For an undefined angle it is the rotation about its axis.
double joint_coordinate_acceleration(JointKind kind, int i, const JointFrame& a,
                                     const JointFrame& b, const JointMotion& of_a,
                                     const JointMotion& of_b);

}  // namespace saltus
