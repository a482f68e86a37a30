// Rotations as unit quaternions. exp, log and dexp^-1 use the right-trivialised (body) convention:
//
//     Q(t) = Q0 exp(w(t)),   Q' = Q Omega^/2  with Omega in the body frame,   w' = dexp^-1(w) Omega
//
// All functions are accurate to round-off from angle 0 to 2 pi. Source: docs/theory/rotations.md.
#pragma once
#include <Eigen/Geometry>

#include "saltus/base/base.h"

namespace saltus {

using Matrix3 = Eigen::Matrix3d;
using Quaternion = Eigen::Quaterniond;  ///< stored in state vectors as (w, x, y, z)

/// Pose of a body or a shape: x' = x + R X maps its own frame to the world.
struct Pose {
  Vector3 x = Vector3::Zero();  ///< [m]
  Matrix3 R = Matrix3::Identity();

  Vector3 operator*(const Vector3& X) const { return x + R * X; }
  Pose operator*(const Pose& B) const { return {x + R * B.x, R * B.R}; }
  Pose inverse() const { return {-(R.transpose() * x), R.transpose()}; }
};

/// Access to body i in vectors of rigid bodies: q = (x, Q = w x y z), 7 numbers per body, and
/// v = (v, Omega), 6 per body.
struct RigidAt {
  Eigen::Index q, v;
  explicit RigidAt(std::ptrdiff_t i) : q(7 * i), v(6 * i) {}
  Vector3 x(View all) const { return all.segment<3>(q); }
  Quaternion Q(View all) const { return {all[q + 3], all[q + 4], all[q + 5], all[q + 6]}; }
  Matrix3 R(View all) const { return Q(all).toRotationMatrix(); }
  Vector3 linear(View all) const { return all.segment<3>(v); }
  Vector3 spin(View all) const { return all.segment<3>(v + 3); }
};

/// a^, with a^ b = a x b.
Matrix3 skew(const Vector3& a);

/// Rotation with the rotation vector w [rad].
Quaternion exp_rotation(const Vector3& w);
/// The shortest rotation vector of Q, |w| <= pi. Q need not be exactly normalised.
Vector3 log_rotation(const Quaternion& Q);
/// y = exp(w) x without computing exp(w).
Vector3 rotate(const Vector3& w, const Vector3& x);
/// dexp^-1(w) Omega = Omega + w x Omega/2 + (1 - (a/2) cot(a/2))/a^2 w x (w x Omega), where
/// a = |w| < 2 pi.
Vector3 dexp_inverse(const Vector3& w, const Vector3& Omega);
/// dexp(w), 3 x 3, the inverse of dexp_inverse: Omega = dexp(w) w'.
Matrix3 dexp(const Vector3& w);
/// Rotation by the Cayley map, cay(w) = (I - w^/2)^-1 (I + w^/2): Q = (1, w/2)/sqrt(1 + |w|^2/4).
Quaternion cay_rotation(const Vector3& w);

}  // namespace saltus
