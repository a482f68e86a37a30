#include "saltus/bodies/pseudo_rigid.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../support/one_group.h"
#include "body_checks.h"
#include "saltus/base/error.h"
#include "saltus/sim/failure_text.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Matrix3 turn(const Vector3& w) { return exp_rotation(w).toRotationMatrix(); }

Material material(MaterialLaw law, double young = 4e3) {
  Material m;
  m.law = law;
  m.young = young;
  m.poisson = 0.3;
  m.density = 900.0;
  m.c10 = 500.0;
  m.c01 = 200.0;
  m.bulk = 3e3;
  return m;
}

constexpr std::array kLaws{MaterialLaw::linear, MaterialLaw::st_venant_kirchhoff,
                           MaterialLaw::neo_hooke, MaterialLaw::mooney_rivlin,
                           MaterialLaw::corotated};

Matrix3 euler_about(const Vector3& principal, const Vector3& w) {
  const Matrix3 R = turn(w);
  return R * principal.asDiagonal() * R.transpose();
}

/// Two bodies of one law, everything that acts.
PseudoRigidSystem pair(MaterialLaw law, Viscosity viscosity) {
  PseudoRigidSystem s;
  s.bodies.push_back({1.3, 0.02, euler_about({0.02, 0.01, 0.03}, {0.3, -1.0, 0.2}), material(law)});
  s.bodies.push_back(
      {0.6, 0.01, euler_about({0.005, 0.003, 0.007}, {1.0, 0.4, -0.7}), material(law, 2e3)});
  s.gravity = Vector3(0.2, -0.1, -9.81);
  s.eta = 0.02;
  s.viscosity = viscosity;
  const Vector3 at(0.1, -0.2, 0.3), along(0.5, 1.0, -0.7);
  const Signal signal = Signal::constant(1.2);
  s.loads = {{1, true, along, at, signal},
             {0, false, along, at, signal},
             {0, true, 2.0 * along, -at, signal},
             {1, false, along, Vector3::Zero(), signal}};
  return s;
}

Vector place() {
  Vector q(24);
  q << 1.1, 0.2, -0.1, -0.1, 0.9, 0.15, 0.05, -0.2, 1.05, 0.3, -0.4, 0.5,  //
      0.8, -0.5, 0.1, 0.6, 0.9, 0.0, 0.1, 0.2, 1.2, -0.1, 0.7, 0.2;
  return q;
}
Vector rate() {
  Vector v(24);
  for (int i = 0; i < 24; ++i) v[i] = std::sin(1.7 * i + 0.3);
  return v;
}
const Vector kPlace = place(), kRate = rate();

/// q or v turned as a whole: F -> Q F, x -> Q x.
Vector turned(const Matrix3& Q, const Vector& q) {
  Vector out = q;
  for (Eigen::Index i = 0; i < q.size(); i += 12) {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> F(&out[i]);
    F = (Q * F).eval();
    out.segment<3>(i + 9) = Q * q.segment<3>(i + 9);
  }
  return out;
}

std::string message(const PseudoRigidSystem& s) {
  try {
    const PseudoRigid body(s);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool says(const PseudoRigidSystem& s, const std::string& text) {
  const std::string said = message(s);
  CAPTURE(said);
  return said.find(text) != std::string::npos && said.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("C and K of a pseudo-rigid body are the slopes of its force, for every law") {
  for (const MaterialLaw law : kLaws)
    for (const Viscosity viscosity : {Viscosity::strain_rate, Viscosity::current_tangent}) {
      CAPTURE(name_of(law));
      PseudoRigidSystem system = pair(law, viscosity);
      const PseudoRigid body(system);
      const double t = 0.3;
      const Matrix C = matrix(body, {0.0, 1.0, 0.0}, kPlace, kRate);
      const Matrix slope_v =
          slope([&](const Vector& v) { return force(body, t, kPlace, v); }, kRate);
      CHECK(largest(C + slope_v) <= 1e-8 * largest(C));
      // of Solfec's damping K leaves out the change of the tangent: it is that of a body at rest
      const Vector v = viscosity == Viscosity::strain_rate ? kRate : Vector(0.0 * kRate);
      const Matrix K = matrix(body, {0.0, 0.0, 1.0}, kPlace, v);
      const Matrix slope_q = slope([&](const Vector& q) { return force(body, t, q, v); }, kPlace);
      CHECK(largest(K + slope_q) <= 1e-8 * largest(K));
    }
}

TEST_CASE("the mass matrix is E0 for every row of F and m for the place") {
  const PseudoRigidSystem system = pair(MaterialLaw::neo_hooke, Viscosity::strain_rate);
  const PseudoRigid body(system);
  const Matrix M = matrix(body, {1.0, 0.0, 0.0}, kPlace, kRate);
  Matrix expected = Matrix::Zero(24, 24);
  for (int b = 0; b < 2; ++b) {
    const PseudoRigidBody& one = system.bodies[static_cast<std::size_t>(b)];
    for (int i = 0; i < 3; ++i) {
      expected.block<3, 3>(12 * b + 3 * i, 12 * b + 3 * i) = one.euler;
      expected(12 * b + 9 + i, 12 * b + 9 + i) = one.mass;
    }
  }
  CHECK(largest(M - expected) <= 1e-16);
}

TEST_CASE(
    "factors of pseudo-rigid bodies invert every combination and say whether it is symmetric") {
  for (const Viscosity viscosity : {Viscosity::strain_rate, Viscosity::current_tangent})
    for (const bool convected : {true, false}) {
      PseudoRigidSystem system = pair(MaterialLaw::st_venant_kirchhoff, viscosity);
      if (!convected)
        std::erase_if(system.loads, [](const PseudoRigidLoad& l) { return l.convected; });
      const PseudoRigid body(system);
      Factor A;
      for (const Combination s : {Combination{1.0, 0.0, 0.0}, Combination{1.0, 0.02, 0.0},
                                  Combination{1.0, 0.02, 0.004}, Combination{2.0, 0.0, 0.0}}) {
        body.factorise(s, 0.0, kPlace, kRate, A);
        const Matrix dense = matrix(body, s, kPlace, kRate);
        Matrix X = dense;
        solve(A, X);
        CHECK(largest(X - Matrix::Identity(24, 24)) <= 1e-13);
        CHECK(symmetric(A) == (largest(dense - dense.transpose()) <= 1e-14 * largest(dense)));
      }
      CHECK(has(body.traits(), Trait::symmetric) ==
            (!convected && viscosity == Viscosity::current_tangent));
    }
}

TEST_CASE("points and their rows: x + F X, columns of the body alone, a table that repeats them") {
  const PseudoRigid body(pair(MaterialLaw::corotated, Viscosity::strain_rate));
  const std::vector<PointRef> at{{1, 0, Vector3(0.1, -0.4, 0.2)}, {0, 0, Vector3(0.3, 0.0, -0.1)}};
  const std::vector<Vector3> n{Vector3(0.6, 0.0, 0.8), Vector3(0.0, -0.8, 0.6)};
  Vector x(6);
  body.points(0.0, kPlace, at, x);
  CHECK(x[0] == doctest::Approx(-0.1 + 0.1 * 0.8 + 0.4 * 0.5 + 0.2 * 0.1).epsilon(1e-15));
  const auto table = body.table(at, n);
  PointScratch scratch;
  Vector y(2), r = Vector::Zero(24);
  table->apply(kPlace, scratch, y);
  for (int i = 0; i < 2; ++i)
    CHECK(y[i] + table->rest()[i] ==
          doctest::Approx(n[static_cast<std::size_t>(i)].dot(x.segment<3>(3 * i))).epsilon(1e-14));
  const std::vector<int> second{1};
  Vector p = Vector::Constant(1, 2.5);
  table->accumulate(second, p, scratch, r);
  CHECK(largest(r.tail(12)) == 0.0);
  Vector y_second(1);
  table->apply(second, kRate, scratch, y_second);
  CHECK(r.dot(kRate) == doctest::Approx(2.5 * y_second[0]).epsilon(1e-14));
  Factor A;
  body.factorise({1.0, 0.0, 0.0}, 0.0, kPlace, kRate, A);
  Matrix D;
  table->response(A, D);
  CHECK(D == D.transpose());
  CHECK(D(0, 1) == 0.0);
  const PseudoRigidBody& one = body.system().bodies[0];
  CHECK(D(1, 1) ==
        doctest::Approx(1.0 / one.mass + at[1].local.dot(one.euler.inverse() * at[1].local))
            .epsilon(1e-13));
}

TEST_CASE("a convected force turns and stretches with the body, a force in space does not") {
  PseudoRigidSystem system = pair(MaterialLaw::st_venant_kirchhoff, Viscosity::strain_rate);
  system.eta = 0.0;
  system.gravity.setZero();
  const Vector3 f0(0.5, 1.0, -0.7);
  for (const bool convected : {true, false}) {
    system.loads = {{0, convected, f0, Vector3(0.1, -0.2, 0.3), Signal::harmonic(1.5, 3.0, 0.4)}};
    const PseudoRigid body(system);
    Vector f(24);
    body.force(0.25, kPlace, kRate, f);
    const Vector3 value = Signal::harmonic(1.5, 3.0, 0.4).value(0.25) * f0;
    const Vector3 expected = convected ? Vector3(body.deformation(kPlace) * value) : value;
    CHECK((f.segment<3>(9) - expected).norm() <= 1e-15);
  }
}

TEST_CASE("a stressed body turned as a whole keeps its energy and turns its stress and forces") {
  const Matrix3 Q = turn({0.9, -1.4, 0.3});
  for (const MaterialLaw law : kLaws) {
    if (law == MaterialLaw::linear) continue;
    CAPTURE(name_of(law));
    PseudoRigidSystem system = pair(law, Viscosity::strain_rate);
    system.gravity.setZero();
    std::erase_if(system.loads, [](const PseudoRigidLoad& l) { return !l.convected; });
    const PseudoRigid body(system);
    const Vector q = turned(Q, kPlace), v = turned(Q, kRate);
    const Energy a = body.energy(0.0, kPlace, kRate), b = body.energy(0.0, q, v);
    CHECK(b.kinetic == doctest::Approx(a.kinetic).epsilon(1e-12));
    CHECK(b.potential == doctest::Approx(a.potential).epsilon(1e-12));
    const Vector f = force(body, 0.3, kPlace, kRate);
    CHECK((force(body, 0.3, q, v) - turned(Q, f)).norm() <= 1e-12 * f.norm());
    for (int i : {0, 1}) {
      const Matrix3 sigma = body.stress(kPlace, i);
      CHECK((body.stress(q, i) - Q * sigma * Q.transpose()).norm() <= 1e-12 * sigma.norm());
    }
  }
}

TEST_CASE("strain-rate damping does not feel a rigid turn, that of the current tangent brakes it") {
  const Vector3 Omega(0.7, -1.1, 2.0);
  for (const Viscosity viscosity : {Viscosity::strain_rate, Viscosity::current_tangent}) {
    PseudoRigidSystem system = pair(MaterialLaw::st_venant_kirchhoff, viscosity);
    const PseudoRigid body(system);
    // F' = Omega^ F, a turn of the deformed body
    Vector v = Vector::Zero(24);
    for (int b = 0; b < 2; ++b) {
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> F_(&v[12 * b]);
      F_ = skew(Omega) * body.deformation(kPlace, b);
    }
    const double power = powers(body, 0.0, kPlace, v, v)[2];
    REQUIRE(body.sources()[2].name == "damping");
    if (viscosity == Viscosity::strain_rate)
      CHECK(std::abs(power) <= 1e-14);
    else
      CHECK(std::abs(power) > 0.1);
    // it never feeds energy in
    if (viscosity == Viscosity::strain_rate)
      CHECK(powers(body, 0.0, kPlace, kRate, kRate)[2] < 0.0);
  }
}

TEST_CASE("powers of all sources add up to F . w, open ones are what the energy gains") {
  for (const MaterialLaw law : kLaws)
    for (const Viscosity viscosity : {Viscosity::strain_rate, Viscosity::current_tangent}) {
      CAPTURE(name_of(law));
      const PseudoRigid body(pair(law, viscosity));
      const Vector w = kRate.reverse();
      const Vector p = powers(body, 0.3, kPlace, kRate, w);
      CHECK(p.sum() == doctest::Approx(force(body, 0.3, kPlace, kRate).dot(w)).epsilon(1e-12));
      const double gained = energy_rate(body, 0.3, kPlace, kRate, 1e-6);
      CHECK(gained == doctest::Approx(input(body, 0.3, kPlace, kRate)).epsilon(1e-6));
    }
}

TEST_CASE("the angular momentum of a rigid turn is that of the rigid body in the deformed shape") {
  const PseudoRigid body(pair(MaterialLaw::neo_hooke, Viscosity::strain_rate));
  const Vector3 omega(0.7, -1.1, 2.0);
  const Matrix3 F = body.deformation(kPlace, 1),
                E = F * body.system().bodies[1].euler * F.transpose();
  Vector v = kRate;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> F_(&v[12]);
  F_ = skew(omega) * F;
  const Vector3 expected = (E.trace() * Matrix3::Identity() - E) * omega;
  CHECK((body.angular_momentum(kPlace, v, 1) - expected).norm() <= 1e-14 * expected.norm());
}

TEST_CASE("a body free in space keeps its momenta, with strain-rate damping too") {
  PseudoRigidSystem system = pair(MaterialLaw::neo_hooke, Viscosity::strain_rate);
  system.gravity.setZero();
  system.loads.clear();
  system.bodies.resize(1);
  const PseudoRigid body(system);
  Vector q = kPlace.head(12), v = kRate.head(12);
  const Vector3 L0 = body.angular_momentum(q, v), p0 = v.segment<3>(9);
  const double E0 = body.energy(0.0, q, v).total();
  carry(body, q, v, 0.0, 0.5, 4000);
  CHECK((v.segment<3>(9) - p0).norm() <= 1e-14);
  CHECK((body.angular_momentum(q, v) - L0).norm() <= 1e-11 * L0.norm());
  CHECK(body.energy(0.0, q, v).total() < 0.9 * E0);
}

TEST_CASE("the body of a shape has its moments: a block, and a ball off the origin") {
  const Material m = material(MaterialLaw::neo_hooke);
  const PseudoRigidBody block = pseudo_rigid_body(moments(Box{{0.5, 0.25, 0.125}}), m);
  CHECK(block.mass == doctest::Approx(900.0 * 0.125).epsilon(1e-15));
  CHECK(block.volume == doctest::Approx(0.125).epsilon(1e-15));
  const Vector3 edge(1.0, 0.5, 0.25);
  const Matrix3 E0 = (block.mass / 12.0 * edge.cwiseAbs2()).asDiagonal();
  CHECK(largest(block.euler - E0) <= 1e-15 * block.mass);
  const SolidMoments ball = moments(Sphere{0.2});
  const std::array<SolidMoments, 1> pieces{ball};
  const std::array<Pose, 1> at{Pose{Vector3(1.0, 2.0, -3.0), turn({0.1, 0.2, 0.3})}};
  const PseudoRigidBody moved = pseudo_rigid_body(joined(pieces, at), m);
  CHECK(largest(moved.euler - moved.mass * 0.04 / 5.0 * Matrix3::Identity()) <= 1e-14 * moved.mass);
}

TEST_CASE(
    "modes of a cube: omega^2 = V (2 mu + 3 lambda)/E0 breathing, 2 V mu/E0 in shear, 0 turning") {
  PseudoRigidSystem system;
  Material m = material(MaterialLaw::st_venant_kirchhoff);
  system.bodies = {pseudo_rigid_body(moments(Box{Vector3::Constant(0.1)}), m)};
  const PseudoRigid body(system);
  Vector q = Vector::Zero(12);
  q[0] = q[4] = q[8] = 1.0;
  const Matrix K = matrix(body, {0.0, 0.0, 1.0}, q, 0.0 * q),
               M = matrix(body, {1.0, 0.0, 0.0}, q, 0.0 * q);
  Vector breathing = Vector::Zero(12), shear = Vector::Zero(12), spin = Vector::Zero(12);
  breathing[0] = breathing[4] = breathing[8] = 1.0;
  shear[1] = shear[3] = 1.0;
  spin[1] = 1.0;
  spin[3] = -1.0;
  const auto square_frequency = [&](const Vector& x) { return x.dot(K * x) / x.dot(M * x); };
  const double E = system.bodies[0].euler(0, 0), V = system.bodies[0].volume;
  CHECK(square_frequency(breathing) ==
        doctest::Approx(V * (2.0 * m.mu() + 3.0 * m.lambda()) / E).epsilon(1e-13));
  CHECK(square_frequency(shear) == doctest::Approx(2.0 * V * m.mu() / E).epsilon(1e-13));
  CHECK(std::abs(square_frequency(spin)) <= 1e-12 * square_frequency(shear));
}

TEST_CASE(
    "a pseudo-rigid body that is squashed inside out ends the step with a word, not a crash") {
  // neo-Hooke under a blow that turns z over within one explicit step
  PseudoRigidSystem system;
  system.bodies = {
      pseudo_rigid_body(moments(Box{Vector3::Constant(0.1)}), material(MaterialLaw::neo_hooke))};
  MovingBody body{std::make_shared<PseudoRigid>(system), Vector::Zero(12), Vector::Zero(12)};
  body.q[0] = body.q[4] = body.q[8] = 1.0;
  body.v[8] = -500.0;
  Simulation sim{Model(one_group(body, DefExpOptions{}, 0.01))};
  const StepReport report = sim.advance();
  CHECK(!report.finite);
  CHECK(failure_text(sim.model(), report, 1) ==
        "step 1 (t = 0.01 s): the motion of 'body' is no longer finite; use a shorter step");
}

TEST_CASE("faults of a pseudo-rigid body name it and say what is allowed") {
  const PseudoRigidSystem good = pair(MaterialLaw::neo_hooke, Viscosity::strain_rate);
  CHECK(message(good) == "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [&](auto&& change) {
    PseudoRigidSystem s = good;
    change(s);
    return s;
  };
  using System = PseudoRigidSystem;
  CHECK(says(with([](System& s) { s.bodies[1].mass = 0.0; }), "body 1: the mass"));
  CHECK(says(with([&](System& s) { s.bodies[0].mass = nan; }), "body 0: the mass"));
  CHECK(says(with([](System& s) { s.bodies[1].volume = -1.0; }), "body 1: the volume"));
  CHECK(says(with([](System& s) { s.bodies[1].euler(2, 2) = -0.1; }), "body 1: the Euler tensor"));
  CHECK(says(with([](System& s) { s.bodies[0].euler = Vector3(1.0, 1.0, 0.0).asDiagonal(); }),
             "positive definite"));
  CHECK(says(with([](System& s) { s.bodies[0].euler(0, 1) += 0.001; }), "symmetric"));
  CHECK(says(with([&](System& s) { s.bodies[0].euler(0, 0) = nan; }), "finite"));
  CHECK(says(with([](System& s) { s.bodies[1].material.poisson = 0.5; }), "body 1: poisson = 0.5"));
  CHECK(says(with([](System& s) { s.bodies[1].material.young = 0.0; }), "body 1: young = 0"));
  CHECK(says(with([](System& s) { s.eta = -1e-3; }), "eta"));
  CHECK(says(with([&](System& s) { s.gravity.y() = nan; }), "gravity"));
  CHECK(says(with([](System& s) { s.loads[2].body = 2; }),
             "load 2: body 2 does not exist; there are 2"));
  CHECK(says(with([&](System& s) { s.loads[1].at.x() = nan; }), "load 1: "));
  CHECK(says(with([](System& s) { s.bodies.clear(); }), "at least one body"));
  const PseudoRigid body(good);
  CHECK_THROWS_AS(body.deformation(kPlace, 2), UsageError);
  const std::vector<PointRef> outside{{2, 0, Vector3::Zero()}};
  Vector x(3);
  CHECK_THROWS_AS(body.points(0.0, kPlace, outside, x), UsageError);
}
