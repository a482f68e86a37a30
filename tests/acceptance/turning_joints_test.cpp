// Angles of joints count turns: springs, stops and outputs over any number of them, in both modes and after a restart.
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

TEST_CASE("a spring turns any number of turns as its closed form says") {
  // J a'' = -k (a - r):  a = r (1 - cos w t) + (u/w) sin w t, with J/2 between two equal wheels
  struct Row {
    const char* way;
    double error;  ///< relative to the amplitude
    bool
        midpoint;  ///< and that of cay(h Omega) in steps of 2 ms, (h Omega)^2/12 where it is fastest
  };
  for (const bool shaft : {false, true})
    for (const char* scheme : kSchemes)
      for (const Row row :
           {Row{"time.mode=stepping", 4e-5, true}, Row{"time.mode=events", 1e-7, false},
            Row{"time.tolerance=1e-5", 1e-4, false}})
        for (const double spin : {-9.0, 90.0}) {
          CAPTURE(shaft);
          CAPTURE(scheme);
          CAPTURE(row.way);
          CAPTURE(spin);
          const Shown run = run_text(
              wheel("spring: {stiffness: 0.08, rest: 0.4}", spin, scheme, "2 s", shaft), {row.way});
          CHECK(run.converged);
          const double w = std::sqrt(0.08 / (shaft ? 0.01 : 0.02)), a = spin / w;
          CHECK(std::abs(a) > std::numbers::pi);
          const double t = run.sim.state().t,
                       exact = 0.4 * (1.0 - std::cos(w * t)) + a * std::sin(w * t);
          const double h_omega = row.midpoint ? 2e-3 * spin * (shaft ? 0.5 : 1.0) : 0.0;
          CHECK(std::abs(run.sim.probe(0) - exact) <
                (row.error + h_omega * h_omega / 7.0) * std::abs(a));
          CHECK(run.sim.notices().empty());
          CHECK(std::abs(run.worst_unexplained) < 1e-9);
        }
}

TEST_CASE("a wound spring loses no turn where a run goes on from one of its states") {
  for (const bool shaft : {false, true})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
      CAPTURE(shaft);
      CAPTURE(way);
      Simulation whole(
          build(read_scene_text(wheel("spring: {stiffness: 0.08}", 30.0, "rig-mid", "2 s", shaft),
                                "test.yaml", std::vector<std::string>{way})));
      for (int k = 0; k < 390; ++k) whole.advance();
      CHECK(std::abs(whole.probe(0)) > 2.0 * std::numbers::pi);
      Simulation again(whole.model(), whole.state());
      CHECK(again.probe(0) == whole.probe(0));
      for (int k = 0; k < 600; ++k) {
        whole.advance();
        again.advance();
      }
      CHECK(again.probe(0) == whole.probe(0));
      CHECK(again.state().groups[0].q == whole.state().groups[0].q);
      CHECK(again.state().groups[0].angles == whole.state().groups[0].angles);
    }
}

TEST_CASE("a wheel bounces between stops that are many turns apart") {
  for (const char* way : {"time.mode=stepping", "time.mode=events"})
    for (const auto& [stops, high] : {std::pair{"lower: -4.5, upper: 4.5", 4.5},
                                      std::pair{"lower: -1 rad, upper: 40 rad", 40.0}}) {
      CAPTURE(way);
      CAPTURE(stops);
      // high at 0.8 s, and 0.4 s of the way back
      const Shown run = run_text(wheel(std::string("limits: {restitution: 1, ") + stops + "}",
                                       high / 0.8, "rig-mid", "1.2 s"),
                                 {way});
      CHECK(run.converged);
      CHECK(run.sim.probe(0) == doctest::Approx(0.5 * high).epsilon(0.01));
      CHECK(run.sim.probe(1) == doctest::Approx(-high / 0.8));
    }
}

TEST_CASE("an angle starts at `start`, else between its stops, else within half a turn") {
  const auto starts = [](const std::string& turn) {
    return run_text(wheel(turn, 0.0, "rig-mid", "10 ms")).sim.probe(0);
  };
  CHECK(starts("damping: 0") == doctest::Approx(0.0));
  CHECK(starts("start: 7 rad") == doctest::Approx(7.0));
  CHECK(starts("start: -100 rad") == doctest::Approx(-100.0));
  CHECK(starts("start: 7 rad, limits: {lower: 0, upper: 10}") == doctest::Approx(7.0));
  CHECK(starts("limits: {lower: 6 rad}") == doctest::Approx(2.0 * std::numbers::pi));
  CHECK(starts("limits: {lower: -1, upper: 20 rad}") == doctest::Approx(0.0));
  CHECK(starts("limits: {upper: -5 rad}") == doctest::Approx(-2.0 * std::numbers::pi));
  CHECK(starts("limits: {lower: 1, upper: 2}") == doctest::Approx(0.0));  // none of its turns
  CHECK(starts("spring: {stiffness: 1e-9, rest: 4}") == doctest::Approx(0.0));
}

TEST_CASE("a spring that is wound at the start by `start` unwinds from there") {
  for (const char* way : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(way);
    // a = 12 cos 2 t
    const Shown run =
        run_text(wheel("start: 12 rad, spring: {stiffness: 0.08}", 0.0, "rig-mid", "1 s"), {way});
    CHECK(std::abs(run.sim.probe(0) - 12.0 * std::cos(2.0)) <
          (way == std::string("time.mode=events") ? 1e-6 : 4e-3));
    CHECK(run.sim.state().energy_start == doctest::Approx(0.5 * 0.08 * 144.0));
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
  failure("on_failure: stop\n" + wheel("spring: {stiffness: 0.08}", 1800.0, "moreau-jean"), text);
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

TEST_CASE("an output of an angle counts turns, quietly") {
  for (const bool shaft : {false, true})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-6"})
      for (const double spin : {-7.0, 300.0}) {
        CAPTURE(shaft);
        CAPTURE(way);
        CAPTURE(spin);
        const Shown run = run_text(wheel("damping: 0", spin, "rig-mid", "2 s", shaft), {way});
        // rig-mid turns by 2 atan(h spin/2) a step of h
        CHECK(run.sim.probe(0) == doctest::Approx(2.0 * spin).epsilon(0.04));
        CHECK(run.sim.notices().empty());
      }
}

TEST_CASE("a wheel that turns by more than half a turn a step is counted by its rate") {
  for (const char* scheme : {"splitting", "rig-mid"})
    for (const char* mode : {"stepping", "events"}) {
      if (scheme == std::string("rig-mid") && mode == std::string("stepping")) continue;
      CAPTURE(scheme);
      CAPTURE(mode);
      const Shown run = run_text(wheel("damping: 0", 1800.0, scheme, "1 s"),
                                 {std::string("time.mode=") + mode});  // 3.6 rad a step
      CHECK(run.sim.probe(0) == doctest::Approx(1800.0).epsilon(1e-6));
      CHECK(run.sim.notices().empty());
    }
}

TEST_CASE("both angles of a universal joint and that of a cylindrical joint count turns") {
  const std::string head =
      "saltus: 1\ntime: {end: 2 s, step: 1 ms}\nbodies:\n"
      "  - {name: rotor, kind: rigid, rigid: {mass: 2, inertia: [0.02, 0.02, 0.02], ";
  for (const char* mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const std::string set = std::string("time.mode=") + mode;
    const Shown screw = run_text(
        head +
            "spin: [0, 0, -6], velocity: [0, 0, 0.5]}}\njoints:\n  - {name: j, kind: cylindrical, "
            "between: [world, rotor], at: [0, 0, 0], axis: [0, 0, 1], turn: {spring: {stiffness: "
            "0.02}}}\noutputs:\n  - {probe: j.turn, name: turn, quantity: displacement}\n  - "
            "{probe: j.slide, name: slide, quantity: displacement}\n",
        {set});
    CHECK(screw.sim.probe(0) == doctest::Approx(-6.0 * std::sin(2.0)).epsilon(1e-4));
    CHECK(screw.sim.probe(1) == doctest::Approx(1.0));
    for (const char* axis : {"0, 0, 5", "5, 0, 0"}) {
      CAPTURE(axis);
      const Shown cross = run_text(
          head + "spin: [" + axis +
              "]}}\njoints:\n  - {name: j, kind: universal, between: [world, rotor], at: [0, 0, "
              "0], "
              "axis: [0, 0, 1], axis2: [1, 0, 0]}\noutputs:\n  - {probe: j.turn, name: a, "
              "quantity: displacement}\n  - {probe: j.turn2, name: b, quantity: displacement}\n",
          {set});
      const int turns = axis[0] == '0' ? 0 : 1;
      CHECK(cross.sim.probe(turns) == doctest::Approx(10.0).epsilon(1e-4));
      CHECK(std::abs(cross.sim.probe(1 - turns)) < 1e-9);
    }
  }
}

TEST_CASE("springs pass their turning points many turns away from zero") {
  for (const double turned : {7.0, 50.0, 1000.0})
    for (int k = 1; k <= 12; ++k)
      for (const char* control : {"", ", tolerance: 1e-6"}) {
        const double spin = 0.413 * k;  // a = turned + spin/2 sin 2 t
        CAPTURE(turned);
        CAPTURE(spin);
        CAPTURE(control);
        const Shown run = run_text(
            wheel(fmt::format("start: {0}, spring: {{stiffness: 0.08, rest: {0}}}", turned), spin,
                  k % 2 == 0 ? "rig-mid" : "moreau-jean", std::string("2.4 s") + control));
        CHECK(run.converged);
        CHECK(run.sim.probe(0) - turned ==
              doctest::Approx(0.5 * spin * std::sin(4.8)).epsilon(1e-3));
      }
}

namespace {

/// A wheel on a drum that rotates as prescribed.
std::string drum(const std::string& angle, const std::string& turn, bool drum_first) {
  return R"(saltus: 1
time: {end: 3 s, step: 10 ms}
bodies:
  - {name: drum, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, touches: false, motion: {axis: [0, 0, 1], angle: )" +
         angle + R"(}}}
  - {name: wheel, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints:
  - {name: coil, kind: revolute, between: )" +
         (drum_first ? "[drum, wheel]" : "[wheel, drum]") +
         ", at: [0, 0, 0], axis: [0, 0, 1], turn: {" + turn +
         "}}\noutputs:\n  - {probe: coil, name: twist, quantity: displacement}\n"
         "  - {probe: coil, name: rate, quantity: velocity}\n";
}

}  // namespace

TEST_CASE("a body with a prescribed rotation reaches a stop after any number of turns") {
  // the wheel rests until the drum has turned by 9 rad, and follows it then
  for (const bool drum_first : {true, false})
    for (const double rate : {5.0, 20.0})
      for (const char* mode : {"stepping", "events"}) {
        CAPTURE(drum_first);
        CAPTURE(rate);
        CAPTURE(mode);
        const Shown run = run_text(
            drum(fmt::format("{{rate: {}}}", rate), "limits: {lower: -9, upper: 9}", drum_first),
            {std::string("time.mode=") + mode});
        CHECK(run.converged);
        CHECK(std::abs(run.sim.probe(0)) ==
              doctest::Approx(9.0).epsilon(mode == std::string("events") ? 1e-9 : 0.03));
        CHECK(std::abs(run.sim.probe(1)) < 1e-9);
      }
}

TEST_CASE("a weak spring is wound by a fast prescribed rotation as its closed form says") {
  // J a'' = -k (a - 300 t) from rest:  a = 300 t - (300/w) sin w t
  for (const char* tolerance : {"1e-9", "1e-6", "1e-4"}) {
    CAPTURE(tolerance);
    const Shown run = run_text(drum("{rate: 300}", "spring: {stiffness: 2e-4}", false),
                               {"time.mode=events", std::string("time.tolerance=") + tolerance});
    const double w = 0.1, t = 3.0;
    CHECK(std::abs(run.sim.probe(0)) == doctest::Approx(300.0 / w * std::sin(w * t)).epsilon(1e-4));
  }
}

TEST_CASE("an oscillating prescribed rotation of many turns is counted in both modes") {
  for (const char* mode : {"stepping", "events"}) {
    CAPTURE(mode);
    double first = 0.0;
    bool begun = false;
    const Shown run = run_text(
        drum("{harmonic: {amplitude: 40, frequency: 0.37}}", "damping: 0", true),
        {std::string("time.mode=") + mode}, [&](const Simulation& sim, const StepReport&) {
          const double drum = 40.0 * std::cos(2.0 * std::numbers::pi * 0.37 * sim.state().t);
          if (!begun) first = sim.probe(0) + drum;
          begun = true;
          CHECK(sim.probe(0) + drum == doctest::Approx(first).epsilon(1e-9));
        });
    CHECK(run.steps == 300);
  }
}

TEST_CASE("a wheel is wound up by a body with a prescribed rotation") {
  // the drum turns at 8 rad/s; J a'' = -k (a - 8 t) from rest:  a = 8 t - (8/w) sin w t
  for (const char* mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const Shown run = run_text(
        R"(saltus: 1
time: {end: 3 s, step: 1 ms}
bodies:
  - {name: drum, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, touches: false, motion: {axis: [0, 0, 1], angle: {rate: 8}}}}
  - {name: wheel, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints:
  - {name: bearing, kind: revolute, between: [world, wheel], at: [0, 0, 0], axis: [0, 0, 1]}
  - {name: coil, kind: revolute, between: [drum, wheel], at: [0, 0, 0], axis: [0, 0, 1], turn: {spring: {stiffness: 0.02}}}
outputs:
  - {probe: bearing, name: angle, quantity: displacement}
  - {probe: coil, name: twist, quantity: displacement}
)",
        {std::string("time.mode=") + mode});
    const double t = 3.0, a = 8.0 * t - 8.0 * std::sin(t);
    CHECK(run.converged);
    CHECK(run.sim.probe(0) == doctest::Approx(a).epsilon(1e-4));
    CHECK(run.sim.probe(1) == doctest::Approx(a - 8.0 * t).epsilon(1e-3));
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

TEST_CASE("springs and stops between two bodies count turns, in one group or two") {
  for (const char* scheme : {"", "rig-neg", "rig-pos"})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
      CAPTURE(scheme);
      CAPTURE(way);
      REQUIRE(
          build(read_scene_text(against("damping: 0", 1.0, scheme), "test.yaml")).groups().size() ==
          (*scheme ? 2 : 1));
      // J a'' = -k (a + 0.3), J = 1/70 kg m^2
      for (const double spin : {11.0, -70.0}) {
        const Shown run =
            run_text(against("spring: {stiffness: 0.03, rest: -0.3}", spin, scheme), {way});
        const double w = std::sqrt(0.03 * 70.0), t = 1.5;
        CHECK(run.converged);
        CHECK(run.sim.probe(0) ==
              doctest::Approx(-0.3 * (1.0 - std::cos(w * t)) + spin / w * std::sin(w * t))
                  .epsilon(1e-3));
        CHECK(run.sim.notices().empty());
      }
      // 9 rad, and back by 6 rad in 0.5 s
      const Shown stop =
          run_text(against("limits: {lower: -80 deg, upper: 9, restitution: 1}", 12.0, scheme),
                   {way, "time.end=1.25"});
      CHECK(stop.converged);
      CHECK(stop.sim.probe(0) == doctest::Approx(3.0).epsilon(0.02));
    }
}

TEST_CASE("a step of more than half a turn between two bodies ends the run, in one group or two") {
  for (const char* scheme : {"", "rig-neg"}) {
    CAPTURE(scheme);
    std::string text;
    failure("on_failure: stop\n" + against("spring: {stiffness: 0.03}", 1750.0, scheme), text);
    CHECK(says(text, "joint 'axle' turned by more than half a turn in one step, and its spring"));
  }
}
