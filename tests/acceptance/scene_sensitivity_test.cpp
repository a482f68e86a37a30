// Derivatives of the outputs of a scene by its numbers, as the command shows them.
#include "saltus/study/scene_sensitivity.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "saltus/base/error.h"
#include "saltus/io/scene_yaml.h"

using namespace saltus;

namespace {

constexpr const char* kBall = R"(
saltus: 1
title: Ball
time: {end: 0.7 s, step: 10 ms, lane: events, tolerance: 1e-11}
bodies:
  - name: ball
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 1 m]], gravity: [0, 0, -9.81]}
    scheme: moreau-jean
contacts:
  - on: ball
    against: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
    law: {kind: newton-impact, restitution: 0.5}
outputs:
  - {probe: ball, name: height, at: 0, quantity: displacement}
  - {probe: ball, name: speed, at: 0, quantity: velocity}
)";

std::string fault_of(const std::vector<std::string>& to, const std::vector<std::string>& set = {},
                     const std::vector<std::string>& of = {}) {
  try {
    scene_sensitivities(read_scene_text(kBall, "ball.yaml", set), to, of);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("outputs of a scene have derivatives by its numbers: a ball that bounces once") {
  const double T = 0.7, g = 9.81, e = 0.5, t1 = std::sqrt(2.0 / g), v1 = g * t1, left = T - t1;
  const std::vector<std::string> to{"bodies[0].particles.positions[0][2]",
                                    "contacts[0].law.restitution",
                                    "bodies[0].particles.gravity[2]"};
  const SceneSensitivity s = scene_sensitivities(read_scene_text(kBall, "ball.yaml"), to);
  CAPTURE(s.states.reason);
  REQUIRE(s.states.validity == Sensitivity::Validity::saltation);
  REQUIRE(s.value.rows() == 2);
  REQUIRE(s.value.cols() == 3);
  CHECK(s.to[1].x == 0.5);
  CHECK(s.of[0].name == "height");
  CHECK(s.of[0].unit == "m");
  const double dH = (1.0 + e) * (T / t1 - 1.0) - e;
  CHECK(std::abs(s.value(0, 0) - dH) < 1e-8);
  CHECK(std::abs(s.value(1, 0) - (1.0 + e) / t1) < 1e-7);
  CHECK(std::abs(s.value(0, 1) - v1 * left) < 1e-8);
  CHECK(std::abs(s.value(1, 1) - v1) < 1e-8);
  // gravity[2] = -g
  const double dt = -t1 / (2.0 * g), dv = v1 / (2.0 * g);
  const double dg = e * dv * left - e * v1 * dt - left * left / 2.0 + g * left * dt;
  CHECK(std::abs(s.value(0, 2) + dg) < 1e-8);
  const std::string text = sensitivities_text(s);
  CHECK(text.find("d height [m] / d contacts[0].law.restitution = ") != std::string::npos);
  const std::string json = sensitivities_json(s);
  CHECK(json.find("\"validity\": \"saltation\"") != std::string::npos);
  // One output of the two.
  const SceneSensitivity one = scene_sensitivities(read_scene_text(kBall, "ball.yaml"), to,
                                                   std::vector<std::string>{"speed"});
  REQUIRE(one.value.rows() == 1);
  CHECK(one.value.row(0) == s.value.row(1));
}

TEST_CASE("a scene without a derivative says so, and wrong requests name their entry") {
  const std::vector<std::string> height{"bodies[0].particles.positions[0][2]"};
  const SceneSensitivity none = scene_sensitivities(
      read_scene_text(kBall, "ball.yaml",
                      std::vector<std::string>{"time.end=3", "events={zeno: 1 mm}"}),
      height);
  CHECK(none.states.validity == Sensitivity::Validity::none);
  CHECK(none.value.size() == 0);
  CAPTURE(none.states.reason);
  CHECK(none.states.reason.find("hops") != std::string::npos);
  CHECK(sensitivities_text(none).find("none, contact 0") != std::string::npos);

  CHECK(fault_of({"bodies[0].particles.weight"}).find("leads to no number") != std::string::npos);
  for (const char* run : {"time.end", "time.step", "time.tolerance"})
    CHECK(fault_of({run}).find("says how the scene is run") != std::string::npos);
  CHECK(fault_of({"bodies[0].name"}).find("sensitivities.to[0]") != std::string::npos);
  CHECK(fault_of({"contacts[0].law.restitution"}, {"contacts[0].law.restitution=1"})
            .find("cannot be 1") != std::string::npos);
  CHECK(fault_of(height, {"time.lane=stepping", "time.tolerance=~"}).find("event lane") !=
        std::string::npos);
  CHECK(fault_of(height, {}, {"depth"}).find("sensitivities.of[0]") != std::string::npos);
}

TEST_CASE(
    "a start whose velocities were made to fit a drive has derivatives: they fit it for any mass") {
  constexpr const char* kCrank = R"(
saltus: 1
time: {end: 0.5 s, step: 5 ms, lane: events, tolerance: 1e-10}
gravity: [0, 0, -9.81]
bodies:
  - {name: crank, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0], touches: false}}
  - {name: rod, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.4, 0, 0], touches: false}}
joints:
  - {name: drive, kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, -1, 0], turn: {drive: {rate: 2 rad/s}}}
  - {name: elbow, kind: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: [0, -1, 0]}
outputs:
  - {probe: rod, at: [0.2, 0, 0], name: tip, direction: [0, 0, 1], quantity: displacement}
)";
  const std::vector<std::string> to{"bodies[1].rigid.mass"};
  const SceneSensitivity s = scene_sensitivities(read_scene_text(kCrank, "crank.yaml"), to);
  CAPTURE(s.states.reason);
  REQUIRE(s.states.validity == Sensitivity::Validity::smooth);
  const auto tip = [&](double mass) {
    const std::vector<std::string> set{fmt::format("bodies[1].rigid.mass={}", mass)};
    const SceneSensitivity run =
        scene_sensitivities(read_scene_text(kCrank, "crank.yaml", set), to);
    return run.of[0].value;
  };
  constexpr double d = 1e-3;
  const double expected =
      (8.0 * (tip(1.0 + d) - tip(1.0 - d)) - (tip(1.0 + 2 * d) - tip(1.0 - 2 * d))) / (12.0 * d);
  CHECK(s.value(0, 0) == doctest::Approx(expected).epsilon(1e-6));
}
