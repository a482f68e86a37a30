// B09 by located events: the limit cycle of the woodpecker toy, with impacts, sticking and sliding, to many digits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../support/event_run.h"
#include "../support/golden.h"
#include "../support/woodpecker.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Counts = std::map<Event::Kind, int>;

/// Cycles of the toy, each from one stroke of the beak to the next.
struct Cycles {
  std::vector<double> strokes;  ///< [s]
  std::vector<Counts> events;   ///< of each cycle
  EventRun run;
  double drop = 0.0;  ///< over the period of the last of them, behind it [m]
  double lost = 0.0;  ///< energy over it [J]

  double period() const { return strokes.back() - strokes[strokes.size() - 2]; }
};

/// key: of the beak.
Cycles cycles(const ModelParts& parts, const EventOptions& events, std::size_t count,
              std::uint64_t key = 1) {
  const double end = 0.147 * static_cast<double>(count) + 0.1;
  Simulation sim(in_event_mode(parts, 0.01, end + 1.0, events));
  Cycles c;
  c.run = run_events(sim, end);
  Counts now;
  for (const Event& e : c.run.log) {
    if (e.kind == Event::Kind::impact && e.key == key) {
      if (!c.strokes.empty()) c.events.push_back(now);
      now.clear();
      c.strokes.push_back(e.t);
    }
    ++now[e.kind];
  }
  const double y = sim.state().groups[0].q[0];
  const auto lost = [&] { return -account(sim, "impact") - account(sim, "friction"); };
  const double before = lost();
  sim.advance(c.period());
  c.drop = y - sim.state().groups[0].q[0];
  c.lost = lost() - before;
  return c;
}
Cycles cycles(const EventOptions& events, std::size_t count) {
  return cycles(woodpecker(0.01), events, count);
}

}  // namespace

TEST_CASE(
    "B09: the woodpecker by events has the period and the drop of the reference after 17 cycles") {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    const Cycles c = cycles(with_tolerance(tolerance), 18);
    REQUIRE(c.strokes.size() >= 18);
    CHECK(std::abs(c.period() - benchmark("B09", "period of the limit cycle after 17 cycles")) <=
          1e-4);
    CHECK(std::abs(c.drop - benchmark("B09", "drop per cycle")) <= 5e-5);
    // The data set starts with the sleeve 0.9 um in the pole, which the first contact there ends.
    CHECK(c.run.gap >= -1e-6);
  }
}

TEST_CASE("B09: the scene of the woodpecker by events: contacts are rows over its coordinates") {
  const std::vector<std::string> set{"time.mode=events", "time.step=10 ms"};
  const Scene scene = read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "woodpecker.yaml", set);
  const Cycles c = cycles(build(scene).parts(), with_tolerance(1e-8), 18, 0);
  REQUIRE(c.strokes.size() >= 18);
  CHECK(c.run.good);
  CHECK(std::abs(c.period() - benchmark("B09", "period of the limit cycle after 17 cycles")) <=
        1e-4);
  CHECK(std::abs(c.drop - benchmark("B09", "drop per cycle")) <= 5e-5);
  CHECK(c.run.gap >= -1e-9);
}

TEST_CASE("a cycle of the woodpecker has the same thirteen events at every tolerance") {
  // The beak strikes once, the sleeve four times; of its corners each closes and opens once, and one slides, sticks and slides.
  const Counts expected{{Event::Kind::impact, 5},
                        {Event::Kind::closes, 2},
                        {Event::Kind::opens, 2},
                        {Event::Kind::sticks, 1},
                        {Event::Kind::slides, 3}};
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    CAPTURE(tolerance);
    const Cycles c = cycles(with_tolerance(tolerance), 20);
    REQUIRE(c.events.size() >= 19);
    for (const Counts& one : c.events) CHECK(one == expected);
  }
}

TEST_CASE("the limit cycle of the woodpecker: 0.14597606515 s a cycle, 0.01944537929 m down") {
  const double mass = Woodpecker{}.mM + Woodpecker{}.mS, g = Woodpecker{}.g;
  for (const auto& [tolerance, method] : {std::pair{1e-10, OdeKind::dormand_prince_8},
                                          {1e-8, OdeKind::dormand_prince_8},
                                          {1e-7, OdeKind::dormand_prince_5}}) {
    CAPTURE(tolerance);
    CAPTURE(name_of(method));
    // A deviation changes its sign and falls to 0.84 of itself in a cycle.
    const Cycles c = cycles(with_tolerance(tolerance, method), 100);
    MESSAGE(fmt::format("{} {:.0e}: period {:.13f} s, drop {:.13f} m, {} evaluations",
                        name_of(method), tolerance, c.period(), c.drop, c.run.evaluations));
    // What falls in a cycle is lost in it.
    CHECK(mass * g * c.drop == doctest::Approx(c.lost).epsilon(100.0 * tolerance + 1e-8));
    CHECK(std::abs(c.period() - 0.14597606515) <= 10.0 * tolerance);
    CHECK(std::abs(c.drop - 0.01944537929) <= 10.0 * tolerance);
  }
}
