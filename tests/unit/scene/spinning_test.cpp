// Spinning friction as a scene gives it: what is refused, each with the whole message, and a turntable.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "support/fault_rows.h"

using namespace saltus;

namespace {

/// A ball of 1 kg and 0.1 m that rests on a disc which turns about the vertical by 4 rad/s; `law` and `rest` as a scene has
/// them in lines 3 and 4.
std::string turntable(const std::string& law, const std::string& rest = "") {
  return "saltus: 1\ntime: {end: 1, step: 1 ms}\nsurfaces: [{law: {kind: newton-impact, " + law +
         "}}]\n" + rest +
         "\ngravity: [0, 0, -9.81]\n"
         "contact: {instant: middle}\n"
         "bodies:\n"
         "  - {name: table, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.1]}, position: [0, "
         "0, "
         "-0.05]}, motion: {axis: [0, 0, 1], angle: {rate: 4 rad/s}}}}\n"
         "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1, position: "
         "[0, 0, 0.1]}}\n";
}
Model model_of(const std::string& text) { return build(read_scene_text(text, "s")); }

double account_of(const Simulation& sim, std::string_view name) {
  const auto names = sim.model().accounts();
  const auto at = std::find(names.begin(), names.end(), name);
  REQUIRE(at != names.end());
  return sim.state().ledger[static_cast<std::size_t>(at - names.begin())];
}

}  // namespace

TEST_CASE("spinning friction is a length, with friction, between shapes in space") {
  saltus_test::expect_faults(
      "s",
      {
          {turntable("friction: 0.5, spinning: -1 mm"),
           "3:65: surfaces[0].law.spinning: -0.001 m is out of range; allowed: >= 0 m"},
          {turntable("spinning: 1 mm"),
           "3:50: surfaces[0].law.spinning: is used only with friction; give friction"},
          {turntable("friction: 0.5, spinning: 3 kg"),
           "3:65: surfaces[0].law.spinning: 'kg' is a unit of another dimension; a number in m, or "
           "with a unit: m, cm, mm, um, km"},
          {turntable("friction: 0.5, spining: 3 mm"),
           "3:55: surfaces[0].law: `newton-impact` has no key `spining`; did you mean `spinning`? "
           "allowed: restitution, friction, restitution_tangential, slip, velocity_weakening, "
           "activation, "
           "rolling, spinning, cohesion, kind"},
          {turntable("friction: 0.5, spinning: 1 mm", "planar: xz"),
           "3:65: surfaces[0].law.spinning: bodies of a planar scene do not rotate about the "
           "normals "
           "of their contacts; leave it out; `rolling` acts about the normal of the plane"},
          {turntable("friction: 0.5, spinning: 1 mm", "solver: {kind: interior-point}"),
           "4:16: solver.kind: 'interior-point' cannot solve the law of surfaces[0].law; use auto"},
          {turntable("friction: 0.5",
                     "contacts: [{on: ball, at: [0, 0, -0.1], against: {plane: {}}, "
                     "law: {kind: newton-impact, friction: 0.5, spinning: 1 mm}}]"),
           "4:63: contacts[0].law: spinning friction acts between shapes, not at points; give it "
           "in `surfaces`"},
      },
      [](const std::string& text) { model_of(text); });
}

// 2/5 m r^2 w' = sigma m g until both turn alike; the drive pays for what the ball gains and what slips.
TEST_CASE("a turntable spins a ball up to its own rate, and its drive pays for it") {
  const double rate = 2.5 * 1e-3 * 9.81 / 0.01, stop = 4.0 / rate;
  Simulation sim(
      model_of(turntable("friction: 0.5, spinning: 1 mm", "solver: {tolerance: 1e-12}")));
  REQUIRE(sim.model().groups().back().name == "ball");
  const auto spin = [&] { return sim.state().groups.back().v[5]; };
  CHECK(stop > 1.0);
  for (int n = 1; n <= 1000; ++n) {
    REQUIRE(sim.advance().converged);
    REQUIRE(std::abs(spin() - rate * n * 1e-3) <= 1e-10);
  }
  while (sim.state().t < stop + 0.1) REQUIRE(sim.advance().converged);
  CHECK(std::abs(spin() - 4.0) <= 1e-12);
  const double gained = 0.5 * 0.4 * 0.01 * 16.0;
  MESSAGE(fmt::format("prescribed {:.6g} J, friction {:.6g} J, gained {:.6g} J",
                      account_of(sim, "prescribed"), account_of(sim, "friction"), gained));
  CHECK(account_of(sim, "prescribed") == doctest::Approx(2.0 * gained).epsilon(1e-9));
  CHECK(account_of(sim, "friction") == doctest::Approx(-gained).epsilon(1e-9));
  CHECK(std::abs(account_of(sim, "unexplained")) <= 1e-13);
}
