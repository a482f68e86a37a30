// The examples of mechanisms run and show what their first lines say.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "../support/golden.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

/// A run of an example, with the largest gap of its joints [m], [rad].
struct Mechanism {
  Shown shown;
  double gap = 0.0;
};
Mechanism run_mechanism(const std::string& name, const std::vector<std::string>& set = {},
                        const AfterStep& after = {}) {
  double gap = 0.0;
  Shown shown = run_example(name, set, [&](const Simulation& sim, const StepReport& report) {
    gap = worse(gap, report.joint_gap);
    if (after) after(sim, report);
  });
  CHECK(shown.converged);
  CHECK(shown.worst_unexplained <= 1e-12);
  return {std::move(shown), gap};
}

double account(const Simulation& sim, const std::string& name) {
  const auto accounts = sim.model().accounts();
  const auto found = std::find(accounts.begin(), accounts.end(), name);
  REQUIRE(found != accounts.end());
  return sim.state().ledger[static_cast<std::size_t>(found - accounts.begin())];
}

/// Times at which probe 0 passes 0 downwards, straight between the steps.
class Crossings {
 public:
  void operator()(const Simulation& sim, const StepReport&) {
    const double x = sim.probe(0), t = sim.state().t;
    if (before_ > 0.0 && x <= 0.0) times.push_back(t_ + (t - t_) * before_ / (before_ - x));
    before_ = x;
    t_ = t;
  }
  std::vector<double> times;

 private:
  double before_ = 0.0, t_ = 0.0;
};

}  // namespace

TEST_CASE("the slider is where crank and rod put it, and a whole turn takes no work") {
  const double r = 0.05, l = 0.12, w = 5000.0 * 2.0 * kPi / 60.0;
  double off = 0.0, fastest = 0.0, at = 0.0, half_turn = 0.0, most = 0.0;
  const Mechanism m =
      run_mechanism("slider_crank.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        const double a = w * sim.state().t, s = r * std::sin(a);
        const double way = r * std::cos(a) + std::sqrt(l * l - s * s) - (r + l);
        off = worse(off, std::abs(sim.probe(0) - way));
        most = std::max(most, std::abs(account(sim, "prescribed")));
        if (a > kPi) return;
        half_turn = a;
        if (std::abs(sim.probe(1)) > fastest) {
          fastest = std::abs(sim.probe(1));
          at = a;
        }
      });
  CHECK(off <= 1e-12);
  CHECK(m.gap <= 1e-12);
  CHECK(half_turn > 3.1);
  CHECK(fastest == doctest::Approx(28.4).epsilon(2e-3));
  CHECK(at * 180.0 / kPi == doctest::Approx(70.0).epsilon(0.02));
  // 600 steps of 20 us are a turn of 12 ms: the work of two turns against the largest on the way
  CHECK(std::abs(account(m.shown.sim, "prescribed")) <= 1e-5 * most);
}

TEST_CASE("the pinned top is where the reference has it after a second, at order 2") {
  const Vector3 exact(benchmark("B14", "centre of mass x(1.0)"), 0.0,
                      benchmark("B14", "centre of mass z(1.0)"));
  CHECK(exact.x() == doctest::Approx(0.1733).epsilon(1e-3));
  std::array<double, 2> off{};
  for (const bool fine : {false, true}) {
    double energy = 0.0;
    const Mechanism m = run_mechanism(
        "heavy_top_pinned.yaml",
        {"time.end=1 s", std::string("time.step=") + (fine ? "0.25 ms" : "0.5 ms")},
        [&](const Simulation& sim, const StepReport&) {
          energy =
              worse(energy, std::abs(sim.state().energy.total() / sim.state().energy_start - 1.0));
        });
    const Simulation& sim = m.shown.sim;
    off[fine] = std::hypot(sim.probe(0) - exact.x(), sim.probe(1) - exact.z());
    CHECK(m.gap <= 1e-10);
    CHECK(energy <= 1e-8);
  }
  CHECK(off[0] <= 2e-4);
  CHECK(off[0] / off[1] > 3.8);
  CHECK(off[0] / off[1] < 4.2);
}

TEST_CASE("crank and rocker of Andrews' squeezer have turned by the published angles") {
  double furthest = 0.0, first = 0.0, turn = -0.061713890014276448, rate = 0.0;
  const Mechanism m =
      run_mechanism("andrews_squeezer.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        furthest = std::min(furthest, sim.probe(1));
        turn += 0.5e-5 * (rate + sim.probe(0));
        rate = sim.probe(0);
        if (sim.state().t < 0.016) first = std::max(first, sim.probe(1) - furthest);
      });
  const double beta = benchmark("B17c", "beta(0.03)"), gamma = benchmark("B17c", "gamma(0.03)"),
               start = 0.455279819163070380;  // gamma at t = 0
  CHECK(beta == doctest::Approx(15.8108).epsilon(1e-5));
  CHECK(std::abs(turn - beta) <= 1e-4);
  CHECK(std::abs(m.shown.sim.probe(1) - (gamma - start)) <= 1e-4);
  CHECK(furthest == doctest::Approx(-0.415).epsilon(2e-3));
  CHECK(first >= 0.41);  // the rocker is back after the first turn
  CHECK(m.gap <= 1e-12);
}

TEST_CASE("ten four-bar loops lie flat and hang when the quadrature of their energy says so") {
  // A theta'^2 + G cos theta = const, A = (4 n + 1)/6, G = g (3 n + 1)/2, theta'(0) = 1
  const int n = 10;
  const double ratio = 9.81 * (3 * n + 1) / 2.0 / ((4 * n + 1) / 6.0);
  const auto time_to = [&](double angle) {
    double sum = 0.0;
    const int parts = 20000;
    for (int i = 0; i < parts; ++i) {
      const double theta = (i + 0.5) * angle / parts;
      sum += angle / parts / std::sqrt(1.0 + ratio * (1.0 - std::cos(theta)));
    }
    return sum;
  };
  CHECK(time_to(kPi) == doctest::Approx(0.98076).epsilon(1e-5));
  CHECK(time_to(0.5 * kPi) == doctest::Approx(0.72031).epsilon(1e-5));
  Crossings x;  // of the first top: it hangs
  double height = 0.0, before = 1.0, flat = 0.0;
  const Mechanism m = run_mechanism("four_bar_chain.yaml", {"time.end=1.2 s"},
                                    [&](const Simulation& sim, const StepReport& report) {
                                      x(sim, report);
                                      height = 1.0 + sim.probe(1);
                                      const double t = sim.state().t, h = 1e-3;
                                      if (flat == 0.0 && height <= 0.0)
                                        flat = t - h * height / (height - before);
                                      before = height;
                                    });
  REQUIRE(x.times.size() == 1);
  CHECK(x.times[0] == doctest::Approx(time_to(kPi)).epsilon(1e-5));
  CHECK(flat == doctest::Approx(time_to(0.5 * kPi)).epsilon(1e-5));
  CHECK(m.gap <= 1e-11);
}

TEST_CASE("the governor bobs between the angles that energy and angular momentum allow") {
  // One degree of freedom, alpha of the rods, while struts are stiff:  I(alpha) rate = L,
  //     L^2/(2 I) + V = the same at both ends of its way,   V = -g cos alpha (2 m_b l + m_r l + m_s l)
  const double g = 9.81, rod = 0.3, ball = 5.0, slider = 3.0, start = kPi / 6.0, w = 2.0 * kPi;
  const double along = rod * 2e-4 / 12.0, across = rod * 1.0001 / 12.0 + 0.25 * rod;
  const auto inertia = [&](double a) {
    const double s2 = std::sin(a) * std::sin(a);
    return along + slider * 0.02 / 12.0 + 2.0 * ((across + ball) * s2 + along * (1.0 - s2));
  };
  const double L = inertia(start) * w;
  const auto level = [&](double a) {
    return 0.5 * L * L / inertia(a) - g * std::cos(a) * (2.0 * ball + rod + slider);
  };
  // the other place of the same level is beyond the least one
  double low = 0.01, high = 1.5;
  const double step = level(start + 1e-4) < level(start) ? 1e-4 : -1e-4;
  double a = start + step;
  while (level(a) < level(start)) a += step;
  low = a - step;
  high = a;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (level(middle) < level(start) ? low : high) = middle;
  }
  const double end = high, way = std::cos(start) - std::cos(end);

  CHECK(end * 180.0 / kPi == doctest::Approx(49.8).epsilon(1e-3));
  CHECK(way == doctest::Approx(0.221).epsilon(2e-3));
  CHECK(L / inertia(end) == doctest::Approx(2.69).epsilon(2e-3));

  // about z: of boxes of 3000 kg/m^3 (shaft, slider, two rods), and of two balls
  const std::array<double, 4> mass{rod, slider, rod, rod};
  const Vector3 of_rod(across - 0.25 * rod, across - 0.25 * rod, along),
      of_slider = slider * 0.02 / 12.0 * Vector3::Ones();
  const std::array<Vector3, 4> moments{of_rod, of_slider, of_rod, of_rod};
  const auto momentum = [&](const Simulation& sim) {
    const auto& bodies = sim.state().groups[0];
    const auto& balls = sim.state().groups[1];
    REQUIRE(bodies.q.size() == 28);
    REQUIRE(balls.q.size() == 6);
    Vector3 sum = Vector3::Zero();
    for (Eigen::Index i = 0; i < 4; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Eigen::Vector4d p = bodies.q.segment<4>(7 * i + 3);
      const Vector3 x = bodies.q.segment<3>(7 * i), v = bodies.v.segment<3>(6 * i),
                    W = bodies.v.segment<3>(6 * i + 3);
      sum += mass[k] * x.cross(v);
      sum += Quaternion(p[0], p[1], p[2], p[3]) * Vector3(moments[k].cwiseProduct(W));
    }
    for (Eigen::Index i = 0; i < 2; ++i)
      sum += ball * Vector3(balls.q.segment<3>(3 * i)).cross(Vector3(balls.v.segment<3>(3 * i)));
    return sum.z();
  };
  double lowest = 0.0, highest = 0.0, slowest = w, fastest = w, off = 0.0;
  const Mechanism m = run_mechanism("flyball_governor.yaml", {"time.end=3 s"},
                                    [&](const Simulation& sim, const StepReport&) {
                                      lowest = std::min(lowest, sim.probe(0));
                                      highest = std::max(highest, sim.probe(0));
                                      slowest = std::min(slowest, sim.probe(1));
                                      fastest = std::max(fastest, sim.probe(1));
                                      off = worse(off, std::abs(momentum(sim) / L - 1.0));
                                    });
  // struts give way by 2e-5 m
  CHECK(std::abs(lowest) <= 5e-5);
  CHECK(highest == doctest::Approx(way).epsilon(1e-3));
  CHECK(slowest == doctest::Approx(L / inertia(end)).epsilon(1e-3));
  CHECK(fastest == doctest::Approx(w).epsilon(1e-3));
  CHECK(off <= 1e-8);
  CHECK(m.gap <= 1e-9);
}

TEST_CASE("the gripper lifts its box without slip and puts it down, a weak one loses it") {
  double slip = 0.0, grip = 0.0, up = 0.0;
  const Mechanism held =
      run_mechanism("gripper.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        const double t = sim.state().t;
        if (t > 1.96) return;
        slip = worse(slip, std::abs(sim.probe(0) - sim.probe(1)));
        if (std::abs(t - 1.0) > 0.5e-3) return;
        up = sim.probe(0);
        // at the top: m (g - a)/2 of friction on each side
        REQUIRE(sim.state().contacts.size() == 2);
        for (const ContactMemory& contact : sim.state().contacts) {
          CHECK(contact.impulse[0] / 1e-3 == doctest::Approx(20.0).epsilon(1e-9));
          grip += std::hypot(contact.impulse[1], contact.impulse[2]) / 1e-3;
        }
      });
  CHECK(up == doctest::Approx(0.2).epsilon(1e-9));
  CHECK(grip == doctest::Approx(9.81 - 0.1 * kPi * kPi).epsilon(1e-4));
  CHECK(slip <= 1e-9);
  const Simulation& sim = held.shown.sim;
  CHECK(std::abs(sim.probe(0)) <= 3e-5);  // back on the table
  CHECK(sim.probe(1) == doctest::Approx(0.1).epsilon(1e-9));
  CHECK(sim.probe(2) == doctest::Approx(-0.02).epsilon(1e-2));
  CHECK(held.gap <= 1e-12);
  const Mechanism weak = run_mechanism(
      "gripper.yaml", {"bodies[3].loads[0].table=[[0, 20], [3, 20]]", "time.end=0.5 s"});
  CHECK(weak.shown.sim.probe(1) == doctest::Approx(0.1).epsilon(1e-9));
  CHECK(std::abs(weak.shown.sim.probe(0)) <= 1e-3);
}

// Of the many ways in which four corners may share a force some let the box turn about one of them. Motors close the fingers
// while the palm begins to rise.
TEST_CASE("flat fingers hold a box, each by four corners that share its force") {
  const std::string scene = R"(
saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: box, kind: rigid, rigid: {shape: {box: {size: [60 mm, 60 mm, 80 mm]}}, mass: 1, position: [0, 0, 40 mm]}}
  - {name: palm, kind: rigid, rigid: {shape: {box: {size: [0.2, 60 mm, 20 mm]}}, mass: 0.6, position: [0, 0, 0.14]}}
  - {name: left finger, kind: rigid, rigid: {shape: {box: {size: [10 mm, 40 mm, 80 mm]}}, mass: 0.2, position: [-36 mm, 0, 80 mm]}}
  - {name: right finger, kind: rigid, rigid: {shape: {box: {size: [10 mm, 40 mm, 80 mm]}}, mass: 0.2, position: [36 mm, 0, 80 mm]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.5}}
joints:
  - {name: lift, kind: prismatic, between: [world, palm], at: [0, 0, 0.14], axis: [0, 0, 1], slide: {drive: {harmonic: {mean: 0.1, amplitude: -0.1, frequency: 0.5 Hz}}}}
  - {name: left, kind: prismatic, between: [palm, left finger], at: [-36 mm, 0, 0.12], axis: [1, 0, 0], slide: {motor: {velocity: 0.1 m/s, force: 20 N}}}
  - {name: right, kind: prismatic, between: [palm, right finger], at: [36 mm, 0, 0.12], axis: [-1, 0, 0], slide: {motor: {velocity: 0.1 m/s, force: 20 N}}}
outputs:
  - {probe: box, name: height of the box, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}
  - {probe: lift, name: height of the palm, quantity: displacement}
)";
  double least = 1e300, most = -1e300, turn = 0.0;
  const Shown s = run_text(scene, {}, [&](const Simulation& sim, const StepReport&) {
    if (sim.state().t < 0.05) return;
    const double slip = sim.probe(0) - sim.probe(1);
    least = std::min(least, slip);
    most = std::max(most, slip);
    turn = worse(turn, sim.state().groups[0].q.segment<3>(4).norm());
  });
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(s.sim.probe(1) == doctest::Approx(0.2).epsilon(1e-9));
  CHECK(most - least <= 1e-8);
  CHECK(std::abs(most) <= 1e-4);  // while the fingers took hold
  CHECK(turn <= 1e-8);
}
