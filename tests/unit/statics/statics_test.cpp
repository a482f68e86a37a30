// Equilibria against closed forms: bars stretched to twice their length, a rubber cantilever, contacts, friction, buckling.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"
#include "saltus/base/error.h"
#include "saltus/state/failure_words.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kYoung = 1e6, kPoisson = 0.3;

std::string scene_of(const std::string& time, const std::string& rest) {
  return fmt::format("saltus: 1\ntime: {{mode: static, {}}}\n{}", time, rest);
}

/// A bar 2 x 1 x 1 m that may contract across, with a force along x on its end.
std::string bar(const std::string& law, double force, const std::string& time,
                const std::string& cells = "[2, 1, 1]") {
  return scene_of(time, fmt::format(R"(
bodies:
  - name: bar
    kind: fem
    fem:
      mesh: {{box: {{kind: hex8, cells: {}, size: [2, 1, 1]}}}}
      material: {{law: {}, young: 1 MPa, poisson: 0.3, density: 1000}}
      fixed: [{{set: x0, axes: [x]}}, {{set: y0, axes: [y]}}, {{set: z0, axes: [z]}}]
      loads: [{{set: x1, force: [{:.17g}, 0, 0]}}]
outputs:
  - {{probe: bar, name: along, at: [2, 1, 1], direction: [1, 0, 0], quantity: displacement}}
  - {{probe: bar, name: across, at: [2, 1, 1], direction: [0, 1, 0], quantity: displacement}}
)",
                                    cells, law, force));
}

/// Force per area of the reference and stretch across under uniaxial stress at a stretch.
struct Uniaxial {
  double stress = 0.0, across = 1.0;
};
Uniaxial uniaxial(const std::string& law, double s) {
  const double E = kYoung, nu = kPoisson;
  if (law == "st_venant_kirchhoff")
    return {0.5 * E * s * (s * s - 1.0), std::sqrt(1.0 - nu * (s * s - 1.0))};
  if (law == "corotated") return {E * (s - 1.0), 1.0 - nu * (s - 1.0)};
  // neo_hooke: P = mu (F - F^-T) + lambda ln J F^-T, with P = 0 across, by bisection
  const double mu = E / (2.0 * (1.0 + nu)), lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  const auto side = [&](double b) { return mu * (b - 1.0 / b) + lambda * std::log(s * b * b) / b; };
  double low = 0.1, high = 3.0;
  for (int k = 0; k < 200; ++k) (side(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  const double b = 0.5 * (low + high);
  return {mu * (s - 1.0 / s) + lambda * std::log(s * b * b) / s, b};
}

struct Ended {
  std::vector<double> values;
  StepReport last;
  int increments = 0, factorisations = 0;
  bool converged = true;
  std::vector<Notice> notices;
};
Ended end_of(const std::string& text, const std::vector<std::string>& set = {}) {
  Ended ended;
  Shown shown = run_text(text, set, [&](const Simulation&, const StepReport& report) {
    ended.last = report;
    ended.increments += report.steps;
    ended.factorisations += report.factorisations;
  });
  ended.converged = shown.converged;
  for (std::size_t i = 0; i < shown.sim.model().probes().size(); ++i)
    ended.values.push_back(shown.sim.probe(static_cast<int>(i)));
  ended.notices = shown.sim.notices();
  return ended;
}

/// A clamped column 1 m x 20 mm x 10 mm that is pressed along its axis, without an imperfection.
std::string column(double load, int cells, const std::string& time) {
  return scene_of(time, fmt::format(R"(
bodies:
  - name: column
    kind: fem
    fem:
      mesh: {{box: {{kind: quad8, cells: [{}, 1], size: [1, 0.02]}}}}
      material: {{law: st_venant_kirchhoff, young: 1 MPa, poisson: 0, density: 1000}}
      thickness: 10 mm
      fixed: [{{set: x0}}]
      loads: [{{set: x1, force: [{:.17g}, 0, 0]}}]
outputs: [{{probe: column, name: across, at: [1, 0.01, 0], direction: [0, 1, 0], quantity: displacement}}]
)",
                                    cells, -load));
}

}  // namespace

TEST_CASE(
    "a bar stretched to twice its length is where the closed form puts it, in 1 increment as in "
    "20") {
  for (const std::string law : {"neo_hooke", "st_venant_kirchhoff", "corotated"})
    for (const double stretch : {1.01, 1.3, 2.0, 0.8}) {
      const Uniaxial exact = uniaxial(law, stretch);
      std::vector<double> once;
      for (const std::string time : {"end: 1 s", "end: 1 s, step: 0.05 s"}) {
        CAPTURE(law);
        CAPTURE(stretch);
        CAPTURE(time);
        const Ended ended = end_of(bar(law, exact.stress, time));
        REQUIRE(ended.converged);
        CHECK(ended.values[0] == doctest::Approx(2.0 * (stretch - 1.0)).epsilon(1e-8));
        CHECK(ended.values[1] == doctest::Approx(exact.across - 1.0).epsilon(1e-8));
        CHECK(ended.notices.empty());
      }
    }
}

TEST_CASE("constant loads grow in proportion to the time of the run") {
  const Uniaxial full = uniaxial("corotated", 1.5), half = uniaxial("corotated", 1.25);
  CHECK(full.stress == doctest::Approx(2.0 * half.stress));
  std::vector<double> along;
  run_text(bar("corotated", full.stress, "end: 4 s, step: 2 s"), {},
           [&](const Simulation& sim, const StepReport&) { along.push_back(sim.probe(0)); });
  REQUIRE(along.size() == 2);
  CHECK(along[0] == doctest::Approx(0.5).epsilon(1e-8));
  CHECK(along[1] == doctest::Approx(1.0).epsilon(1e-8));
}

TEST_CASE("a rubber cantilever under 30 N hangs 0.6067 m low, whatever the increments") {
  // euler-implicit with steps of 1000 s, and a ramp of the load in many steps, on the same mesh
  for (const std::string time : {"end: 1 s", "end: 1 s, step: 0.2 s"}) {
    CAPTURE(time);
    const Ended ended = end_of(scene_of(time, R"(
bodies:
  - name: beam
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [16, 2, 2], size: [1, 0.1, 0.1]}}
      material: {law: neo_hooke, young: 1 MPa, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
      loads: [{set: x1, force: [0, 0, -30]}]
outputs: [{probe: beam, name: tip, at: [1, 0.05, 0.05], direction: [0, 0, 1], quantity: displacement}]
)"));
    REQUIRE(ended.converged);
    CHECK(ended.values[0] == doctest::Approx(-0.606683744).epsilon(1e-8));
  }
}

TEST_CASE("half a ball pressed on a floor bears the force of Signorini's problem on its mesh") {
  // 30.475513 N: an active-set solution of the static problem on the same mesh (hex8)
  const std::string rest = R"(
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: dome
    kind: fem
    fem:
      mesh: {ball: {kind: hex8, radius: 50 mm, half: true, cells: 3, rings: 3, grading: 6}}
      material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}
      position: [0, 0, 50 mm]
      prescribed: [{set: flat, z: {table: [[0, 0], [0.2, -0.002]]}}]
    rayleigh: {mass: 20 1/s, stiffness: 1 ms}
surfaces: [{law: {kind: newton-impact}}]
outputs: [{probe: dome, name: force, at: flat, direction: [0, 0, 1], quantity: reaction}]
)";
  for (const std::string time : {"end: 0.2 s", "end: 0.2 s, step: 0.02 s", "end: 0.3 s"}) {
    CAPTURE(time);
    const Ended ended = end_of(scene_of(time, rest));
    REQUIRE(ended.converged);
    CHECK(std::abs(ended.values[0]) == doctest::Approx(30.475513).epsilon(1e-6));
    CHECK(ended.factorisations <= 12 * ended.increments);
  }
}

TEST_CASE("a block that friction alone holds sticks below mu N and has no equilibrium above") {
  const auto pushed = [](double share) {
    // a cube of 1 kg, 9.81 N, mu = 0.5
    return end_of(scene_of("end: 1 s", fmt::format(R"(
gravity: [0, 0, -9.81]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - name: cube
    kind: fem
    fem:
      mesh: {{box: {{kind: hex8, cells: [2, 2, 2], size: [0.1, 0.1, 0.1]}}}}
      material: {{law: linear, young: 1 MPa, poisson: 0.3, density: 1000}}
      loads: [{{set: z0, force: [{:.17g}, 0, 0]}}]
surfaces: [{{law: {{kind: newton-impact, friction: 0.5}}}}]
outputs: [{{probe: cube, name: way, at: [0.05, 0.05, 0.1], direction: [1, 0, 0], quantity: displacement}}]
)",
                                                   share * 0.5 * 9.81)));
  };
  const Ended below = pushed(0.9);
  REQUIRE(below.converged);
  CHECK(std::abs(below.values[0]) < 1e-4);
  const Ended above = pushed(1.1);
  CHECK_FALSE(above.converged);
  CHECK(above.last.failure == failure::kNoEquilibrium);
  CHECK(above.last.detail.find("'cube'") != std::string::npos);
  CHECK(above.last.detail.find("friction") != std::string::npos);
}

TEST_CASE("the load at which a column buckles is told, and is Euler's") {
  // pi^2 E I/(4 L^2), with E I = 1e6 * 0.01 * 0.02^3/12
  const double euler = std::pow(std::numbers::pi, 2) * 1e6 * 0.01 * std::pow(0.02, 3) / 12.0 / 4.0;
  const Ended stable = end_of(column(0.95 * euler, 20, "end: 1 s"));
  REQUIRE(stable.converged);
  CHECK(stable.notices.empty());
  const Ended buckled = end_of(column(1.25 * euler, 20, "end: 1 s"));
  REQUIRE(buckled.converged);
  REQUIRE(buckled.notices.size() == 1);
  CHECK(buckled.notices[0].kind == Notice::Kind::unstable);
  const std::string& text = buckled.notices[0].text;
  const std::string before = "load factor ";
  const double factor = std::stod(text.substr(text.find(before) + before.size()));
  CHECK(factor * 1.25 == doctest::Approx(1.0).epsilon(3e-3));
}

TEST_CASE("two shallow bars that would snap through are refused with their limit load") {
  // bars of length L0 = sqrt(1 + 0.1^2) from (+-1, 0) to (0, 0.1), pushed down at the top; with
  // k = E A/L0 per bar and height w:  P(w) = 2 k (L0 - L)/L w,  L = sqrt(1 + w^2)
  const double k = 1000.0, L0 = std::sqrt(1.01);
  double limit = 0.0;
  for (double w = 0.0; w < 0.1; w += 1e-6) {
    const double L = std::sqrt(1.0 + w * w);
    limit = std::max(limit, 2.0 * k * (L0 - L) / L * w);
  }
  const auto pressed = [&](double share) {
    return end_of(scene_of("end: 1 s", fmt::format(R"(
bodies:
  - name: truss
    kind: particles
    particles:
      mass: [1 kg]
      positions: [[0, 0, 0.1]]
      springs:
        - {{particle: 0, anchor: [-1, 0, 0], stiffness: {0:.17g}}}
        - {{particle: 0, anchor: [1, 0, 0], stiffness: {0:.17g}}}
    prescribed: [{{dof: 1, constant: 0}}]
    loads: [{{dof: 2, constant: {1:.17g}}}]
)",
                                                   k, -share * limit)));
  };
  CHECK(pressed(0.99).converged);
  const Ended beyond = pressed(1.02);
  CHECK_FALSE(beyond.converged);
  CHECK(beyond.last.failure == failure::kNoEquilibrium);
  const std::string& text = beyond.last.detail;
  const std::string before = "load factor ";
  REQUIRE(text.find(before) != std::string::npos);
  const double factor = std::stod(text.substr(text.find(before) + before.size()));
  CHECK(factor * 1.02 == doctest::Approx(1.0).epsilon(1e-3));
}

TEST_CASE("under any load the equilibrium does not depend on the increments") {
  for (int k = 0; k < 12; ++k) {
    const auto random = [&](int i) { return std::sin(17.0 * k + 5.3 * i + 0.4); };
    const std::string rest = fmt::format(R"(
bodies:
  - name: block
    kind: fem
    fem:
      mesh: {{box: {{kind: hex8, cells: [4, 2, 2], size: [0.4, 0.1, 0.1]}}}}
      material: {{law: {}, young: 1 MPa, poisson: 0.3, density: 1000}}
      fixed: [{{set: x0}}]
      loads: [{{set: x1, force: [{:.17g}, {:.17g}, {:.17g}]}}, {{set: z1, pressure: {:.17g}}}]
outputs:
  - {{probe: block, at: [0.4, 0.1, 0.1], direction: [0, 0, 1], quantity: displacement}}
  - {{probe: block, at: [0.4, 0.1, 0.1], direction: [0, 1, 0], quantity: displacement}}
)",
                                         k % 2 == 0 ? "neo_hooke" : "corotated", 300.0 * random(1),
                                         60.0 * random(2), 60.0 * random(3), 300.0 * random(4));
    CAPTURE(rest);
    const Ended once = end_of(scene_of("end: 1 s", rest)),
                often = end_of(scene_of("end: 1 s, step: 0.05 s", rest));
    REQUIRE(once.converged);
    REQUIRE(often.converged);
    for (std::size_t i = 0; i < 2; ++i) CHECK(std::abs(once.values[i] - often.values[i]) < 1e-9);
  }
}

TEST_CASE("a sphere pressed into a pad meets the same resistance in one increment as in four") {
  const std::string rest = R"(
bodies:
  - name: punch
    kind: rigid
    rigid: {shape: {sphere: {radius: 0.1}}, motion: {z: {table: [[0, 0.2], [1, 0.194]]}}}
  - name: pad
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [8, 8, 3], size: [0.2, 0.2, 0.1]}}
      material: {law: neo_hooke, young: 1 MPa, poisson: 0.3, density: 1000}
      fixed: [{set: z0}]
      position: [-0.1, -0.1, 0]
surfaces: [{law: {kind: newton-impact}}]
outputs: [{probe: pad, direction: [0, 0, 1], quantity: force}]
)";
  const Ended once = end_of(scene_of("end: 1 s", rest)),
              often = end_of(scene_of("end: 1 s, step: 0.25 s", rest));
  REQUIRE(once.converged);
  REQUIRE(often.converged);
  CHECK(once.values[0] < -50.0);
  CHECK(once.values[0] == doctest::Approx(often.values[0]).epsilon(2e-3));
}

TEST_CASE(
    "blocks that only contacts hold bear their weights on each other and on a yielding floor") {
  const std::string low = R"(
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: low
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [3, 3, 3], size: [0.1, 0.1, 0.1]}}
      material: {law: neo_hooke, young: 0.1 MPa, poisson: 0.3, density: 1000}
)";
  const std::string high = R"(
  - name: high
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [2, 2, 2], size: [0.08, 0.08, 0.08]}}
      material: {law: neo_hooke, young: 0.1 MPa, poisson: 0.3, density: 1000}
      position: [0.01, 0.01, 0.1]
surfaces: [{law: {kind: newton-impact, friction: 0.5}}]
outputs:
  - {probe: high, direction: [0, 0, 1], quantity: force}
  - {probe: low, direction: [0, 0, 1], quantity: force}
)";
  const Ended stacked = end_of(scene_of("end: 1 s", low + high));
  REQUIRE(stacked.converged);
  CHECK(stacked.values[0] == doctest::Approx(0.512 * 9.81).epsilon(1e-6));
  CHECK(stacked.values[1] == doctest::Approx(9.81).epsilon(1e-6));
  const Ended yielding = end_of(scene_of("end: 1 s", low + R"(
surfaces: [{law: {kind: compliant, stiffness: 1e4, damping: 10}}]
outputs: [{probe: low, direction: [0, 0, 1], quantity: force}]
)"));
  REQUIRE(yielding.converged);
  CHECK(yielding.values[0] == doctest::Approx(9.81).epsilon(1e-6));
}

TEST_CASE("a rigid body that nothing stiff holds is refused with what is allowed") {
  try {
    build(read_scene_text(scene_of("end: 1 s",
                                   "bodies: [{name: ball, kind: rigid, rigid: {shape: {sphere: "
                                   "{radius: 0.1}}, mass: 1}}]"),
                          "test.yaml", {}));
    FAIL("a free rigid body was accepted");
  } catch (const SceneError& error) {
    const std::string text = error.what();
    CHECK(text.find("'ball'") != std::string::npos);
    CHECK(text.find("fixed: true") != std::string::npos);
  }
}
