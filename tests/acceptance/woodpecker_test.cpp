// The woodpecker toy of Glocker in three coordinates (B09): a limit cycle of impacts, sticking and sliding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "../support/golden.h"
#include "../support/woodpecker.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("B09: the woodpecker pecks with the period and falls with the steps of its limit cycle") {
  const double h = 1e-5;
  Simulation sim{Model(woodpecker(h))};
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
