// Chains of light links with a heavy end: joint forces are large beside the masses that they turn.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// n links of 50 g, together 2 m long, with a ball of `ratio` times the mass of a link at the end,
/// released at rest at 60
/// degrees to the vertical. kind: of the joints, ball or revolute.
std::string chain(int n, double ratio, const std::string& scheme, const std::string& kind,
                  bool planar) {
  const double link = 0.05, part = 2.0 / n, angle = std::numbers::pi / 3.0;
  const double x = std::sin(angle), z = -std::cos(angle);
  std::string text =
      std::string("saltus: 1\ntime: {end: 1 s, step: 1 ms}\ngravity: [0, 0, -9.81]\n") +
      (planar ? "planar: xz\n" : "") + "bodies:\n";
  for (int i = 0; i < n; ++i) {
    const double c = (i + 0.5) * part, J = link * part * part / 12.0;
    text += fmt::format(
        "  - {{name: l{}, kind: rigid, scheme: {}, rigid: {{mass: {}, inertia: [{}, {}, {}], "
        "position: [{:.17g}, 0, {:.17g}], "
        "rotation: {{axis: [0, 1, 0], angle: {:.17g}}}}}}}\n",
        i, scheme, link, J, J, link * 2.5e-5, c * x, c * z, -angle);
  }
  text += fmt::format(
      "  - {{name: end, kind: rigid, scheme: {}, rigid: {{mass: {}, inertia: [{}, {}, {}], "
      "position: [{:.17g}, 0, {:.17g}]}}}}\n"
      "joints:\n",
      scheme, ratio * link, ratio * link * 4e-3, ratio * link * 4e-3, ratio * link * 4e-3, 2.0 * x,
      2.0 * z);
  for (int i = 0; i <= n; ++i)
    text += fmt::format("  - {{kind: {}, between: [{}, {}], at: [{:.17g}, 0, {:.17g}]{}}}\n", kind,
                        i == 0 ? "world" : fmt::format("l{}", i - 1),
                        i == n ? "end" : fmt::format("l{}", i), i * part * x, i * part * z,
                        kind == "revolute" ? ", axis: [0, 1, 0]" : "");
  return text +
         "outputs:\n  - {probe: end, at: [0, 0, 0], direction: [1, 0, 0], quantity: "
         "displacement}\n";
}

}  // namespace

TEST_CASE(
    "chains of light links with a heavy end keep their energy and their joints, in few passes") {
  for (const char* scheme :
       {"rig-mid", "moreau-jean", "newmark", "generalized-alpha", "runge-kutta"})
    for (const int n : {10, 20}) {
      long few = 0;  // passes of equal masses
      for (const double ratio : {1.0, 2e3, 1e5}) {
        CAPTURE(scheme);
        CAPTURE(n);
        CAPTURE(ratio);
        long passes = 0;
        double gap = 0.0;
        const Shown run = run_text(chain(n, ratio, scheme, "ball", true), {"time.end=0.9"},
                                   [&](const Simulation&, const StepReport& report) {
                                     passes += report.passes;
                                     gap = std::max(gap, report.joint_gap);
                                   });
        CHECK(run.converged);
        CHECK(run.steps == 900);
        CHECK(gap < 1e-11);
        const double E0 = run.sim.state().energy_start;
        CHECK(std::abs(run.sim.state().energy.total() - E0) <
              (scheme == std::string("rig-mid") ? 1e-10 : 1e-8) * std::abs(E0));
        if (ratio == 1.0) few = passes;
        CHECK(passes <= 3 * few);
      }
    }
}

TEST_CASE(
    "a heavy end swings on light links to the order of the scheme, in space and in a plane, on "
    "balls and hinges") {
  for (const bool planar : {true, false})
    for (const char* kind : {"ball", "revolute"}) {
      if (!planar && std::string(kind) == "revolute") continue;  // redundant rows out of the plane
      CAPTURE(planar);
      CAPTURE(kind);
      const std::string scene = chain(5, 1e4, "rig-mid", kind, planar);
      const double exact =
          run_text(scene, {"time.mode=events", "time.tolerance=1e-9"}).sim.probe(0);
      double error[2];
      for (const int k : {0, 1}) {
        const Shown run = run_text(scene, {k == 0 ? "time.step=2e-3" : "time.step=5e-4"});
        CHECK(run.converged);
        error[k] = std::abs(run.sim.probe(0) - exact);
      }
      CHECK(error[1] < error[0] / 8.0);
      CHECK(error[1] < 1e-5);
    }
}

namespace {

/// n beads of `bead` kg on rigid links, together 2 m long, with 100 kg at the end, released at rest
/// at 60 degrees.
std::string beads(int n, double bead, const std::string& kind, const std::string& scheme) {
  const double part = 2.0 / n, angle = std::numbers::pi / 3.0;
  const double x = std::sin(angle), z = -std::cos(angle);
  std::string text = "saltus: 1\ntime: {end: 0.9 s, step: 1 ms}\ngravity: [0, 0, -9.81]\nbodies:\n",
              masses, places;
  for (int i = 1; i <= n; ++i) {
    const double mass = i == n ? 100.0 : bead;
    const std::string place = fmt::format("[{:.17g}, 0, {:.17g}]", i * part * x, i * part * z);
    masses += fmt::format("{}{}", i > 1 ? ", " : "", mass);
    places += (i > 1 ? ", " : "") + place;
    if (kind == "rigid")
      text += fmt::format(
          "  - {{name: b{}, kind: rigid, scheme: {}, rigid: {{mass: {}, inertia: [{}, {}, {}], "
          "position: {}}}}}\n",
          i, scheme, mass, 1e-4 * mass, 1e-4 * mass, 1e-4 * mass, place);
  }
  if (kind == "particles")
    text += "  - {name: rope, kind: particles, scheme: " + scheme + ", particles: {mass: [" +
            masses + "], positions: [" + places + "]}}\n";
  text += "joints:\n";
  const auto side = [&](const char* key, int i) -> std::string {
    return kind == "rigid" ? "" : fmt::format(", {}: {{at: {}}}", key, i - 1);
  };
  for (int i = 1; i <= n; ++i) {
    const std::string from = i == 1            ? "world"
                             : kind == "rigid" ? fmt::format("b{}", i - 1)
                                               : "rope",
                      to = kind == "rigid" ? fmt::format("b{}", i) : "rope";
    text += fmt::format("  - {{kind: distance, between: [{}, {}]", from, to);
    if (kind == "rigid" || i == 1)
      text += fmt::format(", at: [{:.17g}, 0, {:.17g}]", (i - 1) * part * x, (i - 1) * part * z);
    if (kind == "rigid")
      text += fmt::format(", to: [{:.17g}, 0, {:.17g}]", i * part * x, i * part * z);
    if (i > 1) text += side("first", i - 1);
    text += side("second", i) + "}\n";
  }
  return text + (kind == "rigid" ? fmt::format("outputs:\n  - {{probe: b{}, at: [0, 0, 0], "
                                               "direction: [1, 0, 0], quantity: displacement}}\n",
                                               n)
                                 : fmt::format("outputs:\n  - {{probe: rope, at: {}, direction: "
                                               "[1, 0, 0], quantity: displacement}}\n",
                                               n - 1));
}

}  // namespace

TEST_CASE("ropes of light beads on rigid links carry a heavy end as one pendulum, in few passes") {
  for (const char* kind : {"rigid", "particles"})
    for (const double bead : {10.0, 0.01, 1e-4}) {
      CAPTURE(std::string(kind));
      CAPTURE(bead);
      const std::string scheme = std::string(kind) == "rigid" ? "rig-mid" : "moreau-jean";
      long passes = 0;
      double gap = 0.0;
      const Shown run = run_text(beads(12, bead, kind, scheme), {},
                                 [&](const Simulation&, const StepReport& report) {
                                   passes += report.passes;
                                   gap = std::max(gap, report.joint_gap);
                                 });
      CHECK(run.converged);
      CHECK(run.steps == 900);
      CHECK(passes < 9 * run.steps);
      CHECK(gap < 1e-11);
      const double E0 = run.sim.state().energy_start;
      CHECK(std::abs(run.sim.state().energy.total() - E0) < 1e-8 * std::abs(E0));
      if (bead > 0.1) continue;
      // the pendulum of 2 m: phi'' = -(g/l) sin(phi), by the classical method of order 4
      double phi = std::numbers::pi / 3.0, rate = 0.0;
      const double h = 1e-4;
      const auto a = [](double angle) { return -9.81 / 2.0 * std::sin(angle); };
      for (int k = 0; k < 9000; ++k) {
        const double k1 = a(phi), k2 = a(phi + 0.5 * h * rate),
                     k3 = a(phi + 0.5 * h * rate + 0.25 * h * h * k1),
                     k4 = a(phi + h * rate + 0.5 * h * h * k2);
        phi += h * rate + h * h * (k1 + k2 + k3) / 6.0;
        rate += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
      }
      const double start = std::string(kind) == "rigid" ? std::sin(std::numbers::pi / 3.0) : 0.0,
                   moved = 2.0 * (std::sin(phi) - start);  // outputs of particles are places
      CHECK(run.sim.probe(0) == doctest::Approx(moved).epsilon(bead > 1e-3 ? 2e-3 : 1e-5));
    }
}

TEST_CASE(
    "a rope of light beads over a drum holds where friction suffices and slips where it does not") {
  // n beads of 0.1 g on a half turn, friction 0.3, weights m and 1 kg: it holds below the product
  // over the beads
  const int n = 13;
  const double R = 0.3, part = std::numbers::pi / (n - 1), mu = 0.3;
  // each bead turns the rope by `part`: T1/T0 = (cos(part/2) + mu sin(part/2))/(cos(part/2) - mu
  // sin(part/2))
  const double one = (std::cos(0.5 * part) + mu * std::sin(0.5 * part)) /
                     (std::cos(0.5 * part) - mu * std::sin(0.5 * part));
  const double end = (std::cos(0.25 * part) + mu * std::sin(0.25 * part)) /
                     (std::cos(0.25 * part) -
                      mu * std::sin(0.25 * part));  // the first and the last turn it half as much
  const double most = std::pow(one, n - 2) * end * end;
  for (const double share : {0.97, 1.04}) {
    CAPTURE(share);
    std::string text =
        "saltus: 1\ntime: {end: 40 ms, step: 0.5 ms}\ngravity: [0, 0, -9.81]\nsurfaces: "
        "[{materials: [drum, rope], law: {kind: "
        "newton-impact, friction: 0.3}}]\nbodies:\n  - {name: drum, kind: rigid, rigid: {fixed: "
        "true, shape: {cylinder: "
        "{radius: 0.28, length: 0.2}, material: drum, rotation: {axis: [1, 0, 0], angle: 90 "
        "deg}}}}\n";
    std::string joints = "joints:\n";
    const auto place = [&](int i) {
      const double a = std::numbers::pi - i * part;
      return fmt::format("[{:.15g}, 0, {:.15g}]", R * std::cos(a), R * std::sin(a));
    };
    for (int i = 0; i < n; ++i) {
      text += fmt::format(
          "  - {{name: b{}, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.02}}, material: "
          "rope}}, mass: 1e-4, "
          "position: {}, locked: [y, rx, ry, rz]}}}}\n",
          i, place(i));
      if (i > 0)
        joints += fmt::format("  - {{kind: distance, between: [b{}, b{}], at: {}, to: {}}}\n",
                              i - 1, i, place(i - 1), place(i));
    }
    for (const bool heavy : {false, true}) {
      const double x = heavy ? R : -R;
      text += fmt::format(
          "  - {{name: {}, kind: rigid, rigid: {{mass: {:.15g}, inertia: [1, 1, 1], position: [{}, "
          "0, -0.3], locked: [y, rx, "
          "ry, rz]}}}}\n",
          heavy ? "heavy" : "light", heavy ? share * most : 1.0, x);
      joints +=
          fmt::format("  - {{kind: distance, between: [{}, b{}], at: [{}, 0, -0.3], to: {}}}\n",
                      heavy ? "heavy" : "light", heavy ? n - 1 : 0, x, place(heavy ? n - 1 : 0));
    }
    const Shown run = run_text(text + joints +
                               "outputs:\n  - {probe: heavy, at: [0, 0, 0], direction: [0, 0, -1], "
                               "quantity: displacement}\n");
    CHECK(run.converged);
    // (m - most)/(m + most) g t^2/2 once it slips
    const double slip = 9.81 * (share - 1.0) / (share + 1.0) * 0.5 * 0.04 * 0.04;
    if (share < 1.0)
      CHECK(std::abs(run.sim.probe(0)) < 1e-6);
    else
      CHECK(run.sim.probe(0) == doctest::Approx(slip).epsilon(0.1));
  }
}
