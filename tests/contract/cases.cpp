#include "cases.h"

#include <algorithm>
#include <cmath>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/rigid.h"
#include "saltus/fem/fem.h"
#include "saltus/schemes/modal_exact.h"
#include "saltus/schemes/moreau_jean.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

namespace saltus::contract {

// A bar floating along a slanted line: a mode of frequency 0 with mass 2.5, two elastic ones, constant load.
Body modal_bar(Units u, bool loaded) {
  const Vector mass = Vector3(2.5, 1.0, 0.7) * u.mass, omega = Vector3(0.0, 20.0, 55.0) / u.time,
               sigma = Vector3(0.0, 0.4, 1.2) / u.time,
               load = Vector3(-24.0, 3.0, -2.0) * u.force();
  Matrix shape(3, 3);
  shape << 1.0, -1.0, 1.0, 1.0, 0.1, -1.0, 1.0, 1.0, 1.0;
  Body body;
  body.name = loaded ? "modal bar" : "modal bar without load";
  const ModalPlacement placement{Vector3(0.4, -0.2, 1.1) * u.length, Vector3(0.6, 0.8, 0.0),
                                 Vector3(-0.48, 0.36, 0.8)};
  body.dynamics = std::make_shared<Modal>(
      mass, omega, sigma, tabulated_shapes({0.0, 0.5 * u.length, 1.0 * u.length}, shape), placement,
      loaded ? load : Vector());
  body.state.q = Vector3(0.010, -0.004, 0.006) * u.length;
  body.state.v = Vector3(-0.8, 0.5, -0.3) * u.velocity();
  body.tip = {0, 0, Vector3(1.0 * u.length, 0.0, 0.0)};
  body.normal = Vector3(0.0, 0.6, 0.8);
  return body;
}

Body pendulum(Units u, double dashpot) {
  Body body;
  RailPendulum::Data data;
  data.dashpot = dashpot;
  body.name = "rail pendulum";
  body.dynamics = std::make_shared<RailPendulum>(data, u);
  body.state.q = Eigen::Vector2d(0.03 * u.length, 0.7);
  body.state.v = Eigen::Vector2d(-0.4 * u.velocity(), 2.0 / u.time);
  body.tip.feature = 1;
  body.normal = Vector3(-0.8, 0.0, 0.6);
  body.constant_rows = false;
  return body;
}

Body bead(Units u, bool fixed_points) {
  Body body;
  Bead::Data data;
  data.fixed_points = fixed_points;
  body.name = fixed_points ? "bead" : "bead without a table";
  body.dynamics = std::make_shared<Bead>(data, u);
  body.state.q = Vector3(0.1, 0.2, -0.05) * u.length;
  body.state.v = Vector3(0.7, -0.2, -1.1) * u.velocity();
  body.tip.local = Vector3(0.02, 0.0, -0.03) * u.length;
  body.normal = Vector3(0.0, 0.6, 0.8);
  return body;
}

Body rigid(Units u, Rigid::Tangent tangent) {
  Body body;
  Rigid::Data data;
  data.tangent = tangent;
  body.name =
      tangent == Rigid::Tangent::exact ? "rigid body" : "rigid body with symmetrised tangent";
  body.dynamics = std::make_shared<Rigid>(data, u);
  body.state.q.resize(7);
  body.state.q << 0.1 * u.length, -0.3 * u.length, 0.8 * u.length, 0.7, 0.1, -0.5, 0.5;
  body.state.v.resize(6);
  body.state.v.head<3>() = Vector3(0.3, -0.1, -1.2) * u.velocity();
  body.state.v.tail<3>() = Vector3(2.0, -1.5, 3.0) / u.time;
  body.tip.local = Vector3(0.11, -0.06, -0.09) * u.length;
  body.normal = Vector3(0.36, -0.48, 0.8);
  body.constant_rows = false;
  body.exact_tangents = tangent == Rigid::Tangent::exact;
  return body;
}

namespace {

SparseMatrix scaled(Matrix entries, double unit) { return SparseMatrix::from(entries * unit); }

Load drive(int dof, double amplitude, double omega, const Units& u) {
  return {{{dof, 1.0}}, Signal::harmonic(amplitude * u.force(), omega / u.time, 0.4)};
}

}  // namespace

Body linear_system(Units u, bool gyroscopic) {
  Matrix M(4, 4), C(4, 4), K(4, 4), G = Matrix::Zero(4, 4);
  M << 1.3, 0.2, -0.1, 0.05, 0.2, 1.1, 0.15, 0.0, -0.1, 0.15, 0.9, 0.0, 0.05, 0.0, 0.0, 0.5;
  C << 0.5, -0.2, 0.0, -0.1, -0.2, 0.6, -0.1, 0.0, 0.0, -0.1, 0.3, 0.0, -0.1, 0.0, 0.0, 0.1;
  K << 60.0, -40.0, 0.0, -20.0, -40.0, 90.0, -50.0, 0.0, 0.0, -50.0, 50.0, 0.0, -20.0, 0.0, 0.0,
      20.0;
  if (gyroscopic) {
    G(0, 1) = 0.7;
    G(1, 2) = 0.4;
    G -= G.transpose().eval();
  }
  const double rate = 1.0 / u.time;
  LinearSystem system;
  system.mass = scaled(M, u.mass);
  system.damping = scaled(C + G, u.mass * rate);
  system.stiffness = scaled(K, u.mass * rate * rate);
  system.rayleigh = {0.3 * rate, 0.004 * u.time};
  system.load = Eigen::Vector4d(0.5, -1.0, -6.0, 0.0) * u.force();
  system.loads.push_back(drive(1, 1.5, 3.0, u));
  const Signal ground =
      gyroscopic ? Signal::harmonic(0.02 * u.length, 5.0 * rate, -1.5) : Signal::constant(0.0);
  system.prescribed.push_back({3, ground});
  const Vector3 along(0.0, 0.6, 0.8);
  for (int i = 0; i < 4; ++i)
    system.points.push_back({Vector3(0.2 * i, 0.1, -0.3) * u.length, along});
  Body body;
  body.name = gyroscopic ? "linear system with gyroscopic damping" : "linear system";
  body.dynamics = std::make_shared<Linear>(system);
  body.state.q = Vector3(0.02, -0.01, 0.03) * u.length;
  body.state.v = Vector3(-0.3, 0.2, -0.9) * u.velocity();
  body.tip.feature = 2;
  body.normal = Vector3(0.0, 0.8, 0.6);
  return body;
}

Body particles(Units u, bool damped) {
  const double stiffness = u.force() / u.length, damping = u.force() / u.velocity();
  ParticleSystem system;
  system.mass = Eigen::Vector2d(1.2, 0.7) * u.mass;
  system.springs.push_back(
      {0, 1, 120.0 * stiffness, 0.5 * u.length, 0.8 * damping, Vector3::Zero()});
  system.springs.push_back(
      {0, -1, 80.0 * stiffness, 0.6 * u.length, 0.0, Vector3(0.0, 0.0, 1.2) * u.length});
  system.gravity = Vector3(0.4, -0.3, -9.81) * u.acceleration();
  if (damped) {
    system.drag = 0.2 * damping;
    system.rayleigh.mass = 0.1 / u.time;
  } else {
    system.springs[0].damping = 0.0;
  }
  system.loads.push_back(drive(3, 1.0, 4.0, u));
  Body body;
  body.name = damped ? "particles on springs" : "particles on springs without damping";
  body.dynamics = std::make_shared<Particles>(system);
  body.state.q.resize(6);
  body.state.q << 0.05, -0.02, 0.6, 0.1, 0.1, 0.15;
  body.state.q *= u.length;
  body.state.v.resize(6);
  body.state.v << 0.2, 0.1, -0.1, 0.3, -0.2, -0.9;
  body.state.v *= u.velocity();
  body.tip.feature = 1;
  body.tip.local = Vector3(0.01, 0.0, -0.02) * u.length;
  body.normal = Vector3(0.0, 0.6, 0.8);
  body.exact_tangents = false;  // K without the turn of dashpots
  return body;
}

Body spring_pendulum(Units u) {
  SpringPendulumData data;
  data.mass = 0.8 * u.mass;
  data.stiffness = 60.0 * u.force() / u.length;
  data.length = 0.9 * u.length;
  data.gravity = 9.81 * u.acceleration();
  data.pivot = Vector3(0.1, 0.0, 0.2) * u.length;
  LagrangianOptions options;
  options.rayleigh = {0.15 / u.time, 0.002 * u.time};
  options.loads.push_back(drive(0, 0.7, 4.0, u));
  Body body;
  body.name = "spring pendulum";
  body.dynamics = std::make_shared<Lagrangian>(saltus::spring_pendulum(data), options);
  body.state.q = Eigen::Vector2d(0.35, -0.75) * u.length;
  body.state.v = Eigen::Vector2d(0.6, -0.8) * u.velocity();
  body.normal = Vector3::UnitZ();
  body.constant_rows = false;  // by its own word: rows are asked for at every q
  body.exact_tangents = false;
  return body;
}

Body double_pendulum(Units u) {
  NPendulumData data;
  data.mass = {0.9 * u.mass, 0.6 * u.mass};
  data.length = {0.5 * u.length, 0.4 * u.length};
  data.gravity = 9.81 * u.acceleration();
  Body body;
  body.name = "double pendulum";
  body.dynamics = std::make_shared<Lagrangian>(n_pendulum(data));
  body.state.q = Eigen::Vector2d(0.5, 0.6);
  body.state.v = Eigen::Vector2d(0.4, -2.5) / u.time;
  body.tip.feature = 1;
  body.normal = Vector3(0.6, 0.0, 0.8);
  body.constant_rows = false;
  return body;
}

Body top(Units u, bool braked) {
  const Matrix3 R = exp_rotation(Vector3(0.4, -0.9, 0.3)).toRotationMatrix();
  const Vector3 J = Vector3(0.021, 0.034, 0.047) * (u.mass * u.length * u.length);
  RigidSystem system;
  system.bodies.push_back({1.3 * u.mass, R * J.asDiagonal() * R.transpose(), {}});
  system.gravity = Vector3(0.2, -0.1, -9.81) * u.acceleration();
  if (braked) {
    system.drag = 0.2 * u.mass / u.time;
    system.spin_drag = 0.002 * u.mass * u.length * u.length / u.time;
  }
  const Signal signal = Signal::harmonic(1.0, 4.0 / u.time, 0.4);
  system.loads.push_back({0, false, false, Vector3(0.3, 0.5, -0.2) * u.force(),
                          Vector3(0.05, 0.0, 0.1) * u.length, signal});
  system.loads.push_back({0, true, true, Vector3(0.02, -0.03, 0.05) * (u.force() * u.length),
                          Vector3::Zero(), signal});
  Body body = rigid(u);
  body.name = braked ? "top" : "top without drag";
  body.dynamics = std::make_shared<saltus::Rigid>(system);
  return body;
}

Body pseudo_rigid(Units u, bool convected) {
  const Matrix3 R = exp_rotation(Vector3(0.4, -0.9, 0.3)).toRotationMatrix();
  const Vector3 E0 = Vector3(0.02, 0.013, 0.03) * (u.mass * u.length * u.length);
  Material material;
  material.law = convected ? MaterialLaw::neo_hooke : MaterialLaw::st_venant_kirchhoff;
  material.young = 600.0 * u.force() / (u.length * u.length);
  PseudoRigidSystem system;
  system.bodies.push_back(
      {1.3 * u.mass, 0.024 * std::pow(u.length, 3), R * E0.asDiagonal() * R.transpose(), material});
  system.gravity = Vector3(0.2, -0.1, -9.81) * u.acceleration();
  system.eta = 2e-3 * u.time;
  if (convected) system.viscosity = Viscosity::strain_rate;
  system.loads.push_back({0, convected, Vector3(0.3, 0.5, -0.2) * u.force(),
                          Vector3(0.05, 0.0, 0.1) * u.length,
                          Signal::harmonic(1.0, 4.0 / u.time, 0.4)});
  Body body;
  body.name = convected ? "pseudo-rigid body with a convected load" : "pseudo-rigid body";
  body.dynamics = std::make_shared<PseudoRigid>(system);
  body.state.q.resize(12);
  body.state.q << 1.05, 0.02, 0.0, -0.04, 0.96, 0.03, 0.0, 0.05, 1.02, 0.1, -0.3, 0.8;
  body.state.q.tail<3>() *= u.length;
  body.state.v.resize(12);
  body.state.v << 0.4, -1.6, 0.9, 2.0, -0.5, -1.1, -0.6, 1.5, 0.3, 0.3, -0.1, -1.2;
  body.state.v /= u.time;
  body.state.v.tail<3>() *= u.length;
  body.tip.local = Vector3(0.2, -0.15, -0.1) * u.length;
  body.normal = Vector3(0.36, -0.48, 0.8);
  body.exact_tangents = convected;
  return body;
}

Body triangles(Units u) {
  FemSystem system;
  system.mesh =
      box_mesh({ElementKind::tri3, {1, 1, 0}, Vector3(0.5, 0.4, 0.0) * u.length, Vector3::Zero()});
  Material material;
  material.law = MaterialLaw::neo_hooke;
  material.young = 400.0 * u.force() / (u.length * u.length);
  material.density = 12.0 * u.mass / std::pow(u.length, 3);
  system.materials.push_back({material, PlaneState::stress, 0.3 * u.length, 1.0});
  system.mass = MassForm::consistent;
  system.rayleigh.mass = 0.1 / u.time;
  system.gravity = Vector3(0.4, -9.81, 0.0) * u.acceleration();
  system.loads.push_back(drive(9, 1.0, 4.0, u));
  system.prescribed = fixed_nodes(std::vector{0}, std::vector{0, 1});
  Body body;
  body.name = "two triangles of rubber";
  body.dynamics = std::make_shared<Fem>(system);
  body.state.q.resize(6);
  body.state.q << 0.02, -0.01, 0.01, -0.015, 0.03, 0.01;
  body.state.q *= u.length;
  body.state.v.resize(6);
  body.state.v << 0.2, -0.3, 0.1, -0.2, -0.3, -0.9;
  body.state.v *= u.velocity();
  body.tip.feature = 3;
  body.normal = Vector3(0.6, 0.8, 0.0);
  return body;
}

Body elastic_beam(Units u) {
  BeamSystem system;
  system.section = {15.0 * u.force(), 0.02 * u.force() * u.length * u.length,
                    1.5 * u.mass / u.length};
  system.length = 0.9 * u.length;
  system.elements = 2;
  system.axis = Vector3(0.6, 0.0, 0.8);
  system.across = Vector3(0.8, 0.0, -0.6);
  system.rayleigh.mass = 0.2 / u.time;
  system.gravity = Vector3(0.3, -0.2, -9.81) * u.acceleration();
  system.loads.push_back(drive(13, 0.6, 4.0, u));
  system.held = pinned_node(0);
  Body body;
  body.name = "beam on a pin";
  const auto beam = std::make_shared<ElasticBeam>(system);
  body.dynamics = beam;
  body.state.q.resize(15);
  body.state.v.resize(15);
  for (int i = 0; i < 15; ++i) {
    const bool slope = (i + 3) / 3 % 2 == 1;
    body.state.q[i] = (slope ? 0.05 : 0.01 * u.length) * std::sin(1.7 * i + 0.3);
    body.state.v[i] = (slope ? 0.4 / u.time : 0.5 * u.velocity()) * std::cos(1.3 * i);
  }
  body.tip = beam->point(0.9 * u.length);
  body.normal = Vector3(0.48, 0.6, -0.64);
  const Vector3 velocity = Vector3(0.6, 0.0, 0.8) * body.state.v[9] +
                           Vector3(0.8, 0.0, -0.6) * body.state.v[10] +
                           Vector3(0.0, 1.0, 0.0) * body.state.v[11];
  if (velocity.dot(body.normal) > 0.0) body.normal = -body.normal;
  return body;
}

std::vector<Body> bodies(Units u) {
  return {pseudo_rigid(u),
          pseudo_rigid(u, true),
          modal_bar(u),
          linear_system(u),
          linear_system(u, true),
          particles(u),
          particles(u, false),
          triangles(u),
          elastic_beam(u),
          spring_pendulum(u),
          double_pendulum(u),
          top(u),
          top(u, false),
          pendulum(u),
          bead(u),
          bead(u, false),
          rigid(u),
          rigid(u, Rigid::Tangent::symmetrised)};
}

std::shared_ptr<const Scheme> moreau_jean(double theta) {
  MoreauJeanOptions options;
  options.theta = theta;
  return make_moreau_jean(options);
}

std::shared_ptr<const Scheme> modal_exact() { return make_modal_exact({}); }

std::vector<SchemeCase> scheme_cases() {
  std::vector<SchemeCase> cases;
  for (const test::OrderRow& row : test::scheme_orders())
    cases.push_back(
        {row.label, make_scheme(row.scheme), row.exact ? 0.0 : row.dashpot.q, row.one_solve});
  return cases;
}

SchemeCase scheme_case(const std::string& name) {
  const std::vector<SchemeCase> cases = scheme_cases();
  const auto at = std::find_if(cases.begin(), cases.end(),
                               [&](const SchemeCase& scheme) { return scheme.name == name; });
  return at == cases.end() ? SchemeCase{} : *at;
}

// Generalised-alpha carries two accelerations that q and v do not tell; one linear solve leaves another acceleration.
bool Pair::starts_exactly() const {
  return scheme.name.rfind("generalized-alpha", 0) != 0 && !(scheme.one_solve && body.curved());
}

bool legal(const Scheme& scheme, const Dynamics& body) {
  return (scheme.needs() & ~body.traits()) == 0 && (scheme.refuses() & body.traits()) == 0;
}

namespace {

std::vector<Pair> pairs(bool wanted, Units units) {
  std::vector<Pair> found;
  const std::vector<SchemeCase> cases = scheme_cases();
  for (const Body& body : bodies(units))
    for (const SchemeCase& scheme : cases)
      if (legal(*scheme.scheme, *body.dynamics) == wanted) found.push_back({body, scheme});
  return found;
}

}  // namespace

std::vector<Pair> legal_pairs(Units units) { return pairs(true, units); }
std::vector<Pair> illegal_pairs() { return pairs(false, {}); }

NewtonImpact newton_impact(double restitution) {
  NewtonImpact law;
  law.restitution = restitution;
  return law;
}
SignoriniPosition signorini() { return {}; }
Equality equality() { return {}; }

void add_group(ModelParts& parts, const Body& body, std::shared_ptr<const Scheme> scheme) {
  parts.groups.push_back({body.name, body.name, body.dynamics, std::move(scheme)});
  parts.initial.push_back(body.state);
}

ModelParts parts(const Body& body, std::shared_ptr<const Scheme> scheme, double h) {
  ModelParts parts;
  add_group(parts, body, std::move(scheme));
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  return parts;
}

void add_pair(ModelParts& parts, ContactSide a, ContactSide b, const Vector3& normal,
              const AnyLaw& law) {
  parts.laws.push_back(law);
  parts.pairs.push_back({parts.pairs.size() + 1, std::move(a), std::move(b), normal,
                         static_cast<int>(parts.laws.size()) - 1});
}

void add_plane(ModelParts& parts, int group, const PointRef& point, const Vector3& place,
               const Vector3& normal, const AnyLaw& law) {
  add_pair(parts, {group, point}, {-1, {0, 0, place}}, normal, law);
}

ModelParts above_plane(const Pair& pair, const AnyLaw& law, double h, double height) {
  const Body& body = pair.body;
  ModelParts made = parts(body, pair.scheme.scheme, h);
  const Vector3 tip = point_at(*body.dynamics, body.state.q, body.tip);
  add_plane(made, 0, body.tip, tip - height * body.normal, body.normal, law);
  return made;
}

}  // namespace saltus::contract
