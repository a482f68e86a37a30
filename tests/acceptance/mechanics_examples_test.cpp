// Every example of masses and mechanisms runs past its event and shows the numbers it is there for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("the ball comes to rest on the floor after infinitely many bounces, never inside it") {
  double last_height = 0.0, last_bounce = 0.0;
  const Shown s =
      run_example("bouncing_ball.yaml", {}, [&](const Simulation& sim, const StepReport& report) {
        const double t = sim.state().t, fall = std::sqrt(2.0 / 9.81);
        if (report.contacts > 0 && t < 1.9) {
          CHECK(t > last_bounce + 0.01);
          last_bounce = t;
        }
        if (t > 2.27) last_height = std::max(last_height, sim.state().groups[0].q[2]);
        // before the n-th bounce: t_n = fall (1 + 2 e + ... + 2 e^(n-1))
        if (t < fall - 2e-3) CHECK(report.contacts == 0);
      });
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(s.smallest_gap >= -1e-15);
  CHECK(last_height <= 1e-9);  // all bounces are over at fall (1 + e)/(1 - e) = 2.252 s
  CHECK(last_bounce > 1.5);
  CHECK(s.sim.state().energy.total() <= 1e-9);
}

TEST_CASE("the first rebounds of the ball follow the coefficient of restitution") {
  // heights e^2, e^4, e^6 of the first drop
  std::vector<double> tops;
  double before = 1.0, rising = 0.0;
  run_example("bouncing_ball.yaml", {"time.rate=10 kHz", "time.end=1.9 s"},
              [&](const Simulation& sim, const StepReport&) {
                const double z = sim.state().groups[0].q[2];
                if (rising > 0.0 && z < before) tops.push_back(before);
                rising = z - before;
                before = z;
              });
  REQUIRE(tops.size() >= 4);
  for (int n = 0; n < 4; ++n) {
    CAPTURE(n);
    CHECK(tops[static_cast<std::size_t>(n)] ==
          doctest::Approx(std::pow(0.666, 2 * (n + 1))).epsilon(0.01));
  }
}

TEST_CASE("the double pendulum hits its wall without loss and keeps its energy") {
  const Shown s = run_example("double_pendulum.yaml");
  CHECK(s.converged);
  CHECK(s.contact_steps >= 2);
  CHECK(s.worst_residual <= 1e-12);
  CHECK(std::abs(s.energy_left() - 1.0) <= 2e-3);
  CHECK(s.smallest_gap >= -5e-3);  // the law is one of velocities: a step's way at most
  const Shown fine = run_example("double_pendulum.yaml", {"time.step=0.25 ms", "time.end=2 s"});
  CHECK(std::abs(fine.energy_left() - 1.0) <= 2e-4);
}

TEST_CASE("the bar leaves the wall when its wave has come back, with the speed it came with") {
  double first = 0.0, last = 0.0;
  const Shown s =
      run_example("impacting_bar.yaml", {}, [&](const Simulation& sim, const StepReport& report) {
        if (report.impulse <= 1e-6) return;
        if (first == 0.0) first = sim.state().t;
        last = sim.state().t;
      });
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(first == doctest::Approx(1e-4).epsilon(0.02));         // 1 mm at 10 m/s
  CHECK(last - first == doctest::Approx(4e-4).epsilon(0.02));  // 2 L/c
  CHECK(s.energy_left() > 0.98);
  const GroupState& end = s.sim.state().groups[0];
  Vector momentum(end.v.size());
  s.sim.model().groups()[0].dynamics->multiply({1.0, 0.0, 0.0}, 0.0, end.q, end.v, end.v, momentum);
  CHECK(momentum.sum() / 0.8 == doctest::Approx(10.0).epsilon(0.02));  // rho A L = 0.8 kg
}

TEST_CASE("the block climbs v^2/(2 g (sin a + mu cos a)), stops and does not creep back") {
  const double a = 20.0 / 180.0 * std::acos(-1.0), g = 9.81, mu = 0.5;
  const double deceleration = g * (std::sin(a) + mu * std::cos(a));
  const double way = 9.0 / (2.0 * deceleration), stop = 3.0 / deceleration;
  double at_rest = 0.0, ratio = 0.0;
  const Shown s =
      run_example("block_on_slope.yaml", {}, [&](const Simulation& sim, const StepReport& report) {
        const GroupState& block = sim.state().groups[0];
        if (sim.state().t < stop + 2e-3) return;
        if (at_rest == 0.0) at_rest = block.q[0];
        CHECK(std::abs(block.q[0] - at_rest) <= 1e-12);
        CHECK(block.v.norm() <= 1e-12);
        const Vector3& P = sim.state().contacts.at(0).impulse;
        ratio = std::hypot(P[1], P[2]) / P[0];
        CHECK(report.contacts == 1);
      });
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(s.worst_residual <= 1e-12);
  CHECK(at_rest == doctest::Approx(way).epsilon(1e-3));
  CHECK(ratio == doctest::Approx(std::tan(a)).epsilon(1e-8));
  const Shown back = run_example("block_on_slope.yaml", {"contacts[0].law.friction=0.3"});
  const double down = g * (std::sin(a) - 0.3 * std::cos(a));
  const double up = g * (std::sin(a) + 0.3 * std::cos(a)), t = 1.0 - 3.0 / up;
  CHECK(back.sim.state().groups[0].q[0] ==
        doctest::Approx(4.5 / up - 0.5 * down * t * t).epsilon(2e-3));
}

TEST_CASE(
    "the slider waits without creeping until its spring pulls hard enough, then goes in jerks") {
  const Shown s =
      run_example("dragged_slider.yaml", {}, [](const Simulation& sim, const StepReport&) {
        const double t = sim.state().t, x = sim.state().groups[0].q[0], tau = t - 0.25;
        if (tau <= 0.0)
          CHECK(std::abs(x) <= 1e-15);
        else
          CHECK(x == doctest::Approx(0.2 * tau - 0.02 * std::sin(10.0 * tau)).epsilon(1e-3));
      });
  CHECK(s.converged);
  CHECK(s.worst_residual <= 1e-12);
  const Shown never = run_example("dragged_slider.yaml", {"contacts[0].law.bound=100 N"});
  CHECK(std::abs(never.sim.state().groups[0].q[0]) <= 1e-12);
}

TEST_CASE(
    "the felt of the hammer keeps the energy, however stiff it is; by its middle to second order") {
  const auto impact = [](const std::vector<std::string>& set) {
    const Shown s = run_example("hammer_on_string.yaml", set);
    CHECK(s.converged);
    CHECK(s.contact_steps > 30);
    CHECK(s.worst_unexplained <= 1e-12);
    const auto accounts = s.sim.model().accounts();
    const auto at = std::find(accounts.begin(), accounts.end(), "impact") - accounts.begin();
    return std::abs(s.sim.state().ledger[static_cast<std::size_t>(at)]) /
           s.sim.state().energy_start;
  };
  for (const char* stiffness : {"1e7", "1e9", "1e11"}) {
    CAPTURE(stiffness);
    CHECK(impact({"time.end=20 ms", std::string("contacts[0].law.stiffness=") + stiffness}) <=
          1e-12);
  }
  const std::string middle = "contacts[0].law.at=middle";
  const double coarse = impact({"time.end=20 ms", "time.rate=44.1 kHz", middle});
  const double fine = impact({"time.end=20 ms", "time.rate=352.8 kHz", middle});
  CHECK(coarse <= 2e-3);
  CHECK(coarse / fine > 20.0);
}
