// A step that is in work when the program is asked to end is dropped, whatever becomes of it.
#include "saltus/base/stop.h"

#include <doctest/doctest.h>

#include "saltus/io/checkpoint.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/scene/build.h"
#include "saltus/sim/simulation.h"

using namespace saltus;

namespace {

Model puck(const std::string& time) {
  const std::string text = R"(saltus: 1
time: {step: 4 ms, end: 1 s)" +
                           time + R"(}
gravity: [0, 0, -9.81]
bodies:
  - {name: puck, kind: rigid, mass: 0.3 kg, position: [0, 0, 0.06], velocity: [1.1, 0, 0],
     shapes: [{kind: box, size: [0.2, 0.2, 0.1]}]}
  - {name: floor, kind: fixed, shapes: [{kind: half_space, normal: [0, 0, 1]}]}
surfaces:
  - {between: [puck, floor], friction: 0.25, restitution: 0.4}
)";
  return build(read_scene_text(text, "puck.yaml"));
}

}  // namespace

TEST_CASE("a step that is in work when the program is asked to end leaves the state as it was") {
  for (const char* time :
       {"", ", on_failure: accept", ", on_failure: halve", ", mode: events", ", tolerance: 1e-4"}) {
    CAPTURE(time);
    const Model model = puck(time);
    Simulation stopped(model), other(model);
    for (int k = 0; k < 40; ++k) {
      if (k % 9 == 4) {
        const std::string before = state_hash(stopped.state());
        request_stop();
        const StepReport report = stopped.advance();
        take_back_stop();
        CHECK(is_stop(report.failure));
        CHECK(!report.converged);
        CHECK(state_hash(stopped.state()) == before);
        // as a run that goes on from there
        stopped = Simulation(model, State(stopped.state()));
        other = Simulation(model, State(other.state()));
      }
      REQUIRE(stopped.advance().converged);
      REQUIRE(other.advance().converged);
      REQUIRE(state_hash(stopped.state()) == state_hash(other.state()));
    }
  }
}
