// The motion of a rigid body that nothing acts on, in closed form:
//
//     Q' = Q Omega^/2,    J Omega' = -Omega x J Omega        (Euler 1758; Omega in the body frame)
//
// The angular momentum L = J Omega keeps its length, and its components along the principal axes
// are Jacobi's elliptic functions of time; where two principal moments are equal they are cosines.
// Theory in docs/theory/splitting.md.
#pragma once
#include "saltus/math/rotation.h"

namespace saltus {

/// One inertia. Energy and momentum in space stay to round-off whatever the step.
class FreeRotation {
 public:
  /// J: symmetric, positive definite, body frame [kg m^2].
  explicit FreeRotation(const Matrix3& J);
  /// Q, Omega <- those after h [s], of either sign. Costs as much as some rotations, with three
  /// different moments about one more for each radian that the body turns relative to its momentum;
  /// not a number where that is more than 1e6.
  void advance(double h, Quaternion& Q, Vector3& Omega) const;

 private:
  enum class Kind { sphere, symmetric, triaxial };
  void turn_triaxial(double h, Quaternion& Q, Vector3& Omega) const;

  Kind kind_;
  Vector3 axis_ = Vector3::Zero();  ///< of the moment that differs, body frame
  double equatorial_ = 0.0;         ///< the moment about all axes perpendicular to it [kg m^2]
  double polar_ = 0.0;              ///< the moment about it [kg m^2]
  Matrix3 principal_ =
      Matrix3::Identity();  ///< columns: principal axes in the body frame, moments increasing
  Vector3 moment_ = Vector3::Zero();  ///< [kg m^2]
};

}  // namespace saltus
