// Scenes with joints as a user meets them: what check, run and info say of joints.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/results/results_reader.h"

using namespace saltus;
using namespace saltus_test;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A pendulum of 1 m at rest at height 0 on a hinge, what acts on its angle, and what is heard.
std::string pendulum(const std::string& turn, const std::string& step = "1 ms",
                     const std::string& end = "0.5 s") {
  return "saltus: 1\ntime: {end: " + end + ", step: " + step +
         "}\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  - {name: arm, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1, "
         "0, 0]}}\n"
         "joints:\n"
         "  - {name: hinge, kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, 1, 0]" +
         (turn.empty() ? "" : ", turn: {" + turn + "}") +
         "}\n"
         "outputs:\n"
         "  - {probe: hinge, name: angle, quantity: displacement}\n"
         "  - {probe: hinge, name: rate}\n";
}

}  // namespace

TEST_CASE("check counts joints by kind, their rows, and those that depend on others") {
  const Folder folder;
  folder.write("door.yaml", R"(saltus: 1
time: {end: 1 s, step: 1 ms}
bodies:
  - {name: leaf, kind: rigid, rigid: {shape: {box: {size: [0.8, 0.04, 2]}}, mass: 20}}
  - {name: bolt, kind: rigid, rigid: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0.4, 0, 0]}}
joints:
  - {name: upper hinge, kind: revolute, between: [world, leaf], at: [-0.4, 0, 0.8], axis: [0, 0, 1], turn: {damping: 0.1, friction: 0.2}}
  - {name: lower hinge, kind: revolute, between: [world, leaf], at: [-0.4, 0, -0.8], axis: [0, 0, 1]}
  - {name: slot, kind: cylindrical, between: [leaf, bolt], at: [0.4, 0, 0], axis: [1, 0, 0], slide: {drive: {rate: 0.1}}}
couplings:
  - {screw: {joint: slot, pitch: 1 cm}}
outputs:
  - {probe: slot.slide, quantity: displacement, csv: way.csv}
)");
  const Outcome outcome = saltus_command(folder, {"check", "door.yaml"});
  CAPTURE(outcome.err);
  CAPTURE(outcome.out);
  REQUIRE(outcome.code == 0);
  CHECK(says(outcome.out,
             "joints          3 (2 revolute, 1 cylindrical), 16 rows at level position, 5 "
             "depend on others (of 'lower hinge'): the reactions with the smallest norm are "
             "used\n                1 drive, 1 coupling, 2 laws on coordinates\n"));
  CHECK(says(outcome.out, "coordinate of joint slot.slide, way.csv"));
  CHECK(says(outcome.out, "1 shape without a law"));
  const auto json = nlohmann::json::parse(
      saltus_command(folder, {"check", "door.yaml", "--json", "--set", "joint.level=velocity"})
          .out);
  CHECK(json["joints"] == nlohmann::json::parse(R"({"count": 3, "kinds": {"revolute": 2,
      "cylindrical": 1}, "rows": 16, "dependent_rows": 5, "redundant": ["lower hinge"], "couplings": 2, "laws": 2,
      "level": "velocity"})"));
}

TEST_CASE("a probe of a joint is stored and shown under the name of the joint") {
  const Folder folder;
  folder.write("scene.yaml", pendulum(""));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  const ResultsReader results(folder / "scene.h5");
  REQUIRE(results.probes().size() == 2);
  for (const ProbeColumn& probe : results.probes()) {
    CHECK(probe.body.empty());
    CHECK(probe.joint == "hinge");
    CHECK(probe.coordinate == "turn");
  }
  CHECK(results.probes()[0].quantity == "coordinate");
  CHECK(results.probes()[0].unit == "rad");
  CHECK(results.probes()[1].quantity == "coordinate rate");
  CHECK(results.probes()[1].unit == "rad/s");
  const std::string text = saltus_command(folder, {"info", "scene.h5"}).out;
  CHECK(says(text, "probe         angle: coordinate [rad] of joint hinge, turn\n"));
  const auto json =
      nlohmann::json::parse(saltus_command(folder, {"info", "scene.h5", "--json"}).out);
  CHECK(json["probes"][0]["joint"] == "hinge");
  CHECK(!json["probes"][0].contains("body"));
}

TEST_CASE("the rate of a joint whose bodies have their velocity between steps is late by as much") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 10 ms, step: 1 ms}
bodies:
  - {name: bob, kind: particles, particles: {mass: [1], positions: [[0, 0, -1]], velocities: [[1, 0, 0]]}, scheme: schatzman-paoli}
joints:
  - {name: spring, kind: line, between: [world, bob], at: [0, 0, 0], second: {at: 0}}
joint: {level: velocity}
outputs:
  - {probe: spring, name: length, quantity: displacement}
  - {probe: spring, name: rate}
)");
  const Outcome run = saltus_command(folder, {"run", "scene.yaml", "-q"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const ResultsReader results(folder / "scene.h5");
  CHECK(results.probes()[0].delay == 0.0);
  CHECK(results.probes()[1].delay == doctest::Approx(0.5e-3).epsilon(1e-12));
}

TEST_CASE("energy that goes to and fro is no warning where its sum is 0") {
  const Folder folder;
  folder.write("scene.yaml", pendulum(""));
  const Outcome run = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(run.err.empty());
  const auto json = nlohmann::json::parse(run.out);
  CHECK(std::abs(json["energy"]["end"].get<double>()) <= 1e-9);
  CHECK(json["energy"]["kinetic"].get<double>() >= 1.0);
}

TEST_CASE("a stop that feeds energy in is named as a stop, with a remedy that stops have") {
  const Folder folder;
  folder.write("scene.yaml",
               pendulum("limits: {lower: -0.02, upper: 0.02, restitution: 0.5}", "30 ms", "3 s"));
  const Outcome run = saltus_command(folder, {"run", "scene.yaml"});
  CAPTURE(run.err);
  CAPTURE(run.out);
  REQUIRE(run.code == 0);
  CHECK(says(run.err, "saltus: warning: a stop of a joint added energy to the motion: "));
  CHECK(says(run.err, "use a shorter step\n"));
  CHECK(!says(run.err, "closing_only"));
  CHECK(says(run.out, " m or rad at t = "));
}
