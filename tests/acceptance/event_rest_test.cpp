// Event-driven integration of what comes to rest under load, and of what leaves its rest: errors within the round-off of the
// forces that cancel there are none.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

/// Steps of the integrator in a run, and whether time stepping took one over.
struct Effort {
  long steps = 0, rejected = 0, handed = 0;
};
Effort effort_of(const std::string& text, Vector* q = nullptr) {
  Effort effort;
  const Shown s = run_text(text, {}, [&](const Simulation& sim, const StepReport& report) {
    effort.steps += report.steps;
    effort.rejected += report.rejected;
    for (const Event& e : sim.events()) effort.handed += e.kind == Event::Kind::hand_over;
  });
  CHECK(s.converged);
  if (q) *q = s.sim.state().groups.back().q;
  return effort;
}

}  // namespace

TEST_CASE("a damped spring under a load comes to rest in steps that do not shrink") {
  // the mass of 1.5 kg on springs that its weight presses by 0.3 mm to 3 m, in the body, in a contact and between shapes
  for (const double k : {5.0, 7e3, 5e4}) {
    CAPTURE(k);
    const double m = 1.5, g = 9.7, c = 0.5 * std::sqrt(k * m), T = 80.0 * m / c;
    const std::string time =
        fmt::format("saltus: 1\ntime: {{end: {0}, step: {1}, mode: events}}\n", T, T / 200.0);
    const std::string oscillator =
        time + fmt::format(
                   "bodies: [{{name: a, kind: linear, oscillator: {{mass: {}, stiffness: {}, "
                   "damping: {}}}, loads: [{{dof: 0, constant: {}}}]}}]\n",
                   m, k, c, -m * g);
    const std::string point =
        time + fmt::format(
                   "gravity: [0, 0, -{}]\nbodies: [{{name: a, kind: particles, particles: {{mass: "
                   "[{}], positions: [[0, 0, 0]]}}}}]\ncontacts: [{{on: a, against: {{plane: "
                   "{{}}}}, law: {{kind: compliant, stiffness: {}, damping: {}}}}}]\n",
                   g, m, k, c);
    const std::string ball =
        time + fmt::format(
                   "gravity: [0, 0, -{}]\nbodies:\n"
                   "  - {{name: f, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
                   "  - {{name: a, kind: rigid, rigid: {{shape: {{sphere: {{radius: 5}}}}, mass: "
                   "{}, position: [70, 0, 5]}}}}\n"
                   "surfaces: [{{law: {{kind: felt, stiffness: {}, exponent: 1, damping: {}}}}}]\n",
                   g, m, k, c);
    for (const auto& [text, coordinate, rest] :
         {std::tuple{oscillator, 0, 0.0}, {point, 2, 0.0}, {ball, 2, 5.0}}) {
      CAPTURE(text);
      Vector q;
      const Effort effort = effort_of(text, &q);
      CHECK(effort.steps <= 600);
      CHECK(effort.rejected <= 400);
      CHECK(effort.handed == 0);
      CHECK(q[coordinate] - rest == doctest::Approx(-m * g / k).epsilon(1e-8));
    }
  }
}

TEST_CASE("what a growing load lifts from its rest leaves it without help") {
  // m z'' = r t - m g from t = m g/r on
  for (const double r : {12.0, 300.0})
    for (const char* body :
         {"  - {{name: a, kind: particles, particles: {{mass: [{0}], positions: [[0, 0, 0]]}}, "
          "loads: [{{particle: 0, direction: [0, 0, 1], table: [[0, 0], [10, {1}]]}}]}}\n"
          "contacts: [{{on: a, against: {{plane: {{}}}}, law: {{kind: newton-impact}}}}]\n",
          "  - {{name: a, kind: particles, particles: {{mass: [{0}], positions: [[0, 0, 0]]}}, "
          "loads: [{{particle: 0, direction: [0, 0, 1], table: [[0, 0], [10, {1}]]}}]}}\n"
          "contacts: [{{on: a, against: {{plane: {{}}}}, law: {{kind: newton-impact, restitution: "
          "0.4, friction: 0.3}}}}]\n"}) {
      CAPTURE(r);
      CAPTURE(body);
      const double m = 2.0, g = 9.7, lift = m * g / r, end = 1.7 * lift, t = end - lift;
      Vector q;
      const Effort effort = effort_of(
          fmt::format("saltus: 1\ntime: {{end: {}, step: {}, mode: events}}\ngravity: [0, 0, "
                      "-{}]\nbodies:\n",
                      end, end / 50.0, g) +
              fmt::format(fmt::runtime(body), m, 10.0 * r),
          &q);
      CHECK(effort.handed == 0);
      CHECK(q[2] == doctest::Approx(r * t * t * t / (6.0 * m)).epsilon(1e-8));
    }
}

}  // namespace saltus::test
