// State that a group of bodies carries from step to step.
#pragma once
#include <vector>

#include "saltus/base/base.h"
#include "saltus/dynamics/point_table.h"

namespace saltus {

/// A force and a torque that a run applies to a body, constant in space until they are replaced.
struct AppliedForce {
  PointRef at;                       ///< where the force acts; of the torque only the body counts
  Vector3 force = Vector3::Zero();   ///< [N]
  Vector3 torque = Vector3::Zero();  ///< [N m], only on bodies with frames
};

/// q [m, rad, quaternion], v [m/s, rad/s] as the scheme stores it (Scheme::velocity returns the
/// physical one), and the scheme's memory. Memory contains only smooth quantities, because an
/// impulse stored in an acceleration would act twice.
struct GroupState {
  Vector q, v;
  std::vector<Vector> memory{};
  /// Joint angles that this group stores (Model::angles()), over any number of turns [rad]; within
  /// half a turn of the angles that q determines up to full turns.
  std::vector<double> angles{};
  /// Set-points of the actuators that this group stores (Model::actuator_places()); empty: a run
  /// has set none, and they follow the functions of the scene.
  std::vector<double> set_points{};
  /// Forces that a run applies to bodies of this group (Simulation::apply()), by body.
  std::vector<AppliedForce> applied{};
};

/// [J]
struct Energy {
  double kinetic = 0.0, potential = 0.0;
  double total() const { return kinetic + potential; }
};

}  // namespace saltus
