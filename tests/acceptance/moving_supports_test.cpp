// Bodies some of whose degrees of freedom move far as they are told: the others follow by the right stiffness and damping, the
// energy is that of where everything is, and what holds them bears contacts and joints.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"
#include "saltus/bodies/particles.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A bar of 0.4 m whose end is pulled to half as long again; by symmetry its middle follows by half of that.
std::string pulled(const std::string& law, const std::string& scheme, const std::string& step) {
  return R"(
saltus: 1
time: {end: 1 s, step: )" +
         step + R"(}
bodies:
  - name: bar
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [4, 1, 1], size: [0.4, 0.1, 0.1]}}
      material: {law: )" +
         law + R"(, young: 1 MPa, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
      prescribed: [{set: x1, x: {table: [[0, 0], [0.5, 0.1], [1, 0.2]], smooth: true}, y: {constant: 0}, z: {constant: 0}}]
    rayleigh: {mass: 20}
    scheme: )" +
         scheme + R"(
outputs:
  - {probe: bar, name: mid, at: [0.2, 0, 0], direction: [1, 0, 0], quantity: displacement}
  - {probe: bar, name: pull, at: x1, direction: [1, 0, 0], quantity: reaction}
)";
}

double account(const Simulation& sim, const std::string& name) {
  const auto accounts = sim.model().accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i)
    if (accounts[i] == name) return sim.state().ledger[i];
  return 0.0;
}

/// A mass on a spring with a dashpot, whose other end goes round in a circle about the origin.
MovingBody led_round() {
  ParticleSystem system;
  system.mass = Vector::Constant(2, 1.0);
  system.springs = {Spring{.i = 0, .j = 1, .stiffness = 200.0, .length = 0.5, .damping = 5.0}};
  const double omega = 2.0 * M_PI * 0.8;
  system.prescribed = {{0, Signal::harmonic(0.3, omega, 0.0)},
                       {1, Signal::harmonic(0.3, omega, -0.5 * M_PI)},
                       {2, Signal::constant(0.0)}};
  MovingBody moving;
  moving.dynamics = std::make_shared<Particles>(system);
  moving.q = Vector3(0.8, 0.0, 0.0);
  moving.v = Vector3::Zero();
  return moving;
}

Vector place_at(double t, const SchemeChoice& scheme, double h) {
  Simulation sim{Model(one_group(led_round(), scheme, h))};
  for (int k = 0; k < static_cast<int>(std::lround(t / h)); ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
  }
  return sim.state().groups[0].q;
}

}  // namespace

TEST_CASE(
    "a bar is pulled to half as long again by every scheme, and its energy is accounted for") {
  struct Row {
    const char *law, *scheme, *step;
  };
  for (const Row& row :
       {Row{"neo_hooke", "def-exp", "0.5 ms"}, Row{"neo_hooke", "def-lim", "2 ms"},
        Row{"neo_hooke", "moreau-jean", "5 ms"}, Row{"neo_hooke", "newmark", "5 ms"},
        Row{"neo_hooke", "discrete-gradient", "5 ms"}, Row{"corotated", "def-lim", "2 ms"},
        Row{"corotated", "moreau-jean", "5 ms"},
        Row{"st_venant_kirchhoff", "moreau-jean", "5 ms"}}) {
    CAPTURE(row.law);
    CAPTURE(row.scheme);
    double most = 0.0;
    const Shown run = run_text(pulled(row.law, row.scheme, row.step), {},
                               [&](const Simulation& s, const StepReport&) {
                                 most = std::max(most, s.state().energy.total());
                               });
    REQUIRE(run.converged);
    CHECK(run.sim.probe(0) == doctest::Approx(0.1).epsilon(1e-3));
    // the end is pulled with the force that the work of the motion has: about E A times the strain, 1 MPa on 100 cm^2
    CHECK(run.sim.probe(1) > 1000.0);
    const double end = run.sim.state().energy.total(), given = account(run.sim, "prescribed");
    CHECK(end > 300.0);  // a bar that is pulled quasi-statically: half the force times the way
    CHECK(end < 0.6 * run.sim.probe(1) * 0.2);
    CHECK(given + account(run.sim, "damping") + account(run.sim, "scheme") +
              account(run.sim, "unexplained") ==
          doctest::Approx(end).epsilon(1e-9));
    CHECK(std::abs(account(run.sim, "damping")) < 0.05 * end);
    CHECK(std::abs(account(run.sim, "scheme") + account(run.sim, "unexplained")) < 0.01 * end);
  }
}

TEST_CASE("a mass that is led round by a spring and a dashpot is of the order of its scheme") {
  const Vector exact = place_at(2.0, RungeKuttaOptions{}, 2.5e-4);
  DefLimOptions def_lim;
  MoreauJeanOptions one_pass;
  one_pass.newton = MoreauJeanOptions::Newton::one_pass;
  const std::vector<std::pair<std::string, SchemeChoice>> schemes{
      {"def-lim", def_lim},
      {"moreau-jean in one pass", one_pass},
      {"moreau-jean", MoreauJeanOptions{}},
      {"newmark", NewmarkOptions{}}};
  for (const auto& [name, scheme] : schemes) {
    CAPTURE(name);
    const double coarse = (place_at(2.0, scheme, 2.5e-3) - exact).norm(),
                 fine = (place_at(2.0, scheme, 1.25e-3) - exact).norm();
    CAPTURE(coarse);
    CHECK(std::log2(coarse / fine) == doctest::Approx(2.0).epsilon(0.1));
  }
}

TEST_CASE("stiffness, damping and potential are those of where prescribed motion is") {
  const MovingBody moving = led_round();
  const Dynamics& body = *moving.dynamics;
  const Vector q = Vector3(0.4, 0.5, 0.1), still = Vector::Zero(3);
  for (const double t : {0.0, 0.3125, 1.7}) {
    CAPTURE(t);
    const double omega = 1.6 * M_PI, c = 0.3 * std::cos(omega * t), s = 0.3 * std::sin(omega * t);
    const Vector with_centre = Vector3(-omega * s, omega * c, 0.0);  // the dashpot is at rest
    Vector up(3), down(3), product(3);
    for (int j = 0; j < 3; ++j) {
      const Vector e = Vector3::Unit(j), d = 1e-6 * e;
      body.force(t, q + d, with_centre, up);
      body.force(t, q - d, with_centre, down);
      body.multiply({0.0, 0.0, 1.0}, t, q, with_centre, e, product);
      CHECK((product - (down - up) / 2e-6).norm() < 1e-6);
      body.force(t, q, with_centre + d, up);
      body.force(t, q, with_centre - d, down);
      body.multiply({0.0, 1.0, 0.0}, t, q, with_centre, e, product);
      CHECK((product - (down - up) / 2e-6).norm() < 1e-7);
    }
    CHECK(has(body.traits(), Trait::driven));
    CHECK(body.energy(t, q, still).potential ==
          doctest::Approx(100.0 * std::pow((q - Vector3(c, s, 0.0)).norm() - 0.5, 2)));
    body.potential_force(t, q, up);
    body.force(t, q, with_centre, down);
    CHECK((up - down).norm() < 1e-12);
  }
}

TEST_CASE("what holds a particle or a node bears the joints on it") {
  const std::string bob = R"(
  - name: bob
    kind: particles
    particles: {mass: [2], positions: [[0, 0, -1]], gravity: [0, 0, -9.81]}
)";
  const std::string hook = R"(
saltus: 1
time: {end: 50 ms, step: 1 ms}
bodies:
  - name: hook
    kind: particles
    particles: {mass: [1, 1], positions: [[0, 0, 0], [0, 5, 0]]}
    prescribed: [{dof: 0, constant: 0}, {dof: 1, constant: 0}, {dof: 2, constant: 0}]
)" + bob;
  const std::string probe = R"(
outputs:
  - {probe: hook, name: R, at: 2, quantity: reaction}
  - {probe: bob, name: z, at: 0, direction: [0, 0, 1], quantity: displacement}
)";
  SUBCASE("a distance") {
    const Shown run = run_text(hook + R"(
joints:
  - {name: l, kind: distance, between: [hook, bob], first: {at: 0}, second: {at: 0}}
)" + probe);
    CHECK(run.sim.probe(0) == doctest::Approx(2.0 * 9.81).epsilon(1e-9));
  }
  SUBCASE("a spring along a line") {
    const Shown run = run_text(hook + R"(
joints:
  - {name: l, kind: line, between: [hook, bob], first: {at: 0}, second: {at: 0}, slide: {spring: {stiffness: 1000}}}
)" + probe);
    const double omega = std::sqrt(1000.0 / 2.0), t = 0.05 - 0.5e-3;  // mean of the last step
    CHECK(run.sim.probe(0) ==
          doctest::Approx(2.0 * 9.81 * (1.0 - std::cos(omega * t))).epsilon(1e-3));
  }
  SUBCASE("a distance in event-driven integration") {
    const Shown run = run_text(hook + R"(
joints:
  - {name: l, kind: distance, between: [hook, bob], first: {at: 0}, second: {at: 0}}
)" + probe,
                               {"time.mode=events"});
    CHECK(run.sim.probe(0) == doctest::Approx(2.0 * 9.81).epsilon(1e-7));
  }
  SUBCASE("a support of finite elements") {
    const Shown run = run_text(R"(
saltus: 1
time: {end: 0.1 s, step: 1 ms}
bodies:
  - name: bar
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [2, 1, 1], size: [0.2, 0.1, 0.1]}}
      material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
    scheme: def-lim
)" + bob + R"(
joints:
  - {name: l, kind: distance, between: [bar, bob], first: {at: [0, 0, 0]}, second: {at: 0}}
outputs:
  - {probe: bar, name: R, at: x0, direction: [0, 0, 1], quantity: reaction}
)");
    CHECK(run.sim.probe(0) == doctest::Approx(2.0 * 9.81).epsilon(1e-9));
  }
}
