// The line about a step that took much longer than its like.
#include "saltus/study/slow_steps.h"

#include <doctest/doctest.h>

#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
namespace {

Model drop() {
  return build(read_scene_text(R"(saltus: 1
time: {end: 1 s, step: 2 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.5]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)",
                               "scene.yaml", {}, {}));
}

TEST_CASE(
    "a step that took much longer than others with as many contacts is told once, with its "
    "solver") {
  const Model model = drop();
  SlowSteps slow;
  StepReport step;
  step.contacts = 300;
  step.iterations = 4812;
  step.passes = 3;
  step.residual = 5.8e-5;
  step.solver = "proximal-newton";
  for (int k = 0; k < 9; ++k) CHECK(slow.look(model, step, 0.002 * k, 0.4).empty());
  CHECK(slow.look(model, step, 0.02, 60.0).empty());  // nine are no measure
  SlowSteps other;
  for (int k = 0; k < 30; ++k) CHECK(other.look(model, step, 0.002 * k, 0.4).empty());
  const std::string text = other.look(model, step, 0.342, 66.0);
  for (const char* part : {"t = 0.342 s", "66 s", "165 times", "4812 iterations", "proximal-newton",
                           "3 passes", "5.8e-05", "time.step"}) {
    CAPTURE(std::string(part));
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(other.look(model, step, 0.4, 100.0).empty());
}

TEST_CASE("steps are compared with those that have as many contacts, and short ones are none") {
  const Model model = drop();
  StepReport few, many;
  few.contacts = 3;
  many.contacts = 5000;
  SlowSteps slow;
  for (int k = 0; k < 100; ++k) CHECK(slow.look(model, few, 0.002 * k, 1e-3).empty());
  for (int k = 0; k < 100; ++k) CHECK(slow.look(model, many, 0.3, 8.0).empty());  // no like
  CHECK(slow.look(model, few, 0.6, 0.9).empty());  // 900 times as long, and nobody waits
}

}  // namespace
