// Contacts that travel along the surfaces of rigid bodies: rims, ellipsoids, balls on balls. Where
// they stick they do no work, so that energy and motion have the order of the scheme.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "run_scene.h"
#include "saltus/math/rotation.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const char* const kTable =
    "  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";

std::string list(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z());
}

/// Bodies that roll, the last one called b; all lengths times `scale`, all times times its square
/// root.
struct Rolling {
  std::string bodies;
  double end = 1.0;  ///< [s] at scale 1
  double scale = 1.0;
  bool driven = false;  ///< something has a prescribed motion

  std::string text() const {
    return fmt::format(
               "saltus: 1\ntime: {{end: {:.17g}, step: {:.17g}}}\ngravity: [0, 0, "
               "-9.81]\nbodies:\n",
               end * std::sqrt(scale), 1e-3 * std::sqrt(scale)) +
           bodies +
           fmt::format(
               "surfaces: [{{law: {{kind: newton-impact, friction: 5}}}}]\noutputs:\n"
               "  - {{probe: b, at: [0, 0, 0], direction: [1, 0, 0], quantity: displacement}}\n  - "
               "{{probe: b, at: [0, 0, "
               "0], direction: [0, 0, 1], quantity: displacement}}\n"
               "  - {{probe: b, at: [{0:.17g}, {1:.17g}, 0], direction: [0, 1, 0], quantity: "
               "displacement}}\n",
               0.03 * scale, 0.01 * scale);
  }
};

/// A cylinder that leans by `tilt` against the vertical and rolls on its lower rim, without slip,
/// with the angular velocity `omega` in space.
Rolling cylinder(double radius, double length, double tilt, const Vector3& omega,
                 double scale = 1.0, double shift = 0.0, const std::string& scheme = "rig-mid") {
  const Matrix3 R = exp_rotation(Vector3(0.0, tilt, 0.0)).toRotationMatrix();
  const Vector3 rim = R * Vector3(radius, 0.0, -0.5 * length);  // from the centre to the contact
  const Vector3 v = -std::sqrt(scale) * omega.cross(rim),
                Omega = R.transpose() * omega / std::sqrt(scale);
  Rolling made{kTable, 1.0, scale};
  made.bodies += fmt::format(
      "  - {{name: b, kind: rigid, scheme: {}, rigid: {{shape: {{cylinder: {{radius: {:.17g}, "
      "length: {:.17g}}}}}, density: "
      "7800, position: {}, rotation: {{axis: [0, 1, 0], angle: {:.17g}}}, velocity: {}, spin: "
      "{}}}}}\n",
      scheme, radius * scale, length * scale, list(Vector3(shift, 0.0, -rim.z() * scale)), tilt,
      list(v), list(Omega));
  return made;
}

/// Euler's disk: its centre stays in place.
Rolling disk(double scale = 1.0, double shift = 0.0, const std::string& scheme = "rig-mid") {
  const double tilt = 20.0 * 3.141592653589793 / 180.0;
  const Matrix3 R = exp_rotation(Vector3(0.0, tilt, 0.0)).toRotationMatrix();
  return cylinder(0.0375, 0.006, tilt, R * Vector3(18.918, 0.0, -1.51344), scale, shift, scheme);
}

std::string thing(const std::string& shape, const std::string& rest) {
  return fmt::format("  - {{name: b, kind: rigid, rigid: {{shape: {}, mass: 1, {}}}}}\n", shape,
                     rest);
}

std::vector<std::pair<const char*, Rolling>> family() {
  const std::string ball = "{sphere: {radius: 0.1}}";
  return {
      {"a disk that wobbles in place", disk()},
      {"a coin that rolls in a circle",
       cylinder(0.1, 0.01, 1.2217304763960306, Vector3(8.457, 0.0, 5.078))},
      {"a stone whose axes of inertia are oblique to those of its ellipsoid",
       {kTable + thing("{ellipsoid: {radii: [0.2, 0.05, 0.04]}}",
                       "inertia: [0.0016, 0.012, 0.0127, 0.002, 0, 0], position: [0, 0, 0.04], "
                       "velocity: [0.02, -0.02, 0], spin: "
                       "[0.5, 0.5, 3]")}},
      {"a ball on a ball",
       {"  - {name: g, kind: rigid, rigid: {shape: {sphere: {radius: 0.5}}, fixed: true, position: "
        "[0, 0, -0.5]}}\n" +
            thing(ball, "position: [0, 0, 0.1], velocity: [0.3, 0, 0], spin: [0, 3, 0]"),
        0.5}},
      {"an ellipsoid across a cylinder",
       {"  - {name: g, kind: rigid, rigid: {shape: {cylinder: {radius: 0.5, length: 1}}, rotation: "
        "{axis: [1, 0, 0], angle: 90 "
        "deg}, fixed: true, position: [0, 0, -0.5]}}\n" +
            thing("{ellipsoid: {radii: [0.1, 0.1, 0.06]}}",
                  "position: [0, 0, 0.06], velocity: [0.3, 0.1, 0], spin: [-1.66666666667, 5, 0]"),
        0.5}},
      {"an ellipsoid on a car that it drives",
       {"  - {name: car, kind: rigid, rigid: {shape: {box: {size: [4, 4, 0.2]}}, mass: 3, "
        "position: [0, 0, -0.1], locked: [z, rx, "
        "ry, rz]}}\n" +
        thing("{ellipsoid: {radii: [0.2, 0.1, 0.1]}}",
              "position: [0, 0, 0.1], velocity: [0.6, 0.1, 0], spin: [-1, 6, 0]")}},
      {"an ellipsoid on a table that swings along x and turns",
       {"  - {name: g, kind: rigid, rigid: {shape: {cylinder: {radius: 2, length: 0.2}}, position: "
        "[0, 0, -0.1], motion: {x: "
        "{harmonic: {amplitude: 0.05, frequency: 0.7}}, axis: [0, 0, 1], angle: {rate: 0.5}}}}\n" +
            thing("{ellipsoid: {radii: [0.12, 0.1, 0.1]}}",
                  "position: [0.4, 0, 0.1], velocity: [0.3, 0.175, 0], spin: [0, 3, 0]"),
        0.6, 1.0, true}},
  };
}

/// Relative change of the energy that no load or motion supplied.
double lost(const Shown& run) {
  const State& state = run.sim.state();
  const auto accounts = run.sim.model().accounts();
  double change = 0.0;
  for (std::size_t i = 0; i < accounts.size(); ++i)
    if (accounts[i] == "impact" || accounts[i] == "friction" || accounts[i] == "scheme")
      change += state.ledger[i];
  return change / std::abs(state.energy_start);
}

double off(const Simulation& run, const std::vector<double>& exact) {
  double most = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    most = std::max(most, std::abs(run.probe(static_cast<int>(i)) - exact[i]));
  return most;
}

std::vector<double> events(const std::string& scene) {
  const Shown run = run_text(scene, {"time.mode=events", "time.tolerance=1e-10"});
  CHECK(run.converged);
  return {run.sim.probe(0), run.sim.probe(1), run.sim.probe(2)};
}

}  // namespace

TEST_CASE("what rolls on rims and curved surfaces moves to order 2 and keeps its energy") {
  for (const auto& [name, rolling] : family()) {
    CAPTURE(name);
    const std::vector<double> exact = events(rolling.text());
    for (const char* instant : {"end", "middle"}) {
      CAPTURE(instant);
      double error[3], energy[3];
      const double step[] = {1e-3, 5e-4, 2.5e-4};
      for (int k = 0; k < 3; ++k) {
        const Shown run = run_text(rolling.text(), {fmt::format("time.step={}", step[k]),
                                                    fmt::format("contact.instant={}", instant)});
        CHECK(run.converged);
        error[k] = off(run.sim, exact);
        energy[k] = std::abs(lost(run));
      }
      MESSAGE(name << ", " << instant << ": " << error[0] << " " << error[2] << ", energy "
                   << energy[0] << " " << energy[2]);
      CHECK(error[0] / error[2] > 11.0);
      CHECK(error[0] / error[2] < 150.0);
      if (rolling.driven) continue;  // the table supplies energy
      CHECK(energy[2] < 1e-4);
      CHECK(energy[2] < std::max(energy[0] / 8.0, 2e-6));
    }
  }
}

TEST_CASE("the disk that wobbles keeps its energy under every implicit scheme of order 2") {
  const std::vector<double> exact = events(disk().text());
  for (const char* scheme : {"moreau-jean", "newmark", "generalized-alpha", "rig-imp", "rig-neg"}) {
    CAPTURE(scheme);
    double error[2];
    for (const int k : {0, 1}) {
      const Shown run =
          run_text(disk(1.0, 0.0, scheme).text(), {k == 0 ? "time.step=1e-3" : "time.step=2.5e-4"});
      CHECK(run.converged);
      error[k] = off(run.sim, exact);
      if (k == 1) CHECK(std::abs(lost(run)) < 1e-4);
    }
    CHECK(error[0] / error[1] > 11.0);
  }
}

TEST_CASE(
    "a disk of a tenth of a millimetre, one of a hundred metres, and one far away wobble alike") {
  const Shown one = run_text(disk().text(), {});
  const double turn = one.sim.probe(2);
  for (const auto& [scale, shift, near] :
       {std::tuple{1e-3, 0.0, 1e-6}, {3e3, 0.0, 1e-6}, {1.0, 1e4, 1e-4}}) {
    CAPTURE(scale);
    CAPTURE(shift);
    const Shown other = run_text(disk(scale, shift).text(), {});
    CHECK(other.converged);
    CHECK(std::abs(lost(other) - lost(one)) < near);
    CHECK(std::abs(other.sim.probe(2) / scale - turn) < near);
  }
}

TEST_CASE("disks in one group, in groups of their own and among six hundred others wobble alike") {
  const std::string one = disk().text();
  const double alone = lost(run_text(one, {"time.end=0.3"}));
  for (const char* scheme : {"rig-mid", "moreau-jean"}) {
    CAPTURE(scheme);
    const std::string own = disk(1.0, 0.0, scheme).bodies;
    std::string other = own.substr(own.find("  - {name: b"));
    other.replace(other.find("name: b"), 7, "name: c");
    other.replace(other.find("position: [0,"), 13, "position: [1,");
    std::string both = one;
    both.insert(both.find("surfaces:"), other);
    CHECK(std::abs(lost(run_text(both, {"time.end=0.3"})) - alone) < 0.02 * std::abs(alone));
  }
  std::string many = one;
  const auto at = many.find("density: 7800");
  many.insert(at, "copies: {count: [25, 25, 1], spacing: [0.2, 0.2, 0.2]}, ");
  many.erase(many.find("outputs:"));
  CHECK(std::abs(lost(run_text(many, {"time.end=0.3"})) - alone) < 1e-3 * std::abs(alone));
}

TEST_CASE(
    "a body that turns about its tip, a named point, keeps its energy to the order of the scheme") {
  const char* const kTop = R"(
saltus: 1
time: {end: 0.5, step: 1e-3}
gravity: [0, 0, -9.81]
bodies:
  - {name: top, kind: rigid, scheme: SCHEME, rigid: {mass: 0.2,
     inertia: [2e-4, 2e-4, 1e-4], position: [0.02, 0, 0.0458257569495584],
     rotation: {axis: [0, 1, 0], angle: 0.411516846067488},
     spin: [-7.4, 0.3, 60], velocity: [0, 0, 0]}}
contacts:
  - {on: top, at: [0, 0, -0.05], against: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}},
     law: {kind: newton-impact, friction: 3}}
outputs:
  - {probe: top, at: [0, 0, 0], direction: [1, 0, 0], quantity: displacement}
  - {probe: top, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}
  - {probe: top, at: [0.01, 0, 0.02], direction: [0, 1, 0], quantity: displacement}
)";
  for (const char* scheme : {"rig-mid", "moreau-jean"}) {
    CAPTURE(scheme);
    std::string text = kTop;
    text.replace(text.find("SCHEME"), 6, scheme);
    const std::vector<double> exact = events(text);
    double error[2];
    for (const int k : {0, 1}) {
      const Shown run = run_text(text, {k == 0 ? "time.step=1e-3" : "time.step=2.5e-4"});
      CHECK(run.converged);
      error[k] = off(run.sim, exact);
    }
    MESSAGE(scheme << ": " << error[0] << " " << error[1]);
    CHECK(error[0] / error[1] > 11.0);
    CHECK(error[0] / error[1] < 60.0);
  }
}

TEST_CASE("a run over contacts that travel goes on from a checkpoint in its middle bit for bit") {
  const Model model = build(read_scene_text(disk().text(), "test.yaml"));
  Simulation whole(model);
  for (int k = 0; k < 150; ++k) whole.advance();
  Simulation rest(model, State(whole.state()));
  for (int k = 0; k < 150; ++k) whole.advance(), rest.advance();
  for (std::size_t g = 0; g < whole.state().groups.size(); ++g) {
    const Vector &a = whole.state().groups[g].q, &b = rest.state().groups[g].q;
    CHECK(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) ==
          0);
  }
}

TEST_CASE(
    "under a tolerance what rolls, and what slips until it rolls, takes steps in proportion to "
    "it") {
  const std::string slipping = R"(
saltus: 1
time: {end: 0.02, step: 1e-2}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: b, kind: rigid, rigid: {shape: {ellipsoid: {radii: [0.08, 0.06, 0.05]}},
     density: 1000, position: [0, 0, 0.05], spin: [1, 2, 8]}}
surfaces: [{law: {kind: newton-impact, friction: 0.9}}]
)";
  std::string coin = family()[1].second.text();
  for (const auto& [scene, set, most] : {std::tuple{slipping, std::string("time.end=0.02"), 3000L},
                                         {coin, std::string("time.end=0.1"), 20000L}}) {
    CAPTURE(scene);
    long before = 0;
    for (const char* tolerance : {"1e-3", "1e-4", "1e-5"}) {
      CAPTURE(tolerance);
      long steps = 0;
      const Shown run =
          run_text(scene, {set, "time.step=1e-2", fmt::format("time.tolerance={}", tolerance)},
                   [&](const Simulation&, const StepReport& report) { steps += report.steps; });
      CHECK(run.converged);
      if (before > 0) CHECK(steps <= 20 * before);
      before = steps;
    }
    CHECK(before <= 10 * most);
  }
}
