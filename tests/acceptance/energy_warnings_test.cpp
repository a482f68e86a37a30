// What runs say of energy that contacts feed in: nothing where bodies rest, roll, slide or hit as they should, and what ends it
// where it is so.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

/// Three masses of 1 kg on springs of 400 N/m between a wall and a stop 1 cm behind the last one.
std::string chain(const char* scheme, const char* law, const char* step) {
  return fmt::format(R"(saltus: 1
time: {{end: 2 s, step: {}}}
bodies:
  - name: a
    kind: linear
    chain: {{masses: 3, mass: 1 kg, stiffness: 400 N/m, ends: fixed-free}}
    initial: {{coordinates: [0.02, -0.01, 0], velocities: [0, 1, -2]}}
    scheme: {}
contacts: [{{on: a, at: 2, against: {{stop: {{at: 0.01, side: above}}}}, law: {}}}]
)",
                     step, scheme, law);
}
const std::string kString = R"(saltus: 1
time: {end: 50 ms, rate: 40 kHz}
contact: {instant: start}
bodies:
  - name: string
    kind: modal
    string: {length: 1 m, tension: 180 N, linear_density: 1.2e-3 kg/m, modes: 801}
    scheme: {kind: modal-exact, start: raw}
    pluck: {at: 0.5 m, height: 1.5 mm}
contacts: [{on: string, against: {points: [[0.5 m, 0 m]]}, law: {kind: newton-impact}}]
)";

struct Gaining {
  const char* name;
  std::string text;
  const char *cause, *advice;  ///< in the warning
  std::string cure;            ///< what the advice says, as a setting; "": the step that it names
};

std::vector<Gaining> gaining_scenes() {
  const char *contact = "contact added energy to the motion", *scheme = "more than loads supplied",
             *shorter = "use a shorter step", *mean = "use compliant without `at: middle`";
  return {
      {"pendulum at a slanted wall whose friction turns the slip round", kPendulum, contact,
       "use `slip: mean` in newton-impact", "surfaces[0].law.slip=mean"},
      {"dashpot that acts in the middle of a long step",
       chain("moreau-jean", "{kind: compliant, stiffness: 1e5, damping: 100, at: middle}", "40 ms"),
       contact, mean, "contacts[0].law.at=mean"},
      {"stiffening felt that acts in the middle of a long step",
       chain("moreau-jean", "{kind: compliant, stiffness: 1e7, exponent: 2.5, at: middle}",
             "40 ms"),
       contact, mean, "contacts[0].law.at=mean"},
      {"points that open are held below an obstacle", kString, contact,
       "use `law: signorini-position`", "contacts[0].law=signorini-position"},
      {"impacts of a scheme that corrects positions",
       chain("generalized-alpha-decoupled", "{kind: newton-impact, restitution: 1}", "40 ms"),
       contact, shorter, "time.step=4 ms"},
      {"elastic stop under Euler's explicit scheme",
       chain("euler-explicit", "{kind: newton-impact, restitution: 1}", "2 ms"), scheme,
       "use steps of ", ""},
      {"felt near the critical step",
       chain("variational-symplectic", "{kind: felt, stiffness: 1e7, exponent: 2.5, damping: 1e4}",
             "40 ms"),
       scheme, "use steps of 0.02 s, half of its critical step", ""},
  };
}
/// "use steps of 4.7e-05 s" as a setting.
std::string step_of(const std::string& lines) {
  const std::string before = "use steps of ";
  const std::size_t from = lines.find(before) + before.size();
  return "time.step=" + lines.substr(from, lines.find(" s", from) - from);
}
/// What contacts fed in, and by how much the run ended above its start [J].
double grown(const Warned& run) {
  return std::max(run.fed(), run.result.state.energy.total() - run.result.state.energy_start);
}

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
        CHECK(!run.says("added energy"));
        CHECK(!run.says("although they are open"));
        ++tried;
      }
  CHECK(tried == 60);
}

TEST_CASE(
    "energy that contacts or schemes feed in is told, and the advice takes nine tenths of it "
    "away") {
  for (const Gaining& one : gaining_scenes()) {
    CAPTURE(one.name);
    const Warned gains = run_warned(one.text);
    CAPTURE(gains.lines);
    CHECK(gains.says(one.cause));
    CHECK(gains.says(one.advice));
    CHECK(grown(gains) > 0.0);
    const Warned cured = run_warned(one.text, {one.cure.empty() ? step_of(gains.lines) : one.cure});
    CAPTURE(cured.lines);
    CHECK(cured.result.loop.end == LoopReport::End::reached);
    CHECK(grown(cured) <= 0.1 * grown(gains));
  }
}

TEST_CASE("the advice against gains moves nothing that rests") {
  const std::string stack =
      scene(good_scenes()[11].bodies, "{kind: newton-impact, friction: 0.3}", "2 ms");
  for (const char* advice :
       {"surfaces[0].law.slip=mean", "surfaces[0].law.activation={closing_only: true}",
        "surfaces[0].law.activation={kind: gap-closing, closing_only: true}", "time.step=0.2 ms"}) {
    CAPTURE(advice);
    const Warned run = run_warned(stack, {advice});
    CHECK(run.lines.empty());
    const Vector& q = run.result.state.groups.back().q;
    for (int i = 0; i < 6; ++i) CHECK(std::abs(q[7 * i + 2] - (0.05 + 0.1 * i)) <= 1e-6);
  }
}
