// `time.scheme: auto` (docs/theory/auto-scheme.md): what a scene may say, what is chosen, and what is told when it fails.
// All twelve problems: tests/slow/auto_scheme.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "run_scene.h"
#include "saltus/base/error.h"
#include "saltus/results/results_reader.h"
#include "saltus/study/auto_choice.h"
#include "saltus/study/scene_run.h"
#include "support/auto_problems.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A scene of the problems with another entry `time`.
std::string timed(const AutoProblem& problem, const std::string& time) {
  std::string text = problem.scene;
  const std::size_t from = text.find("time: {"), to = text.find('\n', from);
  return text.replace(from, to - from, "time: {" + time + "}");
}

Scene scene_of(const AutoProblem& problem) { return read_scene_text(problem.scene, "p.yaml"); }

const AutoMethod* method_named(const AutoChoice& choice, const std::string& label) {
  const auto found = std::ranges::find(choice.methods, label, &AutoMethod::label);
  return found == choice.methods.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a scene that leaves the choice to the program gives a tolerance and no lane") {
  const AutoProblem ball = problems::ball();
  const auto fault = [&](const std::string& time) -> std::string {
    try {
      read_scene_text(timed(ball, time), "p.yaml");
    } catch (const SceneError& error) {
      return error.path() + ": " + error.message();
    }
    return "";
  };
  CHECK(fault("end: 2 s, scheme: auto, tolerance: 1e-6") == "");
  CHECK(fault("end: 2 s, step: 10 ms, scheme: auto, tolerance: 1e-6") == "");
  CHECK(fault("end: 2 s, step: 10 ms, scheme: auto") ==
        "time.tolerance: is missing: `scheme: auto` needs one");
  CHECK(fault("end: 2 s, scheme: auto, tolerance: 1e-6, mode: events") ==
        "time.mode: is chosen by `scheme: auto`");
  CHECK(fault("end: 2 s, tolerance: 1e-6, mode: events") == "time: a key is missing");
}

TEST_CASE("a model cannot be built before its schemes are chosen") {
  const Scene scene =
      read_scene_text(timed(problems::ball(), "end: 2 s, scheme: auto, tolerance: 1e-6"), "p.yaml");
  CHECK(scene.spec.time.h() == doctest::Approx(0.01));
  CHECK_THROWS_AS(build(scene), SceneError);
}

TEST_CASE("a bouncing ball goes to event-driven integration, which has it exactly") {
  const AutoProblem ball = problems::ball();
  const AutoResult r = run_auto(scene_of(ball), AutoOptions{.tolerance = 1e-6});
  CHECK(r.choice.method().label == "events");
  CHECK(r.choice.met);
  CHECK(r.choice.unmet.empty());
  CHECK(true_error(ball, r.motion, r.times) <= 1e-10);
  REQUIRE(r.times.size() == 201);
  CHECK(r.times.back() == doctest::Approx(2.0));
  CHECK(r.scene.spec.time.chosen_mode() == TimeMode::events);
  const AutoMethod* stepping = method_named(r.choice, "moreau-jean");
  REQUIRE(stepping);
  CHECK(stepping->left_out.find("first-order error") != std::string::npos);
}

TEST_CASE("smooth motion keeps the tolerance, and its error is no more than twice the estimate") {
  for (const AutoProblem& problem :
       {problems::driven_oscillator(), problems::planet(), problems::double_pendulum()})
    for (const double tolerance : {1e-3, 1e-6}) {
      CAPTURE(problem.name);
      CAPTURE(tolerance);
      const AutoResult r = run_auto(scene_of(problem), AutoOptions{.tolerance = tolerance});
      const double error = true_error(problem, r.motion, r.times);
      CHECK(r.choice.met);
      CHECK(error <= tolerance);
      CHECK(error <= 2.0 * r.choice.estimate);
      CHECK(r.choice.estimate <= tolerance);
    }
}

TEST_CASE("the same scene gets the same choice and the same motion, bit for bit") {
  const AutoProblem problem = problems::planet();
  const AutoResult a = run_auto(scene_of(problem), AutoOptions{.tolerance = 1e-4}),
                   b = run_auto(scene_of(problem), AutoOptions{.tolerance = 1e-4});
  CHECK(auto_json(a.choice) == auto_json(b.choice));
  CHECK(a.motion.values == b.motion.values);
}

TEST_CASE("a law that event-driven integration refuses is stepped over, and the reason is told") {
  AutoProblem ball = problems::ball();
  const std::string law = "{kind: newton-impact, restitution: 0.8}";
  ball.scene.replace(ball.scene.find(law), law.size(), "{kind: fremond, restitution: 0.8}");
  const AutoResult r = run_auto(scene_of(ball), AutoOptions{.tolerance = 1e-2});
  CHECK(r.choice.method().label == "moreau-jean");
  CHECK(r.choice.methods[0].left_out.find("event-driven integration does not support") !=
        std::string::npos);
  CHECK(r.choice.met);
  const double error = true_error(ball, r.motion, r.times);
  CHECK(error <= 1e-2);
  CHECK(error <= 2.0 * r.choice.estimate);
  CHECK(r.scene.spec.time.chosen_mode() == TimeMode::stepping);
}

TEST_CASE("a tolerance that is out of reach is said to be, with the error that was reached") {
  AutoProblem ball = problems::ball();
  const std::string law = "{kind: newton-impact, restitution: 0.8}";
  ball.scene.replace(ball.scene.find(law), law.size(), "{kind: fremond, restitution: 0.8}");
  const AutoResult r =
      run_auto(scene_of(ball), AutoOptions{.tolerance = 1e-8, .attempts = 3, .work = 1e5});
  CHECK_FALSE(r.choice.met);
  CHECK(r.choice.unmet.find("the tolerance 1e-08 cannot be met: ") == 0);
  CHECK(r.choice.estimate > 1e-8);
  CHECK(true_error(ball, r.motion, r.times) <= 2.0 * r.choice.estimate);
  CHECK(auto_text(r.choice).find("NOT MET") != std::string::npos);
}

TEST_CASE("a run of a scene writes an ordinary scene and the choice into its results") {
  char name[] = "auto_XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path folder = std::filesystem::absolute(name);
  {
    Scene scene = read_scene_text(
        timed(problems::impact_oscillator(), "end: 33 s, scheme: auto, tolerance: 1e-4"), "p.yaml");
    SceneRunOptions options;
    options.output = (folder / "out.h5").string();
    SceneRun run(set_up(std::move(scene)), std::move(options));
    const RunResult result = run();
    CHECK(result.stopped == "");
    REQUIRE(result.choice);
    CHECK(result.choice->met);
    CHECK(result.choice->estimate <= 1e-4);
    const ResultsReader reader(folder / "out.h5");
    CHECK(reader.summary().find("\"auto\"") != std::string::npos);
    CHECK(reader.resolved().find("\"events\"") != std::string::npos);
    CHECK(reader.scene().find("scheme: auto") != std::string::npos);
  }
  std::filesystem::remove_all(folder);
}
