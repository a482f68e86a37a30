// Second rates of what joints hold: g'' and c'' while the two sides move with given velocities and
// accelerations.
//
// Rows are rates, g' = G v + d. Their own rates are g'' = G v' + gamma, so that gamma is g'' for v'
// = 0.
#pragma once
#include "saltus/contact/joint.h"

namespace saltus {

/// How a side moves: its point, and its axes about it. In space.
struct JointMotion {
  Vector3 v = Vector3::Zero();      ///< [m/s]
  Vector3 omega = Vector3::Zero();  ///< [rad/s]
  Vector3 a = Vector3::Zero();      ///< v' [m/s^2]
  Vector3 alpha = Vector3::Zero();  ///< omega' [rad/s^2]
};

/// g'' of each row of joint_rows(), wherever the sides are.
std::array<double, 6> joint_accelerations(JointKind kind, const JointFrame& a, const JointFrame& b,
                                          const JointMotion& of_a, const JointMotion& of_b);

/// c'' of coordinate i. Where an angle is not defined it is that about its axis.
double joint_coordinate_acceleration(JointKind kind, int i, const JointFrame& a,
                                     const JointFrame& b, const JointMotion& of_a,
                                     const JointMotion& of_b);

}  // namespace saltus
