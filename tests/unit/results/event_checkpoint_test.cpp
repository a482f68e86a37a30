// Event-driven integration in a file: what it carries from interval to interval goes through a checkpoint bit for bit, and its table of
// events ends where the checkpoint does.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "saltus/results/checkpoint.h"
#include "saltus/results/event_table.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "unit/results/support.h"

using namespace saltus;

namespace {

/// A ball of restitution 0.8 thrown at a rough floor, in a swinging field of force: bounces, slides, sticks.
const char* const kThrown = R"(
saltus: 1
time: {end: 1.5 s, step: 10 ms, mode: events}
bodies:
  - name: ball
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 0.3]], velocities: [[2, 0.5, 0]], gravity: [1, 0, -9.81]}
contacts:
  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.4, friction: 0.3}}
)";

Scene thrown() { return read_scene_text(kThrown, "thrown.yaml", {}, {}); }

/// Something else in every member.
EventState filled(const Model& model) {
  EventState event_state;
  event_state.active = true;
  event_state.t = 0.25;
  event_state.h = 3e-3;
  event_state.length = 2e-3;
  event_state.next = 7e-3;
  event_state.start.assign(model.initial().begin(), model.initial().end());
  event_state.start[0].q[0] = 0.1;
  event_state.start[0].memory = {Vector::Constant(2, 4.0), Vector::Constant(1, -5.0)};
  event_state.modes = {{3, ContactMode::Kind::sticks, {0.0, 0.0}, 1e-17, true},
                       {~std::uint64_t{0}, ContactMode::Kind::slides, {0.6, -0.8}, -2e-16}};
  event_state.rate_time = 1e-5;
  event_state.ends_with = 2;
  event_state.ends_key = 0xfedcba9876543210u;
  event_state.crowd = 4;
  event_state.stepping = 11;
  event_state.patience = 16;
  return event_state;
}

bool same_groups(const std::vector<GroupState>& a, const std::vector<GroupState>& b) {
  const auto same = [](const Vector& x, const Vector& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](double s, double t) {
      return std::bit_cast<std::uint64_t>(s) == std::bit_cast<std::uint64_t>(t);
    });
  };
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [&](const GroupState& x, const GroupState& y) {
        return same(x.q, y.q) && same(x.v, y.v) &&
               std::equal(x.memory.begin(), x.memory.end(), y.memory.begin(), y.memory.end(), same);
      });
}

void check_same_events(const EventState& a, const EventState& b) {
  CHECK(a.active == b.active);
  CHECK(a.t == b.t);
  CHECK(a.h == b.h);
  CHECK(a.length == b.length);
  CHECK(a.next == b.next);
  CHECK(same_groups(a.start, b.start));
  CHECK(a.modes == b.modes);
  CHECK(a.rate_time == b.rate_time);
  CHECK(a.ends_with == b.ends_with);
  CHECK(a.ends_key == b.ends_key);
  CHECK(a.crowd == b.crowd);
  CHECK(a.stepping == b.stepping);
  CHECK(a.patience == b.patience);
}

/// Steps up to `last`, with all that a run writes; a checkpoint behind step `kept`.
void write_run(Simulation& sim, ResultsWriter& out, std::uint64_t last, std::uint64_t kept) {
  if (sim.state().step == 0) out.start(sim.state(), {});
  while (sim.state().step < last) {
    const StepReport report = sim.advance();
    out.events(sim.events());
    out.record(report, sim.state(), {});
    if (sim.state().step == kept) out.checkpoint(sim.state());
  }
}

}  // namespace

TEST_CASE(
    "every member of the event-driven integrator's state comes back from a checkpoint as it was") {
  const io_test::Folder folder;
  const Model model = build(thrown());
  State state = initial_state(model);
  state.event_state = filled(model);
  const std::string path = folder / "lane.h5";
  {
    h5::File file = h5::File::create(path);
    file.create_group("checkpoint");
    write_checkpoint(file, "a", state, {3, 2, 17});
    file.close();
  }
  const Checkpoint found = newest_checkpoint(h5::File::read(path), path, model);
  check_same_events(found.state.event_state, state.event_state);
  CHECK(found.extent.rows == 3);
  CHECK(found.extent.frames == 2);
  CHECK(found.extent.events == 17);
}

TEST_CASE("a checkpoint whose step ends where no step ends is refused") {
  const io_test::Folder folder;
  const Model model = build(thrown());
  for (const double length : {0.0, -1e-3, 1.0, std::nan("")}) {
    CAPTURE(length);
    State state = initial_state(model);
    state.event_state = filled(model);
    state.event_state.length = length;
    {
      h5::File file = h5::File::create(folder / "lane.h5");
      file.create_group("checkpoint");
      write_checkpoint(file, "a", state, {3, 2, 17});
      file.close();
    }
    const std::string said = io_test::message<SceneError>(
        [&] { newest_checkpoint(h5::File::read(folder / "lane.h5"), "lane.h5", model); });
    CHECK(said.find("is longer than its integrator allows") != std::string::npos);
  }
}

TEST_CASE(
    "a run that only steps stores nothing of event-driven integration, and its scene refuses what "
    "has it") {
  const io_test::Folder folder;
  Scene scene = thrown();
  const Model event_state = build(scene);
  scene.spec.time.mode.reset();
  const Model steps = build(scene);
  const auto store = [&](const std::string& name, const State& state) {
    h5::File file = h5::File::create(folder / name);
    file.create_group("checkpoint");
    write_checkpoint(file, "a", state, {1, 1, 0});
    file.close();
  };
  store("steps.h5", initial_state(steps));
  const h5::File plain = h5::File::read(folder / "steps.h5");
  for (const std::string& name : plain.group("checkpoint/a").names()) {
    CAPTURE(name);
    CHECK(name.substr(0, 5) != "lane_");
  }
  State state = initial_state(event_state);
  state.event_state = filled(event_state);
  store("lane.h5", state);
  const std::string said = io_test::message<SceneError>(
      [&] { newest_checkpoint(h5::File::read(folder / "lane.h5"), "lane.h5", steps); });
  CHECK(said.find("event-driven integration") != std::string::npos);
}

TEST_CASE("events behind the checkpoint of a killed run go, and come again in the same bits") {
  const io_test::Folder folder;
  const Scene scene = thrown();
  const Model model = build(scene);
  const std::string resolved = write_scene(scene.spec), whole = folder / "whole.h5",
                    cut = folder / "cut.h5";
  {
    Simulation sim(model);
    ResultsWriter out(whole, model, kThrown, resolved);
    write_run(sim, out, 150, 40);
    out.finish(sim.state(), {});
  }
  {
    Simulation sim(model);
    ResultsWriter out(cut, model, kThrown, resolved);
    write_run(sim, out, 90, 40);
    out.drain();
  }  // as if it were killed here
  {
    const std::string part = resumable_file(cut);
    Simulation sim(model, read_checkpoint(part, model));
    CHECK(sim.state().step == 40);
    ResultsWriter out = ResultsWriter::resume(part, model, kThrown, resolved);
    write_run(sim, out, 150, 0);
    out.finish(sim.state(), {});
    CHECK(out.statistics().event_count() == ResultsReader(whole).events().size());
  }
  const ResultsReader a(whole), b(cut);
  const std::vector<Event> x = a.events(), y = b.events();
  REQUIRE(x.size() == y.size());
  REQUIRE(x.size() > 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i].t == y[i].t);
    CHECK(x[i].kind == y[i].kind);
    CHECK(x[i].key == y[i].key);
    CHECK(x[i].speed == y[i].speed);
    CHECK(x[i].impulse == y[i].impulse);
    CHECK(x[i].energy == y[i].energy);
  }
  for (const std::string& column : a.step_names()) {
    CAPTURE(column);
    CHECK(a.step(column) == b.step(column));
  }
}
