// Outputs of whole bodies and of points of a material: energy, stress, strain, the reaction of
// supports.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "run_scene.h"
#include "saltus/base/error.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/nodal_fit.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kG = 9.81;

std::string scene(const std::string& rest) {
  return "saltus: 1\ntime: {end: 0.4 s, step: 1 ms}\n" + rest;
}

}  // namespace

TEST_CASE("the energy of a body is its own share, and the shares add up to that of the run") {
  const std::string text = scene(
      "gravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 3], "
      "velocity: [1, 0, 2], "
      "spin: [1, 2, 3]}}\n"
      "  - {name: b, kind: rigid, rigid: {mass: 1e-3, inertia: [1e-5, 1e-5, 1e-5], position: [500, "
      "0, 1]}}\n"
      "  - {name: jelly, kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [0.2, 0.2, 0.4]}}, "
      "position: [3, 0, 1], "
      "material: {young: 1e5, poisson: 0.3, density: 1000}, stretch: [1.1, 1, 0.95]}}\n"
      "  - {name: wire, kind: modal, origin: [0, 5, 0], string: {length: 1, tension: 50, "
      "linear_density: 0.01, modes: 20}, "
      "pluck: {at: 0.3, height: 5 mm}}\n"
      "  - {name: grains, kind: particles, particles: {mass: [1, 2], positions: [[0, 9, 1], [0, 9, "
      "2]]}}\n"
      "outputs:\n  - {probe: a, quantity: energy}\n  - {probe: b, quantity: energy}\n  - {probe: "
      "jelly, quantity: energy}\n"
      "  - {probe: wire, quantity: energy}\n  - {probe: grains, quantity: energy}\n"
      "  - {probe: a, quantity: kinetic_energy}\n");
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    const Shown run = run_text(text, {mode}, [](const Simulation& sim, const StepReport&) {
      double sum = 0.0;
      for (int i = 0; i < 5; ++i) sum += sim.probe(i);
      const double all = sim.state().energy.total();
      CHECK(std::abs(sum - all) < 1e-12 * std::abs(all));
    });
    const double spin = 0.5 * (0.1 * 1.0 + 0.2 * 4.0 + 0.3 * 9.0);
    CHECK(run.sim.probe(0) ==
          doctest::Approx(0.5 * 2.0 * 5.0 + spin + 2.0 * kG * 3.0).epsilon(1e-9));
    CHECK(run.sim.probe(1) == doctest::Approx(1e-3 * kG).epsilon(1e-9));
    const double speed = 2.0 - kG * 0.4;
    CHECK(run.sim.probe(5) ==
          doctest::Approx(0.5 * 2.0 * (1.0 + speed * speed) + spin).epsilon(1e-9));
    CHECK(run.sim.model().probes()[0].name == "energy of a");
  }
}

TEST_CASE(
    "stress and strain at a point are those of a homogeneous deformation, at nodes and between "
    "them") {
  const std::string text = scene(
      "bodies:\n  - name: block\n    kind: fem\n    fem:\n"
      "      mesh: {box: {size: [1, 0.2, 0.3], cells: [3, 2, 2]}}\n"
      "      material: {law: linear, young: 1e6, poisson: 0.3, density: 1000}\n"
      "  - {name: jelly, kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [0.2, 0.2, 0.4]}}, "
      "position: [3, 0, 1], "
      "material: {young: 1e5, poisson: 0.3, density: 1000}, stretch: [1.2, 1, 0.9]}}\n"
      "outputs:\n"
      "  - {probe: block, at: 7, quantity: strain, component: xx}\n"
      "  - {probe: block, at: [0.37, 0.14, 0.13], quantity: strain, component: xy}\n"
      "  - {probe: block, at: [0.37, 0.14, 0.13], quantity: stress, component: zz}\n"
      "  - {probe: block, at: 0, quantity: stress, component: yz}\n"
      "  - {probe: block, at: 0, quantity: stress}\n"
      "  - {probe: jelly, quantity: strain, component: xx}\n"
      "  - {probe: jelly, quantity: strain, component: zz}\n"
      "  - {probe: jelly, quantity: stress}\n");
  const Model model = build(read_scene_text(text, "test.yaml"));
  Simulation sim(model);
  State state = sim.state();
  Matrix3 H;
  H << 0.01, 0.004, -0.002, 0.001, -0.02, 0.003, 0.005, 0.0, 0.03;
  const auto& fem = dynamic_cast<const Fem&>(*model.groups()[0].dynamics);
  for (int dof = 0; dof < 3 * static_cast<int>(fem.mesh().nodes.cols()); ++dof)
    state.groups[0].q[fem.free_index(dof)] = H.row(dof % 3).dot(fem.mesh().nodes.col(dof / 3));
  const Simulation moved(model, state);
  const Matrix3 E = 0.5 * (H + H.transpose() + H.transpose() * H), e = 0.5 * (H + H.transpose());
  const double mu = 1e6 / 2.6, lambda = 1e6 * 0.3 / (1.3 * 0.4);
  const Matrix3 s = lambda * e.trace() * Matrix3::Identity() + 2.0 * mu * e;
  const Matrix3 d = s - s.trace() / 3.0 * Matrix3::Identity();
  CHECK(std::abs(moved.probe(0) - E(0, 0)) < 1e-13);
  CHECK(std::abs(moved.probe(1) - E(0, 1)) < 1e-13);
  CHECK(std::abs(moved.probe(2) - s(2, 2)) < 1e-10 * s.norm());
  CHECK(std::abs(moved.probe(3) - s(1, 2)) < 1e-10 * s.norm());
  CHECK(std::abs(moved.probe(4) - std::sqrt(1.5) * d.norm()) < 1e-10 * s.norm());
  CHECK(std::abs(moved.probe(5) - 0.5 * (1.44 - 1.0)) < 1e-13);
  CHECK(std::abs(moved.probe(6) - 0.5 * (0.81 - 1.0)) < 1e-13);
  CHECK(moved.probe(7) > 1e3);
  CHECK(model.probes()[1].name == "strain xy of block at [0.37, 0.14, 0.13]");
}

TEST_CASE(
    "stress and strain at a node are those of the frames, in bodies that turn, bend and have "
    "stops") {
  for (const char* more : {"", "form: body_corotational, ", "fixed: [{set: x0}], "}) {
    CAPTURE(std::string(more));
    const std::string text = scene(
        "gravity: [0, 0, -9.81]\nbodies:\n  - {name: block, kind: fem, scheme: moreau-jean, fem: "
        "{" +
        std::string(more) + "mesh: {box: {size: [1, 0.2, 0.3], cells: [4, 1, 2]}}, spin: [0, 0, " +
        (more[0] == 'f' && more[1] == 'i' ? "0" : "2") + "], material: {" +
        std::string(more[0] == 'f' && more[1] == 'o' ? "law: linear, " : "") +
        "young: 1e6, poisson: 0.3, density: 1000}}}\noutputs:\n"
        "  - {probe: block, at: 5, quantity: stress, component: xx}\n"
        "  - {probe: block, at: 5, quantity: stress}\n  - {probe: block, at: 5, quantity: strain, "
        "component: zz}\n");
    const Shown run = run_text(text, {"time.end=0.05"});
    const auto& fem = dynamic_cast<const Fem&>(*run.sim.model().groups()[0].dynamics);
    const auto& at = run.sim.state().groups[0];
    Matrix stress(6, fem.mesh().nodes.cols()), strain(6, fem.mesh().nodes.cols());
    fem.nodal_stress(run.sim.state().t, at.q, stress);
    Vector all(3 * fem.mesh().nodes.cols());
    fem.full(run.sim.state().t, at.q, all);
    nodal_strain(fem.mesh(), all, strain);
    CHECK(run.sim.probe(0) == doctest::Approx(stress(0, 5)).epsilon(1e-12));
    CHECK(run.sim.probe(2) == doctest::Approx(strain(2, 5)).epsilon(1e-12));
    CHECK(std::abs(run.sim.probe(1)) > 1.0);
  }
}

TEST_CASE(
    "the reaction of a fixed or driven body balances what rests on it, hangs on it and pulls it") {
  // a box slides on a plate that moves sideways and up, a pendulum hangs on a fixed post, a mass
  // on a spring pulls a frame
  const std::string text = scene(
      "gravity: [0, 0, -9.81]\nsurfaces: [{law: {kind: newton-impact, friction: 0.3}}]\nbodies:\n"
      "  - {name: plate, kind: rigid, rigid: {shape: {box: {size: [10, 10, 0.2]}}, position: [0, "
      "0, "
      "-0.1], motion: "
      "{x: {rate: 1}, z: {table: [[0, 0], [10, 5]]}}}}\n"
      "  - {name: box, kind: rigid, rigid: {shape: {box: {size: [0.4, 0.4, 0.2]}}, density: 500, "
      "position: [0, 0, 0.1], "
      "velocity: [0, 0, 0.5]}}\n"
      "  - {name: post, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.1, 2]}}, fixed: true, "
      "position: [9, 0, 1]}}\n"
      "  - {name: bob, kind: rigid, rigid: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [9.5, 0, "
      "2], touches: false}}\n"
      "  - {name: rail, kind: rigid, rigid: {fixed: true, position: [20, 0, 0], shape: {sphere: "
      "{radius: 0.01}}, "
      "touches: false}}\n"
      "  - {name: mass, kind: rigid, rigid: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [20.3, "
      "0, 0]}}\n"
      "joints:\n  - {name: hook, kind: ball, between: [post, bob], at: [9, 0, 2]}\n"
      "  - {name: slide, kind: prismatic, between: [mass, rail], at: [20, 0, 0], axis: [1, 0, 0], "
      "slide: {start: -0.3, "
      "spring: {stiffness: 200}, damping: 4}}\n"
      "outputs:\n  - {probe: plate, quantity: reaction, direction: [0, 0, 1]}\n"
      "  - {probe: plate, quantity: reaction, direction: [1, 0, 0]}\n"
      "  - {probe: post, quantity: reaction, direction: [0, 0, 1]}\n"
      "  - {probe: rail, quantity: reaction, direction: [1, 0, 0]}\n"
      "  - {probe: rail, quantity: reaction, direction: [0, 0, 1]}\n"
      "  - {probe: plate, quantity: reaction}\n");
  const double weight = 500.0 * 0.4 * 0.4 * 0.2 * kG;
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    const bool events = std::string_view(mode) == "time.mode=events";
    std::array<Vector3, 2> before{};
    int step = 0;
    run_text(text, {mode, "time.end=0.05"}, [&](const Simulation& sim, const StepReport&) {
      ++step;
      if (step > 3) {
        CHECK(sim.probe(0) == doctest::Approx(weight).epsilon(1e-9));
        CHECK(sim.probe(1) == doctest::Approx(0.3 * weight).epsilon(1e-9));
        CHECK(sim.probe(5) == doctest::Approx(weight * std::sqrt(1.09)).epsilon(1e-9));
      }
      // m v' = sum of forces, of which all but the weight come from the support
      std::array<Vector3, 2> now;
      const GroupState& bodies = sim.state().groups[static_cast<std::size_t>(1)];
      const int bob = 1, mass = 2;
      now[0] = bodies.v.segment<3>(6 * bob);
      now[1] = bodies.v.segment<3>(6 * mass);
      if (step > 1) {
        const Vector3 a = (now[0] - before[0]) / 1e-3, b = (now[1] - before[1]) / 1e-3;
        const double tolerance = events ? 1e-6 : 1e-8;
        CHECK(std::abs(sim.probe(2) - 2.0 * (a[2] + kG)) < tolerance * 20.0);
        CHECK(std::abs(sim.probe(3) - 3.0 * b[0]) < (events ? 1e-6 : 1e-8) * 60.0);
        CHECK(std::abs(sim.probe(4) - 3.0 * (b[2] + kG)) < tolerance * 30.0);
      }
      before = now;
    });
  }
}

TEST_CASE("the reaction of a turning body balances a spring along its radius to second order") {
  // a mass on a springy slide along the radius of a table that turns at 5 rad/s
  const std::string text = scene(
      "bodies:\n  - {name: table, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, touches: "
      "false, motion: {angle: "
      "{rate: 5}, axis: [0, 0, 1]}}}\n"
      "  - {name: mass, kind: rigid, rigid: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, "
      "0], velocity: [0, 2.5, "
      "0], spin: [0, 0, 5]}}\n"
      "joints:\n  - {kind: prismatic, between: [table, mass], at: [0.5, 0, 0], axis: [1, 0, 0], "
      "slide: {spring: {stiffness: "
      "200}, damping: 2}}\n"
      "outputs:\n  - {probe: table, quantity: reaction, direction: [1, 0, 0]}\n"
      "  - {probe: table, quantity: reaction, direction: [0, 1, 0]}\n");
  double worst[2] = {0.0, 0.0};
  for (const int n : {0, 1}) {
    const double h = n == 0 ? 4e-3 : 1e-3;
    Vector3 before(0.0, 2.5, 0.0);
    run_text(text, {n == 0 ? "time.step=4e-3" : "time.step=1e-3"},
             [&](const Simulation& sim, const StepReport&) {
               const Vector3 now = sim.state().groups[1].v.head<3>();
               const Vector3 force = 2.0 * (now - before) / h;
               worst[n] = std::max({worst[n], std::abs(sim.probe(0) - force[0]),
                                    std::abs(sim.probe(1) - force[1])});
               before = now;
             });
  }
  CHECK(worst[0] < 0.02);  // of 60 N
  CHECK((worst[0] < 1e-9 || worst[1] < worst[0] / 8.0));
}

TEST_CASE("outputs of what a body does not have, or has as a whole, are refused by name") {
  struct Row {
    const char* output;
    const char* says;
  };
  const std::string bodies = scene(
      "bodies:\n  - {name: ball, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
      "  - {name: led, kind: rigid, rigid: {shape: {sphere: {radius: 1}}, touches: false, motion: "
      "{x: {rate: 1}}}}\n"
      "  - {name: block, kind: fem, fem: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, "
      "material: {young: 1e6, "
      "poisson: 0.3, density: 1000}}}\n");
  for (const Row x :
       {Row{"probe: ball, quantity: stress, at: [0, 0, 0]", "has no stress"},
        Row{"probe: block, quantity: strain, at: 0", "component"},
        Row{"probe: block, quantity: strain, at: 0, component: von_mises", "stress"},
        Row{"probe: block, quantity: stress, at: 0, direction: [1, 0, 0]", "component"},
        Row{"probe: block, quantity: stress", "`at` is missing"},
        Row{"probe: ball, quantity: energy, at: [0, 0, 0]", "a whole body has"},
        Row{"probe: ball, quantity: velocity, at: [0, 0, 0], component: xx", "component"},
        Row{"probe: led, quantity: energy", "no mass"},
        Row{"probe: led, quantity: reaction", "no contacts and no joints"},
        Row{"probe: led, quantity: reaction, at: [0, 0, 0]", "whole body"}}) {
    CAPTURE(x.output);
    std::string text;
    try {
      build(read_scene_text(bodies + "outputs:\n  - {" + x.output + "}\n", "test.yaml"));
    } catch (const SceneError& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.find(x.says) != std::string::npos);
  }
}
