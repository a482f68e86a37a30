// The gap that a step reports where nothing touches: that of what is nearest, far beyond the margin of contacts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

constexpr double kG = 9.81;

/// A body over a floor whose normal is (3, 0, 4)/5, a kilometre from the origin, thrown along it.
std::string thrown(const char* mode, const std::string& body) {
  return fmt::format(
      "saltus: 1\ntime: {{end: 0.2, step: 2 ms, mode: {}}}\ngravity: [-5.886, 0, -7.848]\nbodies:\n"
      "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{point: [1000, 0, 0], normal: [3, "
      "0, "
      "4]}}}}, fixed: true}}}}\n  - {{name: b, {}}}\nsurfaces: [{{law: {{kind: "
      "newton-impact}}}}]\n",
      mode, body);
}

struct Thrown {
  std::string body;
  double height, rate;  ///< of its lowest point at the start [m], [m/s]
  bool events = true;
};
// at 1000 m along x and 5/4 d along z the distance from the floor is d
const Thrown kThrown[] = {
    {"kind: rigid, rigid: {shape: {sphere: {radius: 0.2}}, density: 1000, position: [1000, 0, "
     "2.5], "
     "velocity: [0.6, 0, 0.8]}",
     1.8, 1.0},
    {"kind: rigid, rigid: {shape: {box: {size: [0.1, 0.2, 0.6]}}, density: 1000, position: [1000, "
     "0, "
     "2.5], rotation: {axis: [0, 1, 0], angle: 36.86989764584402 deg}}",
     1.7, 0.0},
    {"kind: fem, fem: {mesh: {box: {kind: hex8, cells: [1, 1, 2], size: [0.5, 0.5, 1], origin: "
     "[1000, "
     "0, 2.5]}}, material: {law: linear, young: 1 GPa, poisson: 0, density: 1000}, surface: {}}, "
     "scheme: moreau-jean",
     2.0, 0.0, false},
};

double last_gap(const std::string& text) {
  double last = 0.0;
  run_text(text, {}, [&](const Simulation&, const StepReport& report) { last = report.gap; });
  return last;
}

}  // namespace

TEST_CASE("the gap over a plane is told at any height, in steps and between events") {
  for (const Thrown& x : kThrown)
    for (const char* mode : {"stepping", "events"}) {
      if (!x.events && mode[0] == 'e') continue;
      CAPTURE(x.body);
      CAPTURE(mode);
      double t = 0.0;
      run_text(thrown(mode, x.body), {}, [&](const Simulation&, const StepReport& report) {
        t += 2e-3;
        const double fallen = x.height + x.rate * t - 0.5 * kG * t * t;
        CHECK(std::abs(report.gap - fallen) <= (mode[0] == 'e' ? 1e-9 : 2e-3 * kG * t + 1e-9));
      });
    }
}

TEST_CASE("shapes that are near each other have a gap, those far away have none") {
  const auto gap = [](double distance) {
    const std::string text = fmt::format(
        "saltus: 1\ntime: {{end: 1 ms, step: 1 ms}}\nbodies:\n"
        "  - {{name: a, kind: rigid, rigid: {{shape: {{sphere: {{radius: 1}}}}, density: 1000}}}}\n"
        "  - {{name: b, kind: rigid, rigid: {{shape: {{sphere: {{radius: 1}}}}, density: 1000, "
        "position: [{0}, {0}, {0}]}}}}\nsurfaces: [{{law: {{kind: newton-impact}}}}]\n",
        distance);
    return last_gap(text);
  };
  CHECK(gap(1.5) == doctest::Approx(1.5 * std::sqrt(3.0) - 2.0).epsilon(1e-12));  // boxes overlap
  CHECK(gap(4.0) == doctest::Approx(4.0 * std::sqrt(3.0) - 2.0).epsilon(1e-12));
}

TEST_CASE("the gap is that of the nearest pair, not of the first that is known") {
  // two balls 5 cm apart, 2.5 m and more over a plane; a soft block may be nearer than what is known
  const auto gap = [](const std::string& more) {
    const std::string text = fmt::format(
        "saltus: 1\ntime: {{end: 1 ms, step: 1 ms}}\nbodies:\n"
        "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
        "  - {{name: a, kind: rigid, rigid: {{shape: {{sphere: {{radius: 1}}}}, density: 1000, "
        "position: [0, 0, 3.5]}}}}\n"
        "  - {{name: b, kind: rigid, rigid: {{shape: {{box: {{size: [2, 2, 2]}}}}, density: 1000, "
        "position: [2.05, 0, 3.6]}}}}\n{}surfaces: [{{law: {{kind: newton-impact}}}}]\n",
        more);
    return last_gap(text);
  };
  CHECK(gap("") == doctest::Approx(0.05).epsilon(1e-12));
  const char* soft =
      "  - {{name: soft, kind: fem, scheme: moreau-jean, fem: {{mesh: {{box: {{kind: hex8, cells: "
      "[1, 1, "
      "1], size: [1, 1, 1], origin: [{}, 0, 0.04]}}}}, material: {{law: linear, young: 1 MPa, "
      "poisson: 0, density: 1000}}, surface: {{}}}}}}\n";
  CHECK(gap(fmt::format(fmt::runtime(soft), 9.0)) == doctest::Approx(0.04).epsilon(1e-9));
  CHECK(gap(fmt::format(fmt::runtime(soft), 0.5)) == doctest::Approx(0.04).epsilon(1e-9));
  CHECK(std::isinf(
      gap("  - {name: soft, kind: fem, scheme: moreau-jean, fem: {mesh: {box: {kind: hex8, "
          "cells: [1, 1, 1], size: [1, 1, 1], origin: [-0.5, -0.5, 4.54]}}, material: "
          "{law: linear, young: 1 MPa, poisson: 0, density: 1000}, surface: {}}}\n")));
}

TEST_CASE("gravity of the scene acts on particles that have none of their own") {
  for (const char* own : {"", ", gravity: [0, 0, 0]"}) {
    const std::string text = fmt::format(
        "saltus: 1\ntime: {{end: 0.5, step: 10 ms, mode: events}}\ngravity: [0, 0, -{}]\nbodies:\n"
        "  - {{name: p, kind: particles, particles: {{mass: [2, 3], positions: [[0, 0, 0], [1, 0, "
        "0]]{}}}}}\n",
        kG, own);
    const Shown s = run_text(text);
    const double fallen = own[0] == '\0' ? -0.5 * kG * 0.25 : 0.0;
    for (const Eigen::Index i : {2, 5})
      CHECK(s.sim.state().groups[0].q[i] == doctest::Approx(fallen).epsilon(1e-12));
  }
}

TEST_CASE("gravity that acts on no body is told, gravity that does is not") {
  const auto warnings = [](const char* body) {
    const Model model = build(read_scene_text(
        fmt::format("saltus: 1\ntime: {{end: 1, step: 0.1}}\ngravity: [0, 0, -3]\nbodies:\n{}",
                    body),
        "test.yaml", {}));
    return model.warnings().size();
  };
  const char* mass = "  - {name: m, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n";
  const char* point =
      "  - {name: p, kind: particles, particles: {mass: [1], positions: [[0, 0, 0]]}}\n";
  CHECK(warnings(mass) == 1);
  CHECK(warnings(point) == 0);
  CHECK(warnings((std::string(mass) + point).c_str()) == 0);
}

}  // namespace saltus::test
