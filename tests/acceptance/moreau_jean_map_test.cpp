// docs/howto/siconos_moreau_jean.md row by row: for every public function of the Siconos class, a number of ours against
// the formula worked out here with dense matrices.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "run_scene.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/sim/inspect.h"
#include "support/count_malloc.h"
#include "support/dense.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;
using Newton = MoreauJeanOptions::Newton;

namespace {

constexpr double kStep = 0.01;  // [s]

/// Three degrees of freedom with full matrices, one load that turns.
struct System {
  Matrix M{{2.0, 0.3, 0.1}, {0.3, 1.5, 0.2}, {0.1, 0.2, 1.0}};
  Matrix C{{0.4, -0.1, 0.05}, {-0.1, 0.3, -0.02}, {0.05, -0.02, 0.2}};
  Matrix K{{50.0, -20.0, 3.0}, {-20.0, 40.0, -10.0}, {3.0, -10.0, 30.0}};
  Vector q0{{0.1, -0.2, 0.05}}, v0{{-1.0, 0.5, 2.0}};
  Signal shake = Signal::harmonic(3.0, 20.0, 0.4);

  LinearSystem parts() const {
    LinearSystem system;
    system.mass = SparseMatrix::from(M);
    system.damping = SparseMatrix::from(C);
    system.stiffness = SparseMatrix::from(K);
    system.load = Vector{{0.0, -2.0, 1.0}};
    system.loads = {{{{0, 1.0}}, shake}};
    return system;
  }
  MovingBody moving() const { return {std::make_shared<Linear>(parts()), q0, v0}; }
  Vector F(double t) const { return Vector{{shake.value(t), -2.0, 1.0}}; }
  Matrix A(double theta, double h = kStep) const {
    return M + h * theta * C + h * h * theta * theta * K;
  }
  // h C v0 + h K q0 + h^2 theta K v0 - h [(1 - theta) F(t0) + theta F(t1)]
  Vector residual(double theta, double h = kStep) const {
    return h * (C * v0) + h * (K * q0) + h * h * theta * (K * v0) -
           h * ((1.0 - theta) * F(0.0) + theta * F(h));
  }
  Vector v_free(double theta, double h = kStep) const {
    return v0 - solve_by_lu(A(theta, h), residual(theta, h));
  }
};

/// The settings of Siconos.
MoreauJeanOptions theta_of(double theta) {
  MoreauJeanOptions o;
  o.theta = theta;
  o.quadrature = MoreauJeanOptions::Quadrature::ends;
  return o;
}

NewtonImpact newton_impact(double e, const ActivationOptions& activation = {}) {
  NewtonImpact law;
  law.restitution = e;
  law.activation = activation;
  return law;
}

/// Degree of freedom `dof` of group 0 stays above `height`.
void stop(ModelParts& parts, int dof, double height, const AnyLaw& law) {
  add_stop(parts, {0, dof, Vector3::Zero()}, Vector3(0.0, 0.0, height), Vector3::UnitZ(), law);
}

double off(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// m q'' + c q' + k q + k3 q^3 = 0 with the numbers used below.
struct Duffing {
  double m = 1.3, k = 2.0, k3 = 400.0, c = 0.3, q0 = 0.3, v0 = 2.0;
  MovingBody moving() const {
    return {std::make_shared<Lagrangian>(duffing({m, k, k3, c})), Vector::Constant(1, q0),
            Vector::Constant(1, v0)};
  }
  double F(double q, double v) const { return -k * q - k3 * q * q * q - c * v; }
  double A(double theta, double q) const {
    return m + kStep * theta * c + kStep * kStep * theta * theta * (k + 3.0 * k3 * q * q);
  }
};

/// A mass that falls freely on a floor at 0 without weight: gap y0, rate u0.
ModelParts falling(double y0, double u0, const ActivationOptions& activation,
                   ContactInstant instant, double e = 0.5) {
  LinearSystem system;
  system.mass = SparseMatrix::identity(1);
  ModelParts parts = one_group(
      {std::make_shared<Linear>(system), Vector::Constant(1, y0), Vector::Constant(1, u0)},
      MoreauJeanOptions{}, kStep);
  stop(parts, 0, 0.0, newton_impact(e, activation));
  parts.options.instant = instant;
  return parts;
}
/// Whether the law holds in the step, by the index set and by the velocity after the step.
bool bounces(const ModelParts& parts) {
  Simulation sim{Model(parts)};
  const bool in = Inspection(sim).active(0);
  const double u0 = sim.state().groups[0].v[0], e = parts.laws[0]->facts().restitution;
  REQUIRE(sim.advance().converged);
  const double u1 = sim.state().groups[0].v[0];
  CHECK(u1 == doctest::Approx(in && u0 < 0.0 ? -e * u0 : u0).epsilon(1e-14));
  return in;
}
/// The same ball in a scene, 0.6 steps of flight above the floor, with these options of the scheme.
std::string scene(const std::string& options) {
  return "saltus: 1\ntime: {end: 10 ms, step: 10 ms}\ncontact: {instant: start}\nbodies:\n"
         "  - name: ball\n    kind: particles\n"
         "    particles: {mass: [1 kg], positions: [[0, 0, 6 mm]], velocities: [[0, 0, -1]]}\n"
         "    scheme: {kind: moreau-jean" +
         options +
         "}\ncontacts:\n  - on: ball\n    against: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
         "    law: {kind: newton-impact, restitution: 0.5}\n";
}
double speed_after(const std::string& options) {
  Simulation sim{build(read_scene_text(scene(options), "ball.yaml"))};
  REQUIRE(sim.advance().converged);
  return sim.state().groups[0].v[2];
}

}  // namespace

TEST_CASE(
    "map: without arguments theta is 1/2, gamma unused, and a step is the implicit midpoint rule") {
  const MoreauJeanOptions o;
  CHECK(o.theta == 0.5);
  CHECK_FALSE(o.gamma.has_value());
  CHECK_FALSE(o.forecasts());
  LinearSystem system = oscillator(2.0, 8.0, 0.6);
  Simulation sim{Model(one_group(
      {std::make_shared<Linear>(system), Vector::Constant(1, 0.3), Vector::Constant(1, -1.0)}, o,
      0.1))};
  REQUIRE(sim.advance().converged);
  // (2 + 0.05 0.6 + 0.0025 8) (v1 + 1) = - 0.1 (0.6 (-1) + 8 (0.3 - 0.05))
  const double v1 = -1.0 - 0.1 * (-0.6 + 8.0 * 0.25) / 2.05;
  CHECK(sim.state().groups[0].v[0] == doctest::Approx(v1).epsilon(1e-15));
  CHECK(sim.state().groups[0].q[0] == doctest::Approx(0.3 + 0.05 * (v1 - 1.0)).epsilon(1e-15));
}

TEST_CASE(
    "map: nothing is left of a body or scheme when the last model that contains it is destroyed") {
  std::weak_ptr<const Dynamics> body;
  std::weak_ptr<const Scheme> scheme;
  {
    ModelParts parts = one_group(System{}.moving(), MoreauJeanOptions{}, kStep);
    body = parts.groups[0].dynamics;
    scheme = parts.groups[0].scheme;
    const Model model(std::move(parts));
    CHECK(body.use_count() == 1);
    Simulation sim{model};
    Simulation twin{model};
    const Inspection step(sim);
    REQUIRE(twin.advance().converged);
    CHECK(body.use_count() == 1);  // models share one table of parts
    const Model other = model.with_ledger(false);
    CHECK(body.use_count() == 2);
  }
  CHECK(body.use_count() == 0);
  CHECK(scheme.use_count() == 0);
}

TEST_CASE("map: A is M + h theta C + h^2 theta^2 K, entry by entry") {
  const System system;
  for (double theta : {0.0, 0.3, 0.5, 0.7, 1.0}) {
    const Simulation sim{Model(one_group(system.moving(), theta_of(theta), kStep))};
    const Matrix A = Inspection(sim).matrix(0), by_hand = system.A(theta);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) CHECK(A(i, j) == doctest::Approx(by_hand(i, j)).epsilon(1e-15));
  }
}

TEST_CASE("map: A as it is kept from step to step is A, and another h makes another") {
  const System system;
  Simulation sim{Model(one_group(system.moving(), theta_of(0.7), kStep))};
  REQUIRE(sim.advance().converged);
  const Vector v1 = sim.state().groups[0].v;
  CHECK(off(v1, system.v_free(0.7)) <= 1e-15 * 10);
  CHECK(off(Inspection(sim).matrix(0), system.A(0.7)) <= 1e-15);
  CHECK(off(Inspection(sim, 0.5 * kStep).matrix(0), system.A(0.7, 0.5 * kStep)) <= 1e-15);
  REQUIRE(sim.advance(0.25 * kStep).converged);
  CHECK(off(Inspection(sim, 0.25 * kStep).inverse(0) * system.A(0.7, 0.25 * kStep),
            Matrix::Identity(3, 3)) <= 1e-14);
}

TEST_CASE("map: theta weighs velocities in the position and forces in the velocity") {
  const System system;
  for (double theta : {0.0, 0.5, 0.7, 1.0}) {
    Simulation sim{Model(one_group(system.moving(), theta_of(theta), kStep))};
    REQUIRE(sim.advance().converged);
    const Vector v1 = system.v_free(theta);
    const Vector q1 = system.q0 + kStep * (theta * v1 + (1.0 - theta) * system.v0);
    CHECK(off(sim.state().groups[0].v, v1) <= 1e-14);
    CHECK(off(sim.state().groups[0].q, q1) <= 1e-14);
  }
}

TEST_CASE("map: gamma is the forecast weight, and giving it a value uses it") {
  // 6 mm + gamma 10 ms (-1 m/s) <= 0 from gamma = 0.6 on; an active contact gives the ball 0.5 m/s
  CHECK(speed_after("") == -1.0);
  CHECK(speed_after(", gamma: 0.59") == -1.0);
  CHECK(speed_after(", gamma: 0.61") == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(speed_after(", gamma: 1") == doctest::Approx(0.5).epsilon(1e-14));
  MoreauJeanOptions o;
  o.gamma = 0.61;
  CHECK(o.forecasts());
}

TEST_CASE("map: use_gamma false leaves gamma unused, use_gamma alone is a weight of 1/2") {
  CHECK(speed_after(", gamma: 1, use_gamma: false") == -1.0);
  CHECK(speed_after(", gamma: 1, use_gamma: true") == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(speed_after(", use_gamma: true") == -1.0);
  const Model model = build(read_scene_text(scene(", use_gamma: true"), "ball.yaml"));
  CHECK(model.law(0).facts().activation->forecast == 0.5);
}

TEST_CASE("map: use_gamma_for_relation is accepted and changes no bit") {
  for (const char* gamma : {"", ", gamma: 0.61"})
    CHECK(speed_after(std::string(gamma) + ", use_gamma_for_relation: true") ==
          speed_after(std::string(gamma)));
  const System system;
  MoreauJeanOptions o = theta_of(0.7);
  o.use_gamma_for_relation = true;
  Simulation sim{Model(one_group(system.moving(), o, kStep))};
  REQUIRE(sim.advance().converged);
  CHECK(off(sim.state().groups[0].v, system.v_free(0.7)) <= 1e-14);
}

TEST_CASE("map: the position threshold admits contacts up to that gap") {
  // start, w = 1/2: 6 mm - 5 mm = 1 mm
  for (double threshold : {0.0, 0.9e-3, 1.1e-3})
    CHECK(bounces(falling(6e-3, -1.0, {0.5, threshold, 0.0, false}, ContactInstant::start)) ==
          (threshold > 1e-3));
  CHECK_FALSE(bounces(falling(-1e-3, -1.0, {0.5, -7e-3, 0.0, false}, ContactInstant::start)));
}

TEST_CASE("map: the velocity threshold admits closing rates up to that rate") {
  // u = -0.3 m/s with closing_only; without it the threshold is not read
  for (double threshold : {-0.31, -0.29, 0.0})
    CHECK(bounces(falling(0.0, -0.3, {0.5, 0.0, threshold, true}, ContactInstant::start)) ==
          (threshold >= -0.3));
  CHECK(bounces(falling(0.0, -0.3, {0.5, 0.0, -0.31, false}, ContactInstant::start)));
}

TEST_CASE("map: closing_only leaves a contact out that already opens") {
  const ActivationOptions any{0.5, 0.0, 0.0, false}, closing{0.5, 0.0, 0.0, true};
  // 20 mm inside, moving out at 2 m/s: -20 mm + 10 mm <= 0
  const ModelParts in = falling(-0.02, 2.0, any, ContactInstant::start),
                   out = falling(-0.02, 2.0, closing, ContactInstant::start);
  CHECK(Inspection(Simulation{Model(in)}).active() == std::vector<int>{0});
  CHECK(Inspection(Simulation{Model(out)}).active().empty());
  CHECK(Inspection(Simulation{Model(falling(-0.02, -2.0, closing, ContactInstant::start))})
            .active(0));
}

TEST_CASE("map: with frozen operators the law holds on the rows of the first pass") {
  // Two rods of length 1: x = sin a0 + sin a1, H = (cos a0, cos a1).
  using Operators = MoreauJeanOptions::Operators;
  for (Operators operators : {Operators::refreshed, Operators::frozen}) {
    MoreauJeanOptions o;
    o.operators = operators;
    const Vector v0{{2.0, 6.0}};
    ModelParts parts =
        one_group({std::make_shared<Lagrangian>(n_pendulum({})), Vector{{0.5, 0.9}}, v0}, o, kStep);
    const double x = std::sin(0.5) + std::sin(0.9);
    add_stop(parts, {0, 1, Vector3::Zero()}, Vector3(x + 0.01, 0.0, 0.0), -Vector3::UnitX(),
             newton_impact(0.4));
    CHECK(parts.groups[0].scheme->pass_limits().freeze_rows == (operators == Operators::frozen));
    Simulation sim{Model(parts)};
    const Inspection step(sim);
    const Vector predicted = step.position(0, step.free_velocity(0));
    const auto H = [](const Vector& q) { return Vector{{-std::cos(q[0]), -std::cos(q[1])}}; };
    CHECK(off(step.contact_rows(0).transpose(), H(predicted)) <= 1e-13);
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    REQUIRE(report.contacts == 1);
    const Vector law = sim.state().groups[0].v + 0.4 * v0;  // u1 + e u0 = H (v1 + e v0)
    const double at_prediction = std::abs(H(predicted).dot(law)),
                 at_end = std::abs(H(sim.state().groups[0].q).dot(law));
    if (operators == Operators::frozen) {
      CHECK(at_prediction <= 1e-12);
      CHECK(at_end >= 1e-3);
    } else {
      CHECK(at_prediction >= 1e-3);
      CHECK(at_end <= 0.01 * at_prediction);  // rows follow for the first passes
    }
  }
}

TEST_CASE("map: W of the contact problems is computed before the first step") {
  const System system;
  ModelParts parts = one_group(system.moving(), theta_of(0.7), kStep);
  stop(parts, 0, -5.0, newton_impact(0.5));
  stop(parts, 2, -5.0, newton_impact(0.5));
  const Inspection step{Simulation{Model(parts)}};
  Matrix H = Matrix::Zero(2, 3);
  H(0, 0) = H(1, 2) = 1.0;
  CHECK(off(step.contact_rows(0), H) == 0.0);
  CHECK(off(step.delassus(), H * inverse_of(system.A(0.7)) * H.transpose()) <= 1e-14);
}

TEST_CASE("map: a body takes its work vectors once, steps take nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  for (bool nonlinear : {false, true}) {
    const MovingBody body = nonlinear ? Duffing{}.moving() : System{}.moving();
    Simulation sim{Model(one_group(body, theta_of(0.5), kStep))};
    for (int k = 0; k < 3; ++k) REQUIRE(sim.advance().converged);
    const long before = allocations;
    bool converged = true;
    for (int k = 0; k < 100; ++k) converged = sim.advance().converged && converged;
    CHECK(allocations - before == 0);
    CHECK(converged);
  }
}

TEST_CASE("map: a contact takes its work vectors once, later impacts take nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  System system;
  system.shake = Signal::harmonic(60.0, 12.0);  // keeps it bouncing
  ModelParts parts = one_group(system.moving(), theta_of(0.5), kStep);
  stop(parts, 0, -0.05, newton_impact(0.8));
  Simulation sim{Model(parts)};
  int early = 0, impacts = 0;
  for (int k = 0; k < 1000; ++k) early += sim.advance().contacts;
  REQUIRE(early > 3);
  const long before = allocations;
  for (int k = 0; k < 1000; ++k) impacts += sim.advance().contacts;
  CHECK(allocations - before == 0);
  CHECK(impacts > 3);
}

TEST_CASE("map: there are two index sets, all pairs and the active ones") {
  ModelParts parts = one_group(System{}.moving(), theta_of(0.5), kStep);
  parts.options.instant = ContactInstant::start;
  const ActivationOptions half{0.5, 0.0, 0.0, false};
  // q0 = (0.1, -0.2, 0.05), v0 = (-1, 0.5, 2): g + h u/2
  stop(parts, 0, 0.096, newton_impact(0.0, half));   //  4 mm - 5 mm
  stop(parts, 1, -0.202, newton_impact(0.0, half));  //  2 mm + 2.5 mm
  stop(parts, 2, 0.065, newton_impact(0.0, half));   // -15 mm + 10 mm
  const Inspection step{Simulation{Model(parts)}};
  CHECK(step.known() == std::vector<int>{0, 1, 2});
  CHECK(step.active() == std::vector<int>{0, 2});
  CHECK(off(step.gaps(), Vector{{0.004, 0.002, -0.015}}) <= 1e-13);
}

TEST_CASE("map: A of a nonlinear body is that of the present iterate") {
  const Duffing d;
  for (double theta : {0.5, 0.7, 1.0}) {
    const Simulation sim{Model(one_group(d.moving(), theta_of(theta), kStep))};
    // the first iterate has v = v0, q = q0 + h v0
    CHECK(Inspection(sim).matrix(0)(0, 0) ==
          doctest::Approx(d.A(theta, d.q0 + kStep * d.v0)).epsilon(1e-14));
    MoreauJeanOptions mid = theta_of(theta);
    mid.quadrature = MoreauJeanOptions::Quadrature::mid;
    const Simulation other{Model(one_group(d.moving(), mid, kStep))};
    CHECK(Inspection(other).matrix(0)(0, 0) ==
          doctest::Approx(d.A(theta, d.q0 + kStep * theta * d.v0)).epsilon(1e-14));
  }
}

TEST_CASE("map: A^-1 is the inverse of A, which stays as it is") {
  const System system;
  for (double theta : {0.5, 1.0}) {
    const Inspection step{Simulation{Model(one_group(system.moving(), theta_of(theta), kStep))}};
    const Matrix before = step.matrix(0), inverse = step.inverse(0);
    CHECK(off(inverse * system.A(theta), Matrix::Identity(3, 3)) <= 1e-14);
    CHECK(off(step.matrix(0) * inverse, Matrix::Identity(3, 3)) <= 1e-14);
    CHECK((step.matrix(0) - before).cwiseAbs().maxCoeff() == 0.0);
  }
}

TEST_CASE("map: the columns of a prescribed component are those of the whole A") {
  const System system;
  LinearSystem held = system.parts();
  held.prescribed = {{2, Signal::harmonic(0.1, 5.0)}};
  const MovingBody body{std::make_shared<Linear>(held), system.q0.head(2), system.v0.head(2)};
  for (double theta : {0.5, 0.7, 1.0}) {
    const Inspection step{Simulation{Model(one_group(body, theta_of(theta), kStep))}};
    CHECK(off(step.prescribed_columns(0), system.A(theta).col(2)) <= 1e-15);
    CHECK(off(step.matrix(0), system.A(theta).topLeftCorner(2, 2)) <= 1e-15);
  }
}

// B_ij d_j, d the change of the prescribed velocity, is what moves the others: with K = C = 0 a step from rest gives
// M_ff v1 = - h M_fp u''_theta.
TEST_CASE("map: the columns of prescribed components carry their motion to the others") {
  const System system;
  LinearSystem held;
  held.mass = SparseMatrix::from(system.M);
  const Signal u = Signal::harmonic(0.1, 5.0, 0.7);
  held.prescribed = {{2, u}};
  const MovingBody body{std::make_shared<Linear>(held), Vector::Zero(2), Vector::Zero(2)};
  for (double theta : {0.5, 0.7, 1.0}) {
    Simulation sim{Model(one_group(body, theta_of(theta), kStep))};
    const Vector B = Inspection(sim).prescribed_columns(0).col(0).head(2);
    const double d = kStep * ((1.0 - theta) * u.second(0.0) + theta * u.second(kStep));
    const Matrix Mff = system.M.topLeftCorner(2, 2);
    REQUIRE(sim.advance().converged);
    CHECK(off(sim.state().groups[0].v, -inverse_of(Mff) * B * d) <= 1e-14);
  }
  // and of a nonlinear body: two bobs, the upper one moved, M_01 = m l0 l1 cos(a0 - a1) at the first iterate
  LagrangianOptions moved;
  moved.prescribed = {{0, Signal::constant(0.3)}};
  const MovingBody arms{std::make_shared<Lagrangian>(n_pendulum({}), moved),
                        Vector::Constant(1, -0.2), Vector::Zero(1)};
  const Inspection step{Simulation{Model(one_group(arms, theta_of(0.0), kStep))}};
  CHECK(step.prescribed_columns(0)(0, 0) == doctest::Approx(std::cos(0.5)).epsilon(1e-13));
  CHECK(step.prescribed_columns(0)(1, 0) == doctest::Approx(2.0).epsilon(1e-13));
}

TEST_CASE("map: Newton's method starts from v0, at q0 + h v0") {
  const Duffing d;
  const Inspection step{Simulation{Model(one_group(d.moving(), theta_of(0.7), kStep))}};
  const GroupState first = step.first_iterate(0);
  CHECK(first.v[0] == d.v0);
  CHECK(first.q[0] == doctest::Approx(d.q0 + kStep * d.v0).epsilon(1e-14));
}

TEST_CASE("map: the residual without contact is that of the formula, linear and nonlinear") {
  const System system;
  for (double theta : {0.5, 0.7, 1.0}) {
    const Inspection step{Simulation{Model(one_group(system.moving(), theta_of(theta), kStep))}};
    CHECK(off(step.residual(0), system.residual(theta)) <= 1e-13);
    CHECK(step.residual() == doctest::Approx(system.residual(theta).norm()).epsilon(1e-13));
    const Duffing d;
    const Inspection other{Simulation{Model(one_group(d.moving(), theta_of(theta), kStep))}};
    const double by_hand =
        -kStep * ((1.0 - theta) * d.F(d.q0, d.v0) + theta * d.F(d.q0 + kStep * d.v0, d.v0));
    CHECK(other.residual() == doctest::Approx(std::abs(by_hand)).epsilon(1e-13));
  }
}

TEST_CASE("map: the free velocity is v0 - A^-1 residual") {
  const System system;
  for (double theta : {0.5, 0.7, 1.0}) {
    const Inspection step{Simulation{Model(one_group(system.moving(), theta_of(theta), kStep))}};
    CHECK(off(step.free_velocity(0), system.v_free(theta)) <= 1e-14);
  }
}

TEST_CASE("map: the free output is H v_free against what is prescribed to move") {
  const System system;
  const Signal u = Signal::harmonic(0.1, 30.0, 0.7);
  LinearSystem table;
  table.mass = SparseMatrix::identity(2);
  table.prescribed = {{1, u}};
  ModelParts parts = one_group(system.moving(), theta_of(0.7), kStep);
  parts.groups.push_back({"table", "linear", std::make_shared<Linear>(table),
                          make_scheme(SchemeChoice(theta_of(0.5)))});
  GroupState rest;
  rest.q = rest.v = Vector::Zero(1);
  parts.initial.push_back(rest);
  stop(parts, 0, 0.0, newton_impact(0.5));
  parts.pairs[0].b = {1, {0, 1, Vector3::Zero()}};
  const Inspection step{Simulation{Model(parts)}};
  CHECK(step.start_output()[0] == doctest::Approx(system.v0[0] - u.rate(0.0)).epsilon(1e-14));
  CHECK(step.free_output()[0] ==
        doctest::Approx(system.v_free(0.7)[0] - u.rate(kStep)).epsilon(1e-14));
  CHECK(step.delassus()(0, 0) == doctest::Approx(inverse_of(system.A(0.7))(0, 0)).epsilon(1e-14));
}

TEST_CASE(
    "map: the right-hand side of the contact problem is b_v + e u0, and its solution is the step") {
  const System system;
  ModelParts parts = one_group(system.moving(), theta_of(0.7), kStep);
  stop(parts, 0, 0.099, newton_impact(0.6));
  Simulation sim{Model(parts)};
  const Inspection step(sim);
  const double b = system.v_free(0.7)[0] + 0.6 * system.v0[0], W = inverse_of(system.A(0.7))(0, 0);
  CHECK(step.right_hand_side()[0] == doctest::Approx(b).epsilon(1e-14));
  REQUIRE(b < 0.0);
  const StepReport report = sim.advance();
  CHECK(report.impulse == doctest::Approx(-b / W).epsilon(1e-13));
  CHECK(off(sim.state().groups[0].v,
            system.v_free(0.7) - inverse_of(system.A(0.7)).col(0) * (b / W)) <= 1e-13);
}

TEST_CASE("map: a contact enters where g + w h u <= threshold at the instant asked for") {
  // 9 mm above the floor at -1 m/s: 9 mm at the start, 4 mm midway, -1 mm at the end of the step
  const auto in = [](double w, ContactInstant instant) {
    return bounces(falling(9e-3, -1.0, {w, 0.0, 0.0, false}, instant));
  };
  CHECK_FALSE(in(0.5, ContactInstant::start));
  CHECK_FALSE(in(0.89, ContactInstant::start));
  CHECK(in(0.91, ContactInstant::start));
  CHECK_FALSE(in(0.0, ContactInstant::middle));
  CHECK_FALSE(in(0.39, ContactInstant::middle));
  CHECK(in(0.41, ContactInstant::middle));
  CHECK(in(0.0, ContactInstant::end));
}

TEST_CASE("map: a contact leaves where it entered, and then carries no impulse") {
  Simulation sim{Model(falling(9e-3, -1.0, {}, ContactInstant::end))};
  const Inspection at(sim);
  CHECK(at.active(0));
  const StepReport impact = sim.advance();
  CHECK(impact.impulse == doctest::Approx(1.5).epsilon(1e-14));  // m (0.5 + 1)
  // now at 9 mm - 10 ms (1 - 0.5)/2 = 6.5 mm, rising at 0.5 m/s
  CHECK(Inspection(sim).gaps()[0] == doctest::Approx(6.5e-3 + 5e-3).epsilon(1e-12));
  CHECK_FALSE(Inspection(sim).active(0));
  CHECK(sim.advance().impulse == 0.0);
}

TEST_CASE("map: each pass is linearised about the iterate of the previous pass") {
  const Duffing d;
  const double theta = 0.7;
  const auto q1 = [&](double v) { return d.q0 + kStep * (theta * v + (1.0 - theta) * d.v0); };
  const auto solved = [&](double v) {
    const double res =
        d.m * (v - d.v0) - kStep * ((1.0 - theta) * d.F(d.q0, d.v0) + theta * d.F(q1(v), v));
    return v - res / d.A(theta, q1(v));
  };
  MoreauJeanOptions o = theta_of(theta);
  o.newton = Newton::one_pass_refreshed;
  Simulation sim{Model(one_group(d.moving(), o, kStep))};
  CHECK(Inspection(sim).free_velocity(0)[0] == doctest::Approx(solved(d.v0)).epsilon(1e-14));
  REQUIRE(sim.advance().converged);
  CHECK(sim.state().groups[0].v[0] == doctest::Approx(solved(solved(d.v0))).epsilon(1e-14));
}

TEST_CASE("map: velocities advance alone by A^-1 (r - residual), positions stay") {
  const System system;
  const Model model(one_group(system.moving(), theta_of(0.7), kStep));
  const std::vector<Vector> r{Vector{{0.3, -0.2, 0.9}}};
  const State end = advance_velocity(model, initial_state(model), r);
  CHECK(off(end.groups[0].v,
            system.v0 + solve_by_lu(system.A(0.7), Vector(r[0] - system.residual(0.7)))) <= 1e-14);
  CHECK(end.groups[0].q == system.q0);
  CHECK(end.t == kStep);
  const double kinetic = 0.5 * end.groups[0].v.dot(system.M * end.groups[0].v);
  CHECK(end.energy.kinetic == doctest::Approx(kinetic).epsilon(1e-14));
}

TEST_CASE(
    "map: a run ends at the requested time with its last step shortened or if stop returns true") {
  const System system;
  Simulation sim{Model(one_group(system.moving(), theta_of(0.5), kStep))};
  const double end = 0.0437;
  const Reached whole = advance_until(sim, end);
  CHECK(whole.steps == 5);
  CHECK_FALSE(whole.stopped);
  CHECK(sim.state().t == end);
  Simulation by_hand{Model(one_group(system.moving(), theta_of(0.5), kStep))};
  for (int k = 0; k < 4; ++k) by_hand.advance();
  by_hand.advance(end - by_hand.state().t);
  CHECK(sim.state().groups[0].q == by_hand.state().groups[0].q);
  Simulation early{Model(one_group(system.moving(), theta_of(0.5), kStep))};
  const Reached stopped =
      advance_until(early, 1.0, [](const Simulation& at) { return at.state().t > 0.025; });
  CHECK(stopped.stopped);
  CHECK(early.state().t == doctest::Approx(0.03).epsilon(1e-14));
}

TEST_CASE("map: the position for a velocity is q0 + h (theta v1 + (1 - theta) v0)") {
  const System system;
  const Vector v1{{0.3, -4.0, 7.0}};
  for (double theta : {0.5, 0.7, 1.0}) {
    const Inspection step{Simulation{Model(one_group(system.moving(), theta_of(theta), kStep))}};
    CHECK(off(step.position(0, v1), system.q0 + kStep * (theta * v1 + (1.0 - theta) * system.v0)) <=
          1e-14);
    const Duffing d;
    const Inspection other{Simulation{Model(one_group(d.moving(), theta_of(theta), kStep))}};
    CHECK(other.position(0, Vector::Constant(1, -9.0))[0] ==
          doctest::Approx(d.q0 + kStep * (theta * -9.0 + (1.0 - theta) * d.v0)).epsilon(1e-14));
  }
}

TEST_CASE("map: an impulse moves velocities by A^-1 r and positions by h theta A^-1 r") {
  const System system;
  const Vector r{{0.3, -0.2, 0.9}};
  for (double theta : {0.5, 0.7, 1.0}) {
    const Inspection step{Simulation{Model(one_group(system.moving(), theta_of(theta), kStep))}};
    const GroupState end = step.update(0, r);
    const Vector v1 = system.v_free(theta) + solve_by_lu(system.A(theta), r);
    CHECK(off(end.v, v1) <= 1e-14);
    CHECK(off(end.q, system.q0 + kStep * (theta * v1 + (1.0 - theta) * system.v0)) <= 1e-14);
    CHECK(off(step.velocity(0, r), v1) <= 1e-14);
  }
}

TEST_CASE("map: the work of forces is h F_w . v_theta, one number per body") {
  const System system;
  for (double theta : {0.5, 0.7, 1.0}) {
    Simulation sim{Model(one_group(system.moving(), theta_of(theta), kStep))};
    const GroupState before = sim.state().groups[0];
    REQUIRE(sim.advance().converged);
    const GroupState& after = sim.state().groups[0];
    const auto F = [&](double t, const GroupState& at) -> Vector {
      return system.F(t) - system.K * at.q - system.C * at.v;
    };
    const Vector F_w = (1.0 - theta) * F(0.0, before) + theta * F(kStep, after);
    const double by_hand = kStep * F_w.dot((1.0 - theta) * before.v + theta * after.v);
    const Vector work = work_of_forces(sim.model().groups()[0], before, after, 0.0, kStep);
    REQUIRE(work.size() == 1);
    CHECK(work[0] == doctest::Approx(by_hand).epsilon(1e-13));
    if (theta == 0.5) {  // what forces do is what the kinetic energy gains
      const double gain =
          0.5 * after.v.dot(system.M * after.v) - 0.5 * before.v.dot(system.M * before.v);
      CHECK(work[0] == doctest::Approx(gain).epsilon(1e-12));
    }
  }
}

TEST_CASE("map: display names every option with its value, and the step with its numbers") {
  MoreauJeanOptions o = theta_of(0.7);
  o.gamma = 0.25;
  const std::string text = display(SchemeChoice(o));
  for (const char* line : {"\n  theta = 0.7: ", "\n  gamma = 0.25: ", "\n  use_gamma = not given: ",
                           "\n  quadrature = \"ends\": ", "\n  newton_iterations = 20: "}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  ModelParts parts = falling(9e-3, -1.0, {}, ContactInstant::end);
  const std::string step = Inspection(Simulation{Model(parts)}).text();
  CHECK(step.find("gain 0.5") != std::string::npos);
  CHECK(step.find("gap -0.001 m, rate -1 m/s, free rate -1 m/s, active") != std::string::npos);
}

// ---- The table itself ------------------------------------------------------------------------------------------------

TEST_CASE(
    "every public function of the Siconos class has a row, and every row a test that is here") {
  const std::vector<std::string> functions = {"MoreauJeanOSI",
                                              "~MoreauJeanOSI",
                                              "getW",
                                              "W",
                                              "getWBoundaryConditions",
                                              "WBoundaryConditions",
                                              "theta",
                                              "setTheta",
                                              "gamma",
                                              "setGamma",
                                              "useGamma",
                                              "setUseGamma",
                                              "useGammaForRelation",
                                              "setUseGammaForRelation",
                                              "setConstraintActivationThreshold",
                                              "constraintActivationThreshold",
                                              "setConstraintActivationThresholdVelocity",
                                              "constraintActivationThresholdVelocity",
                                              "explicitNewtonEulerDSOperators",
                                              "setExplicitNewtonEulerDSOperators",
                                              "activateWithNegativeRelativeVelocity",
                                              "setActivateWithNegativeRelativeVelocity",
                                              "initialize_nonsmooth_problems",
                                              "initializeWorkVectorsForDS",
                                              "initializeWorkVectorsForInteraction",
                                              "numberOfIndexSets",
                                              "initializeIterationMatrixW",
                                              "computeW",
                                              "Winverse",
                                              "_computeWBoundaryConditions",
                                              "_initializeIterationMatrixWBoundaryConditions",
                                              "computeInitialNewtonState",
                                              "computeResidu",
                                              "computeFreeState",
                                              "computeFreeOutput",
                                              "osnsp_rhs",
                                              "addInteractionInIndexSet",
                                              "removeInteractionFromIndexSet",
                                              "prepareNewtonIteration",
                                              "integrate",
                                              "updatePosition",
                                              "updateState",
                                              "computeWorkForces",
                                              "display"};
  const std::filesystem::path tests(SALTUS_TEST_DATA);
  const auto read = [](const std::filesystem::path& file) {
    std::ifstream in(file);
    REQUIRE_MESSAGE(in.good(), file.string());
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  };
  const std::string source = read(tests / "acceptance" / "moreau_jean_map_test.cpp");
  std::istringstream page(read(tests.parent_path() / "docs" / "howto" / "siconos_moreau_jean.md"));
  // | `function`, `function` | scene | C++ | difference | test |
  std::vector<std::string> named;
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> cells(1);
    for (char c : line.substr(1)) {
      if (c == '|')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (cells.size() != 6) continue;
    ++rows;
    std::istringstream names(cells[0]);
    for (std::string word; std::getline(names, word, '`');)
      if (word.find_first_not_of(" ,") != std::string::npos) named.push_back(word);
    for (std::size_t at = 1; at < cells[4].size();) {  // " name; name "
      const std::size_t end = std::min(cells[4].find(';', at), cells[4].size() - 1);
      const std::string name = cells[4].substr(at, end - at);
      at = end + 2;
      CAPTURE(name);
      CHECK(name.size() > 20);
      CHECK(source.find("\"map: " + name + "\"") != std::string::npos);
    }
  }
  CHECK(rows >= 30);
  CHECK(functions.size() == 44);
  for (const std::string& function : functions) {
    CAPTURE(function);
    CHECK(std::count(named.begin(), named.end(), function) == 1);
  }
  CHECK(named.size() == functions.size());
}
