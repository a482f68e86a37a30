// B09 by located events: the limit cycle of the woodpecker toy, with impacts, sticking and sliding, to many digits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "../support/contacts.h"
#include "../support/golden.h"
#include "../support/lane_run.h"
#include "saltus/bodies/auto_model.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// q = (y, phi_M, phi_S): height and angle of the sleeve, angle of the bird (woodpecker_test.cpp). Lengths in m, masses in kg.
struct Toy {
  static constexpr int size = 3;
  static constexpr bool constant_mass = true, symmetric = true;
  static constexpr int points = 3;
  double rO = 0.0025, rM = 0.0031, hM = 0.0058, lM = 0.010, lG = 0.015, hS = 0.02, lS = 0.0201;
  double mM = 0.0003, mS = 0.0045, JM = 5e-9, JS = 7e-7, c = 0.0056, g = 9.81;

  auto kinetic(const auto&, const auto& v) const {
    const auto sleeve = v[0], joint = v[0] + lM * v[1], bird = joint + lG * v[2];
    return 0.5 * (mM * sleeve * sleeve + JM * v[1] * v[1] + mS * bird * bird + JS * v[2] * v[2]);
  }
  auto potential(const auto& q) const {
    const auto twist = q[1] - q[2];
    return 0.5 * c * twist * twist + g * ((mM + mS) * q[0] + mS * lM * q[1] + mS * lG * q[2]);
  }
  /// Beak and the two corners of the sleeve: x along the pole, z the gap.
  void point(int i, const auto& q, auto& x) const {
    x[1] = 0.0;
    if (i == 0) {
      x[0] = q[0] + lM * q[1] + (lG - lS) * q[2];
      x[2] = lM + lG - lS - rO - hS * q[2];
    } else {
      x[0] = q[0] + rM * q[1];
      x[2] = rM - rO + (i == 1 ? hM : -hM) * q[1];
    }
  }
};

using Counts = std::map<Event::Kind, int>;

/// Cycles of the toy, each from one stroke of the beak to the next.
struct Cycles {
  std::vector<double> strokes;  ///< [s]
  std::vector<Counts> events;   ///< of each cycle
  LaneRun run;
  double drop = 0.0;  ///< over the period of the last of them, behind it [m]
  double lost = 0.0;  ///< energy over it [J]

  double period() const { return strokes.back() - strokes[strokes.size() - 2]; }
};

Cycles cycles(const EventOptions& events, std::size_t count) {
  const Moving body{std::make_shared<Lagrangian>(auto_model(Toy{})),
                    Vector{{0.0, -0.1036, -0.2788}}, Vector{{-0.3411, 0.0, -7.4583}}};
  const double h = 0.01;
  ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
  for (int i = 0; i < 3; ++i)
    add_pair(parts, {0, {0, i, Vector3::Zero()}}, world(), Vector3::UnitZ(),
             newton_law(i == 0 ? 0.5 : 0.0, 0.3), {Vector3::UnitX()});
  const double end = 0.147 * static_cast<double>(count) + 0.1;
  Simulation sim(in_event_lane(Model(std::move(parts)), h, end + 1.0, events));
  Cycles c;
  c.run = run_lane(sim, end);
  Counts now;
  for (const Event& e : c.run.log) {
    if (e.kind == Event::Kind::impact && e.key == 1) {
      if (!c.strokes.empty()) c.events.push_back(now);
      now.clear();
      c.strokes.push_back(e.t);
    }
    ++now[e.kind];
  }
  if (!c.run.good) return c;
  const double y = sim.state().groups[0].q[0];
  const auto lost = [&] { return -account(sim, "impact") - account(sim, "friction"); };
  const double before = lost();
  sim.advance(c.period());
  c.drop = y - sim.state().groups[0].q[0];
  c.lost = lost() - before;
  return c;
}

EventOptions with(double tolerance, OdeKind method = OdeKind::automatic) {
  EventOptions events;
  events.tolerance = tolerance;
  events.method = method;
  return events;
}

}  // namespace

TEST_CASE(
    "B09: the woodpecker by events has the period and the drop of the reference after 17 cycles") {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    const Cycles c = cycles(with(tolerance), 18);
    REQUIRE_MESSAGE(c.run.good, c.run.failure);
    REQUIRE(c.strokes.size() >= 18);
    CHECK(std::abs(c.period() - benchmark("B09", "period of the limit cycle after 17 cycles")) <=
          1e-4);
    CHECK(std::abs(c.drop - benchmark("B09", "drop per cycle")) <= 5e-5);
    CHECK(c.run.located == static_cast<long>(c.run.log.size()));
    // The data set starts with the sleeve 0.9 um in the pole, which the first contact there ends.
    CHECK(c.run.gap >= -1e-6);
  }
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
    const Cycles c = cycles(with(tolerance), 20);
    REQUIRE_MESSAGE(c.run.good, c.run.failure);
    REQUIRE(c.events.size() >= 19);
    for (const Counts& one : c.events) CHECK(one == expected);
  }
}

TEST_CASE("the limit cycle of the woodpecker: 0.14597606515 s a cycle, 0.01944537929 m down") {
  const double mass = Toy{}.mM + Toy{}.mS, g = Toy{}.g;
  for (const auto& [tolerance, method] : {std::pair{1e-10, OdeKind::dormand_prince_8},
                                          {1e-8, OdeKind::dormand_prince_8},
                                          {1e-7, OdeKind::dormand_prince_5}}) {
    CAPTURE(tolerance);
    CAPTURE(name_of(method));
    // A deviation changes its sign and falls to 0.84 of itself in a cycle.
    const Cycles c = cycles(with(tolerance, method), 100);
    REQUIRE_MESSAGE(c.run.good, c.run.failure);
    MESSAGE(fmt::format("{} {:.0e}: period {:.13f} s, drop {:.13f} m, {} evaluations",
                        name_of(method), tolerance, c.period(), c.drop, c.run.evaluations));
    // What falls in a cycle is lost in it.
    CHECK(mass * g * c.drop == doctest::Approx(c.lost).epsilon(100.0 * tolerance + 1e-8));
    CHECK(std::abs(c.period() - 0.14597606515) <= 10.0 * tolerance);
    CHECK(std::abs(c.drop - 0.01944537929) <= 10.0 * tolerance);
  }
}
