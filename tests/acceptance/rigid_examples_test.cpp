// The examples of rigid bodies run past their event and show what their first lines say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("the wooden block slides as far as friction 0.5 lets it, the rubber one does not creep") {
  const Shown s = run_example("block_on_incline.yaml");
  CHECK(s.converged);
  // under the theta and midpoint rules a constant acceleration is exact
  const double a = 9.81 * (0.5 - 0.5 * std::sqrt(0.75));
  CHECK(s.sim.probe(0) == doctest::Approx(0.5 * a).epsilon(1e-9));
  CHECK(std::abs(s.sim.probe(1)) <= 1e-12);
  CHECK(s.worst_unexplained <= 1e-12);
}

TEST_CASE("five schemes agree on the axis of a heavy top to three digits") {
  const Shown s = run_example("spinning_tops.yaml");
  CHECK(s.converged);
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(std::abs(s.sim.probe(i) - s.sim.probe(4)) <= 5e-5);  // of 0.05 m
  }
}

TEST_CASE(
    "a handle that spins about its middle axis turns over and is exact, in one step or eighty") {
  int turns = 0;
  double last = 1.0;
  const Shown s =
      run_example("tumbling_handle.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        const double rate = sim.state().groups[0].v[4];  // about the middle axis
        if (rate * last < 0.0) ++turns;
        last = rate;
      });
  CHECK(s.converged);
  CHECK(turns >= 4);
  CHECK(s.worst_unexplained <= 1e-13);
  const Shown once =
      run_example("tumbling_handle.yaml", {"bodies[1].scheme=splitting", "time.step=40 s"});
  CHECK(once.steps == 1);
  CHECK(std::abs(once.sim.probe(0) - s.sim.probe(0)) <= 1e-10);
}

TEST_CASE(
    "Newton's law at all contacts at once sends the first ball back, impacts in turn the last one "
    "on") {
  const Shown s = run_example("newton_cradle.yaml");
  CHECK(s.converged);
  const double expected[] = {-0.6, 0.4, 0.0, 1.0};
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(std::abs(s.sim.probe(i) - expected[i]) <= 1e-12);
  }
  CHECK(std::abs(s.energy_left() - 1.0) <= 1e-12);
}

TEST_CASE("of two arches the one above the critical thickness stands, the other falls") {
  const Shown s = run_example("arch.yaml");
  CHECK(s.converged);
  const auto& v = s.sim.state().groups[0].v;
  const Eigen::Index thick = 6 * 27;
  // all blocks of an arch weigh and turn alike: compare their largest speeds
  CHECK(v.head(thick).cwiseAbs().maxCoeff() <= 2e-3);
  CHECK(v.tail(thick).cwiseAbs().maxCoeff() >= 0.1);
  CHECK(s.sim.probe(1) < -0.03);
  CHECK(std::abs(s.sim.probe(0)) <= 1e-6);
}

TEST_CASE("the stack of ten cubes stands where it was put") {
  const Shown s = run_example("stack.yaml", {"time.end=2 s"});
  CHECK(s.converged);
  CHECK(std::abs(s.sim.probe(0)) <= 1e-12);
  CHECK(s.sim.state().groups[0].v.cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("the drum carries the balls up its side and pays for it") {
  const Shown s = run_example("drum.yaml", {"time.end=0.3 s"});
  CHECK(s.converged);
  CHECK(s.contact_steps >= 100);
  const auto accounts = s.sim.model().accounts();
  const auto drive = std::find(accounts.begin(), accounts.end(), "prescribed");
  REQUIRE(drive != accounts.end());
  CHECK(s.sim.state().ledger[static_cast<std::size_t>(drive - accounts.begin())] > 0.0);
}

TEST_CASE("every example of rigid bodies starts without a doubt and takes its first steps") {
  for (const char* name : {"dominoes.yaml", "wall.yaml", "sphere_pile.yaml", "euler_disk.yaml"}) {
    CAPTURE(name);
    const Shown s = run_example(name, {"time.end=20 ms", "time.step=1 ms"});
    CHECK(s.converged);
    CHECK(s.sim.model().warnings().empty());
  }
}
