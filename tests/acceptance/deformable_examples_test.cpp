// The examples of deformable bodies run past their event and show what their first lines say.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("the cantilever settles where beam theory says, and straight elements lock") {
  const Shown s = run_example("cantilever.yaml");
  CHECK(s.converged);
  const double EI = 1e7 * 1e-4 / 12.0, GA = 5.0 / 6.0 * 1e7 / 2.6 * 0.01;
  CHECK(s.sim.probe(0) == doctest::Approx(-1.0 / (3.0 * EI) - 1.0 / GA).epsilon(0.01));
  const Shown locked = run_example("cantilever.yaml", {"bodies[0].fem.mesh.box.kind=quad4"});
  CHECK(std::abs(locked.sim.probe(0)) < 0.8 * std::abs(s.sim.probe(0)));
}

TEST_CASE("a large force bends the cantilever less than the straight beam would say") {
  const Shown s = run_example("cantilever.yaml", {"bodies[0].fem.loads[0].force=[0, -50 N, 0]"});
  CHECK(s.converged);
  CHECK(s.sim.probe(0) > -0.2016);
  CHECK(s.sim.probe(0) < -0.19);
}

TEST_CASE("the elastic bar pushes with rho c v for 2 L/c, without ripple, and loses no energy") {
  double first = 0.0, last = 0.0, least = 1e300, most = 0.0, impulse = 0.0;
  const Shown s =
      run_example("elastic_bar.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        const double t = sim.state().t, force = sim.probe(0);
        impulse += 5e-4 * force;
        if (force <= 150.0) return;
        if (first == 0.0) first = t;
        last = t;
        if (t < 0.55 || t > 1.1) return;
        least = std::min(least, force);
        most = std::max(most, force);
      });
  CHECK(s.converged);
  CHECK(first == doctest::Approx(0.5).epsilon(0.01));
  CHECK(last == doctest::Approx(0.5 + 20.0 / 30.0).epsilon(0.01));
  CHECK(least >= 0.998 * 300.0);
  CHECK(most <= 1.002 * 300.0);
  CHECK(impulse == doctest::Approx(200.0).epsilon(0.01));  // the mesh keeps 1 % in vibrations
  CHECK(s.energy_left() == doctest::Approx(1.0).epsilon(1e-4));
}

TEST_CASE(
    "the rubber ball falls freely, is pressed flatter, and comes back to 87 % of its height") {
  double lowest = 0.0, after = -1e300;
  const Shown s =
      run_example("rubber_ball.yaml", {}, [&](const Simulation& sim, const StepReport&) {
        const double z = sim.probe(0);
        if (z < lowest) {
          lowest = z;
          after = z;
        }
        after = std::max(after, z);
      });
  CHECK(s.converged);
  CHECK(lowest < -0.152);  // its centre, free to -0.15 m
  CHECK(after == doctest::Approx(-0.15 * 0.13).epsilon(0.05));
}

TEST_CASE("the soft block stops where a rigid one would, to a per cent") {
  const Shown s = run_example("soft_block.yaml");
  CHECK(s.converged);
  CHECK(s.sim.probe(0) == doctest::Approx(1.0 / (2.0 * 0.3 * 9.81)).epsilon(0.01));
  CHECK(s.worst_unexplained <= 1e-8);
}

TEST_CASE("the stack of soft blocks is pressed by its own weight as a column is") {
  const Shown s = run_example("soft_stack.yaml");
  CHECK(s.converged);
  const double column = 1000.0 * 9.81 / 50e3 * 0.3 * 0.3 / 2.0;
  CHECK(s.sim.probe(0) == doctest::Approx(-column).epsilon(0.05));
  CHECK(s.sim.state().groups[0].v.cwiseAbs().maxCoeff() <= 1e-4);
}

TEST_CASE("the jelly cube ends on the floor, at rest but for what its viscosity still brakes") {
  const Shown s = run_example("soft_cube.yaml");
  CHECK(s.converged);
  CHECK(s.sim.probe(0) == doctest::Approx(-0.25).epsilon(0.01));  // from 0.3 m down to half an edge
  CHECK(s.energy_left() < 0.2);
}

TEST_CASE("the rubber mount swings under its load by the stiffness of its rubber") {
  double least = 1e300, most = -1e300;
  const Shown s = run_example("mount.yaml", {}, [&](const Simulation& sim, const StepReport&) {
    if (sim.state().t < 0.1) return;
    least = std::min(least, sim.probe(0));
    most = std::max(most, sim.probe(0));
  });
  CHECK(s.converged);
  // F t/(E A) would be 0.94 mm at 200 N; the plates hold the rubber in at its sides, which halves it
  CHECK(0.5 * (least + most) == doctest::Approx(-0.456e-3).epsilon(0.02));
  CHECK(most - least == doctest::Approx(0.442e-3).epsilon(0.05));
}

TEST_CASE(
    "the half sphere rests on its contact with the force on it, nearly as deep as Hertz says") {
  StepReport last;
  const Shown s =
      run_example("hertz.yaml", {}, [&](const Simulation&, const StepReport& r) { last = r; });
  CHECK(s.converged);
  const double modulus = 1e6 / (1.0 - 0.09), radius = 0.05;
  const double a = std::cbrt(0.75 * 6.33 * radius / modulus);
  CHECK(s.sim.probe(0) == doctest::Approx(-a * a / radius).epsilon(0.12));
  CHECK(s.sim.probe(0) > -a * a / radius);  // the middle, under a load that lies evenly
  CHECK(s.sim.state().groups[0].v.cwiseAbs().maxCoeff() <= 1e-6);
  CHECK(last.contacts > 12);
}

TEST_CASE("the rod bends to the elastica, and the stop holds it when it is let go") {
  for (const auto& [force, across, along] :
       {std::array{-10.0, 0.81061, 0.55500}, std::array{-1.0, 0.30172, 0.05643}}) {
    CAPTURE(force);
    double bent_across = 0.0, bent_along = 0.0, most = -1e300, energy = 0.0, rise = 0.0;
    const Shown s = run_example(
        "fishing_rod.yaml", {"bodies[0].beam.loads[0].force=[0, 0, " + std::to_string(force) + "]"},
        [&](const Simulation& sim, const StepReport&) {
          if (sim.state().t < 4.0 - 1e-9) {
            bent_along = sim.probe(0);
            bent_across = sim.probe(1);
          } else if (sim.state().t > 4.003) {
            most = std::max(most, sim.probe(1));
            if (energy > 0.0) rise = std::max(rise, sim.state().energy.total() - energy);
            energy = sim.state().energy.total();
          }
        });
    CHECK(s.converged);
    CHECK(bent_across == doctest::Approx(-across).epsilon(1e-3));
    CHECK(bent_along == doctest::Approx(-along).epsilon(1e-3));
    CHECK(rise <= 1e-3);
    if (force == -10.0) {
      CHECK(s.contact_steps > 5);
      CHECK(most == doctest::Approx(0.3).epsilon(1e-3));
    } else {
      CHECK(s.contact_steps == 0);
      CHECK(most < 0.3);
    }
  }
}

TEST_CASE("the struck plate takes the hammer's energy and rings without its account losing any") {
  const Shown s = run_example("struck_plate.yaml");
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-13);
  CHECK(static_cast<double>(s.contact_steps) / 176.4e3 == doctest::Approx(0.27e-3).epsilon(0.1));
  CHECK(s.energy_left() == doctest::Approx(0.2646).epsilon(0.01));
}

TEST_CASE("the struck plate that keeps its two places rings as the one in its modes, near enough") {
  const std::string kept =
      "bodies[0].fem.modes={count: 80, keep: [{at: [0.1, 0.05, 0.004]}, {at: [0.25, 0.05, "
      "0.004]}]}";
  const Shown s = run_example("struck_plate.yaml", {kept, "time.end=50 ms"});
  const Shown modal = run_example("struck_plate.yaml", {"time.end=50 ms"});
  CHECK(s.converged);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(s.energy_left() == doctest::Approx(modal.energy_left()).epsilon(0.02));
}
