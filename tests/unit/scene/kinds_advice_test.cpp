// Steps above the stability limit, found before the first step; and which schemes move which kinds.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "saltus/advice/advice.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/particles.h"
#include "saltus/kinds/kinds.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"

using namespace saltus;
using std::numbers::pi;

namespace {

FastestMode fastest(const Dynamics& body, const Vector& q) {
  return fastest_mode(body, {q, Vector::Zero(body.velocities()), {}});
}
FastestMode fastest(const LinearSystem& system) {
  const Linear body(system);
  return fastest(body, Vector::Zero(body.positions()));
}

Model model_of(const std::string& body, double h, const std::string& rest = "") {
  return build(read_scene_text("saltus: 1\ntime: {end: " + std::to_string(1000.0 * h) +
                                   ", step: " + std::to_string(h) + "}\nbodies: [{name: b, " +
                                   body + "}]\n" + rest,
                               "scene.yaml"));
}
std::string warning(const std::string& body, double h, const std::string& rest = "") {
  const Model model = model_of(body, h, rest);
  std::string all;
  for (const std::string& text : model.warnings()) all += text + "\n";
  return all;
}
bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the fastest motion of a linear system is found to a per cent, from below") {
  for (int n : {1, 2, 10, 300}) {
    CAPTURE(n);
    // fixed ends: omega_j = 2 sqrt(k/m) sin(j pi/(2 (n + 1)))
    const double exact = 2.0 * std::sqrt(40.0 / 0.1) * std::sin(n * pi / (2.0 * (n + 1)));
    const double found = fastest(chain(n, 0.1, 40.0, 0.0, ChainEnds::fixed_fixed)).omega;
    CHECK(found <= exact * (1.0 + 1e-9));
    CHECK(found >= exact * 0.99);
  }
  // consistent mass, free ends: omega = sqrt(12) c/l for the element length l
  BarMesh mesh;
  mesh.elements = 200;
  mesh.young = 4.0;
  const double exact = std::sqrt(12.0) * 2.0 * 200.0;
  CHECK(fastest(bar(mesh)).omega == doctest::Approx(exact).epsilon(0.01));
  mesh.lumped = true;
  CHECK(fastest(bar(mesh)).omega == doctest::Approx(2.0 * 2.0 * 200.0).epsilon(0.01));
}

TEST_CASE("its damping ratio comes with it") {
  CHECK(fastest(oscillator(2.0, 50.0, 4.0)).xi == doctest::Approx(4.0 / (2.0 * std::sqrt(100.0))));
  LinearSystem system = chain(30, 1.0, 100.0, 0.0, ChainEnds::fixed_free);
  system.rayleigh = {0.5, 0.01};
  const FastestMode mode = fastest(system);
  CHECK(mode.xi == doctest::Approx(0.5 * (0.5 / mode.omega + 0.01 * mode.omega)).epsilon(1e-6));
  CHECK(fastest(oscillator(1.0, 0.0)).omega == 0.0);
}

TEST_CASE("it is found for unsymmetric tangents and for bodies that are not linear") {
  LinearSystem system;
  system.mass = SparseMatrix::identity(2);
  Matrix K{{4.0, 1.0}, {-0.5, 9.0}};
  system.stiffness = SparseMatrix::from(K);
  const double high = 0.5 * (13.0 + std::sqrt(169.0 - 4.0 * (36.0 + 0.5)));
  CHECK(fastest(system).omega == doctest::Approx(std::sqrt(high)).epsilon(1e-6));

  const Lagrangian arm(pendulum({1.0, 2.0, 9.81, 0.0, Vector3::Zero()}));
  CHECK(fastest(arm, Vector{{0.0}}).omega == doctest::Approx(std::sqrt(9.81 / 2.0)));
  CHECK(fastest(arm, Vector{{pi}}).omega == 0.0);  // it falls over, it does not swing

  const Lagrangian two(n_pendulum({}));
  CHECK(fastest(two, Vector::Zero(2)).omega ==
        doctest::Approx(std::sqrt(9.81 * (2.0 + std::sqrt(2.0)))).epsilon(1e-6));

  ParticleSystem balls;
  balls.mass = Vector{{1.0, 3.0}};
  Spring spring;
  spring.j = 1;
  spring.stiffness = 12.0;
  spring.length = 1.0;
  balls.springs.push_back(spring);
  CHECK(fastest(Particles(balls), Vector{{0, 0, 0, 1, 0, 0}}).omega ==
        doctest::Approx(std::sqrt(12.0 * (1.0 + 1.0 / 3.0))));
}

TEST_CASE("a step above the limit is told with the limit, a step below is not") {
  const std::string stiff = "kind: linear, oscillator: {mass: 1, stiffness: 1e4}, scheme: ";
  for (const char* scheme :
       {"central-difference", "euler-explicit", "variational-symplectic", "def-exp"}) {
    CAPTURE(scheme);
    CHECK(warning(stiff + scheme, 0.0199).empty());
    const std::string told = warning(stiff + scheme, 0.0201);
    CHECK(holds(told, "bodies[0].scheme: h = 0.0201 s is above the stability limit of " +
                          std::string(scheme) + " for 'b', about 0.02 s"));
    CHECK(holds(told, "about 100 rad/s"));
    CHECK(holds(told, "a scheme without a limit: moreau-jean, euler-implicit, newmark"));
    CHECK(!holds(told, "modal-exact"));
  }
  for (const char* scheme : {"moreau-jean", "euler-implicit", "newmark", "generalized-alpha"})
    CHECK(warning(stiff + scheme, 0.5).empty());
  // the warning and the motion agree on both sides of the limit
  for (double h : {0.0195, 0.0205}) {
    const Model model = model_of(stiff + "central-difference, initial: {coordinates: [1]}", h);
    Simulation sim(model);
    for (int k = 0; k < 400; ++k) sim.advance();
    const bool grew = !(std::abs(sim.state().groups[0].q[0]) < 10.0);
    CHECK(grew == !model.warnings().empty());
  }
}

TEST_CASE("a scheme that makes undamped motion grow is told so at any step") {
  const std::string body = "kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: ";
  const std::string told = warning(body + "{kind: euler-explicit, symplectic: false}", 1e-4);
  CHECK(holds(
      told, "grow, as that of 'b' at about 1 rad/s, whatever the step; use damping, or a scheme"));
  CHECK(warning("kind: linear, oscillator: {mass: 1, stiffness: 1, damping: 0.2}, scheme: {kind: "
                "euler-explicit, symplectic: false}",
                0.19)
            .empty());
}

TEST_CASE("modal bodies are told how many of their modes grow, from their own frequencies") {
  const std::string modes =
      "kind: modal, modes: {omega: [10, 100, 200]}, scheme: central-difference";
  CHECK(warning(modes, 0.0099).empty());
  CHECK(holds(warning(modes, 0.011),
              "central-difference makes 1 mode of 'b' grow at h = 0.011 s, the "
              "longest stable step is 0.01 s; use a shorter step"));
  CHECK(holds(warning(modes, 0.021), "makes 2 modes of 'b' grow"));
}

TEST_CASE("newmark away from beta = gamma/2 is told where it meets an obstacle") {
  const std::string body =
      "kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: {kind: newmark, beta: 0.3025, "
      "gamma: "
      "0.6}";
  const std::string stop =
      "contacts: [{on: b, against: {stop: {at: -1, side: below}}, law: newton-impact}]\n";
  CHECK(warning(body, 0.01).empty());
  CHECK(holds(warning(body, 0.01, stop), "lets 'b' climb when it rests on an obstacle"));
  CHECK(warning("kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: newmark", 0.01, stop)
            .empty());
}

TEST_CASE("the table of kinds and schemes is what the model accepts") {
  REQUIRE(kinds().size() == names_of(BodyKind{}).size());
  for (std::size_t i = 0; i < kinds().size(); ++i)
    CHECK(kinds()[i].name == names_of(BodyKind{})[i].name);
  const auto scheme = [](std::string_view name) {
    for (const SchemeRow& row : schemes())
      if (row.name == name) return row.make_default();
    FAIL("no such scheme");
    return schemes()[0].make_default();
  };
  CHECK(kinds_for(*scheme("modal-exact")) == "modal");
  CHECK(kinds_for(*scheme("moreau-jean")) ==
        "modal, linear, lagrangian, particles, rigid, pseudo-rigid, fem, beam");
  CHECK(kinds_for(*scheme("variational-symplectic")) ==
        "modal, linear, particles, rigid, pseudo-rigid, fem, beam; lagrangian with constant mass");
  CHECK(kinds_for(*scheme("rig-mid")) == "rigid");
  CHECK(kinds_for(*scheme("splitting")) ==
        "modal, linear, particles, rigid, fem, beam; pseudo-rigid, all without damping");
  CHECK(holds(kinds_for(*scheme("discrete-gradient")), "lagrangian with constant mass"));
  // each scheme on one body of each kind: build agrees with the table
  for (const SchemeRow& row : schemes())
    for (const char* body :
         {"kind: modal, modes: {omega: [1]}", "kind: linear, oscillator: {mass: 1, stiffness: 1}",
          "kind: linear, matrices: {mass: [1, 1], stiffness: [[1, 1], [0, 1]]}",
          "kind: lagrangian, pendulum: {}",
          "kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1, 1]}",
          "kind: particles, particles: {mass: [1], positions: [[0, 0, 0]]}",
          "kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}",
          "kind: rigid, rigid: {mass: 1, inertia: [1, 2, 2]}",
          "kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [1, 1, 1]}}, material: {young: "
          "1, poisson: 0.3, density: 1}}",
          "kind: fem, fem: {mesh: {box: {kind: tet4, cells: [1, 1, 1], size: [1, 1, 1]}}, "
          "material: {young: 1, poisson: 0.3, density: 1}}",
          "kind: beam, beam: {start: [0, 0, 0], end: [1, 0, 0], axial: 1, bending: 1, "
          "linear_density: 1}"}) {
      CAPTURE(body);
      CAPTURE(row.name);
      const unsigned traits = model_of(body, 1e-3).groups()[0].dynamics->traits();
      const std::unique_ptr<Scheme> made = row.make_default();
      std::string fault;
      try {
        model_of(std::string(body) + ", scheme: " + std::string(row.name), 1e-3);
      } catch (const SceneError& error) {
        fault = error.what();
      }
      CHECK(fault.empty() == fits(*made, traits));
      if (!fault.empty()) {
        CHECK(holds(fault, "bodies[0].scheme: '" + std::string(row.name) + "' "));
        CHECK(holds(fault, "allowed here: " + schemes_for(traits)));
      }
    }
}
