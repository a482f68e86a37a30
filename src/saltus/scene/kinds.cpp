#include "saltus/scene/kinds.h"

#include <algorithm>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/rigid.h"
#include "saltus/fem/fem.h"
#include "saltus/model/scheme_fit.h"

namespace saltus {
namespace {

// Without damping, where the case is not about it.

unsigned modal_traits() {
  const Vector one = Vector::Ones(1);
  return Modal(one, one, Vector::Zero(1), nullptr).traits();
}

unsigned linear_traits(bool stiffness, bool symmetric) {
  LinearSystem system;
  system.mass = SparseMatrix::identity(2);
  Matrix K{{2.0, 1.0}, {symmetric ? 1.0 : -1.0, 2.0}};
  if (stiffness) system.stiffness = SparseMatrix::from(K);
  return Linear(std::move(system)).traits();
}

unsigned lagrangian_traits(std::shared_ptr<const LagrangianModel> model) {
  return Lagrangian(std::move(model)).traits();
}

unsigned particle_traits(bool springs) {
  ParticleSystem system;
  system.mass = Vector::Ones(2);
  if (springs) {
    Spring spring;
    spring.j = 1;
    spring.stiffness = 1.0;
    system.springs.push_back(spring);
  }
  return Particles(std::move(system)).traits();
}

unsigned rigid_traits(bool ball) {
  RigidBody body;
  body.mass = 1.0;
  body.inertia = Vector3(1.0, 1.0, ball ? 1.0 : 1.5).asDiagonal();
  RigidSystem system;
  system.bodies.push_back(body);
  return Rigid(std::move(system)).traits();
}

unsigned pseudo_rigid_traits(bool strain_rate) {
  PseudoRigidSystem system;
  system.bodies.push_back({1.0, 1.0, Matrix3::Identity(), {}});
  if (strain_rate) {
    system.eta = 1.0;
    system.viscosity = Viscosity::strain_rate;
  }
  return PseudoRigid(std::move(system)).traits();
}

unsigned fem_traits(MaterialLaw law) {
  FemSystem system;
  system.mesh = box_mesh({});
  system.materials.emplace_back();
  system.materials.back().material.law = law;
  return Fem(std::move(system)).traits();
}

}  // namespace

std::span<const KindRow> kinds() {
  static const std::vector<KindRow> rows{
      {BodyKind::modal,
       "modal",
       "a body by its modes",
       "string, bar or modes",
       "places along the body [m]",
       {{"", modal_traits()}}},
      {BodyKind::linear,
       "linear",
       "M q'' + C q' + K q = F(t), dense or sparse",
       "oscillator, chain, mesh or matrices",
       "degrees of freedom, from 0",
       {{"", linear_traits(true, true)},
        {"with a stiffness that is not symmetric", linear_traits(true, false)},
        {"without stiffness", linear_traits(false, true)}}},
      {BodyKind::lagrangian,
       "lagrangian",
       "a mechanism or nonlinear structure in its own coordinates",
       "pendulum, n_pendulum, duffing, spring_pendulum, planet, planar_rod, slider_crank or "
       "stvk_bar",
       "named points, e.g. bob; coordinates from 0",
       {{"with a mass that depends on q", lagrangian_traits(n_pendulum({}))},
        {"with constant mass", lagrangian_traits(duffing({}))}}},
      {BodyKind::particles,
       "particles",
       "point masses in space, with springs, gravity and drag",
       "particles",
       "particles, from 0",
       {{"with springs", particle_traits(true)}, {"without springs", particle_traits(false)}}},
      {BodyKind::rigid,
       "rigid",
       "bodies with shapes that move and turn",
       "rigid",
       "places [x, y, z] in the frame of the body",
       {{"", rigid_traits(false)}, {"that are balls", rigid_traits(true)}}},
      {BodyKind::pseudo_rigid,
       "pseudo-rigid",
       "bodies with shapes that turn, stretch and shear as a whole",
       "pseudo_rigid",
       "places [x, y, z] in the frame of the undeformed body",
       {{"", pseudo_rigid_traits(false)}, {"with strain-rate damping", pseudo_rigid_traits(true)}}},
      {BodyKind::fem,
       "fem",
       "a mesh of finite elements",
       "fem",
       "nodes, from 0; sets of nodes; places [x, y, z] in the frame of the mesh",
       {{"", fem_traits(MaterialLaw::st_venant_kirchhoff)},
        {"of linear material", fem_traits(MaterialLaw::linear)}}},
      {BodyKind::beam,
       "beam",
       "a thin beam that bends far",
       "beam",
       "places along the beam [m]; start, end",
       {{"", ElasticBeam({}).traits()}}}};
  return rows;
}

std::string kinds_for(const Scheme& scheme) {
  std::string whole, part;
  for (const KindRow& row : kinds()) {
    std::string some;
    std::size_t count = 0;
    for (const KindCase& one : row.cases) {
      if (!fits(scheme, one.traits)) continue;
      ++count;
      some += (some.empty() ? "" : " or ") + std::string(one.what);
    }
    if (count == row.cases.size())
      whole += (whole.empty() ? "" : ", ") + std::string(row.name);
    else if (count > 0)
      part += (part.empty() ? "" : ", ") + std::string(row.name) + (some.empty() ? "" : " " + some);
  }
  const char* const given = has(scheme.needs(), Trait::separable) ? ", all without damping" : "";
  return whole + (whole.empty() || part.empty() ? "" : "; ") + part + given;
}

}  // namespace saltus
