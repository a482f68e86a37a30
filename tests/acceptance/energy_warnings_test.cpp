// What runs say of energy that contacts feed in: nothing where bodies rest, roll, slide or hit as they should, and what ends it
// where it is so.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "run_warnings.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string scene(const std::string& bodies, const char* law, const char* step,
                  const char* gravity = "[0, 0, -9.81]") {
  return fmt::format(
      "saltus: 1\ntime: {{end: 1.2 s, step: {}}}\ngravity: {}\nbodies:\n"
      "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n{}"
      "surfaces: [{{law: {}}}]\n",
      step, gravity, bodies, law);
}
std::string body(const char* name, const char* shape, const char* position, const char* more = "") {
  return fmt::format(
      "  - {{name: {}, kind: rigid, rigid: {{shape: {}, density: 1000, position: {}{}}}}}\n", name,
      shape, position, more);
}

constexpr const char *kBox = "{box: {size: [0.2, 0.2, 0.1]}}", *kBall = "{sphere: {radius: 0.05}}",
                     *kCube = "{box: {size: [0.1, 0.1, 0.1]}}", *kSlope = "[3.3552, 0, -9.2184]";

struct Good {
  const char* name;
  std::string bodies;
  const char* gravity = "[0, 0, -9.81]";
};

std::vector<Good> good_scenes() {
  std::string stack, fallen;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "b" + std::to_string(i);
    stack += body(name.c_str(), kCube, fmt::format("[0, 0, {}]", 0.05 + 0.1 * i).c_str());
    fallen +=
        body(name.c_str(), kBall, fmt::format("[{}, 0, {}]", 0.013 * i, 0.06 + 0.11 * i).c_str());
  }
  return {
      {"box at rest", body("b", kBox, "[0, 0, 0.05]")},
      {"box that lands flat", body("b", kBox, "[0, 0, 0.15]")},
      {"box that slides to rest", body("b", kBox, "[0, 0, 0.05]", ", velocity: [2, 0.3, 0]")},
      {"box on a slope", body("b", kBox, "[0, 0, 0.05]"), kSlope},
      {"ball at rest", body("b", kBall, "[0, 0, 0.05]")},
      {"ball that falls", body("b", kBall, "[0, 0, 0.25]")},
      {"ball on a slope", body("b", kBall, "[0, 0, 0.05]"), kSlope},
      {"ball that slides", body("b", kBall, "[0, 0, 0.05]", ", velocity: [1, 0, 0]")},
      {"rod that rolls",
       body("b", "{cylinder: {radius: 0.05, length: 0.3}}", "[0, 0, 0.05]",
            ", rotation: {axis: [1, 0, 0], angle: 90 deg}"),
       kSlope},
      {"rod that falls over", body("b", "{capsule: {radius: 0.02, length: 0.3}}", "[0, 0, 0.25]",
                                   ", rotation: {axis: [1, 0, 0], angle: 20 deg}")},
      {"box that falls on a corner",
       body("b", kBox, "[0, 0, 0.35]", ", rotation: {axis: [1, 2, 0.5], angle: 0.5 rad}")},
      {"stack", stack},
      {"balls on each other", fallen},
      {"heavy on light", body("a", kCube, "[0, 0, 0.05]") +
                             body("b", "{box: {size: [0.4, 0.4, 0.4]}}", "[0, 0, 0.3]")},
      {"two that hit", body("a", kBall, "[0, 0, 0.05]", ", velocity: [1, 0, 0]") +
                           body("b", kBall, "[0.3, 0.02, 0.05]", ", velocity: [-2, 0, 0]")},
  };
}

const std::string kPendulum = R"(saltus: 1
time: {end: 2 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: wall, kind: rigid, rigid: {shape: {plane: {point: [0, 0, -1], normal: [1, 0, 1]}}, fixed: true}}
  - {name: bob, kind: rigid, rigid: {shape: {sphere: {radius: 0.05}}, mass: 1, position: [0.8, 0, 0]}}
joints:
  - {name: pin, kind: revolute, between: [world, bob], at: [0, 0, 0], axis: [0, 1, 0]}
surfaces: [{law: {kind: newton-impact, restitution: 0.5, friction: 0.3}}]
)";

}  // namespace

TEST_CASE("bodies that rest, roll, slide or hit are not told to gain energy") {
  int tried = 0;
  for (const Good& one : good_scenes())
    for (const char* law : {"{kind: newton-impact, friction: 0.3}",
                            "{kind: newton-impact, friction: 0.3, restitution: 0.4}"})
      for (const char* step : {"2 ms", "0.5 ms"}) {
        CAPTURE(one.name);
        CAPTURE(law);
        CAPTURE(step);
        const Warned run = run_warned(scene(one.bodies, law, step, one.gravity));
        CAPTURE(run.lines);
        CHECK(!run.says("fed energy"));
        CHECK(!run.says("stand open"));
        ++tried;
      }
  CHECK(tried == 60);
}

TEST_CASE(
    "a pendulum at a slanted wall whose friction turns the slip round is told, and slip: mean ends "
    "it") {
  const Warned gains = run_warned(kPendulum);
  CHECK(gains.says("contact fed energy into the motion"));
  CHECK(gains.says("use `slip: mean` in newton-impact"));
  const Warned cured = run_warned(kPendulum, {"surfaces[0].law.slip=mean"});
  CHECK(!cured.says("fed energy"));
  CHECK(cured.fed() <= 0.1 * gains.fed());
}

TEST_CASE("the advice against gains moves nothing that rests") {
  const std::string stack =
      scene(good_scenes()[11].bodies, "{kind: newton-impact, friction: 0.3}", "2 ms");
  for (const char* advice :
       {"surfaces[0].law.slip=mean", "surfaces[0].law.activation={closing_only: true}",
        "surfaces[0].law.activation={kind: gap-closing, closing_only: true}"}) {
    CAPTURE(advice);
    const Warned run = run_warned(stack, {advice});
    CHECK(run.lines.empty());
    const Vector& q = run.result.state.groups.back().q;
    for (int i = 0; i < 6; ++i) CHECK(std::abs(q[7 * i + 2] - (0.05 + 0.1 * i)) <= 1e-6);
  }
}
