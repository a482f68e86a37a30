// A step that is in work when the program is asked to end is dropped, whatever becomes of it.
#include "saltus/base/stop.h"

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

#include "saltus/io/checkpoint.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/scene/build.h"
#include "saltus/sim/simulation.h"

using namespace saltus;

namespace {

Model puck(const std::string& time, const std::string& more) {
  const std::string text = "saltus: 1\ntime: {step: 4 ms, end: 1 s" + time + "}\n" + more +
                           R"(gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: puck, kind: rigid, rigid: {shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 0.3 kg,
     position: [0, 0, 0.06], velocity: [1.1, 0, 0]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.25, restitution: 0.4}}
)";
  return build(read_scene_text(text, "puck.yaml", {}, {}));
}

}  // namespace

TEST_CASE("a step that is in work when the program is asked to end leaves the state as it was") {
  const std::vector<std::pair<const char*, const char*>> ways{{"", ""},
                                                              {"", "on_failure: accept\n"},
                                                              {"", "on_failure: halve\n"},
                                                              {", lane: events", ""},
                                                              {", tolerance: 1e-4", ""}};
  for (const auto& [time, more] : ways) {
    CAPTURE(time);
    CAPTURE(more);
    const Model model = puck(time, more);
    std::optional<Simulation> stopped(std::in_place, model), other(std::in_place, model);
    for (int k = 0; k < 24; ++k) {
      if (k % 9 == 4) {
        const std::string before = state_hash(stopped->state());
        request_stop();
        const StepReport report = stopped->advance();
        take_back_stop();
        CHECK(is_stop(report.failure));
        CHECK(!report.converged);
        CHECK(state_hash(stopped->state()) == before);
        // as a run that is resumed from there
        stopped.emplace(model, State(stopped->state()));
        other.emplace(model, State(other->state()));
      }
      REQUIRE(stopped->advance().converged);
      REQUIRE(other->advance().converged);
      REQUIRE(state_hash(stopped->state()) == state_hash(other->state()));
    }
  }
}
