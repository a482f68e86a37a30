// Errors of bodies that touch are measured by one scale: what strikes a body at rest, by a force that begins as d^n, n > 1, is
// integrated in steps that the tolerance asks for, whichever body it is; and bodies that have nothing to do with each other keep
// their own.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "../support/event_run.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Masses in a line, each with a spring to its own rest; neighbours press each other by K d^n where they overlap.
struct Line {
  std::vector<double> mass, spring, x, v;
  double K = 0.0, n = 1.5,
         wall = 0.0;  ///< wall: velocity of a first body that nothing stops; 0: none

  std::string scene(double end, double step, double tolerance) const {
    std::string text = fmt::format(
        "saltus: 1\ntime: {{end: {} s, step: {} s, mode: events, tolerance: {}}}\n"
        "events: {{hand_over: false}}\nbodies:\n",
        end, step, tolerance);
    for (std::size_t i = 0; i < mass.size(); ++i)
      text += fmt::format(
          "  - {{name: b{}, kind: linear, oscillator: {{mass: {}{}}}, origin: [0, 0, {}], initial: "
          "{{velocities: [{}]}}}}\n",
          i, mass[i], spring[i] > 0.0 ? fmt::format(", stiffness: {}", spring[i]) : "", x[i], v[i]);
    text += "contacts:\n";
    for (std::size_t i = 0; i + 1 < mass.size(); ++i)
      text += fmt::format(
          "  - {{on: b{}, against: {{body: b{}, normal: [0, 0, 1]}}, law: {{kind: compliant, "
          "stiffness: {}, exponent: {}}}}}\n",
          i, i + 1, K, n);
    return text;
  }
  /// Velocities at the end, by the classical method of order 4 in `steps` steps from `from` on, where nothing touches before.
  std::vector<double> exact(double from, double end, long steps) const {
    const std::size_t N = mass.size();
    std::vector<double> q(N, 0.0), u = v;
    for (std::size_t i = 0; i < N; ++i) {
      const double w = std::sqrt(spring[i] / mass[i]);
      if (w > 0.0) {
        q[i] = v[i] / w * std::sin(w * from);
        u[i] = v[i] * std::cos(w * from);
      } else {
        q[i] = v[i] * from;
      }
    }
    const auto rate = [&](const std::vector<double>& at) {
      std::vector<double> a(N);
      for (std::size_t i = 0; i < N; ++i) a[i] = -spring[i] * at[i] / mass[i];
      for (std::size_t i = 0; i + 1 < N; ++i) {
        const double gap = x[i] + at[i] - x[i + 1] - at[i + 1];
        if (gap >= 0.0) continue;
        const double F = K * std::pow(-gap, n);
        a[i] += F / mass[i];
        a[i + 1] -= F / mass[i + 1];
      }
      return a;
    };
    const double h = (end - from) / static_cast<double>(steps);
    const auto moved = [&](const std::vector<double>& a, double s, const std::vector<double>& b) {
      std::vector<double> sum(N);
      for (std::size_t i = 0; i < N; ++i) sum[i] = a[i] + s * b[i];
      return sum;
    };
    for (long k = 0; k < steps; ++k) {
      const auto a1 = rate(q), u2 = moved(u, 0.5 * h, a1), a2 = rate(moved(q, 0.5 * h, u)),
                 u3 = moved(u, 0.5 * h, a2), a3 = rate(moved(q, 0.5 * h, u2)), u4 = moved(u, h, a3),
                 a4 = rate(moved(q, h, u3));
      for (std::size_t i = 0; i < N; ++i) {
        q[i] += h / 6.0 * (u[i] + 2.0 * u2[i] + 2.0 * u3[i] + u4[i]);
        u[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
      }
    }
    return u;
  }
};

void check_line(const Line& line, double touch, double end, double step, double tolerance,
                double bound) {
  const Scene scene = read_scene_text(line.scene(end, step, tolerance), "line.yaml");
  Simulation sim(build(scene));
  const EventRun run = run_events(sim, end);
  CHECK(run.count(Event::Kind::hand_over) == 0);
  CHECK(sim.notices().empty());
  const std::vector<double> exact = line.exact(touch, end, 200'000);
  const double fastest = std::abs(line.v[0]);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double v = sim.state().groups[i].v[0];
    CAPTURE(i);
    CAPTURE(v);
    CAPTURE(exact[i]);
    CHECK(std::abs(v - exact[i]) <= bound * fastest);
  }
  MESSAGE(fmt::format("{} steps, {} rejected", run.steps, run.rejected));
}

}  // namespace

TEST_CASE("a hammer of Hertz's force strikes a body at rest: both move as closely as asked for") {
  // equal masses, a heavy one at rest, a light one at rest; exponents of Hertz, of felt, and one that hardly bends
  // a light one is struck again and again, which magnifies errors
  for (const auto& [mass, n, bound] : {std::tuple{0.4, 1.5, 3e-8},
                                       {400.0, 1.5, 3e-8},
                                       {4e-4, 1.5, 2e-6},
                                       {0.4, 2.5, 3e-8},
                                       {0.4, 1.1, 3e-8}}) {
    CAPTURE(mass);
    CAPTURE(n);
    Line line;
    line.mass = {0.4, mass};
    line.spring = {0.0, 70.0 * mass};
    line.x = {0.6, 0.0};
    line.v = {-2.0, 0.0};
    line.K = 3e4 * std::min(1.0, 100.0 * mass);
    line.n = n;
    check_line(line, 0.3, 0.8, 0.05, 1e-9, bound);
  }
}

TEST_CASE("a blow goes through a line of bodies at rest") {
  Line line;
  line.mass = {1.0, 2.0, 0.5, 3.0};
  line.spring = {0.0, 40.0, 10.0, 90.0};
  line.x = {0.25, 0.0, 0.0, 0.0};
  line.v = {-1.0, 0.0, 0.0, 0.0};
  line.K = 2e4;
  check_line(line, 0.25, 0.6, 0.02, 1e-9, 1e-7);
}

TEST_CASE(
    "bodies that touch nothing keep scales of their own: a slow one is followed as a fast one") {
  // two oscillators, one of them a million times slower, with a contact that never closes
  Line line;
  line.mass = {1.0, 1.0};
  line.spring = {50.0, 20.0};
  line.x = {100.0, 0.0};
  line.v = {1.0, 1e-6};
  line.K = 1e4;
  const Scene scene = read_scene_text(line.scene(2.0, 0.1, 1e-8), "line.yaml");
  Simulation sim(build(scene));
  run_events(sim, 2.0);
  CHECK(sim.state().groups[1].v[0] ==
        doctest::Approx(1e-6 * std::cos(std::sqrt(20.0) * 2.0)).epsilon(1e-6));
}

TEST_CASE("a particle strikes one of its own group, or of another, as the laws of impact say") {
  // elastic: v1 = (m1 - m2)/(m1 + m2) v, v2 = 2 m1/(m1 + m2) v
  for (const double m2 : {0.7, 250.0, 3e-3})
    for (const bool apart : {false, true}) {
      CAPTURE(m2);
      CAPTURE(apart);
      const double m1 = 0.3, v = -1.7;
      const std::string bodies =
          apart ? fmt::format(
                      "  - {{name: a, kind: particles, particles: {{mass: [{}], positions: "
                      "[[0, 0, 0.25]], velocities: [[0, 0, {}]]}}}}\n  - {{name: b, kind: "
                      "particles, particles: {{mass: [{}], positions: [[0, 0, 0]]}}}}\n",
                      m1, v, m2)
                : fmt::format(
                      "  - {{name: a, kind: particles, particles: {{mass: [{}, {}], "
                      "positions: [[0, 0, 0.25], [0, 0, 0]], velocities: [[0, 0, {}], [0, "
                      "0, 0]]}}}}\n",
                      m1, m2, v);
      Simulation sim(build(read_scene_text(
          fmt::format(
              "saltus: 1\ntime: {{end: 0.3 s, step: 0.05 s, mode: events, tolerance: "
              "1e-9}}\nevents: {{hand_over: false}}\nbodies:\n{}contacts:\n  - {{on: a, at: "
              "0, against: {{body: {}, at: {}, normal: [0, 0, 1]}}, law: {{kind: compliant, "
              "stiffness: {}, exponent: 1.5}}}}\n",
              bodies, apart ? "b" : "a", apart ? 0 : 1, 4e4 * std::min(1.0, 30.0 * m2)),
          "pair.yaml")));
      run_events(sim, 0.3);
      CHECK(sim.notices().empty());
      const auto& groups = sim.state().groups;
      REQUIRE(groups.size() == (apart ? 2 : 1));
      const double v1 = groups[0].v[2], v2 = apart ? groups[1].v[2] : groups[0].v[5];
      CHECK(std::abs(v1 - (m1 - m2) / (m1 + m2) * v) <= 1e-6 * std::abs(v));
      CHECK(std::abs(v2 - 2.0 * m1 / (m1 + m2) * v) <= 1e-6 * std::abs(v));
    }
}
