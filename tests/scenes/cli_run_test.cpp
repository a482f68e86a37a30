// `saltus run` and what reads its results.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/results/results_reader.h"
#include "support/skip.h"

using namespace saltus_test;
using saltus::ResultsReader;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A contact that feeds energy in: gaps at the start of the step, points stay active while they move away.
std::string gaining_scene() {
  std::string text =
      replaced(small_scene(), "signorini-position", "{kind: newton-impact, restitution: 0}");
  text = replaced(text, "bodies:", "contact: {instant: start}\nbodies:");
  text = replaced(text, "modes: 20", "modes: 200");
  text = replaced(text, "[[0.4 m, -0.5 mm]]", "[[0.2 m, 0 m]]");
  return text;
}

}  // namespace

TEST_CASE("a run writes results and sound and reports its ledger, which closes") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.err.empty());
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["complete"] == true);
  CHECK(json["steps"] == 2000);
  CHECK(json["steps_now"] == 2000);
  CHECK(json["resumed_at"].is_null());
  CHECK(json["time"].get<double>() == doctest::Approx(0.05).epsilon(1e-12));
  CHECK(json["files"] == std::vector<std::string>{"scene.h5", "sound.wav"});
  CHECK(folder.names() == std::vector<std::string>{"scene.h5", "scene.yaml", "sound.wav"});

  const double start = json["energy"]["start"], end = json["energy"]["end"];
  double work = 0.0;
  for (const auto& [name, value] : json["ledger"].items()) work += value.get<double>();
  CHECK(start > 0.0);
  CHECK(std::abs(start + work - end) <= 1e-12 * start);
  CHECK(std::abs(json["ledger"]["unexplained"].get<double>()) <= 1e-10 * start);
  CHECK(json["contacts"]["steps"].get<int>() > 0);
  CHECK(json["contact_gain"]["steps"] == 0);
  CHECK(json["penetration"]["value"].get<double>() <= 1e-12);
  CHECK(json["residual"]["value"].get<double>() <= 1e-12);
  CHECK(json["step_cost"]["worst"].get<double>() >= json["step_cost"]["mean"].get<double>());

  const ResultsReader results(folder / "scene.h5");
  CHECK(results.finished());
  CHECK(results.rows() == 2001);
  CHECK(results.step("time").back() == json["time"].get<double>());
  CHECK(results.ledger("impact").back() == json["ledger"]["impact"].get<double>());
  CHECK(results.scene() == small_scene());
}

TEST_CASE("frames lie evenly over the run, first and last state included") {
  const Folder folder;
  folder.write("scene.yaml", replaced(small_scene(), "outputs:", "results: {frames: 9}\noutputs:"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  const std::vector<double> time = ResultsReader(folder / "scene.h5").frame_times();
  REQUIRE(time.size() == 9);
  for (std::size_t k = 0; k < 9; ++k)
    CHECK(time[k] == doctest::Approx(0.05 * static_cast<double>(k) / 8.0));
  for (const auto& [asked, got] : {std::pair{1, 1}, {0, 0}, {2, 2}, {100'000, 2001}}) {
    const std::string frames = "results.frames=" + std::to_string(asked);
    REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "--set", frames}).code == 0);
    const std::vector<double> times = ResultsReader(folder / "scene.h5").frame_times();
    CHECK(static_cast<int>(times.size()) == got);
    if (got > 0) CHECK(times.back() == doctest::Approx(0.05));
  }
}

TEST_CASE("the table names steps, energy accounts, worst values and files") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(::mkdir((folder / "out").c_str(), 0700) == 0);
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "-o", "out/a.h5", "--until", "10 ms"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  for (const char* word :
       {"steps           400\n", "x real time", "us on average", "start", "damping", "impact",
        "scheme", "unexplained", "end", "penetration", "as solved", "after the step",
        "0 not converged", "out/a.h5", "out/sound.wav"})
    CHECK_MESSAGE(holds(outcome.out, word), word);
  CHECK(folder.has("out/a.h5"));
  CHECK(folder.has("out/sound.wav"));
  const Outcome quiet = saltus_command(folder, {"run", "scene.yaml", "-o", "out/a.h5", "--quiet"});
  CHECK(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
}

TEST_CASE("a run whose contacts feed energy in says so, and which option avoids it") {
  const Folder folder;
  folder.write("scene.yaml", gaining_scene());
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.error_lines() == 2);  // the scene is also resonant, which is said before the run
  CHECK(holds(outcome.err, "weakly damped modes of 'string'"));
  CHECK(holds(outcome.err, "saltus: warning: contact added energy"));
  CHECK(holds(outcome.err, "use `law: signorini-position`"));
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["contact_gain"]["steps"].get<int>() > 0);
  CHECK(json["contact_gain"]["value"].get<double>() > 0.0);
  CHECK(json["warnings"].size() == 2);
  const std::vector<double> impact = ResultsReader(folder / "scene.h5").step("impact");
  CHECK(impact[json["contact_gain"]["step"].get<std::size_t>()] ==
        json["contact_gain"]["value"].get<double>());

  for (const char* cure : {"contacts[0].law=signorini-position",
                           "contacts[0].law.activation={kind: gap-closing, closing_only: true}"}) {
    CAPTURE(cure);
    const Outcome cured = saltus_command(folder, {"run", "scene.yaml", "-q", "--set", cure});
    CHECK(cured.code == 0);
    CHECK(!holds(cured.err, "added energy"));
  }
}

TEST_CASE("bodies at rest that `closing_only` lets go are told to sink, and the advice ends it") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 0.6 s, step: 2 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: a, kind: rigid, rigid: {shape: {box: {size: [0.4, 0.4, 0.2]}}, mass: 2, position: [0, 0, 0.1]}}
  - {name: b, kind: rigid, rigid: {shape: {box: {size: [0.4, 0.4, 0.2]}}, mass: 150, position: [0.01, 0, 0.3]}}
surfaces: [{law: {kind: newton-impact, friction: 0.4, activation: {kind: siconos, closing_only: true}}}]
)");
  const Outcome sunk = saltus_command(folder, {"run", "scene.yaml", "--quiet"});
  CAPTURE(sunk.err);
  REQUIRE(sunk.code == 0);
  CHECK(holds(sunk.err, "bodies sank into each other by"));
  CHECK(holds(sunk.err, "does not support bodies at rest: remove it"));
  for (const char* law :
       {"{kind: newton-impact, friction: 0.4}",
        "{kind: newton-impact, friction: 0.4, activation: {closing_only: true}}"}) {
    const Outcome rests = saltus_command(
        folder, {"run", "scene.yaml", "--quiet", "--set", std::string("surfaces[0].law=") + law});
    CHECK(rests.code == 0);
    CHECK(rests.err.empty());
  }
}

TEST_CASE("a contact that lets go in an impact alone is not told to sink") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 0.6 s, step: 2 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 2, position: [0, 0, 0.4]}}
surfaces: [{law: {kind: newton-impact, restitution: 0.8, activation: {closing_only: true}}}]
)");
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--quiet"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a run whose friction feeds energy in names the law of friction that never does") {
  // The end of a pinned rod falls on the floor: the rebound turns the slip around.
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 150 ms, step: 1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: rod
    kind: rigid
    rigid:
      shape: {capsule: {radius: 10 mm, length: 0.1}, rotation: {axis: [0, 1, 0], angle: 90 deg}}
      mass: 0.2
      inertia: [2e-4, 2e-4, 2e-4]
      position: [0.1, 0, 0.05]
joints:
  - {name: pin, kind: revolute, between: [world, rod], at: [0.04, 0, 0.05], axis: [0, 1, 0]}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.3, friction: 0.3}}
)");
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--quiet"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(holds(outcome.err, "added energy"));
  CHECK(holds(outcome.err, "use `slip: mean` in newton-impact"));
  CHECK(!holds(outcome.err, "closing_only"));
  const Outcome cured =
      saltus_command(folder, {"run", "scene.yaml", "--quiet", "--set", "surfaces[0].law.slip=mean",
                              "--set", "surfaces[0].law.activation.closing_only=true"});
  CHECK(cured.code == 0);
  CHECK(!holds(cured.err, "added energy"));
}

TEST_CASE("a rebound under a scheme that damps is no gain") {
  const Folder folder;
  std::string text = replaced(small_scene(), "modal-exact", "{kind: moreau-jean, theta: 1}");
  folder.write("scene.yaml", replaced(text, "signorini-position",
                                      "{kind: newton-impact, restitution: 0.5, activation: "
                                      "{closing_only: true}}"));
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(!holds(outcome.err, "added energy"));
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["contact_gain"]["steps"] == 0);
  const std::vector<double> impact = ResultsReader(folder / "scene.h5").step("impact");
  const double start = json["energy"]["start"].get<double>();
  CHECK(*std::min_element(impact.begin(), impact.end()) < -1e-6 * start);
  CHECK(*std::max_element(impact.begin(), impact.end()) <= 1e-15 * start);
}

TEST_CASE("a fixed gain that clips leaves results, no sound, exit code 1 and the largest gain") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "-q", "--set", "outputs[0].gain=1e6"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  const std::size_t most = outcome.err.find("at most ");
  REQUIRE(most != std::string::npos);
  CHECK(holds(outcome.err, "saltus: sound.wav: gain 1000000 clips"));
  CHECK(folder.names() == std::vector<std::string>{"scene.h5", "scene.yaml"});
  CHECK(ResultsReader(folder / "scene.h5").finished());
  const std::string largest = outcome.err.substr(most + 8, outcome.err.find(',', most) - most - 8);
  CHECK(saltus_command(folder, {"run", "scene.yaml", "-q", "--set", "outputs[0].gain=" + largest})
            .code == 0);
  CHECK(folder.has("sound.wav"));
}

TEST_CASE("the smallest gap is told also where nothing penetrates") {
  const Folder folder;
  folder.write("scene.yaml", replaced(small_scene(), "-0.5 mm", "-9 mm"));
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--json"});
  REQUIRE(outcome.code == 0);
  const auto run = nlohmann::json::parse(outcome.out);
  const auto info =
      nlohmann::json::parse(saltus_command(folder, {"info", "scene.h5", "--json"}).out);
  CHECK(run["penetration"]["value"] == 0.0);
  CHECK(run["gap"]["value"].get<double>() > 0.0);
  CHECK(info["gap"]["value"] == run["gap"]["value"]);
  const std::string text = saltus_command(folder, {"info", "scene.h5"}).out;
  CHECK(holds(text, " J at the end\n"));  // no parts: they mean nothing near the Nyquist frequency
  CHECK(!holds(text, "kinetic"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "--set", "contacts=[]"}).code == 0);
  CHECK(nlohmann::json::parse(
            saltus_command(folder, {"info", "scene.h5", "--json"}).out)["gap"]["value"]
            .is_null());
}

TEST_CASE("a disk that is full ends the run with exit code 1, one line and no file") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "--until", "2 s"}, {.file_size = 200'000});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "scene.h5"));
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
}

TEST_CASE("a step that is not solved stops the run, and what lies before it can be read") {
  const Folder folder;
  std::string text =
      replaced(small_scene(), "frets: [[0.4 m, -0.5 mm]]", "flat: {height: -3.2 mm}");
  text = replaced(
      text, "bodies:", "solver: {kind: gauss-seidel, iterations: 1, tolerance: 1e-15}\nbodies:");
  folder.write("scene.yaml", replaced(text, "0.2 m, height: 3 mm", "0.2 m, height: 6 mm"));
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 1);
  CHECK(outcome.error_lines() == 1);
  for (const char* word :
       {"step ", "t = ", "'string'", "residual", "on_failure: accept", "scene.h5.part"})
    CHECK_MESSAGE(holds(outcome.err, word), word);
  CHECK(folder.names() == std::vector<std::string>{"scene.h5.part", "scene.yaml"});
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["complete"] == false);
  const ResultsReader results(folder / "scene.h5.part");
  CHECK(!results.finished());
  CHECK(results.rows() == json["steps"].get<std::size_t>() + 1);
  const Outcome accepted =
      saltus_command(folder, {"run", "scene.yaml", "--json", "--set", "on_failure=accept"});
  REQUIRE(accepted.code == 0);
  const auto failed = nlohmann::json::parse(accepted.out)["failed_steps"].get<int>();
  CHECK(failed > 0);
  CHECK(holds(accepted.err, "saltus: warning: the contacts of " + std::to_string(failed) +
                                " steps were accepted although not solved"));
}

TEST_CASE("info and convert read what run wrote") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5"}).code == 0);
  const Outcome info = saltus_command(folder, {"info", "a.h5", "--json"});
  CHECK(info.code == 0);
  const auto json = nlohmann::json::parse(info.out);
  CHECK(json["complete"] == true);
  CHECK(json["steps"] == 2000);
  CHECK(holds(saltus_command(folder, {"info", "a.h5"}).out, "pickup"));

  const Outcome wav =
      saltus_command(folder, {"convert", "a.h5", "--to", "wav", "--probe", "pickup"});
  CHECK(wav.code == 0);
  CHECK(wav.out == "a.pickup.wav\n");
  CHECK(folder.read("a.pickup.wav") == folder.read("sound.wav"));
  const Outcome csv =
      saltus_command(folder, {"convert", "a.h5", "--to", "csv", "-o", "t", "--json"});
  CHECK(csv.code == 0);
  const auto made = nlohmann::json::parse(csv.out);
  for (const auto& file : made["files"]) CHECK(folder.has(file.get<std::string>()));
  CHECK(folder.has("t.probes.csv"));
  const Outcome missing =
      saltus_command(folder, {"convert", "a.h5", "--to", "wav", "--probe", "pikup"});
  CHECK(missing.code == 2);
  CHECK(missing.error_lines() == 1);
  CHECK(holds(missing.err, "pickup"));
  const Outcome meshes = saltus_command(folder, {"convert", "a.h5", "--to", "vtu"});
  CHECK(meshes.code == 2);
  CHECK(meshes.err ==
        "saltus: a.h5: contains no body with a mesh; it contains bodies of kind modal (1); "
        "available: --to "
        "vtp, xdmf, csv, wav\n");
}

TEST_CASE("check says what a scene is and runs nothing") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = saltus_command(folder, {"check", "scene.yaml", "--json"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["steps"] == 2000);
  CHECK(json["contact_points"] == 1);
  CHECK(json["nyquist"] == doctest::Approx(20000.0));
  const double fundamental = std::sqrt(70.0 / 1e-3) / (2.0 * 0.7);  // f0 = sqrt(T/rho) / (2 L)
  CHECK(json["bodies"][0]["modes"] == 20);
  CHECK(json["bodies"][0]["lowest_frequency"].get<double>() == doctest::Approx(fundamental));
  CHECK(json["bodies"][0]["highest_frequency"].get<double>() ==
        doctest::Approx(20.0 * fundamental));
  CHECK(json["bodies"][0]["above_nyquist"] == 0);
  CHECK(json["bodies"][0]["laws"] == std::vector<std::string>{"signorini-position"});
  CHECK(holds(saltus_command(folder, {"check", "scene.yaml"}).out, "20 modes"));
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
}

TEST_CASE("a run that cannot end where it is asked to says where it ends") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 1 s, step: 0.5 s}
bodies:
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}}
)");
  struct Case {
    const char* step;
    double end;
    const char* says;
  };
  const Case cases[] = {
      {"0.5 s", 1.0, ""},
      {"0.1 s", 1.0, ""},
      {"0.7 s", 0.7, "steps of 0.7 s: the run ends at 0.7 s, with 1 step\n"},
      {"0.3 s", 0.9, "steps of 0.3 s: the run ends at 0.9 s, with 3 steps\n"},
      {"2 s", 2.0, "steps of 2 s: the run ends at 2 s, with 1 step\n"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.step);
    const std::string set = std::string("time.step=") + one.step;
    const Outcome run = saltus_command(folder, {"run", "scene.yaml", "--json", "--set", set}),
                  check = saltus_command(folder, {"check", "scene.yaml", "--set", set});
    REQUIRE(run.code == 0);
    CHECK(nlohmann::json::parse(run.out)["time"].get<double>() ==
          doctest::Approx(one.end).epsilon(1e-12));
    for (const Outcome& outcome : {run, check})
      CHECK(outcome.err == (*one.says ? "saltus: warning: time.end: 1 s is not a whole number of " +
                                            std::string(one.says)
                                      : ""));
    CHECK(holds(check.out, fmt::format("{:g} s in ", one.end)));
  }
}

TEST_CASE("info shows names as the scene gave them") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 10 ms, step: 1 ms}
bodies:
  - {name: "..", kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1}}
  - {name: "a%sb{}", kind: lagrangian, pendulum: {length: 1 m}}
outputs:
  - {probe: "a%sb{}", name: "50%.2", at: 0, quantity: displacement}
)");
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q"}).code == 0);
  const std::string text = saltus_command(folder, {"info", "scene.h5"}).out;
  CAPTURE(text);
  CHECK(holds(text, "body          ..: rigid by"));
  CHECK(holds(text, "body          a%sb{}: lagrangian by"));
  CHECK(holds(text, "probe         50%.2: displacement"));
  const auto json =
      nlohmann::json::parse(saltus_command(folder, {"info", "scene.h5", "--json"}).out);
  CHECK(json["bodies"][0]["name"] == "..");
  CHECK(json["bodies"][1]["name"] == "a%sb{}");
  CHECK(json["probes"][0]["name"] == "50%.2");
}

TEST_CASE("verify of a folder ends with exit code 2 and one line") {
  if (!std::filesystem::exists("/usr/bin/python3"))
    SALTUS_SKIP("there is no python3 that verifies");
  const Folder folder;
  const Outcome outcome = saltus_command(folder, {"verify", "."});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err ==
        "saltus verify: .: is a folder; allowed: a file of a finished `saltus run`\n");
}

TEST_CASE("check and run warn of a step above the stability limit") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 20 ms, step: 1 ms}
bodies:
  - name: bar
    kind: linear
    mesh: {elements: 10, length: 1, young: 200 GPa, density: 8000, area: 1 cm^2, ends: free-free}
    scheme: central-difference
)");
  for (const char* verb : {"check", "run"}) {
    const Outcome outcome = saltus_command(folder, {verb, "scene.yaml"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.error_lines() == 1);
    for (const char* word : {"saltus: warning: bodies[0].scheme: h = 0.001 s", "stability limit",
                             "about 1.15e-05 s", "without a limit: moreau-jean"})
      CHECK_MESSAGE(holds(outcome.err, word), word);
  }
  const Outcome fine =
      saltus_command(folder, {"check", "scene.yaml", "--json", "--set", "time.step=10 us"});
  CHECK(fine.err.empty());
  const auto json = nlohmann::json::parse(fine.out);
  CHECK(json["warnings"].empty());
  CHECK(json["bodies"][0]["kind"] == "linear");
  CHECK(json["bodies"][0]["degrees_of_freedom"] == 11);
  CHECK(!json["bodies"][0].contains("modes"));
}

TEST_CASE("bodies of every kind are stored with their frames and probes, and found by info") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 0.5 s, step: 1 ms}
bodies:
  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.5], [1, 0, 0.7]], gravity: [0, 0, -9.81]}}
  - {name: arm, kind: lagrangian, pendulum: {length: 1 m}, initial: {coordinates: [1]}}
  - name: chain
    kind: linear
    chain: {masses: 3, mass: 1, stiffness: 100, ends: free-free}
    prescribed: [{dof: 0, harmonic: {amplitude: 0.1, frequency: 2}}]
contacts:
  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.5}}
outputs:
  - {probe: ball, name: height, at: 0, quantity: displacement, csv: height.csv}
  - {probe: arm, name: angle, at: 0, quantity: displacement}
  - {probe: chain, at: 2}
results: {frames: 11}
)");
  const Outcome run = saltus_command(folder, {"run", "scene.yaml", "--json"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(folder.has("height.csv"));
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["contacts"]["steps"].get<int>() > 0);
  const ResultsReader results(folder / "scene.h5");
  CHECK(results.frame_times().size() == 11);
  const auto info =
      nlohmann::json::parse(saltus_command(folder, {"info", "scene.h5", "--json"}).out);
  CHECK(info["bodies"].size() == 3);
  const std::string text = saltus_command(folder, {"info", "scene.h5"}).out;
  CHECK(holds(text, "arm: lagrangian by moreau-jean, 1 coordinates"));
  CHECK(holds(text, "chain: linear by moreau-jean, 2 coordinates"));
  CHECK(holds(text, "chain at 2"));
  const std::string checked = saltus_command(folder, {"check", "scene.yaml"}).out;
  CHECK(holds(checked, "chain: linear by moreau-jean, 2 degrees of freedom, 1 more prescribed"));
  CHECK(holds(checked, "ball: particles by moreau-jean, 6 degrees of freedom"));
}

TEST_CASE("the starter scene is new, runs as it is, and is not overwritten") {
  const Folder folder;
  REQUIRE(saltus_command(folder, {"new", "first"}).code == 0);
  const std::string text = folder.read("first.yaml");
  CHECK(holds(text, "saltus run first.yaml"));
  const Outcome run = saltus_command(folder, {"run", "first.yaml", "--until", "100 ms", "--json"});
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  CHECK(nlohmann::json::parse(run.out)["contacts"]["steps"].get<int>() > 0);
  CHECK(folder.has("first.wav"));
  CHECK(saltus_command(folder, {"new", "first"}).code == 2);
  CHECK(saltus_command(folder, {"new", "first.yaml"}).code == 2);
  CHECK(folder.read("first.yaml") == text);
}
