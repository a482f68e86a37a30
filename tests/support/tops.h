// Tops: one rigid body that turns about its mass centre, free, heavy or driven.
#pragma once
#include "saltus/bodies/rigid.h"
#include "support/one_group.h"

namespace saltus::test {

/// A body of mass 1 with the principal moments J, turned by the rotation vector `turn`, at angular velocity W (in the body).
inline RigidSystem top(const Vector3& J) {
  RigidSystem system;
  system.bodies.push_back({1.0, J.asDiagonal(), {}});
  return system;
}
inline MovingBody at_rest_in_space(RigidSystem system, const Vector3& turn, const Vector3& W) {
  const Quaternion Q = exp_rotation(turn);
  MovingBody body;
  body.dynamics = std::make_shared<Rigid>(std::move(system));
  body.q.setZero(7);
  body.q.tail<4>() << Q.w(), Q.x(), Q.y(), Q.z();
  body.v.setZero(6);
  body.v.tail<3>() = W;
  return body;
}

inline MovingBody free_top(const Vector3& J, const Vector3& turn, const Vector3& W) {
  return at_rest_in_space(top(J), turn, W);
}

/// Held at its mass centre, the weight [N] at `arm` from it: torque (R arm) x (0, 0, -weight) in space.
inline MovingBody heavy_top(const Vector3& J, const Vector3& turn, const Vector3& W, double weight,
                            const Vector3& arm = Vector3::UnitZ()) {
  RigidSystem system = top(J);
  system.bodies[0].locked = {true, true, true, false, false, false};
  system.loads.push_back({0, false, false, -Vector3::UnitZ(), arm, Signal::constant(weight)});
  return at_rest_in_space(std::move(system), turn, W);
}

/// Torques of time, in the body and in space, on a full inertia; translation driven too.
inline MovingBody driven_top() {
  RigidSystem system = top(Vector3(1.0, 2.0, 2.5));
  const Matrix3 R = exp_rotation(Vector3(0.5, -0.3, 0.8)).toRotationMatrix();
  system.bodies[0].inertia = (R * system.bodies[0].inertia * R.transpose()).eval();
  const Signal signal = Signal::harmonic(1.3, 2.0, 0.4, 0.3);
  system.loads.push_back({0, true, true, Vector3(0.4, -0.7, 0.2), Vector3::Zero(), signal});
  system.loads.push_back({0, true, false, Vector3(-0.1, 0.5, 0.9), Vector3::Zero(), signal});
  system.loads.push_back({0, false, true, Vector3(0.3, 0.2, -0.5), Vector3(0.2, 0.1, 0), signal});
  return at_rest_in_space(std::move(system), Vector3(0.1, 0.2, -0.4), Vector3(0.3, 1.2, -0.5));
}

inline Quaternion rotation_of(const Vector& q) { return {q[3], q[4], q[5], q[6]}; }
/// R J W
inline Vector3 spatial_momentum(const Rigid& body, const Vector& q, const Vector& v) {
  return rotation_of(q) * Vector3(body.rigid()->inertia[0] * v.segment<3>(3));
}
inline double spin_energy(const Rigid& body, const Vector& v) {
  const Vector3 W = v.segment<3>(3);
  return 0.5 * W.dot(body.rigid()->inertia[0] * W);
}

}  // namespace saltus::test
