// Bodies that deform, rigid bodies and a fixed world, all of one material pair, for models that programs make.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "contacts.h"
#include "rigid_state.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/rigid.h"
#include "saltus/fem/boundary_surface.h"
#include "saltus/fem/fem.h"
#include "saltus/schemes/options.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace saltus::test {

class SkinScene {
 public:
  ModelParts parts;

  SkinScene() {
    parts.surfaces.law = {0};
    parts.surfaces.margin = 1e-3;
    parts.options.h = 1e-3;
    parts.options.end = 1.0;
    parts.options.instant = ContactInstant::middle;
    parts.options.contact = {1e-12, 10'000};
  }

  /// The whole boundary of the mesh may touch. Returns the group.
  int add(FemSystem system, const SchemeChoice& scheme, const Vector3& v = Vector3::Zero(),
          bool self = false) {
    const Mesh mesh = system.mesh;
    const int group = add_body("fem", std::make_shared<Fem>(std::move(system)), scheme);
    const auto& body = static_cast<const Fem&>(dynamics(group));
    GroupState state;
    state.q = state.v = Vector::Zero(body.positions());
    for (int i = 0; i < static_cast<int>(mesh.nodes.cols()); ++i)
      for (int axis = 0; axis < 3; ++axis)
        if (const int k = body.free_index(3 * i + axis); k >= 0) state.v[k] = v[axis];
    parts.initial.push_back(state);
    parts.surfaces.boundaries.push_back(
        {group, parts.groups.back().name, boundary_of(mesh, boundary(mesh)), 0, self});
    return group;
  }

  /// A body of this shape whose centre is at x, deformed by F.
  struct PseudoThing {
    Shape shape;
    Material material;
    Vector3 x = Vector3::Zero(), v = Vector3::Zero();
    Matrix3 F = Matrix3::Identity();
    double size = 0.1;  ///< of facets [m]
  };
  int add(const std::vector<PseudoThing>& things, const SchemeChoice& scheme,
          const Vector3& gravity = Vector3::Zero(), double eta = 0.0) {
    PseudoRigidSystem system;
    system.gravity = gravity;
    system.eta = eta;
    const auto n = static_cast<Eigen::Index>(things.size());
    GroupState state;
    state.q = state.v = Vector::Zero(12 * n);
    for (std::size_t i = 0; i < things.size(); ++i) {
      const PseudoThing& thing = things[i];
      system.bodies.push_back(pseudo_rigid_body(moments(thing.shape), thing.material));
      const auto at = 12 * static_cast<Eigen::Index>(i);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) state.q[at + 3 * r + c] = thing.F(r, c);
      state.q.segment<3>(at + 9) = thing.x;
      state.v.segment<3>(at + 9) = thing.v;
    }
    const int group = add_body("pseudo-rigid", std::make_shared<PseudoRigid>(system), scheme);
    parts.initial.push_back(state);
    for (std::size_t i = 0; i < things.size(); ++i)
      parts.surfaces.boundaries.push_back(
          {group, parts.groups.back().name + std::to_string(i),
           boundary_of(things[i].shape, static_cast<int>(i), Vector3::Zero(), things[i].size), 0,
           false});
    return group;
  }

  struct RigidThing {
    Shape shape;
    double mass = 1.0;
    Vector3 x = Vector3::Zero(), v = Vector3::Zero();
    Quaternion Q = Quaternion::Identity();
    Vector3 Omega = Vector3::Zero();
  };
  int add(const std::vector<RigidThing>& things, const SchemeChoice& scheme,
          const Vector3& gravity = Vector3::Zero()) {
    RigidSystem system;
    system.gravity = gravity;
    for (const RigidThing& thing : things) {
      const SolidMoments solid = moments(thing.shape);
      RigidBody body;
      body.mass = thing.mass;
      body.inertia = thing.mass / solid.volume * solid.inertia;
      system.bodies.push_back(body);
    }
    const int group = add_body("rigid", std::make_shared<Rigid>(system), scheme);
    parts.initial.push_back(rigid_state(things));
    for (std::size_t i = 0; i < things.size(); ++i) {
      const auto frame = static_cast<int>(parts.surfaces.frames.size());
      parts.surfaces.frames.push_back({group, static_cast<int>(i), "rigid" + std::to_string(i)});
      parts.surfaces.colliders.push_back({things[i].shape, {}, frame, 0});
    }
    return group;
  }
  int add_body(const std::string& kind, std::shared_ptr<const Dynamics> body,
               const SchemeChoice& scheme) {
    parts.groups.push_back({kind + std::to_string(parts.groups.size()),
                            kind,
                            std::move(body),
                            std::shared_ptr<const Scheme>(make_scheme(scheme)),
                            {}});
    return static_cast<int>(parts.groups.size()) - 1;
  }
  void fix(Shape shape, const Pose& at = {}) {
    parts.surfaces.colliders.push_back({std::move(shape), at, -1, 0});
  }
  Model model(double h, const AnyLaw& law, std::string_view solver = "auto") {
    ModelParts given = parts;
    given.options.h = h;
    given.laws.insert(given.laws.begin(), law);
    for (const SolverRow& row : solvers())
      if (row.name == solver) given.solver = row.make();
    return Model(std::move(given));
  }

 private:
  const Dynamics& dynamics(int group) const {
    return *parts.groups[static_cast<std::size_t>(group)].dynamics;
  }
};

inline FemSystem fem_box(const BoxMesh& box, const Material& material) {
  FemSystem system;
  system.mesh = box_mesh(box);
  FemMaterial one;
  one.material = material;
  system.materials = {one};
  return system;
}

/// Linear momentum and angular momentum about the origin of all bodies of a simulation.
inline Resultant momentum_of(const Simulation& sim) {
  Resultant sum;
  for (std::size_t g = 0; g < sim.model().groups().size(); ++g) {
    const Dynamics& body = *sim.model().groups()[g].dynamics;
    const Vector& q = sim.state().groups[g].q;
    Vector v(body.velocities());
    sim.velocity(static_cast<int>(g), v);
    if (const auto* fem = dynamic_cast<const Fem*>(&body)) {
      const Resultant one = fem->momentum(sim.state().t, q, v);
      sum.force += one.force;
      sum.moment += one.moment;
    } else if (const auto* pseudo = dynamic_cast<const PseudoRigid*>(&body)) {
      for (int i = 0; i < pseudo->bodies(); ++i) {
        const Vector3 p =
            pseudo->system().bodies[static_cast<std::size_t>(i)].mass * v.segment<3>(12 * i + 9);
        sum.force += p;
        sum.moment +=
            pseudo->angular_momentum(q, v, i) + Vector3(q.segment<3>(12 * i + 9)).cross(p);
      }
    } else if (const RigidData* rigid = body.rigid()) {
      for (int i = 0; i < body.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vector3 p = rigid->mass[k] * v.segment<3>(6 * i);
        const auto Q = q.segment<4>(7 * i + 3);
        const Matrix3 R = Quaternion(Q[0], Q[1], Q[2], Q[3]).toRotationMatrix();
        sum.force += p;
        sum.moment += Vector3(q.segment<3>(7 * i)).cross(p) +
                      R * (rigid->inertia[k] * v.segment<3>(6 * i + 3));
      }
    }
  }
  return sum;
}

}  // namespace saltus::test
