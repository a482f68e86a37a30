// Free rigid bodies over many steps: energy and momentum of the midpoint rule, and a body near its middle axis, which flips
// over and over (golden/benchmarks B13).
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/tops.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Zeros of Omega_2, by the cubic through the values and rates at the ends of a step: the time of the `count`-th.
double crossing(const MovingBody& body, const SchemeChoice& scheme, double h, int count) {
  ModelParts parts = one_group(body, scheme, h);
  parts.options.ledger = false;
  Simulation sim{Model(parts)};
  const auto rate = [](const Vector& v) { return (3.0 - 1.0) / 2.0 * v[5] * v[3]; };  // J2 Omega2'
  Vector before = body.v;
  while (true) {
    REQUIRE(sim.advance().converged);
    const Vector& v = sim.state().groups[0].v;
    if (before[4] * v[4] < 0.0 && --count == 0) {
      // Hermite's polynomial on the step, by bisection
      const double a = before[4], b = v[4], da = h * rate(before), db = h * rate(v);
      const auto value = [&](double s) {
        return a * (1 + 2 * s) * (1 - s) * (1 - s) + da * s * (1 - s) * (1 - s) +
               b * s * s * (3 - 2 * s) + db * s * s * (s - 1);
      };
      double low = 0.0, high = 1.0;
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (value(middle) * a > 0.0 ? low : high) = middle;
      }
      return sim.state().t + (low - 1.0) * h;
    }
    before = v;
  }
}

}  // namespace

TEST_CASE(
    "rig-mid keeps energy to 1e-12 and spatial momentum to 3e-12 over a million steps of a free "
    "body") {
  const MovingBody body = free_top(Vector3(1.0, 2.0, 3.0), Vector3::Zero(), Vector3(0.3, 1.0, 0.2));
  const auto& kind = static_cast<const Rigid&>(*body.dynamics);
  ModelParts parts = one_group(body, RigMidOptions{}, 1e-3);
  parts.options.ledger = false;
  Simulation sim{Model(parts)};
  const double E = spin_energy(kind, body.v);
  const Vector3 L = spatial_momentum(kind, body.q, body.v);
  double energy = 0.0, momentum = 0.0, length = 0.0;
  for (int k = 0; k < 1000; ++k) {
    for (int i = 0; i < 1000; ++i) sim.advance();
    const GroupState& at = sim.state().groups[0];
    energy = std::max(energy, std::abs(spin_energy(kind, at.v) / E - 1.0));
    momentum = std::max(momentum, (spatial_momentum(kind, at.q, at.v) - L).norm() / L.norm());
    length = std::max(length, std::abs(at.q.tail<4>().norm() - 1.0));
  }
  CAPTURE(energy);
  CAPTURE(momentum);
  CHECK(energy <= 1e-12);
  CHECK(momentum <= 3e-12);
  CHECK(length <= 4e-16);
}

TEST_CASE("B13: a body near its middle axis flips with the exact period") {
  const MovingBody body =
      free_top(Vector3(1.0, 2.0, 3.0), Vector3::Zero(), Vector3(0.01, 1.0, 0.01));
  const auto& kind = static_cast<const Rigid&>(*body.dynamics);
  const double period = 39.105734197268721;
  CHECK(spin_energy(kind, body.v) == doctest::Approx(1.0002).epsilon(1e-15));
  CHECK(spatial_momentum(kind, body.q, body.v).norm() ==
        doctest::Approx(2.0002499843769528).epsilon(1e-15));
  // The period from one flip to the second next, which leaves out how the start lies in it.
  const auto measured = [&](const SchemeChoice& scheme, int steps) {
    const double h = period / steps;
    return (crossing(body, scheme, h, 5) - crossing(body, scheme, h, 1)) / 2.0;
  };
  CHECK(std::abs(measured(RigMidOptions{}, 1000) / period - 1.0) <= 5e-5);
  CHECK(std::abs(measured(RigMidOptions{}, 4000) / period - 1.0) <= 2e-6);
  CHECK(std::abs(measured(RungeKuttaOptions{}, 1000) / period - 1.0) <= 1e-6);
  struct At {
    SchemeChoice scheme;
    double tolerance;
  };
  for (const At& at :
       {At{RigMidOptions{}, 1e-4}, At{RigPosOptions{}, 1e-4}, At{RigNegOptions{}, 1e-4},
        At{RigImpOptions{}, 1e-4}, At{RungeKuttaOptions{}, 1e-8}}) {
    CAPTURE(scheme_name(at.scheme));
    Simulation sim{Model(one_group(body, at.scheme, 1e-3))};
    for (int k = 0; k < 10000; ++k) sim.advance();
    const Vector& v = sim.state().groups[0].v;
    CHECK(std::abs(v[3] + 0.87457343789109365) <= at.tolerance);
    CHECK(std::abs(v[4] - 0.48499618734104845) <= at.tolerance);
    if (scheme_name(at.scheme) == "rig-mid") {
      CHECK(std::abs(spin_energy(kind, v) / 1.0002 - 1.0) <= 1e-12);
      CHECK(
          std::abs(spatial_momentum(kind, sim.state().groups[0].q, v).norm() / 2.0002499843769528 -
                   1.0) <= 1e-13);
    }
  }
}
