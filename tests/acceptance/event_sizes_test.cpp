// What is round-off of a force is told by what that force is made of, not by the heaviest body of the scene.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "../support/event_run.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("dust leaves a shaking table when it should, whatever else stands beside it") {
  // The table moves as 0.1 sin(15 t) m: it is left where it falls by g.
  const double time = std::asin(9.81 / 22.5) / 15.0;
  for (const double dust : {1.0, 1e-3, 1e-6})
    for (const double other : {1.0, 1e3, 1e5, 1e8}) {
      CAPTURE(dust);
      CAPTURE(other);
      Simulation sim(
          build(read_scene_text(fmt::format(R"(saltus: 1
time: {{end: 0.5 s, step: 1 ms, mode: events}}
bodies:
  - name: table
    kind: particles
    particles: {{mass: [1 kg], positions: [[0, 0, 0]]}}
    prescribed: [{{dof: 2, harmonic: {{amplitude: 0.1 m, frequency: {:.17g} Hz, phase: -90 deg}}}}]
  - name: dust
    kind: particles
    particles: {{mass: [{:g} kg], positions: [[0, 0, 0]], velocities: [[0, 0, 1.5 m/s]], gravity: [0, 0, -9.81]}}
  - name: other
    kind: particles
    particles: {{mass: [{:g} kg], positions: [[0, 0, 0]], gravity: [0, 0, -9.81]}}
contacts:
  - {{name: on the table, on: dust, against: {{body: table, at: 0, normal: [0, 0, 1]}}, law: {{kind: newton-impact, restitution: 0}}}}
  - {{name: rail, on: other, against: {{plane: {{}}}}, law: {{kind: newton-impact, restitution: 0}}}}
)",
                                            15.0 / (2.0 * 3.14159265358979323846), dust, other),
                                "test.yaml")));
      const EventRun run = run_events(sim, 0.1);
      CHECK(std::abs(run.one(Event::Kind::opens).t - time) <= 1e-9);
    }
}

TEST_CASE(
    "a grain that is pushed ever harder slides where friction ends, beside a tower of a million "
    "tons") {
  for (const double other : {1.0, 1e4, 1e9}) {
    CAPTURE(other);
    Simulation sim(build(read_scene_text(fmt::format(R"(saltus: 1
time: {{end: 0.5 s, step: 1 ms, mode: events}}
bodies:
  - name: grain
    kind: particles
    particles: {{mass: [1e-6 kg], positions: [[0, 0, 0]], gravity: [0, 0, -10]}}
    loads: [{{dof: 0, table: [[0, 0], [1, 2e-5]]}}]
  - name: tower
    kind: particles
    particles: {{mass: [{:g} kg], positions: [[0, 0, 0]], gravity: [0, 0, -10]}}
contacts:
  - {{on: grain, against: {{plane: {{}}}}, law: {{kind: newton-impact, friction: 0.5}}}}
  - {{on: tower, against: {{plane: {{}}}}, law: {{kind: newton-impact}}}}
)",
                                                     other),
                                         "test.yaml")));
    const EventRun run = run_events(sim, 0.4);
    CHECK(std::abs(run.one(Event::Kind::slides, 1e-9).t - 0.25) <= 1e-9);
  }
}
