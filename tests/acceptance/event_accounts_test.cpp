// What the event lane books: impulses of equalities.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "../support/lane_run.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/scene/build.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Simulation scene_of(const std::string& text) {
  return Simulation(build(read_scene_text(text, "test.yaml")));
}

double booked(const Simulation& sim, std::string_view account) {
  const auto accounts = sim.model().accounts();
  const auto at = std::ranges::find(accounts, account);
  REQUIRE(at != accounts.end());
  return sim.state().ledger[static_cast<std::size_t>(at - accounts.begin())];
}

}  // namespace

TEST_CASE("a motor that starts gives its body its velocity by an impulse, whose work is booked") {
  Simulation sim = scene_of(R"(saltus: 1
time: {end: 1 s, step: 10 ms, lane: events}
bodies:
  - {name: block, kind: particles, particles: {mass: [2 kg], positions: [[0, 0, 0]]}}
contacts:
  - {name: motor, on: block, against: {plane: {normal: [1, 0, 0]}}, law: {kind: equality, velocity: 3}}
)");
  const StepReport report = sim.advance();
  CHECK(report.converged);
  CHECK(sim.state().groups[0].v[0] == doctest::Approx(3.0).epsilon(1e-15));
  CHECK(booked(sim, "impact") == doctest::Approx(9.0).epsilon(1e-14));
  CHECK(std::abs(booked(sim, "scheme")) <= 1e-13);
  REQUIRE(sim.contacts().size() == 1);
  CHECK(sim.contacts()[0].impulse[0] == doctest::Approx(6.0).epsilon(1e-14));
}

TEST_CASE("a body held to a cart that jerks takes its energy from the drive of the cart") {
  Simulation sim = scene_of(R"(saltus: 1
time: {end: 2 s, step: 10 ms, lane: events}
bodies:
  - {name: cart, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, motion: {x: {table: [[0, 0], [1, 0], [2, 3]]}}}}
  - {name: m, kind: rigid, rigid: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0], locked: [y, z, rx, ry, rz]}}
contacts:
  - {on: m, at: [0, 0, 0], against: {body: cart, at: [0, 0, 0], normal: [1, 0, 0]}, law: {kind: equality}}
)");
  run_events(sim, 1.5);
  CHECK(sim.state().groups[1].v[0] == doctest::Approx(3.0).epsilon(1e-13));
  CHECK(booked(sim, "prescribed") == doctest::Approx(9.0).epsilon(1e-12));
  CHECK(std::abs(booked(sim, "impact")) <= 1e-11);
  CHECK(std::abs(booked(sim, "scheme")) <= 1e-11);
}
