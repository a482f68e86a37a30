// Outputs of actuators, places, angular velocities and accelerations, and batches of simulations.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_scene.h"
#include "saltus/base/error.h"
#include "saltus/sim/batch.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A wheel that a motor with a servo's deviation and a given torque turn, on a carriage.
const std::string kWheel =
    "saltus: 1\ntime: {end: 0.5 s, step: 1 ms}\nbodies:\n  - {name: wheel, kind: rigid, rigid: "
    "{mass: 2, inertia: [0.02, "
    "0.03, 0.03], position: [0.1, 0.3, -0.2]}}\njoints:\n  - {name: hub, kind: revolute, between: "
    "[world, wheel], at: "
    "[0.1, 0.3, -0.2], axis: [1, 0, 0], turn: {servo: {target: 2, stiffness: 0.5, damping: 0.05}, "
    "torque: 0.1}}\n"
    "outputs:\n  - {probe: hub, quantity: effort}\n  - {probe: hub, quantity: power}\n  - {probe: "
    "wheel, quantity: "
    "angular_velocity, direction: [1, 0, 0]}\n  - {probe: wheel, at: [0, 0.2, 0], quantity: place, "
    "direction: [0, 1, 0]}\n"
    "  - {probe: wheel, at: [0, 0.2, 0], quantity: acceleration, direction: [0, 0, 1]}\n";

}  // namespace

TEST_CASE("effort is the torque that changes the angular momentum, power its work") {
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    double momentum = 0.0, work = 0.0, before = 0.0, last = 0.0;
    const Shown run = run_text(kWheel, {mode}, [&](const Simulation& sim, const StepReport&) {
      const double rate = sim.probe(2), effort = sim.probe(0);
      momentum += 1e-3 * effort;
      work += 1e-3 * effort * 0.5 * (before + rate);
      CHECK(std::abs(sim.probe(1) - effort * rate) < 1e-12 * (1.0 + std::abs(effort * rate)));
      before = rate;
      last = effort;
    });
    const bool one_step = std::string_view(mode) == "time.mode=stepping";
    CHECK(std::abs(0.02 * run.sim.probe(2) - momentum) < (one_step ? 1e-12 : 2e-4));
    CHECK(std::abs(run.sim.state().energy.total() - work) < (one_step ? 1e-9 : 1e-3));
    CHECK(std::abs(last) > 0.01);
  }
}

TEST_CASE("place, angular velocity and acceleration agree with the motion of the body") {
  double speed = 0.0;
  run_text(kWheel, {}, [&](const Simulation& sim, const StepReport&) {
    const double angle = sim.joint_coordinate(0, 0)[0], rate = sim.joint_coordinate(0, 0)[1];
    CHECK(std::abs(sim.probe(2) - rate) < 1e-12);
    CHECK(std::abs(sim.probe(3) - (0.3 + 0.2 * std::cos(angle))) < 1e-12);
    const double now = 0.2 * std::cos(angle) * rate;  // of the point along z
    CHECK(std::abs(sim.probe(4) - (now - speed) / 1e-3) < 1e-9);
    speed = now;
  });
}

TEST_CASE("an acceleration is known in the first step after a restart") {
  Simulation whole(build(read_scene_text(kWheel, "test.yaml", {})));
  for (int k = 0; k < 100; ++k) whole.advance();
  Simulation again(whole.model(), whole.state());
  whole.advance();
  again.advance();
  CHECK(whole.probe(4) == again.probe(4));
  CHECK(whole.probe(0) == again.probe(0));
}

TEST_CASE("outputs of what a body or joint does not have are refused") {
  struct Row {
    const char* output;
    const char* says;
  };
  for (const Row x :
       {Row{"probe: wheel, quantity: effort", "joint"}, Row{"probe: hub, quantity: place", "body"},
        Row{"probe: hub, quantity: effort, at: 3", "no meaning"},
        Row{"probe: wheel, quantity: angular_velocity, at: [0, 0, 0]", "no meaning"},
        Row{"probe: free, quantity: effort", "no actuator"},
        Row{"probe: wheel, quantity: acceleration, at: [0, 0, 0], wav: a.wav", "csv"}}) {
    CAPTURE(x.output);
    std::string text = kWheel;
    const std::string joint =
        "  - {name: free, kind: revolute, between: [wheel, other], at: [0.1, 0.3, -0.2], axis: [1, "
        "0, 0]}\n";
    text.insert(text.find("outputs:"), joint);
    text.insert(text.find("joints:"),
                "  - {name: other, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: "
                "[0.1, 0.3, -0.2]}}\n");
    try {
      build(read_scene_text(text + "  - {" + x.output + "}\n", "test.yaml", {}));
      FAIL("accepted");
    } catch (const SceneError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(x.says) != std::string::npos, error.what());
    }
  }
}

TEST_CASE("simulations of a batch have the bits of separate runs, on any number of threads") {
  const Model model = build(read_scene_text(kWheel, "test.yaml", {}));
  for (const int threads : {1, 2, 3}) {
    Batch batch(model, 7, threads);
    for (int i = 0; i < batch.size(); ++i) {
      SetPoint torque;
      torque.effort = 0.1 * i;
      batch[i].set(1, torque);
    }
    batch.advance(30);
    batch.advance(20);
    for (int i = 0; i < batch.size(); ++i) {
      Simulation alone(model);
      SetPoint torque;
      torque.effort = 0.1 * i;
      alone.set(1, torque);
      for (int k = 0; k < 50; ++k) alone.advance();
      CHECK(alone.state().groups[0].q == batch[i].state().groups[0].q);
      CHECK(alone.state().energy.total() == batch[i].state().energy.total());
      CHECK(batch.reports()[static_cast<std::size_t>(i)].converged);
    }
  }
}
