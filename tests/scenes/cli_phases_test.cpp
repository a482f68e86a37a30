// `phases`: one run whose holds, loads, drives and laws change while the bodies move on.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "command.h"
#include "fault_scenes.h"
#include "saltus/phases/state_file.h"
#include "saltus/results/results_reader.h"

using namespace saltus_test;
using saltus::ResultsReader;
using saltus::WholeState;

namespace {

/// A block that sags under gravity with damping, then is released.
constexpr const char* kSagging = R"(saltus: 1
time: {end: 0.1 s, step: 1 ms}
results: {frames: 11}
gravity: [0, 0, -9.81]
bodies:
  - {name: b, kind: fem, fem: {mesh: {box: {cells: [4, 1, 1], size: [1, 0.2, 0.2]}},
     material: {young: 1e5, poisson: 0.3, density: 1000}, fixed: [{set: x0}]},
     rayleigh: {mass: 20}, scheme: moreau-jean}
)";
constexpr const char* kRelease = R"(phases:
  - {name: sag, end: 60 ms}
  - name: release
    change:
      - bodies[b].fem.fixed=[]
      - bodies[b].rayleigh=null
)";

/// A block is pressed onto a plane, held there, and pulled off by its top.
constexpr const char* kPressed = R"(saltus: 1
time: {end: 90 ms, step: 1 ms}
results: {frames: 10}
bodies:
  - {name: b, kind: fem, fem: {mesh: {box: {cells: [1, 1, 3], size: [0.2, 0.2, 0.6]}},
     material: {young: 1e7, poisson: 0.3, density: 1000}, TOP}, rayleigh: {stiffness: 1e-3}, scheme: moreau-jean}
contacts:
  - {name: floor, on: b, at: z0, against: {plane: {}}, law: {kind: newton-impact, friction: 0.5}}
outputs:
  - {name: low, probe: b, at: 0, quantity: displacement}
)";

std::string pressed(const std::string& top) { return replaced(kPressed, "TOP", top); }

constexpr const char* kPress = "prescribed: [{set: z1, z: {table: [[0, 0], [0.03, -0.01]]}}]";

Outcome run_scene(const Folder& folder, const std::string& name, const std::string& text,
                  std::vector<std::string> more = {}) {
  folder.write(name + ".yaml", text);
  std::vector<std::string> words{"run", name + ".yaml", "-q", "-o", name + ".h5"};
  words.insert(words.end(), more.begin(), more.end());
  return saltus_command(folder, words);
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}
double size_of(const std::vector<double>& a) { return apart(a, std::vector<double>(a.size())); }

WholeState end_of(const std::string& file) { return saltus::read_state(file, {}, ""); }

void check_same_end(const std::string& one, const std::string& other) {
  const WholeState a = end_of(one), b = end_of(other);
  REQUIRE(a.bodies.size() == b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    CHECK(apart(a.bodies[i].q, b.bodies[i].q) <= 1e-12 * size_of(a.bodies[i].q));
    CHECK(apart(a.bodies[i].v, b.bodies[i].v) <= 1e-12 * size_of(a.bodies[i].v));
  }
}

/// Energy = energy at the start + sum over the accounts, in every row.
void check_ledger(const std::string& file) {
  const ResultsReader results(file);
  const std::vector<double> kinetic = results.step("kinetic"),
                            potential = results.step("potential");
  std::vector<double> rest(kinetic.size());
  double size = 0.0;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    rest[k] = kinetic[k] + potential[k] - kinetic[0] - potential[0];
    size = std::max({size, std::abs(kinetic[k]), std::abs(potential[k])});
  }
  for (const std::string& account : results.accounts()) {
    const std::vector<double> work = results.ledger(account);
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= work[k];
    size = std::max(size, size_of(work));
  }
  CHECK(size > 0.0);
  CHECK(size_of(rest) <= 1e-10 * size);
}

void check_refused(const std::string& scene, const std::string& line) {
  const Folder folder;
  const Outcome outcome = run_scene(folder, "a", scene);
  CHECK(outcome.code == 2);
  CHECK(lines_that_are_no_warnings(outcome.err) == 1);
  CAPTURE(outcome.err);
  CHECK_MESSAGE(holds(outcome.err, line), line);
}

}  // namespace

TEST_CASE("sag and release in one scene are those of two scenes, and the fall is g t^2/2") {
  const Folder folder;
  const Outcome outcome = run_scene(folder, "one", std::string(kSagging) + kRelease);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE(run_scene(folder, "sag", replaced(kSagging, "end: 0.1 s", "end: 60 ms")).code == 0);
  std::string second = replaced(kSagging, "end: 0.1 s", "end: 40 ms");
  second = replaced(second, ", fixed: [{set: x0}]", "");
  second = replaced(second, "rayleigh: {mass: 20}, ", "") + "start: {file: sag.h5}\n";
  REQUIRE(run_scene(folder, "release", second).code == 0);
  check_same_end(folder / "one.h5", folder / "release.h5");
  check_ledger(folder / "one.h5");
  CHECK(ResultsReader(folder / "one.h5").rows() == 101);

  const auto centre = [](const std::vector<double>& nodes, const std::vector<double>& x) {
    double sum = 0.0, weights = 0.0;
    for (std::size_t a = 0; a < nodes.size() / 3; ++a) {
      const double weight = nodes[3 * a] < 0.01 || nodes[3 * a] > 0.99 ? 1.0 : 2.0;
      sum += weight * x[3 * a + 2];
      weights += weight;
    }
    return sum / weights;
  };
  const saltus::WholeBodies a = end_of(folder / "sag.h5").bodies[0],
                            b = end_of(folder / "one.h5").bodies[0];
  const double t = 0.04, fall = centre(b.nodes, b.q) - centre(a.nodes, a.q);
  CHECK(size_of(a.q) > 1e-3);
  CHECK(std::abs(fall - t * centre(a.nodes, a.v) + 0.5 * 9.81 * t * t) < 1e-13);
}

TEST_CASE("an equilibrium under the full load, then release, is that of two scenes") {
  const std::string sag = replaced(replaced(kSagging, "rayleigh: {mass: 20}, ", ""),
                                   "time: {end: 0.1 s, step: 1 ms}", "TIME"),
                    free = replaced(sag, ", fixed: [{set: x0}]", "");
  const Folder folder;
  REQUIRE(
      run_scene(folder, "sag", replaced(sag, "TIME", "time: {mode: static, end: 60 ms}")).code ==
      0);
  REQUIRE(run_scene(
              folder, "fall",
              replaced(free, "TIME", "time: {end: 40 ms, step: 1 ms}") + "start: {file: sag.h5}\n")
              .code == 0);
  for (const char* step : {"", ", step: 20 ms"}) {
    CAPTURE(step);
    REQUIRE(
        run_scene(folder, "both",
                  replaced(sag, "TIME", fmt::format("time: {{mode: static, end: 0.1 s{}}}", step)) +
                      "phases:\n  - {name: sag, end: 60 ms}\n  - {name: release, change: "
                      "[time.mode=stepping, time.step=1 ms, 'bodies[b].fem.fixed=[]']}\n")
            .code == 0);
    const WholeState a = end_of(folder / "both.h5"), b = end_of(folder / "fall.h5");
    const double blur = *step ? 1e-7 : 1e-12;  // increments meet the equilibrium to the tolerance
    CHECK(apart(a.bodies[0].q, b.bodies[0].q) <= blur * size_of(a.bodies[0].q));
    CHECK(apart(a.bodies[0].v, b.bodies[0].v) <= blur * size_of(a.bodies[0].v));
  }
}

TEST_CASE("a block pressed, held and pulled in one scene is that of three scenes") {
  const Folder folder;
  const Outcome outcome = run_scene(
      folder, "one",
      pressed(kPress) +
          "phases:\n  - {name: press, duration: 30 ms}\n  - {name: hold, duration: 30 ms}\n" +
          R"(  - name: pull
    change:
      - "bodies[b].fem.prescribed[0].z={table: [[0.06, -0.01], [0.09, 0.02]]}"
      - contacts[floor].law.friction=0
)");
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);  // without friction the points have no tangents
  CHECK(holds(outcome.err,
              "phases[2]: 'pull' has other pairs of contact points than the first phase"));
  const Outcome good = run_scene(
      folder, "one",
      pressed(kPress) +
          "phases:\n  - {name: press, duration: 30 ms}\n  - {name: hold, duration: 30 ms}\n" +
          R"(  - name: pull
    change:
      - "bodies[b].fem.prescribed[0].z={table: [[0.06, -0.01], [0.09, 0.02]]}"
      - contacts[floor].law.friction=0.1
)");
  CAPTURE(good.err);
  REQUIRE(good.code == 0);
  const auto part = [&](const std::string& name, const std::string& top, const std::string& from) {
    std::string text = replaced(pressed(top), "end: 90 ms", "end: 30 ms");
    if (name == "pull") text = replaced(text, "friction: 0.5", "friction: 0.1");
    if (!from.empty()) text += "start: {file: " + from + ".h5}\n";
    const Outcome one = run_scene(folder, name, text);
    CAPTURE(one.err);
    REQUIRE(one.code == 0);
  };
  part("press", kPress, "");
  part("hold", "prescribed: [{set: z1, z: {constant: -0.01}}]", "press");
  part("pull", "prescribed: [{set: z1, z: {table: [[0, -0.01], [0.03, 0.02]]}}]", "hold");
  check_same_end(folder / "one.h5", folder / "pull.h5");
  check_ledger(folder / "one.h5");
  const std::vector<double> low = ResultsReader(folder / "one.h5").probe("low");
  CHECK(low.size() == 91);
  CHECK(low[60] < 1e-6);  // on the floor
  CHECK(low[90] > 1e-3);  // off it
}

TEST_CASE("a run of several phases goes on from every step to the same bits") {
  for (const std::string& scene :
       {std::string(kSagging) + kRelease,
        pressed(kPress) + "phases: [{name: press, end: 30 ms}, {name: hold, change: "
                          "['contacts[floor].law.friction=0.1', 'time.step=0.5e-3']}]\n"}) {
    const Folder folder;
    REQUIRE(run_scene(folder, "whole", scene, {"--set", "results.frames=0"}).code == 0);
    const ResultsReader whole(folder / "whole.h5");
    for (const char* until : {"10 ms", "29 ms", "30 ms", "31 ms", "60 ms", "61 ms", "80 ms"}) {
      CAPTURE(until);
      const Outcome first =
          run_scene(folder, "a", scene, {"--set", "results.frames=0", "--until", until});
      CAPTURE(first.err);
      REQUIRE(first.code == 0);
      const Outcome rest = run_scene(folder, "a", scene, {"--set", "results.frames=0", "--resume"});
      CAPTURE(rest.err);
      REQUIRE(rest.code == 0);
      CHECK(same_results(folder / "whole.h5", folder / "a.h5"));
    }
  }
}

TEST_CASE("runs of several phases that are killed at random end with the same bits") {
  std::mt19937_64 random(7);
  const std::string scene = replaced(std::string(kSagging) + kRelease, "step: 1 ms", "step: 20 us");
  const Folder folder;
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(run_scene(folder, "whole", scene, {"--set", "results.checkpoint_every=101"}).code == 0);
  const auto took = std::chrono::steady_clock::now() - begin;
  int kills = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    std::vector<std::string> words{"--set", "results.checkpoint_every=101"};
    if (folder.has("a.h5.part")) words.emplace_back("--resume");
    folder.write("a.yaml", scene);
    words.insert(words.begin(), {"run", "a.yaml", "-q", "-o", "a.h5"});
    const auto wait = took * static_cast<int>(random() % 1000) / 1500;
    const int signal = attempt % 2 == 0 ? SIGKILL : SIGINT;
    const Outcome outcome = saltus_command(folder, words, {.meanwhile = [&](pid_t child) {
                                             if (attempt == 11) return;
                                             std::this_thread::sleep_for(wait);
                                             ::kill(child, signal);
                                           }});
    if (outcome.code == 0) break;
    ++kills;
    CAPTURE(outcome.err);
    REQUIRE((outcome.code == -signal || outcome.code == 1));
  }
  REQUIRE(folder.has("a.h5"));
  CHECK(kills > 0);
  CHECK(same_results(folder / "whole.h5", folder / "a.h5"));
}

TEST_CASE("phases of bodies of all kinds keep positions and velocities") {
  struct Row {
    const char *about, *bodies, *change;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"plucked string",
            "bodies:\n  - {name: b, kind: modal, string: {length: 1, tension: 100, linear_density: "
            "0.01, modes: 10},\n"
            "     loads: [{at: 0.3, constant: 1}], scheme: modal-exact}\n",
            "bodies[b].loads=[]"},
           {"particles, one let go",
            "gravity: [0, 0, -9.81]\nbodies:\n  - {name: b, kind: particles, particles: {mass: [1, "
            "2], positions: [[0, 0, 0], [1, 0, 0]],\n"
            "     springs: [{between: [0, 1], stiffness: 50}]}, prescribed: [{dof: 0, constant: "
            "0}, {dof: 1, constant: 0}, {dof: 2, constant: 0}],\n"
            "     scheme: moreau-jean}\n",
            "bodies[b].prescribed=[]"},
           {"linear system, let go",
            "bodies:\n  - {name: b, kind: linear, chain: {masses: 3, mass: 1, stiffness: 100, "
            "ends: free-free},\n"
            "     prescribed: [{dof: 2, table: [[0, 0], [0.05, 0.1]]}], scheme: moreau-jean}\n",
            "bodies[b].prescribed=[]"},
           {"beam, one end let go",
            "gravity: [0, 0, -9.81]\nbodies:\n  - {name: b, kind: beam, beam: {start: [0, 0, 0], "
            "end: [1, 0, 0], elements: 4, radius: 0.01,\n"
            "     young: 1e9, density: 1000, held: [{at: start, as: clamped}, {at: end, as: "
            "pinned}]}, scheme: generalized-alpha}\n",
            "bodies[b].beam.held=[{at: start, as: clamped}]"},
           {"rigid bodies on a table and in a joint",
            "gravity: [0, 0, -9.81]\nbodies:\n  - {name: b, kind: rigid, rigid: {shape: {box: "
            "{size: [0.2, 0.2, 0.2]}}, density: 1000, position: [0, 0, 0.1],\n"
            "     velocity: [1, 0, 0]}, scheme: rig-mid}\n"
            "  - {name: arm, kind: rigid, rigid: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, "
            "5, 0]}, scheme: rig-mid}\n"
            "  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
            "surfaces: [{law: {kind: newton-impact, friction: 0.3}}]\n"
            "joints: [{name: j, kind: revolute, between: [world, arm], at: [0, 4, 0], axis: [1, 0, "
            "0]}]\n",
            "surfaces[0].law.friction=0.05"}}) {
    CAPTURE(std::string(row.about));
    const Folder folder;
    const std::string head = "saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\nresults: {frames: 3}\n";
    const Outcome outcome =
        run_scene(folder, "one",
                  head + row.bodies +
                      "phases:\n  - {name: before, end: 50 ms}\n  - name: after\n    change: [\"" +
                      row.change + "\"]\n");
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    check_ledger(folder / "one.h5");
    REQUIRE(
        run_scene(folder, "first", replaced(head, "end: 0.1 s", "end: 50 ms") + row.bodies).code ==
        0);
    const Outcome second = run_scene(
        folder, "second",
        replaced(head, "end: 0.1 s", "end: 50 ms") + row.bodies + "start: {file: first.h5}\n",
        {"--set", row.change});
    CAPTURE(second.err);
    REQUIRE(second.code == 0);
    const WholeState a = end_of(folder / "one.h5"), b = end_of(folder / "second.h5");
    REQUIRE(a.bodies.size() == b.bodies.size());
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
      CHECK(apart(a.bodies[i].q, b.bodies[i].q) <= 1e-12 * size_of(a.bodies[i].q));
      CHECK(apart(a.bodies[i].v, b.bodies[i].v) <= 1e-10 * size_of(a.bodies[i].v));
    }
  }
}

TEST_CASE("a drive goes on in the next phase from where it is, and does not jump") {
  const Folder folder;
  const std::string scene = R"(saltus: 1
time: {end: 0.4 s, step: 1 ms}
results: {frames: 5}
bodies: [{name: arm, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], spin: [0, 0, 40]}, scheme: rig-mid}]
joints: [{name: axle, kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, 0, 1], turn: {drive: {rate: 40}}}]
outputs: [{probe: axle, name: angle, quantity: displacement}]
phases:
  - {name: fast, end: 0.2 s}
  - {name: slow, change: ['joints[axle].turn.drive={table: [[0.2, 8], [0.4, 9]]}']}
)";
  const Outcome good = run_scene(folder, "good", scene);
  CHECK(good.err == "");
  REQUIRE(good.code == 0);
  const std::vector<double> angle = ResultsReader(folder / "good.h5").probe("angle");
  CHECK(angle[200] == doctest::Approx(8.0));  // more than a turn
  CHECK(angle[400] == doctest::Approx(9.0));
  check_ledger(folder / "good.h5");
  const Outcome bad = run_scene(folder, "bad", replaced(scene, "[0.2, 8]", "[0.2, 7]"));
  CHECK(bad.code == 1);
  CHECK(lines_that_are_no_warnings(bad.err) == 1);
  CHECK(
      holds(bad.err, "'axle.drive' would be violated by 1 rad at t = 0.2 s; a motion that begins"));
}

TEST_CASE("what moves can be grasped where it is, whatever its initial values were") {
  const Folder folder;
  const std::string scene =
      "saltus: 1\ntime: {end: 0.2 s, step: 1 ms}\nresults: {frames: 3}\nbodies:\n"
      "  - {name: b, kind: linear, chain: {masses: 2, mass: 1, stiffness: 100, ends: free-free},\n"
      "     initial: {coordinates: [0, 0.1]}, prescribed: [{dof: 0, constant: 0}], scheme: "
      "moreau-jean}\n"
      "phases: [{name: a, end: 0.1 s}, {name: b, change: ['bodies[b].prescribed=[{dof: 1, "
      "constant: X}]']}]\n";
  // q = 0.1 cos(10 t), as the scheme gives it
  const Outcome bad = run_scene(folder, "bad", replaced(scene, "X", "0.1"));
  CHECK(bad.code == 1);
  const std::string words = "degree of freedom 1 of 'b' is at ";
  REQUIRE(holds(bad.err, words));
  const std::string from = bad.err.substr(bad.err.find(words) + words.size());
  const std::string place = from.substr(0, from.find(' '));
  CHECK(std::abs(std::stod(place) - 0.1 * std::cos(1.0)) < 1e-4);
  const Outcome good = run_scene(folder, "good", replaced(scene, "X", place));
  CAPTURE(good.err);
  REQUIRE(good.code == 0);
  CHECK(holds(good.err, "1 held degree of freedom of 'b' changes velocity at once"));
  check_ledger(folder / "good.h5");
  CHECK(end_of(folder / "good.h5").bodies[0].q[1] == std::stod(place));
}

TEST_CASE("a phase may be integrated from event to event") {
  const Folder folder;
  const Outcome outcome = run_scene(folder, "a", R"(saltus: 1
time: {end: 2 s, step: 5 ms}
results: {frames: 21}
gravity: [0, 0, -10]
bodies:
  - {name: ball, kind: rigid, rigid: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.1]}, scheme: rig-mid}
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
surfaces: [{law: {kind: newton-impact, restitution: 0.5}}]
outputs: [{name: height, probe: ball, at: [0, 0, 0], direction: [0, 0, 1], quantity: place}]
phases:
  - {name: fall, end: 0.2 s}
  - {name: bounce, end: 1 s, change: [time.mode=events]}
  - {name: rest, change: [time.mode=stepping]}
)");
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const ResultsReader results(folder / "a.h5");
  const std::vector<double> height = results.probe("height");
  REQUIRE(results.has_events());
  CHECK(!results.events().empty());
  // impact at sqrt(0.2) s with sqrt(20) m/s, then half of it
  const double impact = std::sqrt(0.2), t = 0.8 - impact;
  CHECK(std::abs(height[160] - (0.1 + 0.5 * std::sqrt(20.0) * t - 5.0 * t * t)) < 1e-6);
  check_ledger(folder / "a.h5");
}

TEST_CASE("results of phases are read by all verbs, in units far from 1") {
  const Folder folder;
  std::string scene = std::string(kSagging) + kRelease;
  scene = replaced(scene, "size: [1, 0.2, 0.2]", "size: [1e-4, 2e-5, 2e-5]");
  scene = replaced(scene, "young: 1e5", "young: 10");
  scene = replaced(scene, "end: 0.1 s, step: 1 ms", "end: 1 ms, step: 10 us");
  scene = replaced(scene, "end: 60 ms", "end: 0.6 ms");
  scene = replaced(scene, "mass: 20", "mass: 2000");
  REQUIRE(run_scene(folder, "a", scene).code == 0);
  check_ledger(folder / "a.h5");
  for (const std::vector<std::string>& words :
       std::initializer_list<std::vector<std::string>>{{"info", "a.h5"},
                                                       {"compare", "a.h5", "a.h5"},
                                                       {"convert", "a.h5", "--to", "csv"},
                                                       {"convert", "a.h5", "--to", "vtu"},
                                                       {"convert", "a.h5", "--to", "state"},
                                                       {"verify", "a.h5"}}) {
    CAPTURE(words[0]);
    const Outcome outcome = saltus_command(folder, words);
    CAPTURE(outcome.err + outcome.out);
    CHECK(outcome.code == 0);
  }
  const Outcome verify = saltus_command(folder, {"verify", "a.h5"});
  CHECK(holds(verify.out, "not checked: equations, probes: of a run with phases"));
  const Outcome fclib = saltus_command(folder, {"convert", "a.h5", "--to", "fclib", "--step", "3"});
  CHECK(fclib.code == 2);
  CHECK(holds(fclib.err, "phases: are run as a whole only"));
  // frames hold the whole state in every phase: a scene can start from each
  folder.write("on.yaml",
               replaced(scene.substr(0, scene.find("phases:")), ", fixed: [{set: x0}]", "") +
                   "start: {file: a.h5, frame: 3}\n");
  CHECK(saltus_command(folder, {"run", "on.yaml", "-q"}).code == 0);
}

TEST_CASE("phases that cannot be run are refused in one line") {
  const std::string block(kSagging);
  check_refused(block + "phases: []\n", "phases: is empty; at least one phase, or leave it out");
  check_refused(block + "phases: [{name: a, end: 20 ms}, {name: a}]\n",
                "phases[1].name: the name 'a' is used twice; names are unique");
  check_refused(block + "phases: [{name: a, end: 50 ms}, {name: b, end: 20 ms}, {name: c}]\n",
                "phases[1].end: 0.02 s is not after its start at 0.05 s");
  check_refused(block + "phases: [{name: a}, {name: b}]\n",
                "phases[0]: has no end; `end` or `duration`");
  check_refused(block + "phases: [{name: a, end: 50 ms}, {name: b, duration: 10 ms}]\n",
                "phases[1].duration: the last phase would end at 0.06 s, the run ends at 0.1 s");
  check_refused(block + "phases: [{name: a, end: 50 ms}, {name: b, change: [fixed]}]\n",
                "phases[1].change[0]: 'fixed' is not of the form path=value");
  check_refused(block + "phases: [{name: a, end: 50 ms}, {name: b, change: [outputs=null]}]\n",
                "phases[1].change[0]: a phase cannot change `outputs`; allowed: bodies, time");
  check_refused(block +
                    "phases: [{name: a, end: 50 ms}, {name: b, change: "
                    "['bodies[b].fem.velocity=[0, 0, 1]']}]\n",
                "is of the start of a body, which is in motion by then");
  check_refused(
      block + "phases: [{name: a, end: 50 ms}, {name: b, change: ['bodies[c].fem.fixed=[]']}]\n",
      "in phase 'b'");
  check_refused(block +
                    "phases: [{name: a, end: 50 ms}, {name: b, change: "
                    "['bodies[b].fem.fixed=[{set: q}]']}]\n",
                "in phase 'b' bodies[0].fem.fixed[0].set");
  check_refused(block + "phases: [{name: a, end: 50.2 ms}, {name: b, end: 50.3 ms}, {name: c}]\n",
                "phases[1]: 'b' is shorter than half a step");

  const Folder folder;
  const Outcome held = run_scene(folder, "a",
                                 block +
                                     "phases: [{name: a, end: 50 ms}, {name: b, change: "
                                     "['bodies[b].fem.fixed=[{set: x1}]']}]\n");
  CHECK(held.code == 1);
  CHECK(holds(held.err, "phase 'b' cannot begin: phases[1]: x of node"));
  CHECK(holds(held.err, "the results up to there are in a.h5.part"));
  const Outcome late = run_scene(
      folder, "c", block + "phases: [{name: a, end: 50 ms}, {name: b}]\n", {"--until", "20 ms"});
  CHECK(late.code == 0);
  CHECK(holds(late.err,
              "phases[1]: 'b' would begin at 0.05 s, the run ends at 0.02 s: it is not run"));
  const Outcome study = saltus_command(folder, {"study", "c.yaml"});
  CHECK(study.code == 2);
  CHECK(holds(study.err, "phases: are run as a whole only"));
}
