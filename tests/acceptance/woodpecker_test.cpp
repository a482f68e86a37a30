// The woodpecker toy of Glocker in three coordinates (B09): a limit cycle of impacts, sticking and sliding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "../support/golden.h"
#include "../support/woodpecker.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// 22 cycles in steps of h [s]: period [s] and drop [m] of the last.
void check_limit_cycle(Simulation sim, double h) {
  // A cycle ends where the bird's angle passes its mean downwards.
  std::vector<double> times, heights;
  double above = sim.state().groups[0].q[2];
  const double level = -0.25;
  while (times.size() < 22 && sim.state().t < 5.0) {
    REQUIRE(sim.advance().converged);
    const Vector& q = sim.state().groups[0].q;
    if (above > level && q[2] <= level) {
      const double back = (level - q[2]) / (above - q[2]);
      times.push_back(sim.state().t - back * h);
      heights.push_back(q[0]);
    }
    above = q[2];
  }
  REQUIRE(times.size() == 22);
  const double period = times[21] - times[20], drop = heights[20] - heights[21];
  MESSAGE(fmt::format("period {:.5f} s, drop {:.6f} m", period, drop));
  CHECK(std::abs(period - benchmark("B09", "period of the limit cycle after 17 cycles")) <= 1e-4);
  CHECK(std::abs(drop - benchmark("B09", "drop per cycle")) <= 5e-5);
}

Scene woodpecker_scene(const std::vector<std::string>& set = {}) {
  return read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "woodpecker.yaml", set);
}

}  // namespace

TEST_CASE("B09: the woodpecker pecks with the period and falls with the steps of its limit cycle") {
  const double h = 1e-5;
  check_limit_cycle(Simulation{Model(woodpecker(h))}, h);
}

TEST_CASE(
    "B09: the scene of the woodpecker, by rows over its coordinates, has the same limit cycle") {
  check_limit_cycle(Simulation(build(woodpecker_scene({"time.end=4 s"}))), 1e-5);
}

// The two differ in their operations. Where a contact closes its gap u1 = -Y/h: round-off of the angles, 4e-16 rad after
// thousands of steps, is 2e-18 m of a gap, by 1/h and the lever of 5.8 mm 3e-11 rad/s of the sleeve. A body of the same
// operations has the same bits (tests/python/test_woodpecker_in_python.py).
TEST_CASE("the scene of the woodpecker is its body in code, to round-off over 10000 steps") {
  const double h = 1e-5;
  for (const bool closes : {false, true}) {
    CAPTURE(closes);
    ModelParts parts = woodpecker(h, -0.1034);
    std::vector<std::string> set;
    if (!closes)
      for (int i = 0; i < 3; ++i)
        set.push_back(fmt::format("contacts[{}].law.activation={{kind: siconos}}", i));
    if (!closes)
      for (AnyLaw& law : parts.laws)
        law = NewtonImpact{.restitution = law->facts().restitution,
                           .friction = law->facts().friction.coefficient,
                           .activation = {.kind = ActivationKind::siconos}};
    Simulation scene(build(woodpecker_scene(set))), code{Model(parts)};
    double worst = 0.0;
    long closed = 0;
    for (int step = 0; step < 10000; ++step) {
      const StepReport a = scene.advance(), b = code.advance();
      REQUIRE(a.converged);
      REQUIRE(b.converged);
      REQUIRE(a.contacts == b.contacts);
      closed += a.contacts > 0;
      const GroupState &x = scene.state().groups[0], &y = code.state().groups[0];
      worst = std::max(worst, (x.q - y.q).lpNorm<Eigen::Infinity>());
      worst = std::max(worst, (x.v - y.v).lpNorm<Eigen::Infinity>() / 10.0);  // rates of 10 rad/s
    }
    MESSAGE(fmt::format("worst difference {:.2e}, {} steps with contact", worst, closed));
    CHECK(closed > 100);
    CHECK(worst <= (closes ? 1e-11 : 1e-12));
  }
}
