// The memory law: what survives a step is smooth. A step with an impulse, then a free one, must agree with a restart
// from the physical (q1, v1), because an impulse kept in a memory would act twice.
#include <doctest/doctest.h>

#include <algorithm>

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

/// A run of `steps` that the scheme starts at time t from the physical state of `body`, nothing to touch.
State free_run(const Body& body, std::shared_ptr<const Scheme> scheme, double h, double t,
               int steps) {
  const Model model(parts(body, scheme, h));
  State state = initial_state(model);
  state.t = t;
  state.groups[0] = body.state;
  const auto prepared = scheme->prepare(*body.dynamics, h);
  scheme->start(*body.dynamics, prepared.get(), t, h, state.groups[0]);
  Simulation sim(model, state);
  for (int k = 0; k < steps; ++k) sim.advance(h);
  return sim.state();
}

struct Difference {
  double q = 0.0, v = 0.0;
};

/// An impact, then five free steps: as they are, against those from the physical state after the impact.
Difference restart_in_flight(const Pair& pair, double h) {
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
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    const Difference off = restart_in_flight(pair, 2e-3);
    if (pair.starts_exactly()) {
      CHECK(off.q <= 1e-12);
      CHECK(off.v <= 1e-11);
      continue;
    }
    // a memory that tells more than q and v: what a restart changes vanishes with h, an impulse kept in it would not
    const Difference finer = restart_in_flight(pair, 5e-4);
    CHECK(off.v <= 0.05);
    CHECK(finer.v <= std::max(0.45 * off.v, 1e-11));
    CHECK(finer.q <= std::max(0.15 * off.q, 1e-12));
  }
}

// Generalised-alpha scales its stored acceleration instead: stored_accelerations_test.cpp.
TEST_CASE("a change of h in mid-run equals a restart from the physical state with the new h") {
  const double h = 2e-3, other = 5e-4;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.scheme->fixed_step()) continue;
    if (pair.scheme.scheme->name().starts_with("generalized-alpha")) continue;
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
