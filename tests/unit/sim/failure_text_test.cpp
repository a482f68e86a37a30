// What is said of a step that failed: the true cause, in words, with numbers that are numbers and options by their keys.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/failure_text.h"
#include "saltus/state/failure_words.h"

using namespace saltus;

namespace {

Model model_with(const std::string& lines, const std::string& time = "") {
  return build(
      read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms" + time + "}\n" + lines +
                          "bodies:\n  - {name: arm, kind: lagrangian, pendulum: {length: 1 m}}\n",
                      "s.yaml"));
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

StepReport stagnating() {
  StepReport report;
  report.converged = false;
  report.group = 0;
  report.passes = 7;
  report.outstanding = 3e-8;
  report.failure = failure::kStagnation;
  return report;
}

}  // namespace

TEST_CASE("passes that a loose contact tolerance holds up name both tolerances") {
  const std::string text = failure_text(model_with("solver: {tolerance: 2e-4}\n"), stagnating(), 5);
  CHECK(holds(text, "step 5 (t = 0.005 s)"));
  CHECK(holds(text, "newton_tolerance"));
  CHECK(holds(text, "solver.tolerance 0.0002"));
  CHECK(holds(text, "set solver.tolerance: 1e-10 or smaller"));
  const std::string other = failure_text(model_with(""), stagnating(), 5);
  CHECK(!holds(other, "solver.tolerance"));
  CHECK(holds(other, "newton_iterations"));
}

TEST_CASE("passes whose change is no number do not print one") {
  StepReport report = stagnating();
  report.outstanding = std::numeric_limits<double>::quiet_NaN();
  const std::string text = failure_text(model_with(""), report, 1);
  CHECK(!holds(text, "nan"));
  CHECK(holds(text, "equation of motion of 'arm'"));
}

TEST_CASE("a failure of event-driven integration is not told as one of contacts") {
  const Model model = model_with("events: {hand_over: false}\n", ", mode: events");
  StepReport report;
  report.converged = false;
  report.failure = "contact modes change endlessly at one instant";
  for (const bool known : {true, false}) {
    if (!known) report.failure = {};
    const std::string text = failure_text(model, report, 3);
    CHECK(!holds(text, "residual"));
    CHECK(holds(text, "events.hand_over"));
    CHECK(holds(text, known ? "endlessly at one instant" : "no motion was found"));
  }
}

TEST_CASE("a correction of positions that fails says so") {
  StepReport report;
  report.converged = false;
  report.group = 0;
  report.failure = failure::kNoPlace;
  for (const bool finite : {true, false}) {
    report.finite = finite;
    const std::string text = failure_text(model_with(""), report, 2);
    CHECK(holds(text, "'arm': the position correction found no place"));
    CHECK(!holds(text, "residual"));
  }
}

TEST_CASE("a contact problem without iterations does not count them") {
  StepReport report;
  report.converged = false;
  report.group = 0;
  report.residual = 0.5;
  report.failure = failure::kContactLimit;
  CHECK(!holds(failure_text(model_with(""), report, 2), "0 iterations"));
  report.iterations = 12;
  CHECK(holds(failure_text(model_with(""), report, 2), ", 12 iterations"));
}
