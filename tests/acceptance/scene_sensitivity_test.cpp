// Derivatives of the outputs of a scene by its numbers, as the command shows them.
#include "saltus/study/scene_sensitivity.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "saltus/base/error.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

constexpr const char* kBall = R"(
saltus: 1
title: Ball
time: {end: 0.7 s, step: 10 ms, mode: events, tolerance: 1e-11}
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
  CHECK(none.states.reason.find("Zeno sequence") != std::string::npos);
  CHECK(sensitivities_text(none).find("none, contact 0") != std::string::npos);

  CHECK(fault_of({"bodies[0].particles.weight"}).find("is not the path of a number") !=
        std::string::npos);
  for (const char* run : {"time.end", "time.step", "time.tolerance"})
    CHECK(fault_of({run}).find("is a setting of the run") != std::string::npos);
  CHECK(fault_of({"bodies[0].name"}).find("sensitivities.to[0]") != std::string::npos);
  CHECK(fault_of({"contacts[0].law.restitution"}, {"contacts[0].law.restitution=1"})
            .find("cannot be set to 1") != std::string::npos);
  CHECK(fault_of(height, {"time.mode=stepping", "time.tolerance=~"})
            .find("event-driven integration") != std::string::npos);
  CHECK(fault_of(height, {}, {"depth"}).find("sensitivities.of[0]") != std::string::npos);
}

TEST_CASE(
    "a start whose velocities were made to fit a drive has derivatives: they fit it for any mass") {
  constexpr const char* kCrank = R"(
saltus: 1
time: {end: 0.5 s, step: 5 ms, mode: events, tolerance: 1e-10}
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

namespace {

/// Boxes and balls on the floor z = 0 under gravity (g_x, g_y, g_z), of friction mu.
std::string on_the_floor(const std::string& gravity, const std::string& body, double mu, double end,
                         const std::string& more = "") {
  return fmt::format(
      "saltus: 1\ntime: {{end: {} s, step: 10 ms, mode: events}}\ngravity: [{}]\nbodies:\n"
      "  - {{name: body, kind: rigid, rigid: {{{}}}}}\n{}"
      "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
      "surfaces: [{{law: {{kind: newton-impact, restitution: 0, friction: {}}}}}]\n"
      "outputs: [{{probe: body, name: x, at: [0, 0, 0], direction: [1, 0, 0], quantity: "
      "displacement}}]\n",
      end, gravity, body, more, mu);
}

SceneSensitivity derivatives(const std::string& text, const std::string& to) {
  return scene_sensitivities(read_scene_text(text, "test.yaml"), std::vector<std::string>{to});
}

bool says(const SceneSensitivity& s, const char* part) {
  return s.states.validity == Sensitivity::Validity::none &&
         s.states.reason.find(part) != std::string::npos;
}

const char* const kFriction = "surfaces[0].law.friction";
const char* const kBlock = "shape: {box: {size: [0.3, 0.2, 0.1]}}, mass: 7, position: [0, 0, 0.05]";

}  // namespace

TEST_CASE("a body at rest that begins to slide has its derivative however little pulls it") {
  // x = (g_x - mu g) t^2/2 under friction that takes all but a small part of the pull
  for (const double mu : {0.1, 0.25, 0.29, 0.295, 0.2999}) {
    const SceneSensitivity s = derivatives(on_the_floor("3, 0, -10", kBlock, mu, 0.45), kFriction);
    CAPTURE(mu);
    CAPTURE(s.states.reason);
    REQUIRE(s.value.size() == 1);
    CHECK(s.value(0, 0) == doctest::Approx(-10.0 * 0.45 * 0.45 / 2.0).epsilon(1e-6));
  }
  // by the pull itself, and along another direction
  const SceneSensitivity pull =
      derivatives(on_the_floor("3, 0, -10", kBlock, 0.29, 0.45), "gravity[0]");
  REQUIRE(pull.value.size() == 1);
  CHECK(pull.value(0, 0) == doctest::Approx(0.45 * 0.45 / 2.0).epsilon(1e-6));
  // drag: many steps, the first of them short:  x'' = a - k x'
  const double a = 0.1, k = 9.0, t = 0.8;
  const SceneSensitivity slow = derivatives(
      on_the_floor("3, 0, -10", std::string(kBlock) + ", drag: 63", 0.3 - a / 10.0, t), kFriction);
  CAPTURE(slow.states.reason);
  REQUIRE(slow.value.size() == 1);
  CHECK(slow.value(0, 0) ==
        doctest::Approx(-10.0 / k * (t - (1.0 - std::exp(-k * t)) / k)).epsilon(1e-5));
  // a ball, whose slip is another one than its velocity: it slides on while mu < 2/7 of the slope
  const SceneSensitivity ball = derivatives(
      on_the_floor("7, 0, -10", "shape: {sphere: {radius: 0.2}}, mass: 3, position: [0, 0, 0.2]",
                   0.19, 0.5),
      kFriction);
  REQUIRE(ball.value.size() == 1);
  CHECK(ball.value(0, 0) == doctest::Approx(-10.0 * 0.125).epsilon(1e-6));
}

TEST_CASE("a start on a limit of friction has no derivative, and the contact is named") {
  for (const double mu : {0.30001, 0.30002}) {
    const SceneSensitivity s = derivatives(on_the_floor("3, 0, -10", kBlock, mu, 0.3), kFriction);
    CAPTURE(s.states.reason);
    CHECK(says(s, "('body' on "));
    CHECK(says(s, "decides whether it sticks or slides"));
  }
  // beyond it the block rests, and nothing depends on anything
  const SceneSensitivity rests =
      derivatives(on_the_floor("3, 0, -10", kBlock, 0.31, 0.3), kFriction);
  REQUIRE(rests.value.size() == 1);
  CHECK(std::abs(rests.value(0, 0)) < 1e-9);
  // a pull across turns the slip that begins
  CHECK(says(derivatives(on_the_floor("3, 0, -10", kBlock, 0.2, 0.3), "gravity[1]"),
             "turns the direction in which it begins to slide"));
  // one that slides already is on no limit
  const double mu = 0.2, t = 0.3;
  const SceneSensitivity moving = derivatives(
      on_the_floor("2, 0, -10", std::string(kBlock) + ", velocity: [2, 0, 0]", mu, t), kFriction);
  REQUIRE(moving.value.size() == 1);
  CHECK(moving.value(0, 0) == doctest::Approx(-10.0 * t * t / 2.0).epsilon(1e-6));
}

TEST_CASE("a start with an impact, or with a contact that nothing presses, has no derivative") {
  const std::string ball = "shape: {sphere: {radius: 0.2}}, mass: 3, position: [0, 0, 0.2], ";
  CHECK(says(derivatives(on_the_floor("0, 0, -10", ball + "velocity: [0.5, 0, -1]", 0.1, 0.3),
                         "bodies[0].rigid.velocity[0]"),
             "closes with 1 m/s at the start of the run"));
  // a ball on the floor that weighs nothing: a pull downwards closes it, one upwards opens it
  CHECK(says(
      derivatives(on_the_floor("0, 0, 0", ball + "velocity: [0.5, 0, 0]", 0.1, 0.3), "gravity[2]"),
      "decides whether it stays closed"));
}

TEST_CASE("a body that begins to slide on one of its own group or another has its derivative") {
  // the slab gives way downwards alone
  const auto on_slab = [](const char* scheme, double mu, double t) {
    return fmt::format(
        "saltus: 1\ntime: {{end: {} s, step: 10 ms, mode: events}}\ngravity: [2.5, 0, "
        "-9]\nbodies:\n"
        "  - {{name: body, kind: rigid, rigid: {{shape: {{box: {{size: [0.3, 0.2, 0.1]}}}}, mass: "
        "7, position: [0, 0, 0.05]}}}}\n"
        "  - {{name: slab, kind: rigid, {}rigid: {{shape: {{box: {{size: [4, 2, 0.2]}}}}, mass: "
        "30, position: [0, 0, -0.1], locked: [x, y, rx, ry, rz]}}}}\n"
        "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{point: [0, 0, -0.2]}}}}, "
        "fixed: true}}}}\nsurfaces: [{{law: {{kind: newton-impact, restitution: 0, friction: "
        "{}}}}}]\n"
        "outputs: [{{probe: body, name: x, at: [0, 0, 0], direction: [1, 0, 0], quantity: "
        "displacement}}]\n",
        t, scheme, mu);
  };
  for (const char* scheme : {"", "scheme: rig-neg, "}) {
    CAPTURE(scheme);
    REQUIRE(build(read_scene_text(on_slab(scheme, 0.2, 0.4), "t.yaml")).groups().size() ==
            (*scheme ? 2 : 1));
    for (const double mu : {0.12, 0.27}) {  // x = (2.5 - 9 mu) t^2/2
      const SceneSensitivity s = derivatives(on_slab(scheme, mu, 0.4), kFriction);
      CAPTURE(s.states.reason);
      REQUIRE(s.value.size() == 1);
      CHECK(s.value(0, 0) == doctest::Approx(-9.0 * 0.16 / 2.0).epsilon(1e-6));
    }
    const SceneSensitivity limit =
        derivatives(on_slab(scheme, 2.5 / 9.0 * (1.0 + 4e-5), 0.4), kFriction);
    CAPTURE(limit.states.reason);
    CHECK(says(limit, "'body' on 'slab'"));
    CHECK(says(limit, "decides whether it sticks or slides"));
    const SceneSensitivity rests = derivatives(on_slab(scheme, 0.29, 0.4), kFriction);
    REQUIRE(rests.value.size() == 1);
    CHECK(std::abs(rests.value(0, 0)) < 1e-9);
  }
}
