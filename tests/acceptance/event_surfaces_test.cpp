// Surfaces that meet between two places at which event-driven integration looks: those that a motion moves, and those of bodies that turn
// back where they touch.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "../support/event_run.h"
#include "../support/rigid_scene.h"
#include "saltus/bodies/moving.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Simulation scene_of(const std::string& text) {
  return Simulation(build(read_scene_text(text, "test.yaml")));
}

/// A ball of 0.1 m at rest at 0, and a hammer with e = 0.5 that a motion moves.
Simulation ball_and_hammer(const std::string& hammer, const std::string& step,
                           const std::string& method) {
  return scene_of(fmt::format(R"(saltus: 1
time: {{end: 4 s, step: {}, mode: events}}
events: {{method: {}}}
bodies:
  - {{name: ball, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.1}}}}, density: 1000, position: [0, 0, 0]}}}}
  - {{name: hammer, kind: rigid, rigid: {}}}
surfaces:
  - {{law: {{kind: newton-impact, restitution: 0.5}}}}
)",
                              step, method, hammer));
}

/// A ball of 0.1 m that starts upwards at `speed`, g = 10 m/s^2, below a roof of which it would come `into` above.
Simulation ball_under_roof(double speed, double into, const std::string& time,
                           const std::string& method) {
  return scene_of(fmt::format(R"(saltus: 1
time: {{end: 4 s, {}, mode: events}}
events: {{method: {}}}
gravity: [0, 0, -10]
bodies:
  - {{name: ball, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.1}}}}, mass: 1, position: [0, 0, 0], velocity: [0, 0, {:.17g}]}}}}
  - {{name: roof, kind: rigid, rigid: {{fixed: true, shape: {{box: {{size: [1, 1, 0.2]}}}}, position: [0, 0, {:.17g}]}}}}
surfaces:
  - {{law: {{kind: newton-impact, restitution: 0.5}}}}
)",
                              time, method, speed, speed * speed / 20.0 + 0.2 - into));
}

}  // namespace

TEST_CASE("a hammer that a motion moves hits a ball at rest, however fast it comes") {
  for (const char* const method : {"dormand-prince-8", "dormand-prince-5", "esdirk"})
    for (const char* const step : {"1 ms", "10 ms", "4 s"})
      for (const double rate : {2.0, 5.0, 20.0, 300.0}) {
        CAPTURE(method);
        CAPTURE(step);
        CAPTURE(rate);
        Simulation sim = ball_and_hammer(
            fmt::format("{{shape: {{sphere: {{radius: 0.1}}}}, position: [-5, 0, 0], motion: {{x: "
                        "{{rate: {} m/s}}}}}}",
                        rate),
            step, method);
        const double time = 4.8 / rate;
        const EventRun run = run_events(sim, time + 0.1);
        const Event impact = run.one(Event::Kind::impact);
        CHECK(std::abs(impact.t - time) <= 1e-13 * time);
        CHECK(impact.speed == doctest::Approx(-rate).epsilon(1e-13));
        CHECK(sim.state().groups[0].v[0] == doctest::Approx(1.5 * rate).epsilon(1e-12));
      }
}

TEST_CASE(
    "a hammer that shakes a hundred times in an interval hits the ball the first time it comes up "
    "to it") {
  // x = -0.5 + 0.4 sin(omega t) comes to -0.2 where the sine is 3/4.
  const double omega = 2.0 * std::numbers::pi * 100.0, time = std::asin(0.75) / omega,
               speed = 0.4 * omega * std::sqrt(1.0 - 0.75 * 0.75);
  for (const char* const method : {"dormand-prince-8", "dormand-prince-5"}) {
    CAPTURE(method);
    Simulation sim = ball_and_hammer(
        "{shape: {sphere: {radius: 0.1}}, position: [-0.5, 0, 0], motion: {x: {harmonic: "
        "{amplitude: 0.4, frequency: 100 Hz, phase: -90 deg}}}}",
        "1 s", method);
    const EventRun run = run_events(sim, 1.0);
    const Event impact = run.one(Event::Kind::impact);
    CHECK(std::abs(impact.t - time) <= 1e-15);
    CHECK(sim.state().groups[0].v[0] == doctest::Approx(1.5 * speed).epsilon(1e-11));
  }
}

TEST_CASE("a bar that a motion turns meets a ball with its face") {
  // Its middle plane through (-1, 0, 0) is cos(3 t) from the ball, which it meets at 0.2 and sqrt(1 - 0.04) from its middle.
  const double time = std::acos(0.2) / 3.0, speed = 3.0 * std::sqrt(1.0 - 0.04);
  Simulation sim = ball_and_hammer(
      "{shape: {box: {size: [0.2, 0.2, 2]}}, position: [-1, 0, 0], motion: {axis: [0, 1, 0], "
      "angle: {rate: 3}}}",
      "10 ms", "auto");
  const EventRun run = run_events(sim, 0.6);
  const Event impact = run.one(Event::Kind::impact);
  CHECK(std::abs(impact.t - time) <= 1e-12);
  CHECK(sim.state().groups[0].v.head<3>().norm() == doctest::Approx(1.5 * speed).epsilon(1e-10));
}

TEST_CASE("a half space that a motion turns meets a ball far from its axis") {
  // Turned by a it is cos a - 5 sin a = sqrt(26) cos(a + atan 5) from (5, 0, 1), with 5 cos a + sin a from its axis.
  const double spin = 0.5, angle = std::acos(0.1 / std::sqrt(26.0)) - std::atan(5.0),
               speed = spin * (5.0 * std::cos(angle) + std::sin(angle));
  for (const double h : {1e-3, 0.05, 1.0}) {
    CAPTURE(h);
    RigidScene scene;
    scene.gravity.setZero();
    scene.add({Sphere{0.1}, 1.0, Vector3(5.0, 0.0, 1.0)});
    ModelParts parts = scene.model(rig_mid(), h, newton_law(0.5)).parts();
    PrescribedMotion turning;
    turning.axis = -Vector3::UnitY();
    turning.spin = spin;
    parts.groups.push_back({"gate",
                            "moving",
                            std::make_shared<saltus::Moving>(std::vector{turning}),
                            make_scheme(MoreauJeanOptions{}),
                            {}});
    parts.initial.emplace_back();
    parts.surfaces.frames.push_back({1, 0, "gate"});
    parts.surfaces.colliders.push_back({Plane{}, {}, 1, 0});
    Simulation sim(in_event_mode(std::move(parts), h, 1.0));
    const EventRun run = run_events(sim, 0.5);
    const Event impact = run.one(Event::Kind::impact);
    CHECK(std::abs(impact.t - angle / spin) <= 1e-12);
    CHECK(speed_of(sim, 0).norm() == doctest::Approx(1.5 * speed).epsilon(1e-10));
  }
}

TEST_CASE("a ball that would turn back just behind a roof hits it, whatever the integrator") {
  for (const char* const method : {"dormand-prince-8", "dormand-prince-5", "esdirk"}) {
    CAPTURE(method);
    Simulation sim = ball_under_roof(10.0, 0.15, "step: 2 ms", method);
    const EventRun run = run_events(sim, 1.5);
    const std::vector<Event> impacts = run.of(Event::Kind::impact);
    REQUIRE(impacts.size() == 1);
    CHECK(std::abs(impacts[0].t - (1.0 - std::sqrt(0.03))) <= 1e-12);
    CHECK(impacts[0].speed == doctest::Approx(-10.0 * std::sqrt(0.03)).epsilon(1e-11));
  }
  for (const auto& [time, method] :
       {std::pair{"step: 10 ms, tolerance: 1e-4", "auto"}, {"step: 10 ms", "esdirk"}})
    for (int i = 0; i <= 80; ++i) {
      const double speed = 6.0 + 0.1 * i;
      CAPTURE(method);
      CAPTURE(speed);
      Simulation sim = ball_under_roof(speed, 0.02, time, method);
      const EventRun run = run_events(sim, speed / 10.0 + 0.1);
      const std::vector<Event> impacts = run.of(Event::Kind::impact);
      REQUIRE(impacts.size() == 1);
      CHECK(std::abs(impacts[0].t - (speed / 10.0 - std::sqrt(0.004))) <= 1e-11);
    }
}

TEST_CASE("a hammer and a ball go on bit for bit from every interval") {
  Simulation sim = ball_and_hammer(
      "{shape: {box: {size: [0.2, 0.2, 2]}}, position: [-1, 0, 0], motion: {axis: [0, 1, 0], "
      "angle: {rate: 3}}}",
      "30 ms", "auto");
  const Model model = sim.model();
  while (sim.state().t < 0.6) {
    Simulation resumed(model, sim.state());
    sim.advance();
    resumed.advance();
    CHECK((sim.state().groups[0].q.array() == resumed.state().groups[0].q.array()).all());
    CHECK((sim.state().groups[0].v.array() == resumed.state().groups[0].v.array()).all());
    CHECK(sim.state().event_state.t == resumed.state().event_state.t);
    CHECK(sim.state().event_state.length == resumed.state().event_state.length);
    CHECK(sim.state().event_state.next == resumed.state().event_state.next);
  }
}
