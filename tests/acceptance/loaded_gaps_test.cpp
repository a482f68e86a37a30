// Contact that carries load closes its gap under the default law, whatever the scheme and its step.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

struct LoadedCase {
  const char* scheme;
  double gain;  ///< dq1/dv1 / h
};
constexpr LoadedCase kLoaded[] = {{"{kind: moreau-jean, theta: 0.5}", 0.5},
                                  {"{kind: moreau-jean, theta: 0.75}", 0.75},
                                  {"{kind: moreau-jean, theta: 1}", 1.0},
                                  {"newmark", 0.5},
                                  {"euler-implicit", 1.0},
                                  {"euler-explicit", 1.0},
                                  {"{kind: euler-explicit, symplectic: false}", 0.0},
                                  {"{kind: runge-kutta, table: heun}", 0.5},
                                  {"generalized-alpha", 0.5},
                                  {"discrete-gradient", 0.5},
                                  {"def-lim", 0.5}};

/// A mass of 2 kg that comes down on a floor, g = 10 m/s^2.
std::string falling(const LoadedCase& one, double height, double speed, const char* law) {
  return fmt::format(
      "saltus: 1\ntime: {{end: 0.2 s, step: 10 ms}}\nbodies:\n"
      "  - {{name: mass, kind: particles, scheme: {}, particles: {{mass: [2 kg], positions: [[0, "
      "0, "
      "{}]], velocities: [[0, 0, {}]], gravity: [0, 0, -10]}}}}\n"
      "contacts:\n  - {{on: mass, against: {{plane: {{}}}}, law: {}}}\n",
      one.scheme, height, -speed, law);
}

struct Landing {
  double deepest = 0.0;       ///< gap, the least [m]
  double gap = 0.0, u = 0.0;  ///< at the end [m], [m/s]
  int steps = 0;              ///< from the first impulse until it rests
};

Landing land(const std::string& text) {
  Landing x;
  bool touched = false, rests = false;
  run_text(text, {}, [&](const Simulation& sim, const StepReport& report) {
    const GroupState& at = sim.state().groups[0];
    x.gap = at.q[2];
    x.u = at.v[2];
    x.deepest = std::min(x.deepest, x.gap);
    touched = touched || report.contacts > 0;
    rests = touched && std::abs(x.u) <= 1e-12;
    x.steps += touched && !rests ? 1 : 0;
  });
  return x;
}

// half a rubber ball, pressed 2 mm on a floor by its flat side
const std::string kHalfBall = R"(
saltus: 1
time: {end: 0.3 s, step: 10 ms}
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: dome
    kind: fem
    scheme: euler-implicit
    fem:
      mesh: {ball: {kind: hex8, radius: 50 mm, half: true, cells: 3, rings: 3, grading: 6}}
      material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}
      position: [0, 0, 50 mm]
      prescribed: [{set: flat, z: {table: [[0, 0], [0.2, -0.002]]}}]
    rayleigh: {mass: 20 1/s, stiffness: 1 ms}
surfaces: [{law: {kind: newton-impact}}]
outputs: [{probe: dome, name: force, at: flat, direction: [0, 0, 1], quantity: reaction}]
)";

/// What presses the ball, the mean of the last tenth of a run [N], and the largest gap of what has carried load for three steps.
struct Pressed {
  double force = 0.0, open = 0.0;
  double open_at_end = 0.0;  ///< of what carries load in the last step [m]
  int loaded = 0;            ///< contacts that carry load at the end
};

Pressed press(const std::string& scheme, double h_ms, const std::string& law) {
  Pressed x;
  std::map<std::uint64_t, int> carried;
  std::vector<double> force;
  run_text(kHalfBall,
           {fmt::format("time.step={} ms", h_ms), "bodies[1].scheme=" + scheme,
            "surfaces[0].law=" + law},
           [&](const Simulation& sim, const StepReport&) {
             std::map<std::uint64_t, int> now;
             double sum = 0.0;
             x.loaded = 0;
             x.open_at_end = 0.0;
             for (const ContactView& contact : sim.contacts()) {
               if (!(contact.impulse[0] > 0.0)) continue;
               ++x.loaded;
               x.open_at_end = std::max(x.open_at_end, contact.gap);
               sum += contact.impulse[0] / (1e-3 * h_ms);
               const int steps = now[contact.key] = carried[contact.key] + 1;
               if (steps >= 3) x.open = std::max(x.open, contact.gap);
             }
             carried = std::move(now);
             force.push_back(sum);
           });
  const std::size_t tenth = std::max<std::size_t>(force.size() / 10, 1);
  for (std::size_t i = force.size() - tenth; i < force.size(); ++i)
    x.force += force[i] / static_cast<double>(tenth);
  return x;
}

}  // namespace

TEST_CASE(
    "a mass that comes down with e = 0 lands at gap and rate 0, never deeper than under siconos") {
  for (const LoadedCase& one : kLoaded)
    for (const double height : {0.003, 0.0137, 0.02})
      for (const double speed : {0.2, 0.9, 3.0}) {
        CAPTURE(one.scheme);
        CAPTURE(height);
        CAPTURE(speed);
        const Landing x = land(falling(one, height, speed, "newton-impact")),
                      old = land(falling(one, height, speed,
                                         "{kind: newton-impact, activation: {kind: siconos}}"));
        CHECK(x.deepest >= old.deepest - 1e-15);
        CHECK(std::abs(x.u) <= 1e-12);
        CHECK(x.gap <= 1e-12);
        CHECK(x.gap == doctest::Approx(x.deepest).epsilon(1e-9));
        CHECK(x.steps <= 3);
        if (one.gain == 1.0) CHECK(std::abs(x.gap) <= 1e-12);
      }
}

// 30.475513 N: own static solution on the same mesh with an active set of its nodes (hex8)
TEST_CASE(
    "a rubber ball that is pressed on the floor gives the force of its mesh, whatever the scheme "
    "and the step") {
  for (const char* scheme :
       {"euler-implicit", "{kind: moreau-jean, theta: 0.5}", "newmark", "def-lim"})
    for (const double h : {20.0, 10.0, 2.0}) {
      CAPTURE(scheme);
      CAPTURE(h);
      const Pressed x = press(scheme, h, "newton-impact");
      CHECK(x.force == doctest::Approx(30.475513).epsilon(5e-3));
      CHECK(x.open <= 1e-6);
      CHECK(x.loaded == 9);
    }
  CHECK(press("euler-implicit", 10.0, "{kind: newton-impact, activation: {kind: siconos}}").force >
        32.0);
}

TEST_CASE("load closes gaps with restitution too, once an impact is over") {
  const Pressed x = press("euler-implicit", 10.0, "{kind: newton-impact, restitution: 0.5}");
  CHECK(x.force == doctest::Approx(30.475513).epsilon(5e-3));
  CHECK(x.open_at_end <= 1e-6);
}

TEST_CASE("closing_only keeps what rests under load, but under the activation of siconos") {
  const std::string bead =
      falling(kLoaded[0], 0.0, 0.0, "{kind: newton-impact, activation: {closing_only: true}}");
  CHECK(land(bead).deepest >= -1e-12);
}

TEST_CASE("a law that cannot close gaps refuses to") {
  CHECK_THROWS_WITH_AS(
      run_text(falling(kLoaded[0], 0.01, 0.1,
                       "{kind: poisson-impact, activation: {kind: gap-closing}}")),
      doctest::Contains("poisson-impact keeps the gap at which a contact becomes active"),
      SceneError);
}

}  // namespace saltus::test
