#include "rigid_on_string.h"

#include <Eigen/Geometry>
#include <numbers>

#include "saltus/bodies/modal.h"

namespace saltus::contract {
namespace {

Eigen::Matrix3d frame() {
  return (Eigen::AngleAxisd(0.5, Vector3::UnitZ()) * Eigen::AngleAxisd(0.3, Vector3::UnitX()))
      .toRotationMatrix();
}

Body string() {
  const int modes = 12;
  Vector mass(modes), omega(modes), sigma(modes);
  for (int j = 0; j < modes; ++j) {
    mass[j] = 0.8;
    omega[j] = 2.0 * std::numbers::pi * 4.0 * (j + 1);
    sigma[j] = 0.5 + 0.02 * j * j;
  }
  Body body;
  body.name = "string";
  const ModalPlacement placement{Vector3(0.2, 0.1, -0.4), frame().col(0), frame().col(2)};
  body.dynamics = std::make_shared<Modal>(mass, omega, sigma, sine_shapes(1.0, modes), placement);
  body.state.q = Vector::Zero(modes);
  body.state.v = Vector::Zero(modes);
  body.state.v[0] = 0.3;
  return body;
}

}  // namespace

Vector3 string_normal() { return frame().col(2); }

ModelParts rigid_on_string(const RigidOnString& scene) {
  const Body under = string();
  Body over = rigid();
  Rigid::Data data;
  data.mass = 0.4;
  data.gravity = scene.gravity ? 9.81 : 0.0;
  data.inertia = Vector3(2.1e-3, 3.4e-3, 4.7e-3);
  over.dynamics = std::make_shared<Rigid>(data, Units{});
  over.state.v.head<3>() = -1.5 * string_normal() + 0.2 * frame().col(0);
  over.state.v.tail<3>() = Vector3(1.0, -2.0, 1.5);
  over.state.q.head<3>().setZero();
  const Vector3 target =
      point_at(*under.dynamics, under.state.q, place_on_string()) + 0.004 * string_normal();
  over.state.q.head<3>() = target - point_at(*over.dynamics, over.state.q, tip_of_rigid());

  ModelParts made = parts(over, scene.rigid, scene.h);
  add_group(made, under, scene.string);
  add_pair(made, {0, tip_of_rigid()}, {1, place_on_string()}, string_normal(), scene.law);
  return made;
}

}  // namespace saltus::contract
