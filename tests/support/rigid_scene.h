// Rigid bodies with shapes against each other and a fixed world, for models that programs make.
#pragma once
#include <memory>
#include <vector>

#include "contacts.h"
#include "rigid_state.h"
#include "saltus/bodies/rigid.h"
#include "saltus/schemes/options.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace saltus::test {

/// A body of uniform density whose mass centre is the origin of its shape.
struct RigidThing {
  Shape shape;
  double mass = 1.0;
  Vector3 x = Vector3::Zero(), v = Vector3::Zero();  ///< [m], [m/s]
  Quaternion Q = Quaternion::Identity();
  Vector3 Omega = Vector3::Zero();  ///< body frame [rad/s]
  std::array<bool, 6> locked{};
};

class RigidScene {
 public:
  Vector3 gravity{0.0, 0.0, -9.81};
  ContactInstant instant = ContactInstant::middle;
  OnFailure on_failure = OnFailure::stop;
  bool correct = false;             ///< positions, after each step
  double margin = 1e-3;             ///< [m]
  Vector3 plane = Vector3::Zero();  ///< normal of the plane of motion, zero: space
  Limits limits{1e-12, 10'000};
  std::string solver = "auto";
  double end = 1.0;  ///< [s]
  TimeMode mode = TimeMode::stepping;
  EventOptions events{};
  double step_tolerance = 0.0;

  int add(const RigidThing& thing) {
    SolidMoments solid = moments(thing.shape);
    RigidBody body;
    body.mass = thing.mass;
    body.inertia = thing.mass / solid.volume * solid.inertia;
    body.locked = thing.locked;
    return add(body, thing);
  }
  int add(const RigidBody& body, const RigidThing& thing) {
    const int number = static_cast<int>(system.bodies.size());
    system.bodies.push_back(body);
    things_.push_back(thing);
    return number;
  }
  /// Locks components of (v, Omega) of every body.
  void hold(const std::array<bool, 6>& locked) {
    for (RigidBody& body : system.bodies) body.locked = locked;
  }
  /// A shape of the fixed world.
  void fix(Shape shape, const Pose& at = {}) { fixed_.push_back({std::move(shape), at, -1, 0}); }

  Model model(std::shared_ptr<const Scheme> scheme, double h, const AnyLaw& law) {
    ModelParts parts;
    RigidSystem given = system;
    given.gravity = gravity;
    parts.groups.push_back(
        {"bodies", "rigid", std::make_shared<Rigid>(given), std::move(scheme), {}});
    for (std::size_t i = 0; i < things_.size(); ++i) {
      const auto body = static_cast<int>(i);
      parts.surfaces.frames.push_back({0, body, "body " + std::to_string(i)});
      parts.surfaces.colliders.push_back({things_[i].shape, {}, body, 0});
    }
    for (const Collider& collider : fixed_) parts.surfaces.colliders.push_back(collider);
    parts.initial.push_back(rigid_state(things_));
    parts.laws.push_back(law);
    parts.surfaces.law = {0};
    parts.surfaces.margin = margin;
    parts.surfaces.plane = plane;
    for (const SolverRow& row : solvers())
      if (row.name == solver) parts.solver = row.make();
    parts.options.h = h;
    parts.options.end = end;
    parts.options.instant = instant;
    parts.options.correct_positions = correct;
    parts.options.on_failure = on_failure;
    parts.options.contact = limits;
    parts.options.mode = mode;
    parts.options.events = events;
    parts.options.step_tolerance = step_tolerance;
    return Model(std::move(parts));
  }

  RigidSystem system;

 private:
  std::vector<RigidThing> things_;
  std::vector<Collider> fixed_;
};

inline std::shared_ptr<const Scheme> rig_mid() { return make_scheme(RigMidOptions{}); }

inline Vector3 place_of(const Simulation& sim, int body) {
  return sim.state().groups[0].q.segment<3>(7 * body);
}
inline Quaternion turn_of(const Simulation& sim, int body) {
  const auto q = sim.state().groups[0].q.segment<4>(7 * body + 3);
  return {q[0], q[1], q[2], q[3]};
}
inline Vector3 speed_of(const Simulation& sim, int body) {
  return sim.state().groups[0].v.segment<3>(6 * body);
}
/// Angular velocity in the body frame [rad/s].
inline Vector3 spin_of(const Simulation& sim, int body) {
  return sim.state().groups[0].v.segment<3>(6 * body + 3);
}

}  // namespace saltus::test
