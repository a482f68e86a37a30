// The torque-free motion of a rigid body in closed form:
//
//     Q' = Q Omega^/2,    J Omega' = -Omega x J Omega        (Euler 1758; Omega in the body frame)
//
// The angular momentum L = J Omega keeps its length, and its components along the principal axes
// are Jacobi's elliptic functions of time; if two principal moments are equal, they are cosines.
// See docs/theory/splitting.md for the theory.
#pragma once
#include "saltus/math/rotation.h"

namespace saltus {

/// Free rotation for one inertia. Spatial energy and momentum are conserved to round-off for any
/// step.
class FreeRotation {
 public:
  /// J: symmetric, positive definite, body frame [kg m^2].
  explicit FreeRotation(const Matrix3& J);
  /// Advances Q, Omega by h [s], of either sign. Costs as much as several rotations; with three
  /// different moments, about one more for each radian that the body rotates relative to its
  /// momentum. Gives NaN if that angle is more than 1e6.
  void advance(double h, Quaternion& Q, Vector3& Omega) const;

 private:
  enum class Kind { sphere, symmetric, triaxial };
  void turn_triaxial(double h, Quaternion& Q, Vector3& Omega) const;

  Kind kind_;
  Vector3 axis_ = Vector3::Zero();  ///< of the distinct moment, body frame
  double equatorial_ = 0.0;         ///< moment about all axes perpendicular to axis_ [kg m^2]
  double polar_ = 0.0;              ///< moment about axis_ [kg m^2]
  Matrix3 principal_ =
      Matrix3::Identity();  ///< columns: principal axes in the body frame, moments increasing
  Vector3 moment_ = Vector3::Zero();  ///< [kg m^2]
};

}  // namespace saltus
