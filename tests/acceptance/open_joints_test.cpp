// Joints at level velocity, whose gaps nothing closes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "run_scene.h"
#include "saltus/sim/failure_text.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Two rods in line that swing fast; lengths times `scale`, times times its square root.
std::string rods(const std::string& scheme, double scale) {
  std::string text = fmt::format(
      "saltus: 1\ntime: {{end: {:.17g}, step: {:.17g}}}\ngravity: [0, 0, -9.81]\njoint: {{level: "
      "velocity}}\nbodies:\n",
      10.0 * std::sqrt(scale), 0.05 * std::sqrt(scale));
  for (const int k : {0, 1})
    text += fmt::format(
        "  - {{name: rod {0}, kind: rigid, scheme: {1}, rigid: {{mass: 1, inertia: [{2}, {3}, "
        "{3}], position: [{4}, 0, 0], "
        "spin: [0, {5}, 0], velocity: [0, 0, {6}]}}}}\n",
        k, scheme, 0.01 * scale * scale, 0.1 * scale * scale, (0.5 + k) * scale,
        6.0 / std::sqrt(scale), -6.0 * (0.5 + k) * std::sqrt(scale));
  return text +
         fmt::format(
             "joints:\n  - {{name: pin, kind: ball, between: [world, rod 0], at: [0, 0, 0]}}\n"
             "  - {{name: elbow, kind: ball, between: [rod 0, rod 1], at: [{}, 0, 0]}}\n",
             scale);
}

}  // namespace

TEST_CASE(
    "a joint at level velocity that opens by a tenth of its arms fails the run and is named") {
  for (const char* scheme : {"moreau-jean", "{kind: moreau-jean, theta: 1}", "rig-pos"})
    for (const double scale : {1.0, 1e-3, 1e3}) {
      CAPTURE(scheme);
      CAPTURE(scale);
      StepReport last;
      long steps = 0;
      double gap = 0.0;
      const auto see = [&](const Simulation&, const StepReport& report) {
        last = report;
        ++steps;
        if (report.converged) gap = std::max(gap, report.joint_gap);
      };
      const Shown open = run_text(rods(scheme, scale), {"on_failure=stop"}, see);
      CHECK(!open.converged);
      CHECK(gap <= 0.05 * scale);  // the last step that counted
      const std::string text =
          failure_text(open.sim.model(), last, static_cast<std::uint64_t>(steps));
      CAPTURE(text);
      CHECK(text.find("joint 'elbow' is open by more than a tenth") != std::string::npos);
      CHECK(text.find("`joint: {level: position}`") != std::string::npos);
      CHECK(run_text(rods(scheme, scale), {"joint.level=position"}).converged);
      CHECK(run_text(rods(scheme, scale), {"joint.level=both"}).converged);
    }
}
