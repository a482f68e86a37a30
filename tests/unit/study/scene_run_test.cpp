#include "saltus/study/scene_run.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/study/compare.h"

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
  CHECK(part.stopped.ends_with("resume with: this again"));
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

namespace {

/// A block that slides on a table, in time stepping or event-driven.
const std::string kBlock = R"(saltus: 1
time: {end: 0.3 s, step: 3 ms, mode: MODE}
gravity: [0, 0, -9.81]
bodies:
  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: block, kind: rigid, rigid: {shape: {box: {size: [0.3, 0.2, 0.1]}}, density: 700,
     position: [0, 0, 0.07], velocity: [0.8, 0.1, 0]}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.3, friction: 0.2}}
outputs:
  - {probe: block, name: height, at: [0, 0, 0.05], direction: [0, 0, 1], quantity: displacement}
results: {frames: 7}
)";

std::string block(const std::string& mode) {
  std::string text = kBlock;
  return text.replace(text.find("MODE"), 4, mode);
}

/// `interval`: wall time between checkpoints [s]; 0: none by time.
RunResult run_block(const std::string& mode, const std::string& output, bool resume,
                    double interval, RunWatch watch = {}) {
  SceneRunOptions options;
  options.output = output;
  options.resume = resume;
  options.watch = std::move(watch);
  Scene scene = read_scene_text(block(mode), "block.yaml", {}, {});
  scene.spec.results.checkpoint_interval = interval;
  SceneRun run(set_up(std::move(scene)), std::move(options));
  return run();
}

std::string what_differs(const std::string& a, const std::string& b) {
  const ResultsReader x(a), y(b);
  const Comparison all = compare_results(x, y, 0.0);
  CHECK(all.same_scene);
  return all.differs() ? comparison_text(all, x, y) : "";
}

}  // namespace

TEST_CASE("a run that was interrupted before its first step and goes on has row 0 once") {
  const OwnFolder place;
  for (const std::string mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const std::string whole = place / "whole.h5", stopped = place / "stopped.h5";
    run_block(mode, whole, false, 0.0);
    for (int times = 0; times < 2; ++times)
      CHECK(run_block(mode, stopped, times > 0, 0.0, [](const RunProgress&) {
              return false;
            }).loop.last == 0);
    const RunResult rest = run_block(mode, stopped, true, 0.0);
    CHECK(rest.resumed);
    CHECK(rest.loop.first == 0);
    CHECK(ResultsReader(stopped).rows() == 101);
    CHECK(what_differs(whole, stopped) == "");
    fs::remove(stopped), fs::remove(whole);
  }
}

TEST_CASE("which checkpoints a run writes changes none of its tables") {
  const OwnFolder place;
  for (const std::string mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const std::string none = place / "none.h5", each = place / "each.h5";
    run_block(mode, none, false, 0.0);
    // after every step, or every so many: they may take a hundredth
    run_block(mode, each, false, 1e-9);
    CHECK(what_differs(none, each) == "");
  }
}

TEST_CASE("a run whose .part holds no checkpoint begins at its start when it is resumed") {
  const OwnFolder place;
  const std::string whole = place / "whole.h5", lost = place / "lost.h5";
  run_block("stepping", whole, false, 0.0);
  const auto die_before_the_first_checkpoint = [&] {
    const Scene scene = read_scene_text(block("stepping"), "block.yaml", {}, {});
    const Model model = build(scene);
    ResultsWriter out(lost, model, scene.text, write_scene(scene.spec));
    out.start(Simulation(model).state(), std::vector<double>{0.0});
    out.drain();
  };
  die_before_the_first_checkpoint();
  REQUIRE(ResultsReader(lost + ".part").rows() == 1);
  const RunResult again = run_block("stepping", lost, true, 0.0);
  CHECK_FALSE(again.resumed);
  REQUIRE_FALSE(again.warnings.empty());
  CHECK(again.warnings[0] == lost + ".part contains no checkpoint: the run begins at t = 0");
  CHECK(what_differs(whole, lost) == "");
  // of another scene it does not
  die_before_the_first_checkpoint();
  CHECK_THROWS_AS(run_block("events", lost, true, 0.0), SceneError);
  CHECK(fs::exists(lost + ".part"));
}

TEST_CASE("a run that dies before its first step has its start as a checkpoint") {
  const OwnFolder place;
  const RunWatch dies = [](const RunProgress&) -> bool { throw RunError("killed"); };
  for (const std::string mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const std::string whole = place / "whole.h5", lost = place / "lost.h5";
    run_block(mode, whole, false, 0.0);
    CHECK_THROWS_AS(run_block(mode, lost, false, 0.0, dies), RunError);
    const RunResult again = run_block(mode, lost, true, 0.0);
    CHECK(again.resumed);
    CHECK(again.warnings.empty());
    CHECK(what_differs(whole, lost) == "");
    // nothing to keep in it for a new run of the same name
    fs::remove(lost);
    CHECK_THROWS_AS(run_block(mode, lost, false, 0.0, dies), RunError);
    CHECK(run_block(mode, lost, false, 0.0).warnings.empty());
    CHECK_FALSE(fs::exists(place / "lost.1.h5.part"));
    fs::remove(lost), fs::remove(whole);
  }
}

TEST_CASE("the times of checkpoints may differ between a run and its continuation") {
  const OwnFolder place;
  const std::string whole = place / "whole.h5", stopped = place / "stopped.h5";
  run_block("stepping", whole, false, 0.0);
  run_block("stepping", stopped, false, 30.0, [](const RunProgress&) { return false; });
  CHECK(run_block("stepping", stopped, true, 1e-9).resumed);
  CHECK(what_differs(whole, stopped) == "");
}

TEST_CASE("a run tells what the part before it was interrupted had met") {
  const OwnFolder place;
  const std::string part = place / "a.h5.part";
  const Notice met{Notice::Kind::crossed, 3, 5, "'a' passed 'b'", 0.25, 2},
      again{Notice::Kind::crossed, 3, 5, "'a' passed 'b' later", 0.75, 4},
      other{Notice::Kind::wrapped, 1, -1, "'c' passed half a turn", 0.5, 1};
  const Model model = build(read_scene_text(block("stepping"), "block.yaml", {}, {}));
  {
    ResultsWriter out(place / "a.h5", model, "", "{}");
    out.start(Simulation(model).state(), std::vector<double>{0.0});
    out.checkpoint(Simulation(model).state(), std::vector{met});
  }
  ResultsWriter out = ResultsWriter::resume(part, model, "", "{}");
  CHECK_FALSE(out.empty());
  const std::vector<Notice> all = out.all_notices(std::vector{other, again});
  REQUIRE(all.size() == 2);
  CHECK(all[0].text == met.text);
  CHECK(all[0].first == 0.25);
  CHECK(all[0].steps == 6);
  CHECK(all[1].text == other.text);
  out.discard();
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
        "joint constraints were violated by up to 0.2 m or rad (t = 0.5 s); check `locked`, drives "
        "and prescribed motions for conflicts");
  CHECK(warnings("", "position").empty());
  CHECK(warnings("", "velocity").empty());  // which lets gaps drift
}

TEST_CASE("a run tells warnings as soon as they are known, and again in its result") {
  const OwnFolder place;
  std::vector<std::string> told;
  SceneRunOptions options;
  options.output = place / "ball.h5";
  options.note = [&](const std::string& text) { told.push_back(text); };
  run_ball(options.output, false, [asked = 0](const RunProgress&) mutable {
    return asked++ == 0;  // leaves a .part with steps
  });
  SceneRun run(set_up(kBall, {}, "0.1 s"), options);
  const RunResult result = run();
  CHECK(result.warnings == told);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == place / "ball.h5.part" + std::string(" of an earlier run is now ") +
                       (place / "ball.1.h5.part") + "; --resume -o " + (place / "ball.1.h5") +
                       " resumes it");
  const RunResult earlier = run_ball(place / "ball.1.h5", true);
  CHECK(earlier.resumed);
  CHECK(fs::exists(place / "ball.1.h5"));
  CHECK_THROWS_AS(run(), UsageError);
}
