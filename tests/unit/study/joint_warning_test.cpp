// What a finished run says of open joints: by the size of what they hold, wherever that is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/study/run_warnings.h"

using namespace saltus;

namespace {

/// A chain of rods of length l from the place x, released along x; the largest gap of `steps` steps.
std::string said(double l, double x, const std::string& level, double step, int steps) {
  std::string bodies, joints;
  const int links = 6;
  for (int i = 0; i < links; ++i) {
    bodies += fmt::format(
        "  - {{name: l{}, kind: rigid, scheme: rig-neg, rigid: {{mass: 0.1, inertia: [{}, {}, {}], "
        "position: [{}, "
        "{}, 0]}}}}\n",
        i, 1e-3 * l * l, 8e-3 * l * l, 8e-3 * l * l, x + (i + 0.5) * l, x);
    joints += fmt::format("  - {{kind: ball, between: [{}, l{}], at: [{}, {}, 0]}}\n",
                          i == 0 ? "world" : fmt::format("l{}", i - 1), i, x + i * l, x);
  }
  const Model model = build(read_scene_text(
      fmt::format("saltus: 1\ntime: {{end: 9 s, step: {} s}}\ngravity: [0, 0, -9.81]\njoint: "
                  "{{level: {}}}\nbodies:\n{}joints:\n{}",
                  step, level, bodies, joints),
      "s"));
  Simulation sim(model);
  Extreme gap;
  for (int k = 0; k < steps; ++k)
    if (const StepReport report = sim.advance(); report.joint_gap > gap.value)
      gap = {report.joint_gap, sim.state().step};
  return joint_warning(gap, model, sim.state());
}

}  // namespace

TEST_CASE("joints that are closed to round-off are not open, at the origin or far from it") {
  for (const double l : {1e-3, 0.2, 30.0})
    for (const double x : {0.0, 1e-17, -3.0, 1e4}) {
      CAPTURE(l);
      CAPTURE(x);
      CHECK(said(l, x, "position", 1e-3 * std::sqrt(l), 40) == "");
    }
}

TEST_CASE(
    "joints at level velocity that drifted apart by a thousandth of their size are reported") {
  for (const double l : {1e-3, 0.2, 30.0})
    for (const double x : {0.0, 100.0}) {
      CAPTURE(l);
      CAPTURE(x);
      const double time = std::sqrt(l);  // steps of one share of the swing
      const std::string text = said(l, x, "velocity", 0.06 * time, 60);
      CHECK(text.find("joints with `level: velocity` were violated by up to") == 0);
      CHECK(text.find("use `joint: {level: position}` or `both`") != std::string::npos);
      CHECK(said(l, x, "velocity", 0.005 * time, 60) == "");
      CHECK(said(l, x, "both", 0.02 * time, 60) == "");
    }
}

namespace {

/// Two rods of length l on ball joints; beside them one of 100 m where `beside`. Warnings of `steps` steps.
std::string of_two(const std::string& scheme, double l, double step, int steps,
                   const std::string& level, bool beside) {
  const auto rod = [&](const char* name, const std::string& own, double x) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, {}rigid: {{mass: 0.7, inertia: [{}, {}, {}], position: [{}, "
        "0, 0]}}}}\n",
        name, own, 1e-3 * l * l, 6e-3 * l * l, 6e-3 * l * l, x);
  };
  std::string text =
      fmt::format(
          "saltus: 1\ntime: {{end: 90 s, step: {} s}}\ngravity: [0, 0, -9.81]\njoint: {{level: "
          "{}}}\nbodies:\n",
          step, level) +
      rod("upper", "", 0.5 * l) +
      rod("lower", scheme.empty() ? "" : "scheme: " + scheme + ", ", 1.5 * l);
  if (beside)
    text +=
        "  - {name: mast, kind: rigid, rigid: {mass: 9, inertia: [9e3, 9e3, 9e3], position: [0, "
        "300, -50]}}\n";
  text += fmt::format(
      "joints:\n  - {{name: top, kind: ball, between: [world, upper], at: [0, 0, 0]}}\n"
      "  - {{name: middle, kind: ball, between: [upper, lower], at: [{}, 0, 0]}}\n",
      l);
  if (beside) text += "  - {name: foot, kind: ball, between: [world, mast], at: [0, 300, 0]}\n";
  const Model model = build(read_scene_text(text, "s"));
  CHECK(model.groups().size() == (scheme.empty() ? 1 : 2));
  Simulation sim(model);
  Extreme gap;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    if (report.joint_gap > gap.value) gap = {report.joint_gap, sim.state().step};
  }
  return joint_warning(gap, model, sim.state());
}

}  // namespace

TEST_CASE(
    "a joint at level velocity between bodies of two groups is told, and so beside large ones") {
  for (const char* scheme : {"rig-neg", "rig-pos"})
    for (const bool beside : {false, true}) {
      CAPTURE(scheme);
      CAPTURE(beside);
      CAPTURE(std::string(scheme));
      const std::string text = of_two(scheme, 0.35, 0.035, 28, "velocity", beside);
      CHECK(text.find("joints with `level: velocity` were violated by up to") == 0);
      CHECK(text.find("distances of 0.35 m") != std::string::npos);
      CHECK(of_two(scheme, 0.35, 0.003, 200, "velocity", beside) == "");
      CHECK(of_two(scheme, 0.35, 0.003, 200, "both", beside) == "");
    }
}
