// What joints bear in event-driven integration is known where somebody asks for it, and costs nothing where nobody does.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "run_scene.h"
#include "saltus/sim/simulation.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Two bobs on links that swing; the lower one hits a wall twice.
const char* const kBobs = R"(saltus: 1
time: {end: 2 s, step: 20 ms, mode: events, tolerance: 1e-11}
bodies:
  - name: bobs
    kind: particles
    particles: {mass: [1 kg, 2 kg], positions: [[-1 m, 0, 0], [-1.5 m, 0, 0]], gravity: [0, 0, -9.81]}
joints:
  - {name: upper, kind: distance, between: [world, bobs], at: [0, 0, 0], second: {at: 0}}
  - {name: lower, kind: distance, between: [bobs, bobs], first: {at: 0}, second: {at: 1}}
contacts:
  - on: bobs
    at: 1
    against: {plane: {point: [0.1 m, 0, 0], normal: [-1, 0, 0]}}
    law: {kind: newton-impact, restitution: 0.7}
)";

struct Told {
  std::vector<std::array<Vector3, 2>> loads;  ///< of both joints, an interval each
  std::vector<Vector3> momentum;              ///< at its ends
  std::vector<double> wall;                   ///< impulse along x that the wall gave
  State last;
  int evaluations = 0, steps = 0, rejected = 0, events = 0;
};

Told run_bobs(const Model& model, bool ask) {
  Simulation sim(model);
  Told told;
  const auto momentum = [&] {
    const Vector& v = sim.state().groups[0].v;
    return Vector3(v.segment<3>(0) + 2.0 * v.segment<3>(3));
  };
  told.momentum.push_back(momentum());
  for (int k = 0; k < 100; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    told.evaluations += report.evaluations;
    told.steps += report.steps;
    told.rejected += report.rejected;
    double wall = 0.0;
    for (const Event& event : sim.events())
      if (event.kind == Event::Kind::impact) wall -= event.impulse[0], ++told.events;
    told.wall.push_back(wall);
    told.momentum.push_back(momentum());
    if (ask) told.loads.push_back({sim.joint_load(0)[0], sim.joint_load(1)[0]});
  }
  told.last = sim.state();
  return told;
}

bool same_bits(const State& a, const State& b) {
  return a.groups[0].q == b.groups[0].q && a.groups[0].v == b.groups[0].v &&
         a.event_state.next == b.event_state.next && a.ledger == b.ledger;
}

}  // namespace

TEST_CASE("events: joints bear what moves the bodies, with the account of energy and without it") {
  const Model model = build(read_scene_text(kBobs, "bobs.yaml"));
  for (const bool ledger : {true, false}) {
    CAPTURE(ledger);
    const Told told = run_bobs(model.with_ledger(ledger), true);
    CHECK(told.events >= 2);
    const Vector3 weight(0.0, 0.0, -3.0 * 9.81 * 0.02);
    double worst = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < told.loads.size(); ++k) {
      // p1 - p0 = h (pull of the upper link) + h weight + what the wall gave
      const Vector3 left = told.momentum[k + 1] - told.momentum[k] - weight -
                           told.wall[k] * Vector3::UnitX() - 0.02 * told.loads[k][0];
      worst = std::max(worst, left.norm());
      largest = std::max(largest, 0.02 * told.loads[k][0].norm());
    }
    MESSAGE(
        fmt::format("{} impacts, momentum left {:.2g} of {:.2g} N s", told.events, worst, largest));
    CHECK(worst < 1e-9 * largest);
  }
}

TEST_CASE(
    "events: who asks for the loads of joints changes no bit of the motion nor of the loads") {
  const Model model = build(read_scene_text(kBobs, "bobs.yaml"));
  const Told asked = run_bobs(model, true), silent = run_bobs(model, false);
  CHECK(same_bits(asked.last, silent.last));
  CHECK(asked.evaluations == silent.evaluations);

  // Asked once, at the end of the run, they are those of its last interval.
  Simulation sim(model);
  for (int k = 0; k < 100; ++k) sim.advance();
  for (int i = 0; i < 2; ++i) {
    const Vector3 load = sim.joint_load(i)[0], again = sim.joint_load(i)[0];
    CHECK(load == asked.loads.back()[static_cast<std::size_t>(i)]);
    CHECK(again == load);
  }
}

TEST_CASE("events: joints that hold and do no work cost the evaluations of the integrator alone") {
  const Model model = build(read_scene_text(
      std::string(kBobs).replace(std::string(kBobs).find("0.1 m"), 5, "9 m"), "bobs.yaml"));
  const Told told = run_bobs(model, false);
  REQUIRE(told.events == 0);
  // Dormand-Prince of order 8: the start, eleven stages and the end, three more for the dense output; the end of a step is the
  // start of the next.
  CHECK(told.evaluations <= 16 * told.steps + 15 * told.rejected + 20);
  CHECK(told.evaluations >= 12 * told.steps);
}

TEST_CASE("events: an arm that has come to rest on its stop obeys the law there") {
  const Shown shown = run_text(R"(saltus: 1
time: {end: 2 s, step: 10 ms, mode: events, tolerance: 1e-6}
gravity: [0, 0, -9.81]
bodies:
  - name: arm
    kind: rigid
    rigid: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], touches: false}
joints:
  - {name: pin, kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, -1, 0], turn: {limits: {lower: -1.0 rad, restitution: 0.5}}}
)");
  CHECK(shown.converged);
  CHECK(shown.sim.state().energy.kinetic < 1e-30);
  CHECK(shown.worst_after < 1e-9);
}
