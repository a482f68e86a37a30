// Solfec's schemes for deformable bodies on its pseudo-rigid body: step by step against 80-bit arithmetic, orders,
// energy and momentum. Its oscillator is in solfec_oscillator_test.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "../support/golden.h"
#include "../support/reference_motion.h"
#include "../support/skip.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/math/dense.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// A block of 1 x 0.5 x 0.25 m, St Venant-Kirchhoff with E = 1e6, nu = 0.25, rho = 1000, in gravity.
PseudoRigidSystem block(double eta = 0.0, Viscosity viscosity = Viscosity::current_tangent) {
  Material m;
  m.young = 1e6;
  m.poisson = 0.25;
  m.density = 1000.0;
  PseudoRigidSystem s;
  s.bodies = {pseudo_rigid_body(moments(Box{{0.5, 0.25, 0.125}}), m)};
  s.gravity = Vector3(0.0, 0.0, -9.81);
  s.eta = eta;
  s.viscosity = viscosity;
  return s;
}

/// The INITIAL row of the table: strains of 2 %, and a turn, F' = Omega^ F.
MovingBody start(const PseudoRigidSystem& system) {
  MovingBody body{std::make_shared<PseudoRigid>(system), Vector(12), Vector(12)};
  body.q << 1.02, 0.01, 0.0, 0.0, 0.99, 0.0, 0.0, 0.0, 1.01, 0.0, 0.0, 1.0;
  Eigen::Map<RowMajor> F_(body.v.data());
  F_ = skew({1.0, 2.0, -0.5}) * Eigen::Map<const RowMajor>(body.q.data());
  body.v.tail<3>() << 0.5, 0.0, 2.0;
  return body;
}

SchemeChoice choice(const std::string& name) {
  REQUIRE((name == "DEF_EXP" || name == "DEF_LIM"));
  return name == "DEF_EXP" ? SchemeChoice(DefExpOptions{}) : SchemeChoice(DefLimOptions{});
}

struct Motion {
  Vector q, v;
};

Motion run(const MovingBody& body, const SchemeChoice& scheme, double T, int steps) {
  Simulation sim{Model(one_group(body, scheme, T / steps))};
  bool good = true;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    good = good && report.converged && report.finite;
  }
  CHECK(good);
  return {sim.state().groups[0].q, velocity_of(sim)};
}

/// Largest |a - b| / max(1, |b|).
double deviation(const Vector& a, const Vector& b) {
  return ((a - b).array().abs() / b.array().abs().max(1.0)).maxCoeff();
}

/// log2 of the ratio of errors at `steps` and 2 `steps`.
double order(const MovingBody& body, const SchemeChoice& scheme, double T, int steps,
             const Motion& exact) {
  const auto error = [&](int n) {
    const Motion at = run(body, scheme, T, n);
    return std::hypot((at.q - exact.q).norm() / exact.q.norm(),
                      (at.v - exact.v).norm() / exact.v.norm());
  };
  return std::log2(error(steps) / error(2 * steps));
}

Motion exact_motion(const MovingBody& body, double T) {
  Motion at{body.q, body.v};
  ReferenceMotion(body.dynamics).carry(at.q, at.v, 0.0, T, 400);
  return at;
}

}  // namespace

TEST_CASE("def-exp and def-lim repeat Solfec's steps of a pseudo-rigid body") {
  const std::filesystem::path file = SALTUS_SHARED "/golden/solfec/deformable_golden.csv";
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no reference data: " + file.string());
  double worst_q = 0.0, worst_u = 0.0, worst_energy = 0.0, worst_exact = 0.0;
  int rows = 0;
  for (const TableRow& row : read_table(file, ',')) {
    REQUIRE(row.size() >= 10);
    if (row[0] != "PRB") continue;
    CAPTURE(row[1]);
    CAPTURE(row[3]);
    const MovingBody body = start(block(number(row[2])));
    const Vector q = numbers(row[8], ' '), u = numbers(row[9], ' ');
    Motion at{body.q, body.v};
    if (row[1] == "INITIAL") {
      CHECK(at.q == q);
      CHECK(deviation(at.v, u) <= 1e-16);
    } else if (row[1] == "EXACT") {
      at = exact_motion(body, number(row[5]));
      const double off = std::max(deviation(at.q, q), deviation(at.v, u));
      CHECK(off <= 1e-10);  // what the reference of the orders below is worth
      worst_exact = std::max(worst_exact, off);
    } else {
      const int steps = static_cast<int>(number(row[4]));
      CHECK(number(row[5]) == number(row[3]) * steps);
      at = run(body, choice(row[1]), number(row[5]), steps);
      CHECK(deviation(at.q, q) <= 1e-13);
      CHECK(deviation(at.v, u) <= 1e-11);
      worst_q = std::max(worst_q, deviation(at.q, q));
      worst_u = std::max(worst_u, deviation(at.v, u));
    }
    const Energy E = body.dynamics->energy(0.0, q, u);
    const double off = std::max(std::abs(E.kinetic - number(row[6])) / number(row[6]),
                                std::abs(E.potential - number(row[7])) / number(row[7]));
    CHECK(off <= 1e-13);
    worst_energy = std::max(worst_energy, off);
    ++rows;
  }
  CHECK(rows == 6);
  MESSAGE(fmt::format("steps: q {:.1e}, u {:.1e}; energies {:.1e}; exact rows {:.1e}", worst_q,
                      worst_u, worst_energy, worst_exact));
}

TEST_CASE(
    "orders on the oscillator and the pseudo-rigid body: 2 undamped; damped def-exp falls to 1") {
  LinearSystem spring = oscillator(1.0, 36.0);
  DefExpOptions central;
  central.viscosity_implicit = true;
  const auto expect = [&](const std::string& name, const MovingBody& body, double T, int steps,
                          bool damped) {
    CAPTURE(name);
    const Motion exact = exact_motion(body, T);
    const double explicitly = order(body, DefExpOptions{}, T, steps, exact),
                 implicitly = order(body, DefLimOptions{}, T, steps, exact),
                 mean_damping = order(body, central, T, steps, exact);
    MESSAGE(fmt::format("{}: def-exp {:.3f}, central damping {:.3f}, def-lim {:.3f}", name,
                        explicitly, mean_damping, implicitly));
    if (damped) {
      CHECK(explicitly > 1.05);
      CHECK(explicitly < 1.3);
    } else {
      CHECK(std::abs(explicitly - 2.0) < 0.06);
    }
    CHECK(std::abs(implicitly - 2.0) < 0.06);
    CHECK(std::abs(mean_damping - 2.0) < 0.06);
  };
  for (const double eta : {0.0, 0.01}) {
    spring.rayleigh.stiffness = eta;
    expect("spring",
           {std::make_shared<Linear>(spring), Vector::Constant(1, 1.0), Vector::Constant(1, 0.5)},
           2.0, 128, eta > 0.0);
  }
  expect("body", start(block()), 0.125, 2048, false);
  for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate})
    expect(viscosity == Viscosity::strain_rate ? "body, strain-rate damping"
                                               : "body, damping of the current tangent",
           start(block(2e-4, viscosity)), 0.125, 512, true);
}

TEST_CASE(
    "energy of def-lim strays 40 times less than that of def-exp, angular momentum of def-exp not "
    "at all") {
  const PseudoRigidSystem system = block();
  struct Stray {
    double energy = 0.0, momentum = 0.0;
  };
  const auto stray = [&](const SchemeChoice& scheme, double h) {
    const MovingBody body = start(system);
    const PseudoRigid kind(system);
    const Vector3 L0 = kind.angular_momentum(body.q, body.v);
    Simulation sim{Model(one_group(body, scheme, h))};
    const double E0 = sim.state().energy.total();
    Stray worst;
    for (int k = 0; k < static_cast<int>(std::lround(4.0 / h)); ++k) {
      sim.advance();
      const Vector3 L = kind.angular_momentum(sim.state().groups[0].q, velocity_of(sim));
      worst.energy = std::max(worst.energy, std::abs(sim.state().energy.total() - E0));
      worst.momentum = std::max(worst.momentum, (L - L0).norm() / L0.norm());
    }
    return worst;
  };
  DefLimOptions midpoint;
  midpoint.iterate = true;
  const Stray explicitly = stray(DefExpOptions{}, 1.0 / 1024),
              once = stray(DefLimOptions{}, 1.0 / 1024), fine = stray(DefLimOptions{}, 1.0 / 2048),
              iterated = stray(midpoint, 1.0 / 1024);
  MESSAGE(
      fmt::format("energy [J]: def-exp {:.3g}, def-lim {:.3g}, h/2 {:.3g}, midpoint {:.3g}; "
                  "momentum {:.1e}, {:.1e}, {:.1e}, {:.1e}",
                  explicitly.energy, once.energy, fine.energy, iterated.energy, explicitly.momentum,
                  once.momentum, fine.momentum, iterated.momentum));
  CHECK(explicitly.energy / once.energy > 20.0);
  CHECK(explicitly.energy / once.energy < 50.0);
  CHECK(once.energy / fine.energy == doctest::Approx(4.0).epsilon(0.1));
  CHECK(explicitly.momentum <= 1e-13);
  CHECK(iterated.momentum <= 1e-13);
  CHECK(once.momentum / fine.momentum == doctest::Approx(16.0).epsilon(0.1));
}

TEST_CASE("def-exp moves a damped pseudo-rigid body up to h omega = 2 (sqrt(1 + xi^2) - xi)") {
  // about rest both dampings are the same
  const auto modes_of = [](const MovingBody& body) {
    Matrix K(12, 12), M(12, 12);
    for (int j = 0; j < 12; ++j) {
      const Vector e = Vector::Unit(12, j);
      body.dynamics->multiply({0.0, 0.0, 1.0}, 0.0, body.q, body.v, e, K.col(j));
      body.dynamics->multiply({1.0, 0.0, 0.0}, 0.0, body.q, body.v, e, M.col(j));
    }
    return symmetric_pairs(K, M);
  };
  for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate})
    for (const auto& [xi, limit] : {std::pair{0.0, 2.0}, std::pair{0.05, 1.902498},
                                    std::pair{0.2, 1.639608}, std::pair{0.5, 1.236068}}) {
      CAPTURE(xi);
      PseudoRigidSystem system = block();
      system.gravity.setZero();
      MovingBody body{std::make_shared<PseudoRigid>(system), Vector::Zero(12), Vector::Zero(12)};
      body.q[0] = body.q[4] = body.q[8] = 1.0;
      const auto modes = modes_of(body);
      const double omega = std::sqrt(modes.values[11]);
      system.eta = 2.0 * xi / omega;
      system.viscosity = viscosity;
      body.dynamics = std::make_shared<PseudoRigid>(system);
      const Vector rest = body.q;
      body.q += 1e-9 * modes.vectors.col(11);
      // how far from rest after 2000 steps, in units of the start
      const auto away = [&](double z) {
        Simulation sim{Model(one_group(body, DefExpOptions{}, z / omega))};
        for (int k = 0; k < 2000; ++k)
          if (!sim.advance().finite) return std::numeric_limits<double>::infinity();
        return (sim.state().groups[0].q - rest).norm() / (body.q - rest).norm();
      };
      CHECK(away(0.999 * limit) <= 100.0);
      CHECK(away(1.01 * limit) >= 1e4);
    }
}

TEST_CASE("def-lim keeps the energy of a body of the linear law at any step") {
  const auto stray = [](const MovingBody& body, double h) {
    Simulation sim{Model(one_group(body, DefLimOptions{}, h))};
    const double E0 = sim.state().energy.total();
    double worst = 0.0;
    for (int k = 0; k < 2000; ++k) {
      if (!sim.advance().converged) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, std::abs(sim.state().energy.total() / E0 - 1.0));
    }
    return worst;
  };
  PseudoRigidSystem system = block();
  system.gravity.setZero();
  system.bodies[0].material.law = MaterialLaw::linear;
  MovingBody body = start(system);
  Eigen::Map<RowMajor> F_(body.v.data());  // a body that turns would see ever larger F
  F_ = (0.5 * (F_ + F_.transpose())).eval();
  REQUIRE(has(body.dynamics->traits(), Trait::affine));
  // the largest omega is 480 / s. A step of h omega = z cancels z-fold
  for (const auto& [z, tolerance] :
       {std::pair{1.0, 1e-13}, std::pair{10.0, 1e-13}, std::pair{1000.0, 1e-11}}) {
    const double worst = stray(body, z / 480.0);
    CHECK(worst <= tolerance);
    MESSAGE(fmt::format("h omega {}: energy {:.1e}", z, worst));
  }
}
