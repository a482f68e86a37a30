// `saltus convert --to state` and the entry `start`: scenes go on from the states of former runs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "saltus/phases/state_file.h"
#include "saltus/results/results_reader.h"

using namespace saltus_test;
using saltus::ResultsReader;
using saltus::WholeState;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct GoingBody {
  const char* about;
  const char* text;       ///< entries after `bodies:`
  const char* more = "";  ///< of the scene
};

/// Bodies of all kinds, with motion that depends on positions and velocities.
const GoingBody kGoing[] = {
    {"linear system with a prescribed end",
     R"(  - {name: b, kind: linear, chain: {masses: 4, mass: 1, stiffness: 400, damping: 1, ends: free-free},
     prescribed: [{dof: 0, harmonic: {amplitude: 0.1, frequency: 2}}], scheme: moreau-jean})"},
    {"particles, one of them held",
     R"(  - {name: b, kind: particles, particles: {mass: [1, 2], positions: [[0, 0, 0], [1, 0, 0]],
     velocities: [[0, 0, 0], [0, 1, 0]], springs: [{between: [0, 1], stiffness: 50, length: 0.8}]},
     prescribed: [{dof: 0, constant: 0}, {dof: 1, constant: 0}, {dof: 2, constant: 0}], scheme: moreau-jean})"},
    {"finite elements, clamped",
     R"(  - {name: b, kind: fem, fem: {mesh: {box: {cells: [4, 1, 1], size: [1, 0.2, 0.2]}},
     material: {young: 1e5, poisson: 0.3, density: 1000}, fixed: [{set: x0}]}, scheme: moreau-jean})",
     "gravity: [0, 0, -9.81]"},
    {"beam, clamped",
     R"(  - {name: b, kind: beam, beam: {start: [0, 0, 0], end: [1, 0, 0], elements: 4, radius: 0.01,
     young: 1e9, density: 1000, held: [{at: start, as: clamped}]}, scheme: moreau-jean})",
     "gravity: [0, 0, -9.81]"},
    {"string by its modes",
     R"(  - {name: b, kind: modal, string: {length: 1, tension: 90, linear_density: 0.01, modes: 10},
     initial: {coordinates: [0.01, 0.004]}, scheme: modal-exact})"},
    {"rigid bodies of one group, one tumbling",
     R"(  - {name: other, kind: rigid, rigid: {mass: 2, inertia: [1, 2, 3], velocity: [0, 0, 1]}, scheme: rig-mid}
  - {name: b, kind: rigid, rigid: {mass: 1, inertia: [1, 2, 3], position: [3, 0, 0], spin: [1, 5, 0.1]}, scheme: rig-mid})",
     "gravity: [0, 0, -9.81]"},
    {"pseudo-rigid body",
     R"(  - {name: b, kind: pseudo-rigid, pseudo_rigid: {shape: {sphere: {radius: 0.1}}, material:
     {young: 1e4, poisson: 0.3, density: 1000}, velocity: [0.1, 0, 1], spin: [0, 4, 0]}, scheme: moreau-jean})",
     "gravity: [0, 0, -9.81]"},
};

std::string scene_of(const GoingBody& of, const std::string& end, const std::string& more = "") {
  return fmt::format(
      "saltus: 1\ntime: {{end: {}, step: 1 ms}}\nresults: {{frames: 3}}\n{}\n{}\nbodies:\n{}\n",
      end, of.more, more, of.text);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double largest_number(const std::vector<double>& a) {
  double most = 0.0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

WholeState state_of(const std::string& file) { return saltus::read_state(file, {}, ""); }

std::string run_failing(const Folder& folder, const std::string& scene) {
  folder.write("scene.yaml", scene);
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "x.h5"});
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  return outcome.err;
}

/// A plate that turns and has made more than one turn after 1 s.
constexpr const char* kTurning = R"(saltus: 1
time: {end: 1 s, step: 1 ms}
results: {frames: 2}
bodies:
  - {name: disk, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], spin: [0, 0, 10]}, scheme: rig-mid}
joints:
  - {name: axle, kind: revolute, between: [world, disk], at: [0, 0, 0], axis: [0, 0, 1]}
outputs:
  - {probe: axle, name: angle, quantity: displacement}
)";

constexpr const char* kBlock = R"(saltus: 1
time: {end: 0.05 s, step: 1 ms}
results: {frames: 3}
gravity: [0, 0, -9.81]
bodies:
  - {name: b, kind: fem, fem: {mesh: {box: {cells: [4, 1, 1], size: [1, 0.2, 0.2]}},
     material: {young: 1e5, poisson: 0.3, density: 1000}, fixed: [{set: x0}]}, scheme: moreau-jean}
)";

}  // namespace

TEST_CASE("a scene that starts from the results of another goes on like one run") {
  for (const GoingBody& of : kGoing) {
    CAPTURE(std::string(of.about));
    const Folder folder;
    folder.write("whole.yaml", scene_of(of, "0.2 s"));
    folder.write("first.yaml", scene_of(of, "0.1 s"));
    // functions of time begin again: this cosine is shifted by 0.1 s
    std::string second = scene_of(of, "0.1 s", "start: {file: first.h5}");
    if (says(second, "frequency: 2"))
      second = replaced(second, "frequency: 2", "frequency: 2, phase: 1.2566370614359173");
    folder.write("second.yaml", second);
    for (const char* name : {"whole", "first", "second"}) {
      const Outcome outcome = saltus_command(
          folder, {"run", std::string(name) + ".yaml", "-q", "-o", std::string(name) + ".h5"});
      CAPTURE(outcome.err);
      REQUIRE(outcome.code == 0);
    }
    const WholeState whole = state_of(folder / "whole.h5"),
                     second_end = state_of(folder / "second.h5");
    REQUIRE(whole.bodies.size() == 1);
    CHECK(largest_difference(whole.bodies[0].q, second_end.bodies[0].q) <=
          1e-11 * largest_number(whole.bodies[0].q));
    CHECK(largest_difference(whole.bodies[0].v, second_end.bodies[0].v) <=
          1e-10 * largest_number(whole.bodies[0].v));
    const WholeState first_end = state_of(folder / "first.h5");
    CHECK(largest_difference(whole.bodies[0].q, first_end.bodies[0].q) >
          1e-4 * largest_number(whole.bodies[0].q));
  }
}

TEST_CASE("a state file holds what its frame holds, bit for bit") {
  for (const GoingBody& of : kGoing) {
    CAPTURE(std::string(of.about));
    const Folder folder;
    folder.write("scene.yaml", scene_of(of, "0.1 s"));
    REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5"}).code == 0);
    for (const std::string frame : {"0", "1", "-1"}) {
      const Outcome outcome =
          saltus_command(folder, {"convert", "a.h5", "--to", "state", "--frame", frame, "-o", "b"});
      CHECK(outcome.err == "");
      REQUIRE(outcome.out == "b.state.h5\n");
      const WholeState of_file = state_of(folder / "b.state.h5"),
                       of_frame = saltus::read_state(folder / "a.h5", {std::stoi(frame), {}}, "");
      CHECK(of_file.t == of_frame.t);
      REQUIRE(of_file.bodies.size() == of_frame.bodies.size());
      for (std::size_t i = 0; i < of_file.bodies.size(); ++i) {
        CHECK(of_file.bodies[i].names == of_frame.bodies[i].names);
        CHECK(of_file.bodies[i].kind == of_frame.bodies[i].kind);
        CHECK(of_file.bodies[i].q == of_frame.bodies[i].q);
        CHECK(of_file.bodies[i].v == of_frame.bodies[i].v);
        CHECK(of_file.bodies[i].nodes == of_frame.bodies[i].nodes);
      }
    }
    // a frame by its time
    REQUIRE(saltus_command(folder, {"convert", "a.h5", "--to", "state", "--time", "50 ms"}).code ==
            0);
    CHECK(state_of(folder / "a.state.h5").t == doctest::Approx(0.05));
  }
}

TEST_CASE("a joint goes on in its turn") {
  const Folder folder;
  folder.write("first.yaml", kTurning);
  folder.write("second.yaml", std::string(kTurning) + "start: {file: first.h5}\n");
  REQUIRE(saltus_command(folder, {"run", "first.yaml", "-q", "-o", "first.h5"}).code == 0);
  const Outcome outcome = saltus_command(folder, {"run", "second.yaml", "-q", "-o", "second.h5"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::vector<double> angle = ResultsReader(folder / "second.h5").probe("angle");
  CHECK(angle.front() == doctest::Approx(10.0));
  CHECK(angle.back() == doctest::Approx(20.0));
}

TEST_CASE("a clamped block that sags and is released falls by g t^2/2") {
  const Folder folder;
  folder.write("sag.yaml", kBlock);
  REQUIRE(saltus_command(folder, {"run", "sag.yaml", "-q", "-o", "sag.h5"}).code == 0);
  REQUIRE(saltus_command(folder, {"convert", "sag.h5", "--to", "state"}).code == 0);
  folder.write("release.yaml",
               replaced(kBlock, ", fixed: [{set: x0}]", "") + "start: {file: sag.state.h5}\n");
  REQUIRE(saltus_command(folder, {"run", "release.yaml", "-q", "-o", "release.h5"}).code == 0);
  const WholeState before = state_of(folder / "sag.h5"), after = state_of(folder / "release.h5");
  // consistent masses of equal boxes: the mass centre is the mean over the boxes of their corners
  const auto centre = [](const std::vector<double>& nodes, const std::vector<double>& x) {
    double sum = 0.0, weights = 0.0;
    for (std::size_t a = 0; a < nodes.size() / 3; ++a) {
      const bool end = nodes[3 * a] < 0.01 || nodes[3 * a] > 0.99;
      sum += (end ? 1.0 : 2.0) * x[3 * a + 2];
      weights += end ? 1.0 : 2.0;
    }
    return sum / weights;
  };
  const saltus::WholeBodies &a = before.bodies[0], &b = after.bodies[0];
  const double t = 0.05, fall = centre(b.nodes, b.q) - centre(a.nodes, a.q),
               expected = t * centre(a.nodes, a.v) - 0.5 * 9.81 * t * t;
  CHECK(largest_number(a.q) > 1e-3);  // it has sagged
  CHECK(std::abs(fall - expected) < 1e-12);
}

TEST_CASE("states that do not fit are refused in one line") {
  const Folder folder;
  folder.write("sag.yaml", kBlock);
  REQUIRE(saltus_command(folder, {"run", "sag.yaml", "-q", "-o", "sag.h5"}).code == 0);
  const std::string start = "start: {file: sag.h5}\n", block(kBlock);
  CHECK(says(run_failing(folder, replaced(block, "cells: [4,", "cells: [5,") + start),
             "start.file: 'b' has 20 nodes in sag.h5, here 24; the same mesh"));
  CHECK(says(
      run_failing(folder, replaced(block, "size: [1, 0.2, 0.2]", "size: [1.1, 0.2, 0.2]") + start),
      "of 'b' lies elsewhere in the mesh of sag.h5; the same mesh at the same position"));
  CHECK(says(run_failing(folder, replaced(block, "set: x0", "set: x1") + start),
             "but the scene holds it at 0; hold it where it is, by a prescribed motion"));
  CHECK(says(run_failing(folder,
                         "saltus: 1\ntime: {end: 1, step: 0.1}\nstart: {file: sag.h5}\nbodies:\n"
                         "  - {name: b, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"),
             "start.file: 'b' is of kind fem in sag.h5, here of kind rigid; the same kind, or "
             "another name"));
  CHECK(says(run_failing(folder, block + "start: {file: sag.h5, frame: 3}\n"),
             "start.frame: sag.h5 has no frame 3; allowed: -3 to 2"));
  CHECK(says(run_failing(folder, block + "start: {file: sag.h5, time: 10 ms}\n"),
             "start.time: sag.h5 has no frame at 0.01 s; the nearest one is frame 0, at 0 s"));
  CHECK(
      says(run_failing(folder, block + "start: {file: sag.h5, time: 10 ms, frame: 1}\n"), "start"));
  CHECK(says(run_failing(folder, block + "start: {file: none.h5}\n"), "none.h5: cannot be read"));
  CHECK(says(run_failing(folder, block + "start: {file: scene.yaml}\n"),
             "scene.yaml: is not a results file of Saltus, or damaged"));
  REQUIRE(saltus_command(folder, {"convert", "sag.h5", "--to", "state"}).code == 0);
  CHECK(says(run_failing(folder, block + "start: {file: sag.state.h5, frame: 0}\n"),
             "start.frame: sag.state.h5 contains one state, not frames; leave it out"));
  const Outcome other =
      saltus_command(folder, {"convert", "sag.h5", "--to", "csv", "--frame", "0"});
  CHECK(other.code == 2);
  CHECK(says(other.err, "--frame: applies to --to state only"));
  const Outcome info = saltus_command(folder, {"info", "sag.state.h5"});
  CHECK(info.code == 2);
  CHECK(says(info.err, "sag.state.h5: is not a results file of Saltus"));
}

TEST_CASE("bodies that the scene lacks are told, those that the file lacks keep their own start") {
  const Folder folder;
  folder.write("sag.yaml", kBlock);
  REQUIRE(saltus_command(folder, {"run", "sag.yaml", "-q", "-o", "sag.h5"}).code == 0);
  folder.write(
      "ball.yaml",
      "saltus: 1\ntime: {end: 1 ms, step: 1 ms}\nresults: {frames: 2}\nstart: {file: "
      "sag.h5}\nbodies:\n"
      "  - {name: ball, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 7]}}\n");
  const Outcome outcome = saltus_command(folder, {"run", "ball.yaml", "-o", "ball.h5"});
  CHECK(outcome.code == 0);
  CHECK(says(outcome.err,
             "start.file: the scene has no body 'b', whose state in sag.h5 is not used"));
  CHECK(saltus::read_state(folder / "ball.h5", {0, {}}, "").bodies[0].q[2] == 7.0);
}

TEST_CASE("a run that started from a state resumes only with the same state") {
  const Folder folder;
  folder.write("sag.yaml", kBlock);
  REQUIRE(saltus_command(folder, {"run", "sag.yaml", "-q", "-o", "sag.h5"}).code == 0);
  folder.write("on.yaml", std::string(kBlock) + "start: {file: sag.h5}\n");
  REQUIRE(saltus_command(folder, {"run", "on.yaml", "-q", "-o", "on.h5"}).code == 0);
  REQUIRE(
      saltus_command(folder, {"run", "on.yaml", "-q", "-o", "on.h5", "--resume", "--until", "0.06"})
          .code == 0);
  REQUIRE(
      saltus_command(folder, {"run", "sag.yaml", "-q", "-o", "sag.h5", "--until", "0.04"}).code ==
      0);
  const Outcome outcome = saltus_command(
      folder, {"run", "on.yaml", "-q", "-o", "on.h5", "--resume", "--until", "0.07"});
  CHECK(outcome.code == 2);
  CHECK(says(outcome.err, "start.file: has changed since the run in on.h5"));
}
