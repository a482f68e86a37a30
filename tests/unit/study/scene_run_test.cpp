#include "saltus/study/scene_run.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "saltus/io/compare.h"
#include "saltus/io/scene_yaml.h"

using namespace saltus;

namespace {

namespace fs = std::filesystem;

const std::string kBall = std::string(SALTUS_EXAMPLES) + "/bouncing_ball.yaml";

struct OwnFolder {
  fs::path path;
  OwnFolder()
      : path(fs::temp_directory_path() / ("saltus_scene_run_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~OwnFolder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

RunResult run_ball(const std::string& output, bool resume = false, RunWatch watch = {}) {
  SceneRunOptions options;
  options.output = output;
  options.resume = resume;
  options.go_on = "this again";
  options.watch = std::move(watch);
  SceneRun run(set_up(kBall, {}, "60 s"), std::move(options));
  return run();
}

}  // namespace

TEST_CASE("a run that its watch stops keeps a checkpoint, and goes on to the same numbers") {
  const OwnFolder place;
  const std::string stopped = place / "stopped.h5", whole = place / "whole.h5";
  int asked = 0;
  const RunResult part = run_ball(stopped, false, [&](const RunProgress& p) {
    CHECK(p.last == 60000);
    return asked++ == 0;
  });
  REQUIRE(part.loop.end == LoopReport::End::interrupted);
  CHECK(part.stopped.ends_with("go on with: this again"));
  CHECK(part.files.front() == stopped + ".part");
  CHECK(part.loop.last < 60000);
  CHECK(fs::exists(stopped + ".part"));

  const RunResult rest = run_ball(stopped, true);
  CHECK(rest.stopped.empty());
  CHECK(rest.resumed);
  CHECK(rest.loop.first == part.loop.last);
  run_ball(whole);
  const ResultsReader a(stopped), b(whole);
  CHECK_FALSE(compare_results(a, b, 0.0).differs());
}

TEST_CASE("a run that is stopped before its first step is at its start") {
  const OwnFolder place;
  const RunResult part =
      run_ball(place / "ball.h5", false, [](const RunProgress&) { return false; });
  CHECK(part.loop.last == 0);
  CHECK(part.state.t == 0.0);
}

TEST_CASE("joints that were open are told: a support that leaves a body whose height is locked") {
  // The table goes down by 0.2 m in half a period, from rest: at the start nothing is amiss.
  const auto warnings = [](const std::string& locked, const std::string& level) {
    const OwnFolder place;
    SceneRunOptions options;
    options.output = place / "pin.h5";
    SceneRun run(set_up(read_scene_text(
                     "saltus: 1\n"
                     "time: {end: 1 s, step: 5 ms}\n"
                     "joint: {level: " +
                         level +
                         "}\n"
                         "bodies:\n"
                         "  - {name: table, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, "
                         "motion: {z: {harmonic: {amplitude: 0.1, frequency: 1}}}}}\n"
                         "  - {name: post, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], "
                         "position: [0, 0, 0.1]" +
                         locked +
                         "}}\n"
                         "joints: [{name: pin, kind: ball, between: [table, post], at: [0, 0, "
                         "0.1]}]\n",
                     "scene.yaml", {}, {})),
                 options);
    return run().warnings;
  };
  const std::vector<std::string> told = warnings(", locked: [z]", "position");
  REQUIRE(told.size() == 1);
  CHECK(told[0] ==
        "joints were open by up to 0.2 m or rad (t = 0.5 s): their bodies could not follow; see "
        "what is `locked`, and what drives and moved bodies ask for");
  CHECK(warnings("", "position").empty());
  CHECK(warnings("", "velocity").empty());  // which lets gaps drift
}

TEST_CASE("a run tells warnings as soon as they are known, and again in its result") {
  const OwnFolder place;
  std::vector<std::string> told;
  SceneRunOptions options;
  options.output = place / "ball.h5";
  options.note = [&](const std::string& text) { told.push_back(text); };
  run_ball(options.output, false, [](const RunProgress&) { return false; });  // leaves a .part
  SceneRun run(set_up(kBall, {}, "0.1 s"), options);
  const RunResult result = run();
  CHECK(result.warnings == told);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("of an earlier run is replaced") != std::string::npos);
  CHECK_THROWS_AS(run(), UsageError);
}
