// Rows of parallelograms whose bars lie on one line for an instant: there the rows of their joints
// are dependent, and bars could go on to either side.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Rotated by `angle` about (2, -1, 2)/3.
Vector3 turned(double angle, const Vector3& x) {
  return Eigen::AngleAxisd(angle, Vector3(2.0, -1.0, 2.0) / 3.0) * x;
}

std::string text_of(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

struct Row {
  int posts = 3;
  double bar = 1.0, coupler = 1.0;  ///< length [m] of all bars, mass [kg] of the couplers
  double turn = 0.0;                ///< of gravity and bars, see turned() [rad]
  std::string scheme = "rig-mid";
};

/// Upright posts of 1 kg on hinges, couplers between their tops; pushed with 1 rad/s.
std::string scene(const Row& row) {
  const auto at = [&](double x, double y) {
    return text_of(row.bar * turned(row.turn, Vector3(x, y, 0.0)));
  };
  const std::string axis = text_of(turned(row.turn, Vector3::UnitZ()));
  const auto body = [&](const std::string& name, double mass, double x, double y, bool spins) {
    const double J = mass * row.bar * row.bar / 12.0;
    return fmt::format(
        "  - {{name: {}, kind: rigid, scheme: {}, rigid: {{mass: {:.17g}, "
        "inertia: [{:.17g}, {:.17g}, {:.17g}], position: {}, velocity: {}, spin: {}}}}}\n",
        name, row.scheme, mass, J, J, J, at(x, y), at(y, 0.0),
        text_of(turned(row.turn, Vector3(0.0, 0.0, spins ? -1.0 : 0.0))));
  };
  const auto hinge = [&](const std::string& a, const std::string& b, double x, double y) {
    return fmt::format("  - {{kind: revolute, between: [{}, {}], at: {}, axis: {}}}\n", a, b,
                       at(x, y), axis);
  };
  std::string bodies, joints;
  for (int i = 0; i < row.posts; ++i) {
    bodies += body(fmt::format("p{}", i), 1.0, i, 0.5, true);
    joints += hinge("world", fmt::format("p{}", i), i, 0.0);
  }
  for (int i = 0; i + 1 < row.posts; ++i) {
    const std::string coupler = fmt::format("c{}", i);
    bodies += body(coupler, row.coupler, i + 0.5, 1.0, false);
    joints += hinge(fmt::format("p{}", i), coupler, i, 1.0);
    joints += hinge(coupler, fmt::format("p{}", i + 1), i + 1, 1.0);
  }
  return "saltus: 1\ntime: {end: 3.3 s, step: 1 ms}\ngravity: " +
         text_of(row.bar * turned(row.turn, Vector3(0.0, -9.81, 0.0))) + "\nbodies:\n" + bodies +
         "joints:\n" + joints;
}

struct Passed {
  double gap = 0.0, change = 0.0;  ///< largest gap of a joint [m]; energy won, relative
};

Passed pass(const Row& row, const std::string& step) {
  CAPTURE(row.scheme);
  CAPTURE(row.posts);
  CAPTURE(step);
  Passed result;
  const Shown run =
      run_text(scene(row), {"time.step=" + step}, [&](const Simulation&, const StepReport& report) {
        result.gap = std::max(result.gap, report.joint_gap);
      });
  CHECK(run.converged);
  const double E0 = run.sim.state().energy_start;
  result.change = (run.sim.state().energy.total() - E0) / E0;
  return result;
}

}  // namespace

TEST_CASE("rows of parallelograms pass the positions in which all bars lie on one line") {
  struct Scheme {
    const char* name;
    double change;  ///< bound at 5 ms, relative
  };
  for (const auto& [scheme, most] : std::vector<Scheme>{{"rig-mid", 1e-6},
                                                        {"moreau-jean", 1e-5},
                                                        {"newmark", 1e-5},
                                                        {"generalized-alpha", 1e-5},
                                                        {"splitting", 1e-4},
                                                        {"runge-kutta", 1e-5},
                                                        {"rig-pos", 3e-4},
                                                        {"rig-neg", 3e-4},
                                                        {"rig-imp", 3e-4}})
    for (const int posts : {2, 5})
      for (const auto& [step, h] : {std::pair{"5 ms", 5.0}, {"2.5 ms", 2.5}}) {
        const Passed passed = pass({.posts = posts, .scheme = scheme}, step);
        CHECK(passed.gap < 1e-13);
        CHECK(std::abs(passed.change) < most * h * h / 25.0);  // of order 2 at least
      }
}

TEST_CASE("parallelograms in any plane, of any size and mass pass such positions") {
  for (const double turn : {0.0, 1.1})
    for (const double bar : {1e-3, 50.0})
      for (const double coupler : {1e-4, 1e4}) {
        CAPTURE(turn);
        CAPTURE(coupler);
        const Row row{.posts = 4, .bar = bar, .coupler = coupler, .turn = turn};
        const Passed passed = pass(row, "3.4 ms");
        CHECK(passed.gap < 1e-12 * std::max(1.0, bar));  // of points [m] and of axes [rad]
        CHECK(std::abs(passed.change) < 1e-6);
      }
}

namespace {

/// A crank and a rod of 1 kg on hinges, and a slider of 1 kg on a guide along x, in the plane xy.
/// The crank starts at `angle` with the rate `spin`.
struct SliderCrank {
  double crank = 0.4, rod = 0.4;   ///< lengths [m]
  double angle = 0.0, spin = 6.0;  ///< [rad], [rad/s]
  double turn = 0.0;               ///< of all, see turned() [rad]
  Vector3 gravity{0.0, -9.81, 0.0};
};

std::string scene(const SliderCrank& x) {
  const auto at = [&](const Vector3& p) { return text_of(turned(x.turn, p)); };
  const Vector3 pin(x.crank * std::cos(x.angle), x.crank * std::sin(x.angle), 0.0);
  const double low = -std::asin(pin.y() / x.rod);
  const Vector3 end(pin.x() + x.rod * std::cos(low), 0.0, 0.0);
  const Vector3 v = x.spin * Vector3(-pin.y(), pin.x(), 0.0);
  const double turn = -v.y() / (x.rod * std::cos(low));  // rate of the rod
  const Vector3 v_end(v.x() + turn * x.rod * std::sin(-low), 0.0, 0.0);
  const auto body = [&](const char* name, const Vector3& p, const Vector3& u, double spin) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, rigid: {{mass: 1, inertia: [0.01, 0.01, 0.01], position: {}, "
        "velocity: {}, spin: {}}}}}\n",
        name, at(p), at(u), at({0.0, 0.0, spin}));
  };
  const auto joint = [&](const char* kind, const char* a, const char* b, const Vector3& p,
                         const Vector3& axis) {
    return fmt::format("  - {{kind: {}, between: [{}, {}], at: {}, axis: {}}}\n", kind, a, b, at(p),
                       at(axis));
  };
  const Vector3 z = Vector3::UnitZ();
  return "saltus: 1\ntime: {end: 2 s, step: 1 ms}\ngravity: " + at(x.gravity) + "\nbodies:\n" +
         body("crank", 0.5 * pin, 0.5 * v, x.spin) +
         body("rod", 0.5 * (pin + end), 0.5 * (v + v_end), turn) + body("slider", end, v_end, 0.0) +
         "joints:\n" + joint("revolute", "world", "crank", Vector3::Zero(), z) +
         joint("revolute", "crank", "rod", pin, z) + joint("revolute", "rod", "slider", end, z) +
         joint("prismatic", "world", "slider", end, Vector3::UnitX());
}

}  // namespace

TEST_CASE("a crank and a rod of equal length pass their dead centres on the same branch") {
  for (const double turn : {0.0, 0.8})
    for (const double angle : {0.0, 0.6})
      for (const char* step : {"1 ms", "2 ms"}) {
        CAPTURE(turn);
        CAPTURE(angle);
        const Shown run = run_text(scene(SliderCrank{.angle = angle, .turn = turn}),
                                   {std::string("time.step=") + step});
        CHECK(run.converged);
        const State& state = run.sim.state();
        CHECK(state.energy.total() == doctest::Approx(state.energy_start).epsilon(1e-6));
      }
}

TEST_CASE("joints never change the energy of a loop by much without the run saying so") {
  int stopped = 0;
  for (int k = 0; k < 24; ++k) {
    CAPTURE(k);
    const SliderCrank x{.crank = 0.3,
                        .rod = k % 2 == 0 ? 0.7 : 0.3,
                        .angle = 0.1 + 0.2 * k,
                        .spin = 1.0,
                        .turn = 0.01 * k};
    if (k % 2 == 1 && std::cos(x.angle) < 0.1) continue;
    const Shown run = run_text(scene(x), {"time.step=4 ms"});
    stopped += !run.converged;
    const State& state = run.sim.state();
    if (run.converged)
      CHECK(state.energy.total() == doctest::Approx(state.energy_start).epsilon(2e-2));
  }
  CHECK(stopped <= 4);
}
