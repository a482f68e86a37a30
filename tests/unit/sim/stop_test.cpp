// A step that is in work when its run is asked to end is dropped, wherever it is, and may be made afterwards as if it had not
// begun.
#include "saltus/base/stop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "saltus/results/checkpoint.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "support/counting_stop.h"

using namespace saltus;
using test::CountingStop;

namespace {

struct StopCase {
  std::string name, time, more;  ///< of the scene
  int steps = 12;                ///< that are looked at
};

constexpr const char* kPuck = R"(gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: puck, kind: rigid, rigid: {shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 0.3 kg,
     position: [0, 0, 0.06], velocity: [1.1, 0, 0]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.25, restitution: 0.4}}
)";

constexpr const char* kStack = R"(gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: brick, kind: rigid, rigid: {shape: {box: {size: [0.25, 0.12, 0.1]}}, density: 2000,
     position: [0, 0, 0.05], copies: {count: [3, 1, 6], spacing: [0.25, 0, 0.1]}}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.6}}
)";

/// On a string that wraps itself around its obstacles the factor of the contacts goes on from step to step.
constexpr const char* kString = R"(bodies:
  - name: string
    kind: modal
    string: {length: 1 m, tension: 100 N, linear_density: 5 g/m, modes: 60}
    scheme: modal-exact
    pluck: {at: 0.3 m, height: 5 mm}
contacts:
  - on: string
    against: {points: [[0.2 m, 0 m], [0.4 m, 0 m], [0.5 m, 0 m], [0.6 m, 0 m], [0.8 m, 0 m]]}
    law: signorini-position
)";

/// A door on a hinge that falls against a post.
constexpr const char* kDoor = R"(gravity: [0, 0, -9.81]
bodies:
  - {name: post, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.4, 0.1]}, position: [0.45, 0, -0.3]}, fixed: true}}
  - {name: door, kind: rigid, rigid: {shape: {box: {size: [0.6, 0.2, 0.02]}}, mass: 2 kg, position: [0.3, 0, 0]}}
joints:
  - {name: hinge, kind: revolute, between: [world, door], at: [0, 0, 0], axis: [0, 1, 0]}
surfaces:
  - {law: {kind: newton-impact, friction: 0.3}}
)";

/// The same with three passes a step, which are often too few.
constexpr const char* kHastyDoor = R"(gravity: [0, 0, -9.81]
bodies:
  - {name: post, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.4, 0.1]}, position: [0.45, 0, -0.3]}, fixed: true}}
  - {name: door, kind: rigid, scheme: {kind: moreau-jean, newton_iterations: 3},
     rigid: {shape: {box: {size: [0.6, 0.2, 0.02]}}, mass: 2 kg, position: [0.3, 0, 0]}}
joints:
  - {name: hinge, kind: revolute, between: [world, door], at: [0, 0, 0], axis: [0, 1, 0]}
surfaces:
  - {law: {kind: newton-impact, friction: 0.3}}
)";

std::vector<StopCase> stop_cases() {
  return {
      {"steps", "step: 4 ms", kPuck},
      {"accepted steps", "step: 4 ms", std::string("on_failure: accept\n") + kPuck},
      {"events", "step: 4 ms, mode: events", kPuck},
      {"events that hand over", "step: 4 ms, mode: events",
       std::string("events: {limit: 3}\n") + kPuck, 30},
      {"chosen steps", "step: 4 ms, tolerance: 1e-4", kPuck},
      {"corrected positions", "step: 4 ms",
       std::string("contact: {correct_positions: true}\n") + kPuck},
      {"a stack by auto", "step: 4 ms", kStack, 3},
      {"a stack by bodies", "step: 4 ms",
       std::string("solver: {kind: body-gauss-seidel, tolerance: 1e-9}\n") + kStack, 3},
      {"a stack by an interior point", "step: 4 ms",
       std::string("solver: {kind: interior-point, tolerance: 1e-9}\n") + kStack, 3},
      {"steps that are halved", "step: 8 ms", std::string("on_failure: halve\n") + kHastyDoor, 40},
      {"a string", "rate: 8 kHz", kString, 60},
      {"a joint", "step: 4 ms", kDoor, 60},
  };
}

Model model_of(const StopCase& c) {
  const std::string text = "saltus: 1\ntime: {end: 1 s, " + c.time + "}\n" + c.more;
  return build(read_scene_text(text, "scene.yaml", {}, {}));
}

}  // namespace

TEST_CASE("a step that is asked to end at any question leaves the state and may be made again") {
  for (const StopCase& c : stop_cases()) {
    CAPTURE(c.name);
    const Model model = model_of(c);
    Simulation stopped(model), other(model);
    long most = 0;
    int halvings = 0;
    bool handed_over = false, keeps_factor = false;
    for (int k = 0; k < c.steps; ++k) {
      CAPTURE(k);
      CountingStop never;
      other.stop_by(&never);
      const StepReport whole = other.advance();
      most = std::max(most, never.asked());
      halvings += whole.halvings;
      for (const Event& event : other.events())
        handed_over = handed_over || event.kind == Event::Kind::hand_over;
      for (const SolverMemory& memory : other.state().solvers)
        keeps_factor = keeps_factor || !memory.factor.empty();
      const std::string before = state_hash(stopped.state());
      for (long at = 1; at <= never.asked(); at += std::max(1L, never.asked() / 25)) {
        CAPTURE(at);
        CountingStop stop(at);
        stopped.stop_by(&stop);
        const StepReport report = stopped.advance();
        REQUIRE(is_stop(report.failure));
        REQUIRE(!report.converged);
        REQUIRE(state_hash(stopped.state()) == before);
      }
      stopped.stop_by(nullptr);
      const StepReport again = stopped.advance();
      REQUIRE(again.converged == whole.converged);
      REQUIRE(again.iterations == whole.iterations);
      REQUIRE(state_hash(stopped.state()) == state_hash(other.state()));
    }
    CHECK(most > 2);
    CHECK((halvings > 0) == (c.name == "steps that are halved"));
    CHECK(handed_over == (c.name == "events that hand over"));
    if (c.name == "a string") CHECK(keeps_factor);
  }
}

TEST_CASE("a run that is asked to end leaves those of other threads alone") {
  const StopCase stack{"", "step: 4 ms", kStack};
  const Model model = model_of(stack);
  Stop stop;
  Simulation stopped(model), other(model), alone(model);
  Stop nobody;
  stopped.stop_by(&stop);
  other.stop_by(&nobody);
  stop.request();
  {
    const std::jthread first([&] { stopped.advance(); }), second([&] { other.advance(); });
  }
  CHECK(stopped.state().step == 0);
  CHECK(other.state().step == 1);
  alone.advance();
  CHECK(state_hash(other.state()) == state_hash(alone.state()));
  stop.take_back();
  CHECK(stopped.advance().converged);
  CHECK(state_hash(stopped.state()) == state_hash(alone.state()));
}
