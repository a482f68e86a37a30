// The memory law: what survives a step is smooth. A step with an impulse, then a free one, must agree with a restart
// from the physical (q1, v1), because an impulse kept in a memory would act twice.
#include <doctest/doctest.h>

#include "cases.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// The physical state of group 0, as the initial state of a new model.
Body as_it_is(const Body& body, const Simulation& sim) {
  Body now = body;
  now.state.memory.clear();
  now.state.q = sim.state().groups[0].q;
  sim.velocity(0, now.state.v);
  return now;
}

/// A run of `steps` from `body` at time t, nothing to touch.
State free_run(const Body& body, std::shared_ptr<const Scheme> scheme, double h, double t,
               int steps) {
  const Model model(parts(body, std::move(scheme), h));
  State state = initial_state(model);
  state.t = t;
  Simulation sim(model, state);
  for (int k = 0; k < steps; ++k) sim.advance(h);
  return sim.state();
}

struct Difference {
  double q = 0.0, v = 0.0;
};

/// An impact, then five free steps: as they are, against those from the physical state after the impact.
Difference restart_in_flight(const Pair& pair) {
  const double h = 2e-3;
  Simulation sim{Model(above_plane(pair, newton_impact(0.9), h))};
  REQUIRE(sim.advance().contacts == 1);
  const Body between = as_it_is(pair.body, sim);
  for (int k = 0; k < 5; ++k) REQUIRE(sim.advance().contacts == 0);
  const GroupState& a = sim.state().groups[0];
  const GroupState b = free_run(between, pair.scheme.scheme, h, h, 5).groups[0];
  return {(a.q - b.q).norm(), (a.v - b.v).norm()};
}

}  // namespace

TEST_CASE(
    "a step with an impulse, then free steps, agree with a restart from the physical state between "
    "them") {
  std::vector<Pair> pairs = legal_pairs();
  std::erase_if(pairs, [](const Pair& pair) { return pair.scheme.scheme->velocity_at() != 1.0; });
  pairs.push_back({modal_bar({}, false), {"modal-exact", modal_exact(), 0.0}});
  for (const Pair& pair : pairs) {
    CAPTURE(pair.name());
    const Difference off = restart_in_flight(pair);
    CHECK(off.q <= 1e-12);
    CHECK(off.v <= 1e-11);
  }
}

TEST_CASE("a loaded bar on modal-exact agrees with a restart from its physical state") {
  const Difference off = restart_in_flight({modal_bar(), {"modal-exact", modal_exact(), 0.0}});
  CHECK(off.q <= 1e-12);
  CHECK(off.v <= 1e-11);
}

TEST_CASE("a change of h in mid-run equals a restart from the physical state with the new h") {
  const double h = 2e-3, other = 5e-4;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.scheme->fixed_step()) continue;
    CAPTURE(pair.name());
    Simulation sim{Model(parts(pair.body, pair.scheme.scheme, h))};
    for (int k = 0; k < 20; ++k) sim.advance();
    const Body between = as_it_is(pair.body, sim);
    const double t = sim.state().t;
    for (int k = 0; k < 20; ++k) sim.advance(other);
    CHECK(sim.state().t == doctest::Approx(t + 20 * other).epsilon(1e-14));
    const State restarted = free_run(between, pair.scheme.scheme, other, t, 20);
    CHECK((sim.state().groups[0].q - restarted.groups[0].q).norm() <= 1e-13);
    CHECK((sim.state().groups[0].v - restarted.groups[0].v).norm() <= 1e-12);
  }
}

TEST_CASE("a scheme tied to its step refuses another one in mid-run and keeps its state") {
  Simulation sim{Model(parts(modal_bar(), modal_exact(), 1e-3))};
  sim.advance();
  const State before = sim.state();
  CHECK_THROWS_AS(sim.advance(5e-4), UsageError);
  CHECK(identical(sim.state(), before));
}
