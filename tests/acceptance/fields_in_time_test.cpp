// Gravity that changes in time and motion of the ground, on every kind of body with mass in space.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

struct Kind {
  const char* name;
  const char* body;   ///< entries of the body after its name, at rest
  const char* probe;  ///< of the output
};

/// Bodies of every kind that gravity acts on.
const Kind kKinds[] = {
    {"rigid",
     "kind: rigid, rigid: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.3, 1, 2], spin: [1, 2, "
     "3]}",
     "at: [0, 0, 0]"},
    {"pseudo-rigid",
     "kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0], "
     "material: {young: 1e6, "
     "poisson: 0.3, density: 7}}",
     "at: [0, 0, 0]"},
    {"particles", "kind: particles, particles: {mass: [0.7, 3], positions: [[1, 2, 3], [0, 0, 0]]}",
     "at: 1"},
    {"fem",
     "kind: fem, fem: {mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: {young: 1e6, "
     "poisson: 0.3, "
     "density: 7}}",
     "at: [0.5, 0.5, 0.5]"},
    {"beam",
     "kind: beam, beam: {start: [0, 0, 0], end: [0, 1, 0], elements: 4, radius: 0.01, young: 2e9, "
     "density: 1000}",
     "at: start"}};

std::string falling(const Kind& kind, const std::string& field,
                    const char* direction = "[1, 0, 0]") {
  return fmt::format(
      "saltus: 1\ntime: {{end: 1 s, step: 2 ms}}\n{}\nbodies:\n  - {{name: a, {}}}\noutputs:\n  - "
      "{{probe: a, {}, "
      "direction: {}, quantity: displacement, name: x}}\n",
      field, kind.body, kind.probe, direction);
}

}  // namespace

TEST_CASE("gravity given as a table moves every kind of body as its double integral says") {
  // a = 6 t up to 0.5 s, then 3: x(1) = 0.5^3 + 0.75 0.5 + 3 0.5^2/2
  const double exact = 0.125 + 0.375 + 0.375;
  for (const Kind& kind : kKinds)
    for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
      CAPTURE(kind.name);
      CAPTURE(mode);
      const Shown run = run_text(
          falling(kind, "gravity: {table: [[0, 0, 0, 0], [0.5, 3, 0, -1], [2, 3, 0, -1]]}"),
          {mode});
      CHECK(run.converged);
      CHECK(std::abs(run.sim.probe(0) - exact) < (mode[10] == 'e' ? 1e-8 : 1e-5));
      CHECK(run.sim.notices().empty());
    }
}

TEST_CASE("on a ground that shakes bodies feel the opposite acceleration, besides gravity") {
  // x'' = -2 cos(pi t):  x = 2 (cos(pi t) - 1)/pi^2
  const double exact =
      2.0 * (std::cos(std::numbers::pi) - 1.0) / (std::numbers::pi * std::numbers::pi);
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    const std::string field =
        "gravity: [0, 0, -9.81]\nground: {x: {harmonic: {amplitude: 0.2, frequency: 0.5 Hz}}, "
        "scale: 10}";
    CHECK(std::abs(run_text(falling(kind, field)).sim.probe(0) - exact) < 1e-5);
    CHECK(std::abs(run_text(falling(kind, field, "[0, 0, 1]")).sim.probe(0) + 0.5 * 9.81) < 1e-5);
  }
}

TEST_CASE("a body with gravity of its own does not feel a table of the scene, but the ground") {
  const std::string text =
      "saltus: 1\ntime: {end: 1 s, step: 2 ms}\ngravity: {table: [[0, 2, 0, 0], [1, 2, 0, "
      "0]]}\nground: {x: {constant: "
      "0.5}}\nbodies:\n  - {name: own, kind: rigid, rigid: {mass: 2, inertia: [1, 1, 1], gravity: "
      "[0, 0, 0]}}\n  - {name: "
      "other, kind: rigid, rigid: {mass: 2, inertia: [1, 1, 1], position: [0, 5, 0]}}\noutputs:\n  "
      "- {probe: own, at: [0, "
      "0, 0], direction: [1, 0, 0], quantity: displacement, name: x}\n  - {probe: other, at: [0, "
      "0, 0], direction: [1, 0, "
      "0], quantity: displacement, name: y}\n";
  const Shown run = run_text(text);
  CHECK(std::abs(run.sim.probe(0) + 0.25) < 1e-9);
  CHECK(std::abs(run.sim.probe(1) - 0.75) < 1e-9);
}

TEST_CASE("faults of fields in time are named") {
  struct Row {
    const char* field;
    const char* says;
  };
  for (const Row x : {Row{"gravity: {table: [[0, 0, 0, 0]]}", "one point"},
                      Row{"gravity: {table: [[1, 0, 0, 0], [0, 1, 1, 1]]}", "does not come after"},
                      Row{"gravity: {}", "exactly one"}, Row{"ground: {scale: 2}", "at least one"},
                      Row{"gravity: [0, 1]", "3"}}) {
    CAPTURE(x.field);
    try {
      run_text(falling(kKinds[0], x.field));
      FAIL("accepted");
    } catch (const SceneError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(x.says) != std::string::npos, error.what());
    }
  }
}
