// Angles of joints are counted within half a turn: what needs them stops the run beyond, what does not goes on, and outputs
// that wrap are reported.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"
#include "saltus/sim/failure_text.h"

using namespace saltus;
using namespace saltus::test;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A wheel of 0.02 kg m^2 about x on a hinge to the world, or to a shaft that turns the other way.
std::string wheel(const std::string& turn, double spin, const std::string& scheme,
                  const std::string& end = "2 s", bool shaft = false) {
  const std::string body =
      "rigid, scheme: {}, rigid: {{mass: 2, inertia: [0.02, 0.03, 0.03], position: [0.1, 0.3, "
      "-0.2], spin: [{}, 0, 0]}}}}\n";
  std::string text = "saltus: 1\ntime: {end: " + end +
                     ", step: 2 ms}\nbodies:\n  - {name: wheel, kind: " +
                     fmt::format(fmt::runtime(body), scheme, shaft ? 0.5 * spin : spin);
  if (shaft)
    text += "  - {name: shaft, kind: " +
            fmt::format(fmt::runtime(body), scheme == "rig-mid" ? "moreau-jean" : "rig-mid",
                        -0.5 * spin);
  text += "joints:\n";
  if (shaft)
    text +=
        "  - {name: bearing, kind: revolute, between: [world, shaft], at: [0.1, 0.3, -0.2], axis: "
        "[1, 0, 0]}\n";
  return text + "  - {name: hub, kind: revolute, between: [" + (shaft ? "shaft" : "world") +
         ", wheel], at: [0.1, 0.3, -0.2], axis: [1, 0, 0], turn: {" + turn +
         "}}\noutputs:\n  - {probe: hub, name: angle, quantity: displacement}\n"
         "  - {probe: hub, name: rate, quantity: velocity}\n";
}

/// The report of the step that ends a run; its text in `text`.
StepReport failure(const std::string& scene, std::string& text,
                   const std::vector<std::string>& set = {}, double* angle = nullptr) {
  Simulation sim(build(read_scene_text(scene, "test.yaml", set)));
  StepReport report;
  for (int k = 0; k < 1000; ++k) {
    report = sim.advance();
    if (report.converged && report.finite) continue;
    text = failure_text(sim.model(), report, sim.state().step + 1);
    if (angle) *angle = sim.probe(0);
    break;
  }
  return report;
}

constexpr const char* kSchemes[] = {"rig-mid", "moreau-jean", "rig-neg"};

}  // namespace

TEST_CASE("a spring whose joint passes half a turn ends the run and names the joint") {
  for (const bool shaft : {false, true})
    for (const char* scheme : kSchemes)
      for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
        CAPTURE(shaft);
        CAPTURE(scheme);
        CAPTURE(way);
        std::string text;
        double angle = 0.0;
        const StepReport report =
            failure(wheel("spring: {stiffness: 0.08, rest: 0.4}", -9.0, scheme, "2 s", shaft), text,
                    {way}, &angle);
        CHECK_FALSE(report.finite);
        CHECK(says(text,
                   "joint 'hub' passed half a turn: its spring counts the angle from -2.742 "
                   "to 3.542 rad"));
        CHECK(angle < 0.4 - std::numbers::pi + 0.05);
        CHECK(angle > 0.4 - std::numbers::pi);
      }
}

TEST_CASE("no policy for failed steps hides an angle that passed half a turn") {
  for (const char* policy : {"on_failure=accept", "on_failure=halve"})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
      CAPTURE(policy);
      CAPTURE(way);
      std::string text;
      failure(wheel("limits: {lower: -100 deg}", 7.0, "rig-mid"), text, {policy, way});
      CHECK(says(text, "joint 'hub' passed half a turn: its limits count the angle from"));
    }
}

TEST_CASE("a spring swings within half a turn as its closed form says") {
  for (const char* scheme : kSchemes)
    for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
      CAPTURE(scheme);
      CAPTURE(way);
      // J a'' = -k a:  a = 3 sin 2 t
      const Shown run = run_text(wheel("spring: {stiffness: 0.08}", 6.0, scheme, "3 s"), {way});
      CHECK(run.converged);
      CHECK(run.sim.probe(0) == doctest::Approx(3.0 * std::sin(6.0)).epsilon(1e-3));
      CHECK(run.sim.notices().empty());
    }
}

TEST_CASE("dampers, motors and dry friction turn for ever") {
  for (const char* law : {"damping: 1e-3", "friction: 1e-3", "motor: {velocity: 8, torque: 1}"})
    for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
      CAPTURE(law);
      CAPTURE(way);
      const Shown run = run_text(wheel(law, 8.0, "rig-mid"), {way});
      CHECK(run.converged);
      CHECK(run.steps == 1000);
    }
}

TEST_CASE("a step of more than half a turn ends the run where an angle is counted") {
  std::string text;
  failure(wheel("spring: {stiffness: 0.08}", 1800.0, "moreau-jean"), text);
  CHECK(says(text, "joint 'hub' turned by more than half a turn in one step, and its spring"));
}

TEST_CASE("a single stop far from zero lets its joint turn within half a turn") {
  for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(way);
    // from 0 to 2.6 rad, in front of a stop at -2.9 rad that nothing meets
    const Shown run =
        run_text(wheel("limits: {lower: -2.9, restitution: 1}", 1.3, "rig-mid"), {way});
    CHECK(run.converged);
    CHECK(run.sim.probe(0) == doctest::Approx(2.6).epsilon(1e-4));
    CHECK(run.sim.probe(1) == doctest::Approx(1.3));
  }
}

TEST_CASE("a wheel bounces between two stops that are nearly a turn apart") {
  for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(way);
    // 2.95 rad, back to -2.95, and 0.8 rad from there: 9.65 rad in 2 s
    const Shown run = run_text(
        wheel("limits: {lower: -2.95, upper: 2.95, restitution: 1}", 4.825, "rig-mid"), {way});
    CHECK(run.converged);
    CHECK(run.sim.probe(0) == doctest::Approx(-2.15).epsilon(0.02));
    CHECK(run.sim.probe(1) == doctest::Approx(4.825));
  }
}

TEST_CASE("an output of an angle that wraps is reported once, with its joint") {
  for (const bool shaft : {false, true})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-6"}) {
      CAPTURE(shaft);
      CAPTURE(way);
      const Shown run = run_text(wheel("damping: 1e-6", -7.0, "rig-mid", "2 s", shaft), {way});
      const auto notices = run.sim.notices();
      REQUIRE(notices.size() == 1);
      CHECK(notices[0].kind == Notice::Kind::wrapped);
      CHECK(notices[0].steps == 2);  // 14 rad
      CHECK(notices[0].first == doctest::Approx(std::numbers::pi / 7.0).epsilon(0.01));
      CHECK(says(notices[0].text, "output 'angle' jumps by 2 pi when joint 'hub'"));
    }
}

TEST_CASE("what dampers of joints take is booked as damping, and nothing as impact") {
  for (const bool shaft : {false, true})
    for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
      CAPTURE(shaft);
      CAPTURE(way);
      const Shown run = run_text(
          wheel("spring: {stiffness: 0.3}, damping: 0.02", 2.5, "rig-mid", "1 s", shaft), {way});
      const Model& model = run.sim.model();
      double damping = 0.0, impact = 1.0;
      for (std::size_t i = 0; i < model.accounts().size(); ++i) {
        if (model.accounts()[i] == "damping") damping = run.sim.state().ledger[i];
        if (model.accounts()[i] == "impact") impact = run.sim.state().ledger[i];
      }
      const double lost = run.sim.state().energy.total() - run.sim.state().energy_start;
      CHECK(lost < -0.01);
      CHECK(damping == doctest::Approx(lost).epsilon(1e-5));
      CHECK(std::abs(impact) < 1e-9);
    }
}

TEST_CASE("springs on joints pass their turning points at every amplitude") {
  for (int k = 1; k <= 24; ++k) {
    const double spin = 0.217 * k;  // a = spin/2 sin 2 t
    CAPTURE(spin);
    const Shown run = run_text(
        wheel("spring: {stiffness: 0.08}", spin, k % 2 == 0 ? "rig-mid" : "moreau-jean", "2.4 s"));
    CHECK(run.converged);
    CHECK(run.sim.probe(0) == doctest::Approx(0.5 * spin * std::sin(4.8)).epsilon(1e-3));
  }
}

TEST_CASE("a damped hinge comes to rest and goes on, whatever its rate falls to") {
  for (const char* damping : {"damping: 3", "damping: 16", "damping: 37"})
    for (const char* scheme : {"rig-mid", "moreau-jean"}) {
      CAPTURE(damping);
      CAPTURE(scheme);
      const Shown run = run_text(wheel(damping, 1.0, scheme, "4 s"));
      CHECK(run.converged);
      CHECK(std::abs(run.sim.probe(1)) < 1e-9);
    }
}

namespace {

/// Two wheels of 0.05 and 0.02 kg m^2 on one axle that turn against each other at the rate `spin`; of one group without a scheme.
std::string against(const std::string& turn, double spin, const std::string& scheme) {
  const auto wheel = [](const char* name, const std::string& own, double J, double rate) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, {}rigid: {{mass: 3, inertia: [{}, {}, {}], position: [0, "
        "-0.4, 0.2], spin: [0, 0, {}]}}}}\n",
        name, own, 0.7 * J, 0.7 * J, J, rate);
  };
  return "saltus: 1\ntime: {end: 1.5 s, step: 2 ms}\nbodies:\n" +
         wheel("inner", "", 0.05, -2.0 / 7.0 * spin) +
         wheel("outer", scheme.empty() ? "" : "scheme: " + scheme + ", ", 0.02, 5.0 / 7.0 * spin) +
         "joints:\n  - {name: axle, kind: revolute, between: [inner, outer], at: [0, -0.4, 0.2], "
         "axis: [0, 0, 1], turn: {" +
         turn + "}}\noutputs:\n  - {probe: axle, name: angle, quantity: displacement}\n";
}

}  // namespace

TEST_CASE(
    "springs and stops between two bodies end the run beyond half a turn, in one group or two") {
  for (const char* scheme : {"", "rig-neg", "rig-pos"})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
      CAPTURE(scheme);
      CAPTURE(way);
      REQUIRE(
          build(read_scene_text(against("damping: 0", 1.0, scheme), "test.yaml")).groups().size() ==
          (*scheme ? 2 : 1));
      for (const double spin : {11.0, -11.0}) {
        std::string text;
        double angle = 0.0;
        const StepReport report = failure(
            against("spring: {stiffness: 0.03, rest: -0.3}", spin, scheme), text, {way}, &angle);
        CHECK_FALSE(report.finite);
        CHECK(says(text,
                   "joint 'axle' passed half a turn: its spring counts the angle from -3.442 "
                   "to 2.842 rad"));
        CHECK(std::abs(angle + 0.3) == doctest::Approx(std::numbers::pi).epsilon(0.02));
      }
      std::string text;
      failure(against("limits: {lower: -80 deg}", 6.5, scheme), text, {way});
      CHECK(says(text, "joint 'axle' passed half a turn: its limits count the angle from"));
      // J a'' = -k a, J = 1/70 kg m^2:  a = 2.5 sin 2.5 t
      const Shown run = run_text(against("spring: {stiffness: 0.0892857142857}", 6.25, scheme),
                                 {way, "time.end=1.1"});
      CHECK(run.converged);
      CHECK(run.sim.probe(0) == doctest::Approx(2.5 * std::sin(2.75)).epsilon(2e-2));
      CHECK(run.sim.notices().empty());
    }
}

TEST_CASE("a step of more than half a turn between two bodies ends the run, in one group or two") {
  for (const char* scheme : {"", "rig-neg"}) {
    CAPTURE(scheme);
    std::string text;
    failure(against("spring: {stiffness: 0.03}", 1750.0, scheme), text);
    CHECK(says(text, "joint 'axle' turned by more than half a turn in one step, and its spring"));
  }
}
