// Outputs of forces: of contacts on a body, from all or one other body, and of joints on their second body.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_scene.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const std::string kHead =
    "saltus: 1\ntime: {end: 0.4 s, step: 1 ms}\ngravity: [0, 0, -10]\nbodies:\n"
    "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";

std::string box(const std::string& name, double mass, double z, const std::string& more = "") {
  return fmt::format(
      "  - {{name: {}, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: {}, "
      "position: [0, 0, {}]{}}}}}\n",
      name, mass, z, more);
}

std::string laws(double friction) {
  return fmt::format("surfaces:\n  - {{law: {{kind: newton-impact, friction: {}}}}}\noutputs:\n",
                     friction);
}

/// The output of this entry at the end of a run.
double value(const std::string& scene, const std::string& output,
             const std::vector<std::string>& set = {}) {
  const Shown run = run_text(scene + "  - {" + output + "}\n", set);
  CHECK(run.converged);
  return run.sim.probe(0);
}

}  // namespace

TEST_CASE("the force on a body is that of its contacts, from all bodies or one") {
  const std::string scene = kHead + box("low", 3, 0.1) + box("high", 2, 0.3) + laws(0.5);
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    const auto of = [&](const char* output) { return value(scene, output, {mode}); };
    CHECK(of("probe: high, quantity: force") == doctest::Approx(20.0).epsilon(1e-6));
    CHECK(of("probe: low, quantity: force, from: floor, direction: [0, 0, 1]") ==
          doctest::Approx(50.0).epsilon(1e-6));
    CHECK(of("probe: low, quantity: force, from: high, direction: [0, 0, 2]") ==
          doctest::Approx(-20.0).epsilon(1e-6));
    CHECK(of("probe: low, quantity: force, direction: [0, 0, 1]") ==
          doctest::Approx(30.0).epsilon(1e-6));
    CHECK(of("probe: floor, quantity: force, from: low, direction: [0, 0, 1]") ==
          doctest::Approx(-50.0).epsilon(1e-6));
    CHECK(of("probe: high, quantity: force, from: floor") == 0.0);
    CHECK(of("probe: high, quantity: force, from: world") == 0.0);
    CHECK(of("probe: low, quantity: force, from: world") == doctest::Approx(50.0).epsilon(1e-6));
  }
}

TEST_CASE("the friction on a sliding block is an output") {
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    const std::string scene = kHead + box("block", 3, 0.1, ", velocity: [4, 0, 0]") + laws(0.25);
    CHECK(value(scene, "probe: block, quantity: force, direction: [1, 0, 0]", {mode}) ==
          doctest::Approx(-7.5).epsilon(1e-6));
    CHECK(value(scene, "probe: block, quantity: force", {mode}) ==
          doctest::Approx(std::hypot(30.0, 7.5)).epsilon(1e-6));
  }
}

TEST_CASE("the force of joints on their second body holds its weight, and the torque its arm") {
  const std::string scene =
      "saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\ngravity: [0, 0, -10]\nbodies:\n"
      "  - {name: arm, kind: rigid, rigid: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, "
      "0]}}\n"
      "  - {name: bob, kind: rigid, rigid: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, "
      "-0.4]}}\n"
      "joints:\n  - {name: wall, kind: fixed, between: [world, arm], at: [0, 0, 0]}\n"
      "  - {name: hook, kind: ball, between: [arm, bob], at: [1, 0, 0]}\noutputs:\n";
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    const auto of = [&](const char* output) { return value(scene, output, {mode}); };
    CHECK(of("probe: hook, quantity: force, direction: [0, 0, 1]") ==
          doctest::Approx(20.0).epsilon(1e-8));
    CHECK(of("probe: wall, quantity: force") == doctest::Approx(50.0).epsilon(1e-8));
    // about the wall: 0.5 m x 30 N + 1 m x 20 N, and r x F with r along x, F along z is along -y
    CHECK(of("probe: wall, quantity: torque, direction: [0, 1, 0]") ==
          doctest::Approx(-35.0).epsilon(1e-8));
    CHECK(of("probe: wall, quantity: torque") == doctest::Approx(35.0).epsilon(1e-8));
    CHECK(std::abs(of("probe: hook, quantity: torque")) < 1e-9);
  }
}

TEST_CASE("forces of a heap are the sums over its contacts in every step") {
  std::string scene = kHead;
  for (int k = 0; k < 8; ++k)
    scene += fmt::format(
        "  - {{name: b{}, kind: rigid, {}rigid: {{shape: {{sphere: {{radius: 0.1}}}}, density: "
        "1000, "
        "position: [{}, {}, {}], spin: [1, 2, 3]}}}}\n",
        k, k % 3 == 0 ? "scheme: rig-neg, " : "", 0.05 * (k % 2), 0.04 * (k % 3), 0.12 + 0.19 * k);
  scene += laws(0.3) + "  - {probe: b0, quantity: force, direction: [1, 2, 3]}\n" +
           "  - {probe: b1, quantity: force, from: b0, direction: [0, 0, 1]}\n";
  long acting = 0;
  run_text(scene, {}, [&](const Simulation& sim, const StepReport&) {
    const double first = sim.probe(0);
    Vector3 all = Vector3::Zero(), pair = Vector3::Zero();
    const Probe &on = sim.model().probes()[0], &from = sim.model().probes()[1];
    for (const ContactView& c : sim.contacts()) {
      const auto is = [](const ContactView::Side& side, const ContactBody& body) {
        return side.group == body.group && side.body == body.body;
      };
      if (is(c.a, on.body)) all += c.force;
      if (is(c.b, on.body)) all -= c.force;
      if (is(c.a, from.body) && is(c.b, from.from)) pair += c.force;
      if (is(c.b, from.body) && is(c.a, from.from)) pair -= c.force;
    }
    const double size = all.norm() + pair.norm() + 1.0;
    CHECK(std::abs(first - Vector3(1, 2, 3).normalized().dot(all)) < 1e-12 * size);
    CHECK(std::abs(sim.probe(1) - pair.z()) < 1e-12 * size);
    acting += all.norm() > 0.0 && pair.norm() > 0.0;
  });
  CHECK(acting > 20);
}

TEST_CASE("outputs of forces that cannot be are refused in one line") {
  const std::string scene =
      kHead + box("low", 3, 0.1) + box("high", 2, 0.3) +
      "  - {name: bare, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [5, 0, 5]}}\n"
      "joints:\n  - {name: pin, kind: ball, between: [world, high], at: [0, 0, 1]}\n"
      "  - {name: rope, kind: line, between: [low, high], first: {at: [0, 0, 0]}, second: {at: [0, "
      "0, 0]}, slide: {damping: 1}}\n" +
      laws(0.1);
  struct Row {
    const char *output, *says;
  };
  for (const Row& row :
       {Row{"probe: low, quantity: force, at: [0, 0, 0]", "outputs[0].at: has no meaning"},
        Row{"probe: low, quantity: torque", "outputs[0].quantity: torque is for joints"},
        Row{"probe: rope, quantity: force", "outputs[0].probe: 'rope' is of kind line"},
        Row{"probe: pin, quantity: force, from: low", "outputs[0].from: is for the contact forces"},
        Row{"probe: low, quantity: force, from: low", "outputs[0].from: is the body itself"},
        Row{"probe: low, quantity: force, from: hihg", "outputs[0].from: there is no body 'hihg'"},
        Row{"probe: lwo, quantity: force", "outputs[0].probe: there is no body"},
        Row{"probe: lwo, quantity: torque", "outputs[0].probe: there is no joint 'lwo'"},
        Row{"probe: low, quantity: force, wav: a.wav", "outputs[0].wav: is for velocities"},
        Row{"probe: bare, quantity: force", "outputs[0].probe: no contact can act on 'bare'"},
        Row{"probe: low, quantity: force, from: bare", "outputs[0].from: no contact can act on"},
        Row{"probe: low, at: [0, 0, 0], from: high", "from"}}) {
    CAPTURE(row.output);
    std::string text = "nothing";
    try {
      build(read_scene_text(scene + "  - {" + row.output + "}\n", "s.yaml"));
    } catch (const SceneError& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.find(row.says) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
}
