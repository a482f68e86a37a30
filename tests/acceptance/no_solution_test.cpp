// Contacts that no motion satisfies: the run stops and names them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "run_scene.h"
#include "saltus/sim/failure_text.h"

using namespace saltus;
using namespace saltus::test;

namespace {

struct Ended {
  double t = 0.0;
  bool stopped = false;
  std::string text;
  Energy energy;
};

Ended run_until_it_stops(const std::string& text, const std::vector<std::string>& set = {}) {
  const Scene scene = read_scene_text(text, "test.yaml", set);
  Simulation sim{build(scene)};
  Ended ended;
  const long long steps = step_count(scene.spec.time);
  for (long long k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    if (report.converged && report.finite) continue;
    ended.stopped = true;
    ended.text = failure_text(sim.model(), report, sim.state().step + 1);
    break;
  }
  ended.t = sim.state().t;
  ended.energy = sim.state().energy;
  return ended;
}

/// A lid that moves by itself comes down on what stands on a floor.
std::string press(double gap, const std::string& body, const std::string& law) {
  return fmt::format(R"(saltus: 1
time: {{end: 0.3 s, step: 1 ms}}
bodies:
  - {{name: bed, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: ram, kind: rigid, rigid: {{shape: {{box: {{size: [0.5, 0.5, 0.1]}}}}, position: [0, 0, {}], motion: {{z: {{rate: -0.7}}}}}}}}
  - {{name: part, kind: rigid, rigid: {{{}, density: 2700, position: [0, 0, 0.08]}}}}
surfaces: [{{law: {}}}]
)",
                     0.16 + 0.05 + gap, body, law);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a press that leaves no room stops where it closes, and names what it crushes") {
  struct Row {
    const char *body, *law;
  };
  for (const Row& row :
       {Row{"shape: {sphere: {radius: 0.08}}", "{kind: newton-impact, friction: 0.2}"},
        Row{"shape: {sphere: {radius: 0.08}}", "newton-impact"},
        Row{"shape: {box: {size: [0.2, 0.1, 0.16]}}", "{kind: newton-impact, friction: 0.6}"},
        Row{"shape: {sphere: {radius: 0.08}}", "{kind: stewart-trinkle, friction: 0.2}"},
        Row{"shape: {sphere: {radius: 0.08}}",
            "{kind: newton-impact, restitution: 0.4, friction: 0.2}"}}) {
    CAPTURE(row.body);
    CAPTURE(row.law);
    const Ended ended = run_until_it_stops(press(0.07, row.body, row.law));
    CAPTURE(ended.text);
    CHECK(ended.stopped);
    CHECK(ended.t == doctest::Approx(0.1).epsilon(0.1));
    CHECK(says(ended.text, "'ram'"));
    CHECK(says(ended.text, "'part'"));
    CHECK(says(ended.text, "prescribed motion"));
  }
}

TEST_CASE("a press that is pushed by a force instead of told where to go runs to its end") {
  const std::string text = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
bodies:
  - {name: bed, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ram, kind: rigid, rigid: {shape: {box: {size: [0.5, 0.5, 0.1]}}, mass: 5, position: [0, 0, 0.22]}, loads: [{force: [0, 0, -400], constant: 1}]}
  - {name: part, kind: rigid, rigid: {shape: {box: {size: [0.2, 0.2, 0.16]}}, density: 2700, position: [0, 0, 0.08]}}
surfaces: [{law: {kind: newton-impact, friction: 0.2}}]
)";
  CHECK(!run_until_it_stops(text).stopped);
}

TEST_CASE("jaws and sliders that drives close too far stop") {
  const std::string jaws = R"(saltus: 1
time: {end: 0.5 s, step: 2 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: box, kind: rigid, rigid: {shape: {box: {size: [50 mm, 60 mm, 80 mm]}}, mass: 0.7, position: [0, 0, 40 mm]}}
  - {name: left, kind: rigid, rigid: {shape: {box: {size: [20 mm, 60 mm, 60 mm]}}, mass: 0.2, position: [-60 mm, 0, 60 mm]}}
  - {name: right, kind: rigid, rigid: {shape: {box: {size: [20 mm, 60 mm, 60 mm]}}, mass: 0.2, position: [60 mm, 0, 60 mm]}}
joints:
  - {name: jl, kind: prismatic, between: [world, left], at: [-60 mm, 0, 60 mm], axis: [1, 0, 0], slide: {drive: {rate: 0.15}}}
  - {name: jr, kind: prismatic, between: [world, right], at: [60 mm, 0, 60 mm], axis: [-1, 0, 0], slide: {drive: {rate: 0.15}}}
surfaces: [{law: {kind: newton-impact, friction: 0.4}}]
)";
  const Ended closed = run_until_it_stops(jaws);
  CAPTURE(closed.text);
  CHECK(closed.stopped);
  CHECK(closed.t == doctest::Approx(25e-3 / 0.15).epsilon(0.1));
  CHECK(says(closed.text, "'box'"));
  CHECK(says(closed.text, "drive"));

  const std::string slider = R"(saltus: 1
time: {end: 0.5 s, step: 1 ms}
bodies:
  - {name: wall, kind: rigid, rigid: {shape: {plane: {normal: [-1, 0, 0], point: [0.2, 0, 0]}}, fixed: true}}
  - {name: shuttle, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0]}}
joints:
  - {name: rail, kind: prismatic, between: [world, shuttle], at: [0, 0, 0], axis: [1, 0, 0], slide: {drive: {rate: 0.5}}}
surfaces: [{law: {kind: newton-impact, friction: 0.4}}]
)";
  const Ended driven = run_until_it_stops(slider);
  CAPTURE(driven.text);
  CHECK(driven.stopped);
  CHECK(driven.t == doctest::Approx(0.3).epsilon(0.05));
  CHECK(says(driven.text, "'shuttle'"));
}

TEST_CASE("however large the friction, a block on a slope stays or the run stops") {
  for (const double mu : {1.0, 1e3, 1e6, 1e9, 1e12, 1e100}) {
    CAPTURE(mu);
    const std::string text = fmt::format(R"(saltus: 1
time: {{end: 0.1 s, step: 1 ms}}
gravity: [3, 0, -9]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: block, kind: rigid, rigid: {{shape: {{box: {{size: [0.3, 0.3, 0.1]}}}}, mass: 2, position: [0, 0, 0.05]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]
)",
                                         mu);
    const Scene scene = read_scene_text(text, "test.yaml");
    Simulation sim{build(scene)};
    for (int k = 0; k < 100; ++k) {
      const StepReport report = sim.advance();
      if (!report.converged) break;
      REQUIRE((sim.state().groups[0].q.head(3) - Vector3(0, 0, 0.05)).norm() <= 1e-6);
    }
  }
}

TEST_CASE("a stack of 0.1 kg to 10 t stands still at the default tolerance") {
  std::string text = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
)";
  double z = 0.25;
  for (const double mass : {3.0, 0.1, 40.0, 0.5, 1e4}) {
    text += fmt::format(
        "  - {{name: m{}, kind: rigid, rigid: {{shape: {{box: {{size: [0.5, 0.5, 0.5]}}}}, mass: "
        "{}, "
        "position: [{}, 0.01, {}]}}}}\n",
        static_cast<int>(z * 10), mass, 0.01 * z, z);
    z += 0.5;
  }
  const Scene scene = read_scene_text(
      text + "surfaces: [{law: {kind: newton-impact, friction: 0.5}}]\n", "test.yaml");
  Simulation sim{build(scene)};
  const auto start = sim.state().groups;
  for (int k = 0; k < 300; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
  }
  for (std::size_t g = 0; g < start.size(); ++g)
    CHECK((sim.state().groups[g].q - start[g].q).cwiseAbs().maxCoeff() <= 1e-6);
}

namespace {

/// A ram that moves by itself, or that 250 N push, on two parts that stand on each other.
std::string pressed_pair(bool led, const char* shape, const char* scheme) {
  return fmt::format(R"(saltus: 1
time: {{end: 0.3 s, step: 2 ms}}
bodies:
  - {{name: bed, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: ram, kind: rigid, rigid: {{shape: {{box: {{size: [0.4, 0.4, 0.1]}}}}, position: [0, 0, 0.33], {}}}{}}}
  - {{name: lower, kind: rigid, rigid: {{shape: {{{}}}, density: 2700, position: [0, 0, 0.05]}}}}
  - {{name: upper, kind: rigid, {}rigid: {{shape: {{{}}}, density: 7800, position: [0, 0, 0.15]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: 0.3}}}}]
)",
                     led ? "motion: {z: {rate: -0.4}}" : "mass: 8",
                     led ? "" : ", loads: [{force: [0, 0, -250], constant: 1}]", shape, scheme,
                     shape);
}

}  // namespace

TEST_CASE("a press on parts of two groups names those of both, and one that gives way runs on") {
  for (const char* scheme : {"", "scheme: rig-neg, ", "scheme: rig-pos, "})
    for (const char* shape : {"sphere: {radius: 0.05}", "box: {size: [0.12, 0.1, 0.1]}"}) {
      CAPTURE(scheme);
      CAPTURE(shape);
      const Ended ended = run_until_it_stops(pressed_pair(true, shape, scheme));
      CAPTURE(ended.text);
      CHECK(ended.stopped);
      CHECK(ended.t == doctest::Approx(0.2).epsilon(0.05));
      for (const char* part : {"'ram' with 'upper'", "'lower' with 'upper'", "'lower' with 'bed'",
                               "'ram' has prescribed motion"})
        CHECK(says(ended.text, part));
      CHECK(!run_until_it_stops(pressed_pair(false, shape, scheme)).stopped);
    }
}

TEST_CASE("a light body under a heavy one of another group does not creep") {
  for (const char* scheme : {"", "scheme: rig-neg, "}) {
    CAPTURE(scheme);
    const Scene scene = read_scene_text(fmt::format(R"(saltus: 1
time: {{end: 0.3 s, step: 1 ms}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: light, kind: rigid, rigid: {{shape: {{box: {{size: [0.4, 0.4, 0.2]}}}}, mass: 0.2, position: [0, 0, 0.1]}}}}
  - {{name: heavy, kind: rigid, {0}rigid: {{shape: {{box: {{size: [0.4, 0.4, 0.2]}}}}, mass: 4000, position: [0.01, 0, 0.3]}}}}
  - {{name: top, kind: rigid, rigid: {{shape: {{box: {{size: [0.4, 0.4, 0.2]}}}}, mass: 30, position: [0, 0.01, 0.5]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: 0.5}}}}]
)",
                                                    scheme),
                                        "test.yaml");
    Simulation sim{build(scene)};
    const auto start = sim.state().groups;
    REQUIRE(start.size() == (*scheme ? 2 : 1));
    for (int k = 0; k < 300; ++k) REQUIRE(sim.advance().converged);
    for (std::size_t g = 0; g < start.size(); ++g)
      CHECK((sim.state().groups[g].q - start[g].q).cwiseAbs().maxCoeff() <= 1e-6);
  }
}

TEST_CASE("mass ratios that double precision cannot resolve are not called a contradiction") {
  for (const double ratio : {3e10, 4e11}) {
    CAPTURE(ratio);
    const Ended ended = run_until_it_stops(fmt::format(R"(saltus: 1
time: {{end: 10 ms, step: 1 ms}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: leaf, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: 1e-6, position: [0, 0, 0.1]}}}}
  - {{name: load, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: {}, position: [0, 0, 0.3]}}}}
surfaces: [{{law: {{kind: newton-impact}}}}]
)",
                                                       1e-6 * ratio));
    CAPTURE(ended.text);
    CHECK(ended.stopped);
    CHECK_FALSE(says(ended.text, "no motion"));
    CHECK(says(ended.text, "masses"));
  }
}

TEST_CASE("whichever solver the scene names, a press names what it crushes") {
  for (const char* solver :
       {"gauss-seidel", "body-gauss-seidel", "proximal-newton", "interior-point"}) {
    CAPTURE(solver);
    const Ended ended = run_until_it_stops(
        press(0.02, "shape: {sphere: {radius: 0.08}}", "{kind: newton-impact, friction: 0.6}"),
        {std::string("solver.kind=") + solver});
    CAPTURE(ended.text);
    CHECK(ended.stopped);
    CHECK(says(ended.text, "no motion keeps these bodies apart"));
    CHECK(says(ended.text, "'ram' has prescribed motion"));
  }
}
