// Friction on bodies that cannot follow it: what slides under them has a known slip.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A box or ball of 1 kg on a slab that is driven by `motion`, or whose surface runs.
std::string on_slab(const std::string& shape, const std::string& locked, const std::string& motion,
                    const std::string& runs, const std::string& more) {
  return fmt::format(
      "saltus: 1\ntime: {{end: 0.05, step: 1e-3}}\ngravity: [0, 0, -9.81]\n{}bodies:\n"
      "  - {{name: slab, kind: rigid, rigid: {{shape: {{box: {{size: [4, 4, 0.1]}}, material: "
      "belt{}}}, density: 1000, position: "
      "[0, 0, -0.05], {}}}}}\n"
      "  - {{name: b, kind: rigid, rigid: {{shape: {{{}, material: b}}, mass: 1, position: [0, 0, "
      "0.05], locked: {}}}}}\n"
      "surfaces: [{{materials: [belt, b], law: {{kind: newton-impact, friction: "
      "0.5}}}}]\noutputs:\n"
      "  - {{probe: b, direction: [1, 0, 0], quantity: force}}\n  - {{probe: b, direction: [0, 1, "
      "0], quantity: force}}\n",
      more, runs, motion, shape, locked);
}

const char* const kBox = "box: {size: [0.1, 0.1, 0.1]}";
const char* const kBall = "sphere: {radius: 0.05}";

}  // namespace

TEST_CASE(
    "a slab drags on bodies whose motion is locked with mu m g along its motion, whatever is "
    "locked") {
  const double full = 0.5 * 9.81;
  for (const char* shape : {kBox, kBall})
    for (const char* locked : {"[x, y, rx, ry, rz]", "[x, y, rx, ry]", "[x, y]"})
      for (const auto& [motion, fx, fy] : {std::tuple{"motion: {x: {rate: 1}}", 1.0, 0.0},
                                           {"motion: {y: {rate: -2}}", 0.0, -1.0},
                                           {"motion: {x: {rate: 3}, y: {rate: 4}}", 0.6, 0.8}}) {
        if (shape == kBall && std::string(locked) == "[x, y]") continue;  // it rolls
        CAPTURE(shape);
        CAPTURE(locked);
        CAPTURE(motion);
        const Shown run = run_text(on_slab(shape, locked, motion, "", ""));
        CHECK(run.converged);
        CHECK(run.sim.probe(0) == doctest::Approx(fx * full).epsilon(1e-9));
        CHECK(run.sim.probe(1) == doctest::Approx(fy * full).epsilon(1e-9));
        const auto accounts = run.sim.model().accounts();
        for (std::size_t i = 0; i < accounts.size(); ++i)
          if (accounts[i] == "friction") CHECK(run.sim.state().ledger[i] < 0.0);
      }
}

TEST_CASE(
    "a running surface drags on a body that is locked against it, and motion in the plane keeps "
    "one direction") {
  const std::string run_y = ", surface_velocity: [0, 2, 0]";
  const Shown belt = run_text(on_slab(kBox, "[x, y, rx, ry, rz]", "fixed: true", run_y, ""));
  CHECK(belt.converged);
  CHECK(belt.sim.probe(1) == doctest::Approx(0.5 * 9.81).epsilon(1e-9));
  for (const char* more : {"", "planar: xz\n"}) {
    const Shown plane = run_text(
        on_slab(kBox, *more ? "[x]" : "[x, y, rx, rz]", "motion: {x: {rate: 1}}", "", more));
    CHECK(plane.converged);
    CHECK(plane.sim.probe(0) == doctest::Approx(0.5 * 9.81).epsilon(1e-9));
    CHECK(plane.sim.model().surfaces().plane == Vector3::UnitY());
  }
}
