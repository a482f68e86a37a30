// B10 by located events: a block that rocks from one corner to the other, and what each order of impacts makes of two corners
// that touch at one instant.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "../support/event_run.h"
#include "../support/golden.h"
#include "../support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A uniform block of half width b and half height h [m], on its corner at angle `tilt` in the plane y = 0.
struct Block {
  double b = 0.1, h = 0.5, g = 9.81;

  double alpha() const { return std::atan(b / h); }
  double R() const { return std::hypot(b, h); }
  /// What is left of the spin when it passes from corner to corner (Housner).
  double ratio() const { return 1.0 - 1.5 * std::pow(std::sin(alpha()), 2); }

  Model model(double tilt, double end, const EventOptions& events) const {
    RigidScene scene;
    scene.plane = Vector3::UnitY();
    scene.gravity = Vector3(0.0, 0.0, -g);
    RigidThing thing{Box{Vector3(b, 0.2, h)}};
    thing.x = R() * Vector3(-std::sin(alpha() - tilt), 0.0, std::cos(alpha() - tilt));
    thing.Q = Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitY()));
    thing.locked = {false, true, false, true, false, true};
    scene.add(thing);
    scene.fix(Plane{});
    return in_event_mode(scene.model(rig_mid(), 1e-2, newton_law(0.0, 10.0)), 1e-2, end, events);
  }
  /// Angle at which its energy is that of rest on a corner [rad].
  double amplitude(const Simulation& sim) const {
    const double m = 1.0, height = sim.state().energy.total() / (m * g);
    return alpha() - std::acos(height / R());
  }
};

/// Instants at which corners strike, each with the spin before it [rad/s].
struct Stroke {
  double t, spin;
};
std::vector<Stroke> strokes(const EventRun& run, const Block& block) {
  std::vector<Stroke> found;
  for (const Event& e : run.log)
    if (e.kind == Event::Kind::impact && (found.empty() || e.t > found.back().t))
      found.push_back({e.t, -e.speed / (2.0 * block.b)});
  return found;
}

EventOptions in_order(ImpactOrder order, double tolerance) {
  EventOptions events;
  events.impacts = order;
  events.tolerance = tolerance;
  return events;
}

constexpr std::array kOrders{ImpactOrder::simultaneous, ImpactOrder::sequential,
                             ImpactOrder::energetic};

}  // namespace

TEST_CASE(
    "B10: a block falls onto its other corner at the time and with the spin of the exact motion") {
  const Block block;
  Simulation sim(block.model(0.5 * block.alpha(), 1.0, in_order(ImpactOrder::simultaneous, 1e-11)));
  const EventRun run = run_events(sim, 0.6);
  const std::vector<Stroke> at = strokes(run, block);
  REQUIRE(at.size() == 1);
  const double t = benchmark("B10", "time to first impact (exact nonlinear)"),
               spin = benchmark("B10", "angular speed just before first impact"),
               amplitude = benchmark("B10", "amplitude after first impact");
  MESSAGE(fmt::format(
      "time {:.15f} s, off by {:.1e}, spin {:.15f} rad/s, off by {:.1e}, amplitude {:.12f} rad, "
      "off by {:.1e}, gap {:.1e} m",
      at[0].t, std::abs(at[0].t / t - 1.0), at[0].spin, std::abs(at[0].spin / spin - 1.0),
      block.amplitude(sim), std::abs(block.amplitude(sim) / amplitude - 1.0), run.gap));
  CHECK(std::abs(at[0].t / t - 1.0) <= 1e-9);
  CHECK(std::abs(at[0].spin / spin - 1.0) <= 1e-9);
  CHECK(std::abs(block.amplitude(sim) / amplitude - 1.0) <= 1e-9);
  CHECK(run.gap >= -1e-9);
}

TEST_CASE(
    "B10: whatever the order of impacts, a block that rocks keeps Housner's share of its spin") {
  for (const ImpactOrder order : kOrders) {
    CAPTURE(name_of(order));
    const Block slender;
    Simulation sim(slender.model(0.5 * slender.alpha(), 2.5, in_order(order, 1e-11)));
    const EventRun run = run_events(sim, 2.0);
    const std::vector<Stroke> at = strokes(run, slender);
    REQUIRE(at.size() >= 3);
    // Between strokes it swings back to the spin with which it left.
    const double ratio = benchmark("B10", "velocity ratio over impact 1-1.5 sin^2(alpha)");
    CHECK(slender.ratio() == doctest::Approx(ratio).epsilon(1e-14));
    for (std::size_t i = 1; i < at.size(); ++i)
      CHECK(std::abs(at[i].spin / at[i - 1].spin / ratio - 1.0) <= 1e-9);
    MESSAGE(fmt::format("{}: share {:.12f}, {} strokes", name_of(order), at[1].spin / at[0].spin,
                        at.size()));
  }
}

TEST_CASE("a squat block of which Housner's share is negative stops dead; less squat ones rock") {
  for (const double b : {0.3, 0.5, 0.65, 0.9})
    for (const ImpactOrder order : kOrders) {
      CAPTURE(b);
      CAPTURE(name_of(order));
      const Block block{b, 0.5};
      Simulation sim(block.model(0.05, 1.0, in_order(order, 1e-10)));
      double before = 0.0, after = 0.0;
      const EventRun run = run_events(sim, 0.5, [&](const Simulation& s, const StepReport&) {
        for (const Event& e : s.events())
          if (e.kind == Event::Kind::impact && before == 0.0) before = -e.speed / (2.0 * b);
        if (before != 0.0) after = std::max(after, block.amplitude(s));
      });
      MESSAGE(fmt::format("b {} {}: ratio {:.4f} after {:.6f} {}", b, name_of(order), block.ratio(),
                          after, strokes(run, block).size()));
      if (block.ratio() <= 0.0) CHECK(after <= 1e-9);
    }
}
