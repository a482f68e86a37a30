// Drag, dashpots and damped joints whose time scale the step does not resolve, with the schemes
// that scenes get which name none.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_scene.h"
#include "run_warnings.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A body or mechanism that moves at 1 with the damping c/m = rate [1/s], and an output of its
/// rate.
struct Damped {
  std::string name;
  std::string (*scene)(double rate, const std::string& force);
  double rest;  ///< rate that may remain, of 1
};

std::string start(const std::string& gravity) {
  return "saltus: 1\ntime: {end: 40 ms, step: 1 ms}\ngravity: " + gravity + "\nbodies:\n";
}

const std::vector<Damped> kDamped{
    {"drag of a rigid body",
     [](double rate, const std::string& g) {
       return start(g) +
              fmt::format(
                  "  - {{name: b, kind: rigid, rigid: {{mass: 2, inertia: [0.1, 0.1, 0.1], "
                  "drag: {:.17g}, velocity: [1, 0, 0]}}}}\n"
                  "outputs: [{{probe: b, at: [0, 0, 0], direction: [1, 0, 0]}}]\n",
                  2.0 * rate);
     },
     1e-12},
    {"spin drag of a rigid body",
     [](double rate, const std::string& g) {
       return start(g) +
              fmt::format(
                  "  - {{name: b, kind: rigid, rigid: {{mass: 2, inertia: [0.1, 0.1, 0.1], "
                  "spin_drag: {:.17g}, spin: [0, 0, 1e-4]}}}}\n"
                  "outputs: [{{probe: b, at: [0, -1e4, 0], direction: [1, 0, 0]}}]\n",
                  0.1 * rate);
     },
     1e-12},
    {"linear body",
     [](double rate, const std::string&) {
       return start("[0, 0, 0]") +
              fmt::format(
                  "  - {{name: b, kind: linear, oscillator: {{mass: 0.5, damping: {:.17g}}}, "
                  "initial: {{velocities: [1]}}}}\noutputs: [{{probe: b, at: 0}}]\n",
                  0.5 * rate);
     },
     1e-12},
    {"particles",
     [](double rate, const std::string& g) {
       return start(g) +
              fmt::format(
                  "  - {{name: b, kind: particles, particles: {{mass: [0.01, 0.02], drag: "
                  "{:.17g}, positions: [[0, 0, 0], [1, 0, 0]], velocities: [[1, 0, 0], [0, "
                  "0, 0]]}}}}\n"
                  "outputs: [{{probe: b, at: 0, direction: [1, 0, 0]}}]\n",
                  0.01 * rate);
     },
     1e-12},
    {"damped slide",
     [](double rate, const std::string& g) {
       return start(g) +
              fmt::format(
                  "  - {{name: b, kind: rigid, rigid: {{mass: 2, inertia: [0.1, 0.1, 0.1], "
                  "velocity: [1, 0, 0]}}}}\n"
                  "joints:\n  - {{kind: prismatic, between: [world, b], at: [0, 0, 0], "
                  "axis: [1, 0, 0], slide: {{damping: {:.17g}}}}}\n"
                  "outputs: [{{probe: b, at: [0, 0, 0], direction: [1, 0, 0]}}]\n",
                  2.0 * rate);
     },
     1e-12},
    {"damped hinge",  // its pin keeps (h omega)^2/2 of the first step
     [](double rate, const std::string&) {
       return start("[0, 0, 0]") +
              fmt::format(
                  "  - {{name: b, kind: rigid, rigid: {{mass: 2, inertia: [0.1, 0.1, 0.1], "
                  "position: [0, -1, 0], velocity: [1, 0, 0], spin: [0, 0, 1]}}}}\n"
                  "joints:\n  - {{kind: revolute, between: [world, b], at: [0, 0, 0], "
                  "axis: [0, 0, 1], turn: {{damping: {:.17g}}}}}\n"
                  "outputs: [{{probe: b, at: [0, 0, 0], direction: [1, 0, 0]}}]\n",
                  2.1 * rate);
     },
     1e-6}};

/// The output after each step.
std::vector<double> outputs(const std::string& text, const std::vector<std::string>& set = {}) {
  std::vector<double> u;
  run_text(text, set, [&](const Simulation& sim, const StepReport&) { u.push_back(sim.probe(0)); });
  return u;
}

}  // namespace

TEST_CASE("motion under any damping comes to rest, without reversing, without a warning") {
  for (const Damped& damped : kDamped)
    for (const double rate : {2.5e3, 4e4, 7e7, 3e13}) {
      CAPTURE(damped.name);
      CAPTURE(rate);
      const std::string text = damped.scene(rate, "[0, 0, 0]");
      for (const double u : outputs(text)) CHECK(std::abs(u) <= damped.rest);
      const Warned run = run_warned(text);
      CHECK(run.lines.empty());
      CHECK(run.result.stopped.empty());
    }
}

TEST_CASE("under a weight damped bodies move at once at the speed of balance") {
  for (const Damped& damped : kDamped) {
    if (damped.rest == 1e-6 || damped.name == "linear body") continue;
    for (const double rate : {5e3, 1e9}) {
      CAPTURE(damped.name);
      CAPTURE(rate);
      if (damped.name == "spin drag of a rigid body") continue;
      const std::vector<double> u = outputs(damped.scene(rate, "[3, 0, 0]"));
      CHECK(u.back() == doctest::Approx(3.0 / rate).epsilon(1e-9));
      CHECK(u[1] == doctest::Approx(3.0 / rate).epsilon(1e-9));
    }
  }
}

TEST_CASE("damping that the step resolves is of order 2") {
  for (const Damped& damped : kDamped) {
    if (damped.rest == 1e-6) continue;
    CAPTURE(damped.name);
    const std::string text = damped.scene(50.0, "[0, 0, 0]");
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const auto u = outputs(text, {k == 0 ? "time.step=4 ms" : "time.step=2 ms"});
      error[k] = u.back() - std::exp(-50.0 * 0.04);
    }
    CHECK(error[0] / error[1] > 3.8);
    CHECK(error[0] / error[1] < 4.2);
  }
}

TEST_CASE("an overdamped oscillator whose frequency is above that of the steps creeps back too") {
  const std::string text =
      "saltus: 1\ntime: {end: 1 s, step: 10 ms}\nbodies:\n"
      "  - {name: b, kind: linear, oscillator: {mass: 1e-4, damping: 100, stiffness: 400}, "
      "initial: "
      "{coordinates: [0.3]}}\noutputs: [{probe: b, at: 0}]\n";
  CHECK(outputs(text).back() == doctest::Approx(-1.2 * std::exp(-4.0)).epsilon(3e-2));
}

TEST_CASE("an overdamped oscillator creeps back with its own time constant") {
  const std::string text =
      "saltus: 1\ntime: {end: 2 s, step: 1 ms}\nbodies:\n"
      "  - {name: b, kind: linear, oscillator: {mass: 1, damping: 1e6, stiffness: 1e6}, initial: "
      "{coordinates: [0.1]}}\noutputs: [{probe: b, at: 0, quantity: displacement}]\n";
  CHECK(outputs(text).back() == doctest::Approx(0.1 * std::exp(-2.0)).epsilon(2e-3));
}

TEST_CASE("a named moreau-jean keeps its formula and warns") {
  const std::string text = kDamped[2].scene(4e4, "[0, 0, 0]");
  const std::vector<double> u = outputs(text, {"bodies[0].scheme=moreau-jean"});
  CHECK(u[0] == doctest::Approx(-19.0 / 21.0).epsilon(1e-12));  // (1 - 20)/(1 + 20)
  const Warned run = run_warned(text, {"bodies[0].scheme=moreau-jean"});
  CHECK(run.says("reverses its velocity in every step"));
  CHECK(run.says("dashpots: decaying"));
}
