// Ideal strings against a flat and a point obstacle, whose motion is known in closed form (B19).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// What the point obstacle of one run shows.
struct Leaning {
  std::vector<double> first, last, impulse,
      force;                           ///< of each contact phase: times [s], [N s], mean [N]
  double lowest = 0.0;                 ///< of the quarter point [m]
  double loss_four = 0.0, loss = 0.0;  ///< of E0, after four phases and in the end
};

Leaning lean(const std::vector<std::string>& set, double h) {
  Leaning x;
  double open_since = -1.0;
  bool in = false;
  const Shown s = run_example(
      "string_on_midpoint.yaml", set, [&](const Simulation& sim, const StepReport& report) {
        const double t = sim.state().t;
        x.lowest = std::min(x.lowest, sim.probe(1));
        // a phase begins with the first impulse after a quarter period without any
        if (report.impulse > 0.0) {
          if (!in) {
            if (x.first.size() == 4)
              x.loss_four = 1.0 - sim.state().energy.total() / sim.state().energy_start;
            x.first.push_back(t);
            x.impulse.push_back(0.0);
            x.last.push_back(t);
            in = true;
          }
          x.impulse.back() += report.impulse;
          x.last.back() = t;
          open_since = t;
        } else if (in && t - open_since > 0.1 * (x.first.front())) {
          in = false;
        }
      });
  for (std::size_t k = 0; k < x.first.size(); ++k)
    x.force.push_back(x.impulse[k] / (x.last[k] - x.first[k] + h));
  x.loss = 1.0 - s.energy_left();
  CHECK(s.smallest_gap >= -1e-12);
  return x;
}

}  // namespace

TEST_CASE("B19 (a): a string thrown back by a plate has the period L/c and keeps its energy") {
  double best = 0.0, at = 0.0;
  const Shown s = run_example("string_on_plate.yaml", {"time.end=10.3 s"},
                              [&](const Simulation& sim, const StepReport&) {
                                if (sim.state().t > 9.7 && sim.probe(0) > best) {
                                  best = sim.probe(0);
                                  at = sim.state().t;
                                }
                              });
  CHECK(std::abs(at / 10.0 - 1.0) <= 0.005);
  CHECK(std::abs(s.energy_left() - 1.0) <= 1e-8);
  CHECK(std::abs(s.largest_energy - 1.0) <= 1e-8);
  MESSAGE("tenth period ends at " << at << " s; energy drift " << s.energy_left() - 1.0);
}

TEST_CASE("B19 (b): a string leans on a point with the force 4 H T/L for L/(2c), every 3 L/(2c)") {
  const Leaning x = lean({}, 1e-3);
  REQUIRE(x.first.size() >= 10);
  CHECK(std::abs(x.first[0] / 0.5 - 1.0) <= 0.01);
  CHECK(std::abs((x.last[0] - x.first[0]) / 0.5 - 1.0) <= 0.02);
  CHECK(std::abs(x.impulse[0] / 0.02 - 1.0) <= 0.01);
  CHECK(std::abs(x.force[0] / 0.04 - 1.0) <= 0.02);
  CHECK(std::abs((x.first[9] - x.first[0]) / 9.0 / 1.5 - 1.0) <= 0.01);
  CHECK(std::abs(x.lowest / -0.005 - 1.0) <= 0.01);
  MESSAGE("first contact " << x.first[0] << " s, duration " << x.last[0] - x.first[0]
                           << " s, impulse " << x.impulse[0] << " N s, force " << x.force[0]
                           << " N, period " << (x.first[9] - x.first[0]) / 9.0 << " s, lowest "
                           << x.lowest << " m");
}

TEST_CASE("B19 (b): the energy lost at a point halves when the modes double") {
  double before = 0.0;
  for (int modes : {99, 199, 399, 799}) {
    const double rate = 5.0 * (modes + 1);  // c h/dx = 0.2
    const Leaning x = lean({fmt::format("bodies[0].string.modes={}", modes),
                            fmt::format("time.rate={}", rate), "time.end=6.4 s"},
                           1.0 / rate);
    REQUIRE(x.first.size() >= 4);
    MESSAGE(modes << " modes: loss after four contacts " << x.loss);
    if (modes == 199) CHECK(x.loss <= 0.006);
    if (before > 0.0) CHECK(std::abs(before / x.loss - 2.0) <= 0.15);
    before = x.loss;
  }
}

TEST_CASE("B19 (b) with the tension and density of a bass: the force is 4 H T/L in newtons") {
  const double T = 191.6, mu = 6.7e-3, L = 1.0, H = 0.01, c = std::sqrt(T / mu), h = L / c / 1000.0;
  const Leaning x =
      lean({"bodies[0].string.tension=191.6 N", "bodies[0].string.linear_density=6.7 g/m",
            fmt::format("time={{end: {:.17g}, step: {:.17g}}}", 1.4 * L / c, h)},
           h);
  REQUIRE(x.first.size() >= 1);
  CHECK(std::abs(x.force[0] / (4.0 * H * T / L) - 1.0) <= 0.02);
  CHECK(std::abs(x.impulse[0] / (4.0 * H * T / L * L / (2.0 * c)) - 1.0) <= 0.01);
  MESSAGE("force " << x.force[0] << " N, exact " << 4.0 * H * T / L << " N");
}
