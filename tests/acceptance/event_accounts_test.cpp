// What event-driven integration books: impulses of equalities, and what the dampers of compliant contacts take.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "../support/event_run.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

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

/// 1 kg on a mat of stiffness k and damping c at height 0, from z and u.
Simulation on_mat(double k, double c, double g, double z, double u, const std::string& step) {
  return scene_of(fmt::format(R"(saltus: 1
time: {{end: 4 s, step: {}, mode: events, tolerance: 1e-10}}
bodies:
  - {{name: block, kind: particles, particles: {{mass: [1 kg], positions: [[0, 0, {:.17g}]], velocities: [[0, 0, {:.17g}]], gravity: [0, 0, {:.17g}]}}}}
contacts:
  - {{name: mat, on: block, against: {{plane: {{}}}}, law: {{kind: compliant, stiffness: {}, damping: {}}}}}
)",
                              step, z, u, -g, k, c));
}

/// z and u of 1 kg on that mat after the time t while it presses, c^2 < 4 k.
struct OnMat {
  double k, c, g;
  std::array<double, 2> after(double t, double z, double u) const {
    const double low = -g / k, s = 0.5 * c, w = std::sqrt(k - s * s), A = z - low,
                 B = (u + s * A) / w, fall = std::exp(-s * t);
    return {low + fall * (A * std::cos(w * t) + B * std::sin(w * t)),
            fall * ((B * w - s * A) * std::cos(w * t) - (A * w + s * B) * std::sin(w * t))};
  }
};

}  // namespace

TEST_CASE("a motor that starts gives its body its velocity by an impulse, whose work is booked") {
  Simulation sim = scene_of(R"(saltus: 1
time: {end: 1 s, step: 10 ms, mode: events}
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
time: {end: 2 s, step: 10 ms, mode: events}
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

TEST_CASE(
    "a damped mat that a block leaves too fast to be pressed is pressed again before the block is "
    "out of it") {
  // Free while -k z - c u = -2 - 20 t + 500 t^2 < 0.
  const OnMat mat{100.0, 10.0, 10.0};
  const double again = (20.0 + std::sqrt(4400.0)) / 1000.0;
  for (const char* const step : {"1 ms", "10 ms", "0.5 s"}) {
    CAPTURE(step);
    Simulation sim = on_mat(mat.k, mat.c, mat.g, -0.1, 1.2, step);
    const double start = sim.state().energy_start;
    const EventRun run = run_events(sim, 0.5, [&](const Simulation& s, const StepReport&) {
      const double t = s.state().t, z0 = -0.1 + 1.2 * again - 5.0 * again * again,
                   u0 = 1.2 - 10.0 * again;
      const auto [z, u] = t < again ? std::array{-0.1 + 1.2 * t - 5.0 * t * t, 1.2 - 10.0 * t}
                                    : mat.after(t - again, z0, u0);
      CHECK(std::abs(s.state().groups[0].q[2] - z) <= 1e-10);
      CHECK(std::abs(s.state().groups[0].v[2] - u) <= 1e-9);
      CHECK(std::abs(booked(s, "scheme")) <= 1e-9 * start);
    });
    const std::vector<Event> springs = run.of(Event::Kind::spring);
    REQUIRE(springs.size() == 1);
    CHECK(std::abs(springs[0].t - again) <= 1e-13);
  }
}

TEST_CASE("what a damped mat still stores when a block leaves it is what its damper takes") {
  const double g = 9.81;
  for (const double c : {5.0, 10.0, 20.0})
    for (const double speed : {0.2, 1.0, 1.4, 1.6, 2.0}) {
      const OnMat mat{1000.0, c, g};
      CAPTURE(c);
      CAPTURE(speed);
      Simulation sim = on_mat(mat.k, c, g, 0.0, -speed, "5 ms");
      const double start = sim.state().energy_start;
      double first = -1.0;  // where it leaves
      const EventRun run = run_events(sim, 2.0, [&](const Simulation& s, const StepReport&) {
        CHECK(std::abs(booked(s, "scheme")) <= 1e-8 * start);
        for (const Event& e : s.events())
          if (e.kind == Event::Kind::spring && e.t > 0.0 && first < 0.0) first = e.t;
        if (first >= 0.0) return;
        const auto [z, u] = mat.after(s.state().t, 0.0, -speed);
        CHECK(std::abs(s.state().groups[0].q[2] - z) <= 1e-10);
      });
      CHECK(booked(sim, "impact") < 0.0);
      // It leaves where the mat pulls no more, below 0.
      if (first > 0.0) {
        const auto [z, u] = mat.after(first, 0.0, -speed);
        CHECK(z < 0.0);
        CHECK(std::abs(mat.k * z + c * u) <= 1e-8);
      }
    }
}

TEST_CASE("a damped mat goes on bit for bit from every interval, pressed, left and pressed again") {
  const auto same = [](const Vector& a, const Vector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
  };
  Simulation sim = on_mat(1000.0, 20.0, 9.81, 0.0, -2.0, "7 ms");
  const Model model = sim.model();
  while (sim.state().t < 1.0) {
    Simulation resumed(model, sim.state());
    sim.advance();
    resumed.advance();
    CHECK(same(sim.state().groups[0].q, resumed.state().groups[0].q));
    CHECK(same(sim.state().groups[0].v, resumed.state().groups[0].v));
    CHECK(sim.state().event_state.t == resumed.state().event_state.t);
    CHECK(sim.state().event_state.length == resumed.state().event_state.length);
    CHECK(sim.state().event_state.next == resumed.state().event_state.next);
    CHECK(sim.state().event_state.modes == resumed.state().event_state.modes);
    CHECK(sim.state().ledger == resumed.state().ledger);
  }
}
