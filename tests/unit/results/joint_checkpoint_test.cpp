// A mechanism that touches: a run taken up from its checkpoint ends in the bits of one that never stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "saltus/results/checkpoint.h"
#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "unit/results/old_file.h"
#include "unit/results/support.h"

using namespace saltus;

namespace {

/// Two links with a motor, a limit, a spring, damping and friction in their joints; the second drags a box over the floor.
const char* const kDraggedBox = R"(
saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: upper, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 1]}}
  - {name: fore, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 1]}}
  - {name: load, kind: rigid, rigid: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [2, 0, 0.9]}}
surfaces: [{law: {kind: newton-impact, friction: 0.4}}]
joints:
  - {name: shoulder, kind: revolute, between: [world, upper], at: [0, 0, 1], axis: [0, 1, 0],
     turn: {friction: 0.2 N m, motor: {velocity: 0.5 rad/s, torque: 0.4 N m}}}
  - {name: elbow, kind: revolute, between: [upper, fore], at: [1, 0, 1], axis: [0, 1, 0],
     turn: {limits: {lower: -1, upper: 0.6, restitution: 0.3}, spring: {stiffness: 2 N m/rad}, damping: 0.1 N m s/rad}}
  - {name: wrist, kind: ball, between: [fore, load], at: [2, 0, 1]}
)";

bool equal_bits(const Vector& a, const Vector& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace

TEST_CASE("a mechanism in contact goes on from its checkpoint in the same bits") {
  const io_test::Folder folder;
  for (const char* level : {"position", "both"}) {
    CAPTURE(level);
    const Model model = build(read_scene_text(
        kDraggedBox + std::string("joint: {level: ") + level + "}\n", "scene.yaml", {}, {}));
    Simulation whole(model);
    const std::string path = folder / (std::string(level) + ".h5");
    int touched = 0;
    for (int n = 0; n < 1000; ++n) {
      if (n == 700) {
        h5::File file = h5::File::create(path);
        file.create_group("checkpoint");
        write_checkpoint(file, "a", whole.state(), {});
        file.close();
      }
      const StepReport report = whole.advance();
      REQUIRE(report.converged);
      touched += n < 700 && report.contacts > 3 ? 1 : 0;
    }
    CHECK(touched > 10);  // the motor, friction, the spring, and the floor
    Simulation again(model, newest_checkpoint(h5::File::read(path), path, model).state);
    while (again.state().step < whole.state().step) again.advance();
    const State &a = whole.state(), &b = again.state();
    for (std::size_t g = 0; g < a.groups.size(); ++g) {
      CHECK(equal_bits(a.groups[g].q, b.groups[g].q));
      CHECK(equal_bits(a.groups[g].v, b.groups[g].v));
    }
    CHECK(a.ledger == b.ledger);
    CHECK(a.energy.total() == b.energy.total());
    REQUIRE(a.contacts.size() == b.contacts.size());
    for (std::size_t i = 0; i < a.contacts.size(); ++i)
      CHECK(a.contacts[i].impulse == b.contacts[i].impulse);
    for (int j = 0; j < 3; ++j) CHECK(whole.joint_load(j) == again.joint_load(j));
  }
}

TEST_CASE(
    "a wound spring goes on from its checkpoint in its turn, one of a former version within half a "
    "turn") {
  const io_test::Folder folder;
  for (const char* mode : {"stepping", "events"}) {
    CAPTURE(mode);
    const Model model = build(read_scene_text(
        R"(
saltus: 1
time: {end: 1 s, step: 1 ms}
bodies:
  - {name: wheel, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], spin: [0, 0, 30]}}
joints:
  - {name: hub, kind: revolute, between: [world, wheel], at: [0, 0, 0], axis: [0, 0, 1], turn: {spring: {stiffness: 0.04}}}
outputs: [{probe: hub, name: angle, quantity: displacement}]
)",
        "scene.yaml", std::vector<std::string>{std::string("time.mode=") + mode}, {}));
    Simulation whole(model);
    const std::string path = folder / (std::string(mode) + ".h5");
    while (whole.state().step < 600) whole.advance();
    const double wound = whole.probe(0);
    CHECK(wound == doctest::Approx(15.0 * std::sin(1.2)).epsilon(1e-3));
    {
      h5::File file = h5::File::create(path);
      file.create_group("checkpoint");
      write_checkpoint(file, "a", whole.state(), {});
      file.close();
    }
    Simulation again(model, newest_checkpoint(h5::File::read(path), path, model).state);
    CHECK(again.probe(0) == wound);
    for (int k = 0; k < 300; ++k) {
      whole.advance();
      again.advance();
    }
    CHECK(again.probe(0) == whole.probe(0));
    CHECK(state_hash(again.state()) == state_hash(whole.state()));

    State former = again.state();
    const double now = again.probe(0);
    for (GroupState& group : former.groups) group.angles.clear();
    for (GroupState& group : former.event_state.start) group.angles.clear();
    CHECK(state_hash(former) != state_hash(again.state()));
    const Simulation within(model, former);
    CHECK(within.probe(0) == doctest::Approx(std::remainder(now, 2.0 * std::numbers::pi)));
  }
}

TEST_CASE("a stopped run of a mechanism whose file lost a joint is refused as damaged") {
  const io_test::Folder folder;
  const Scene scene = read_scene_text(kDraggedBox, "scene.yaml", {}, {});
  const Model model = build(scene);
  const std::string resolved = write_scene(scene.spec), part = folder / "a.h5.part";
  {
    Simulation sim(model);
    ResultsWriter out(folder / "a.h5", model, "scene", resolved);
    out.start(sim.state(), {});
    out.record(sim.advance(), sim.state(), {});
    out.checkpoint(sim.state());
  }
  const auto taken_up = [&] {
    return io_test::message<SceneError>(
        [&] { ResultsWriter::resume(part, model, "scene", resolved); });
  };
  io_test::make_old(part, model, {2, 0, 0});
  CHECK(taken_up() == "");
  {
    h5::File file = h5::File::modify(part);
    file.group("joints").remove("wrist");
    file.close();
  }
  const std::string told = taken_up();
  CAPTURE(told);
  CHECK(told.find("is damaged") != std::string::npos);
  CHECK(told.find("joints of the scene are missing") != std::string::npos);
}
