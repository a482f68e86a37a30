// A ball that bounces: the nonsmooth Newmark family against the theta scheme.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "../support/one_group.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kGravity = 9.81, kHeight = 1.0, kRestitution = 0.5, kEnd = 1.5;

/// Height of the ball at t: flights between impacts at t1 (1 + 2 e + ... + 2 e^k), at rest from their limit on.
double height(double t) {
  const double first = std::sqrt(2.0 * kHeight / kGravity);
  if (t < first) return kHeight - 0.5 * kGravity * t * t;
  double start = first, u = kRestitution * kGravity * first;
  while (u > 1e-12) {
    const double flight = 2.0 * u / kGravity;
    if (t < start + flight) return u * (t - start) - 0.5 * kGravity * (t - start) * (t - start);
    start += flight;
    u *= kRestitution;
  }
  return 0.0;
}

struct Bounced {
  double error = 0.0;        ///< integral of |height - exact| over the run [m s]
  double penetration = 0.0;  ///< [m]
  double energy = 0.0;       ///< at the end, of the start
  double residual = 0.0;
  int impacts = 0;
};

Bounced bounce(const SchemeChoice& scheme, double h, double restitution = kRestitution) {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -kGravity);
  const MovingBody body{std::make_shared<Particles>(system), Vector3(0.0, 0.0, kHeight),
                        Vector3::Zero()};
  ModelParts parts = one_group(body, scheme, h);
  NewtonImpact law;
  law.restitution = restitution;
  add_stop(parts, {}, Vector3::Zero(), Vector3::UnitZ(), law);
  Simulation sim{Model(parts)};
  Bounced b;
  const int steps = static_cast<int>(std::lround(kEnd / h));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const double z = sim.state().groups[0].q[2];
    b.error += h * std::abs(z - height(sim.state().t));
    b.penetration = std::max(b.penetration, -z);
    b.residual = std::max(b.residual, report.residual_after);
    b.impacts += report.contacts;
  }
  b.energy = sim.state().energy.total() / sim.state().energy_start;
  return b;
}

}  // namespace

TEST_CASE("the exact bouncing ball is at rest after the sum of its flights") {
  const double first = std::sqrt(2.0 * kHeight / kGravity);
  CHECK(height(first) == doctest::Approx(0.0));
  CHECK(height(2.0 * first) == doctest::Approx(0.0));  // the second impact for e = 1/2
  CHECK(height(1.5 * first) == doctest::Approx(0.25 * kHeight));
  CHECK(height(3.0 * first + 1e-9) == 0.0);
}

TEST_CASE("newmark and generalized-alpha bounce as accurately as moreau-jean with theta 1/2") {
  const SchemeChoice theta = MoreauJeanOptions{};
  struct Case {
    const char* name;
    SchemeChoice scheme;
    double penetration;  ///< of one step at the first impact
  };
  for (const Case& c :
       {Case{"newmark", NewmarkOptions{}, 1.0},
        Case{"generalized-alpha", GeneralizedAlphaOptions{}, 1.0},
        Case{"generalized-alpha-decoupled", GeneralizedAlphaDecoupledOptions{}, 0.0}}) {
    double sum = 0.0, sum_theta = 0.0;
    for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
      CAPTURE(std::string(c.name));
      CAPTURE(h);
      const Bounced reference = bounce(theta, h), b = bounce(c.scheme, h);
      CHECK(b.impacts >= 5);
      CHECK(b.residual <= 1e-9);
      const double speed = std::sqrt(2.0 * kGravity * kHeight);
      CHECK(b.penetration <= std::max(c.penetration * 1.01 * h * speed, 1e-12));
      CHECK(b.energy <= 0.01);
      CHECK(b.error <= 1.5 * reference.error);
      sum += b.error;
      sum_theta += reference.error;
      MESSAGE(fmt::format("{} h = {}: {:.2e} m s, penetration {:.1e} m; theta {:.2e} m s, {:.1e} m",
                          c.name, h, b.error, b.penetration, reference.error,
                          reference.penetration));
    }
    CHECK(sum <= 1.5 * sum_theta);
  }
}

TEST_CASE("generalized-alpha-decoupled lets nothing through at any step and any restitution") {
  for (double h : {1e-2, 4e-3, 1e-3})
    for (double e : {0.0, 0.5, 0.9, 1.0}) {
      CAPTURE(h);
      CAPTURE(e);
      const Bounced b = bounce(GeneralizedAlphaDecoupledOptions{}, h, e);
      CHECK(b.penetration <= 1e-12);
      CHECK(b.impacts >= 1);
      CHECK(b.energy <= 1.0 + 0.02);
    }
}

TEST_CASE("before the first impact a ball with drag moves at order 2") {
  // m v' = -m g - c v
  const double c = 2.0, T = 0.4;
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -kGravity);
  system.drag = c;
  const auto ball = std::make_shared<Particles>(system);
  const double v_end = -kGravity / c + (1.0 + kGravity / c) * std::exp(-c * T),
               z_end =
                   kHeight - kGravity / c * T + (1.0 + kGravity / c) * (1.0 - std::exp(-c * T)) / c;
  for (const SchemeChoice& scheme :
       {SchemeChoice(NewmarkOptions{}), SchemeChoice(GeneralizedAlphaOptions{}),
        SchemeChoice(GeneralizedAlphaDecoupledOptions{})}) {
    CAPTURE(std::string(make_scheme(scheme)->name()));
    double z[2], v[2];
    for (int i = 0; i < 2; ++i) {
      const int steps = 200 << i;
      ModelParts parts =
          one_group({ball, Vector3(0.0, 0.0, kHeight), Vector3(0.0, 0.0, 1.0)}, scheme, T / steps);
      NewtonImpact law;
      add_stop(parts, {}, Vector3::Zero(), Vector3::UnitZ(), law);
      Simulation sim{Model(parts)};
      for (int k = 0; k < steps; ++k) CHECK(sim.advance().contacts == 0);
      z[i] = std::abs(sim.state().groups[0].q[2] - z_end);
      v[i] = std::abs(velocity_of(sim)[2] - v_end);
    }
    CHECK(std::abs(std::log2(z[0] / z[1]) - 2.0) < 0.15);
    CHECK(std::abs(std::log2(v[0] / v[1]) - 2.0) < 0.15);
  }
}
