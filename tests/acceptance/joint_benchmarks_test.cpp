// Mechanisms against independent values (tests/golden/benchmarks: B14, B17a to B17e), every body with all its coordinates.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "../support/golden.h"
#include "../support/mechanisms.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

int steps(double time, double h) { return static_cast<int>(std::lround(time / h)); }

Vector3 top_at_one_second() {
  return {benchmark("B14", "centre of mass x(1.0)"), benchmark("B14", "centre of mass y(1.0)"),
          benchmark("B14", "centre of mass z(1.0)")};
}

/// The seven angles after 0.03 s.
std::array<double, 7> squeezed(double h, JointRun& run) {
  Squeezer squeezer = andrews_squeezer();
  squeezer.scene.h = h;
  Simulation sim(squeezer.scene.model(make_scheme(MoreauJeanOptions{})));
  std::array<double, 7> turned{}, last{};
  for (int k = steps(0.03, h); k > 0; --k) {
    const JointRun one = run_joints(sim, 1);
    run.converged = run.converged && one.converged;
    run.gap = worse(run.gap, one.gap);
    run.unexplained = worse(run.unexplained, one.unexplained);
    for (std::size_t i = 0; i < 7; ++i) {
      const Quaternion Q = rotation_of(sim, static_cast<int>(i));
      const double angle = 2.0 * std::atan2(Q.z(), Q.w());
      turned[i] += std::remainder(angle - last[i], 2.0 * kPi);
      last[i] = angle;
    }
  }
  return squeezer.angles(turned);
}

}  // namespace

TEST_CASE("B14: a heavy top on a ball joint is where it must be after a second, at order 2") {
  struct Case {
    const char* name;
    std::shared_ptr<const Scheme> scheme;
    JointLevel level;
    double energy;  // of the whole, at 1 ms
  };
  for (const Case& c :
       {Case{"rig-mid", make_scheme(RigMidOptions{}), JointLevel::position, 2e-6},
        Case{"rig-mid, velocity", make_scheme(RigMidOptions{}), JointLevel::velocity, 1e-9},
        Case{"rig-imp", make_scheme(RigImpOptions{}), JointLevel::position, 1e-5},
        Case{"rig-imp, velocity", make_scheme(RigImpOptions{}), JointLevel::velocity, 1e-5}}) {
    CAPTURE(c.name);
    std::array<double, 3> error{};
    const std::array<double, 3> h{1e-3, 5e-4, 1e-4};
    for (std::size_t i = 0; i < 3; ++i) {
      JointScene scene = heavy_top_on_ball();
      scene.h = h[i];
      scene.level = c.level;
      Simulation sim(scene.model(c.scheme));
      const double energy = benchmark("B14", "total energy");
      CHECK(std::abs(sim.state().energy.total() - energy) <= 1e-12 * energy);
      const JointRun run = run_joints(sim, steps(1.0, h[i]));
      REQUIRE(run.converged);
      error[i] = (centre_of(sim, 0) - top_at_one_second()).norm();
      if (i == 0) CHECK(run.energy <= c.energy * energy);
      if (c.level == JointLevel::position) CHECK(run.gap <= 1e-10);
      MESSAGE(fmt::format("{}, h {}: off by {:.2e} m, gap {:.1e} m, energy {:.1e} of itself",
                          c.name, h[i], error[i], run.gap, run.energy / energy));
    }
    CHECK(error[0] <= 3e-2);
    CHECK(error[2] <= 3e-4);
    const double order = std::log2(error[0] / error[1]);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE(
    "B17a: a point on a rigid link and a rod on a hinge keep the pendulum's period and places") {
  const double h = 1e-3, period = benchmark("B17a", "period (90 deg amplitude)");
  for (const bool hinge : {false, true}) {
    CAPTURE(hinge);
    JointScene scene;
    scene.h = h;
    const Vector3 start(-1.0, 0.0, 0.0);
    const double scale = hinge ? 4.0 / 3.0 : 1.0;
    int bob = 0;
    if (hinge) {  // a uniform rod of 3/2 m: what is 1 m from the hinge moves like the point
      bob = scene.rod(1.0, Vector3::Zero(), 1.5 * start);
      scene.join(JointKind::revolute, -1, bob, Vector3::Zero(), Vector3::UnitY());
    } else {
      bob = scene.point(1.0, start);
      scene.join(JointKind::distance, -1, bob, Vector3::Zero(), start, Vector3::UnitZ());
    }
    // places to 1e-5 need h below 1 ms over 10 s at order 2: the extrapolation of h and h/2
    std::array<std::array<Vector3, 3>, 2> at;
    std::array<double, 2> crossed{};
    const std::array<double, 3> when{1.0, 5.0, 10.0};
    for (std::size_t fine = 0; fine < 2; ++fine) {
      scene.h = fine == 0 ? h : 0.5 * h;
      Simulation sim(scene.model(std::shared_ptr<const Scheme>(
          hinge ? make_scheme(RigMidOptions{}) : make_scheme(MoreauJeanOptions{}))));
      const auto place = [&] { return Vector3(scale * sim.state().groups[0].q.head<3>()); };
      const auto speed = [&] { return scale * sim.state().groups[0].v[0]; };
      std::size_t next = 0;
      int passed = 0;
      for (int k = 0; k < steps(10.0, scene.h); ++k) {
        const double x0 = place().x(), v0 = speed();
        const JointRun run = run_joints(sim, 1);
        REQUIRE(run.converged);
        REQUIRE(run.gap <= 1e-10);
        REQUIRE(run.unexplained <= 1e-12);
        const double x1 = place().x(), v1 = speed();
        if ((x0 < 0.0) != (x1 < 0.0) && ++passed == 8) {  // 7/2 periods after the first
          double s = x0 / (x0 - x1);                      // cubic between the ends
          for (int i = 0; i < 20; ++i) {
            const double d = scene.h, a = 1.0 - s;
            const double x = a * a * (1.0 + 2.0 * s) * x0 + s * s * (3.0 - 2.0 * s) * x1 +
                             d * s * a * (a * v0 - s * v1);
            s -= x / (d * 0.5 * (v0 + v1));
          }
          crossed[fine] = sim.state().t - scene.h * (1.0 - s);
        }
        if (next < 3 && k + 1 == steps(when[next], scene.h)) at[fine][next++] = place();
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 x = (4.0 * at[1][i] - at[0][i]) / 3.0;
      const std::string t = fmt::format("({:.0f})", when[i]);
      const Vector3 exact(benchmark("B17a", "x" + t + " (start x=-L side)"), 0.0,
                          benchmark("B17a", "y" + t));
      CHECK((x - exact).cwiseAbs().maxCoeff() <= 1e-5);
      const double coarse = (at[0][i] - exact).norm(), fine = (at[1][i] - exact).norm();
      CHECK(coarse <= 1e-3);  // high precision of the library
      CHECK(coarse / fine > 3.8);
      CHECK(coarse / fine < 4.2);
      MESSAGE(fmt::format("hinge {}, t = {}: {:.1e} m at 1 ms, {:.1e} m extrapolated", hinge,
                          when[i], coarse, (x - exact).norm()));
    }
    // the first crossing is after T/4, the eighth after 15/4 T
    const double found = (4.0 * crossed[1] - crossed[0]) / 3.0 / 3.75;
    CHECK(std::abs(found / period - 1.0) <= 1e-6);
    MESSAGE(fmt::format("hinge {}: period off by {:.1e} of itself", hinge, found / period - 1.0));
  }
}

TEST_CASE("B17b: 81 bars in 40 loops of 4 pass their singular place and are where they must be") {
  // B0 after a second, one singular configuration behind it
  std::array<Vector3, 2> at;
  double drift = 0.0;
  for (const std::size_t fine : {0u, 1u}) {
    const double h = fine == 0 ? 4e-3 : 2e-3;
    JointScene scene = four_bars(40, 1.0);
    scene.h = h;
    scene.on_failure = OnFailure::halve;  // close to the singular place
    Simulation sim(scene.model(make_scheme(RigMidOptions{})));
    CHECK(std::abs(sim.state().energy.total() -
                   benchmark("B17b", "total energy over ground level")) <= 1e-9);
    const JointRun run = run_joints(sim, steps(1.0, h));
    REQUIRE(run.converged);
    CHECK(run.gap <= 1e-10);
    at[fine] = 2.0 * centre_of(sim, 0);
    drift = run.energy;
  }
  const Vector3 exact(benchmark("B17b", "B0 x(1)"), benchmark("B17b", "B0 y(1)"), 0.0);
  const Vector3 x = (4.0 * at[1] - at[0]) / 3.0;
  CHECK((at[1] - exact).norm() <= 1e-3);
  CHECK((x - exact).norm() <= 1e-6);
  const double order = std::log2((at[0] - exact).norm() / (at[1] - exact).norm());
  CHECK(order > 1.9);
  CHECK(order < 2.1);
  MESSAGE(fmt::format("off by {:.1e} m at 2 ms, {:.1e} m extrapolated; energy {:.1e} J at 2 ms",
                      (at[1] - exact).norm(), (x - exact).norm(), drift));
}

TEST_CASE(
    "B17b: the row of 40 loops lies flat, hangs and stands again when the quadrature says so") {
  const std::array<double, 3> angle{0.5 * kPi, kPi, 2.0 * kPi};
  const std::array<const char*, 3> name{"time of first singular configuration theta=pi/2",
                                        "time to hang straight down (theta=pi)",
                                        "period of full turn"};
  std::array<std::array<double, 3>, 2> at{};
  for (const std::size_t fine : {0u, 1u}) {
    JointScene scene = four_bars(40, 1.0);
    scene.h = fine == 0 ? 4e-3 : 2e-3;
    scene.on_failure = OnFailure::halve;  // close to the singular place
    Simulation sim(scene.model(make_scheme(RigMidOptions{})));
    // theta of the last four steps; it passes an angle between the second and the third
    std::array<double, 4> theta{};
    std::size_t next = 0;
    for (int k = 1; next < 3; ++k) {
      REQUIRE(sim.state().t < 2.1);
      const JointRun run = run_joints(sim, 1);
      REQUIRE(run.converged);
      REQUIRE(run.gap <= 1e-10);
      const Vector3 bar = centre_of(sim, 0);
      const double last = theta[3];
      std::rotate(theta.begin(), theta.begin() + 1, theta.end());
      theta[3] = last + std::remainder(std::atan2(bar.x(), bar.y()) - last, 2.0 * kPi);
      if (k < 4 || theta[2] < angle[next]) continue;
      // the time as the cubic in theta through the four points, in steps from the second
      double s = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        double weight = static_cast<double>(i) - 1.0;
        for (std::size_t j = 0; j < 4; ++j)
          if (j != i) weight *= (angle[next] - theta[j]) / (theta[i] - theta[j]);
        s += weight;
      }
      at[fine][next++] = sim.state().t + scene.h * (s - 2.0);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string what = name[i];
    CAPTURE(what);
    const double exact = benchmark("B17b", what);
    const double found = (4.0 * at[1][i] - at[0][i]) / 3.0;
    CHECK(std::abs(found / exact - 1.0) <= 1e-6);
    const double order = std::log2((at[0][i] - exact) / (at[1][i] - exact));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
    MESSAGE(fmt::format("{}: off by {:.1e} s at 2 ms, {:.1e} of itself extrapolated", what,
                        at[1][i] - exact, found / exact - 1.0));
  }
}

TEST_CASE("B17c: Andrews' squeezer ends at the published angles") {
  const std::array<const char*, 7> name{"beta",  "Theta", "gamma",  "Phi",
                                        "delta", "Omega", "epsilon"};
  JointRun run;
  const std::array<double, 7> coarse = squeezed(2e-5, run), fine = squeezed(1e-5, run);
  REQUIRE(run.converged);
  CHECK(run.gap <= 1e-12);
  CHECK(run.unexplained <= 1e-12);
  double worst = 0.0, plain = 0.0;
  for (std::size_t i = 0; i < 7; ++i) {
    const double exact = benchmark("B17c", std::string(name[i]) + "(0.03)");
    const double error = std::abs((4.0 * fine[i] - coarse[i]) / 3.0 / exact - 1.0);
    CAPTURE(name[i]);
    CHECK(error <= 1e-6);
    worst = std::max(worst, error);
    plain = std::max(plain, std::abs(fine[i] / exact - 1.0));
    const double order = std::log2((coarse[i] - exact) / (fine[i] - exact));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
  MESSAGE(fmt::format("off by {:.1e} of an angle at 10 us, {:.1e} extrapolated", plain, worst));
}

TEST_SUITE("slow: mechanisms") {
  TEST_CASE("B17b: 40 loops of 4 bars stay together over 20 s and 20 singular places") {
    const double h = 1e-3;
    JointScene scene = four_bars(40, 1.0);
    scene.h = h;
    scene.on_failure = OnFailure::halve;  // close to the singular place
    Simulation sim(scene.model(make_scheme(RigMidOptions{})));
    double t = 0.0;
    for (const int until : {1, 5, 10, 20}) {
      const JointRun run = run_joints(sim, steps(until - t, h));
      t = until;
      REQUIRE(run.converged);
      CHECK(run.gap <= 1e-10);
      CHECK(run.energy <= 1e-3);
      const Vector3 exact(benchmark("B17b", fmt::format("B0 x({})", until)),
                          benchmark("B17b", fmt::format("B0 y({})", until)), 0.0);
      const double error = (2.0 * centre_of(sim, 0) - exact).norm();
      CHECK(error <= 1e-3);
      MESSAGE(fmt::format("t = {}: off by {:.1e} m, energy {:.1e} J", until, error, run.energy));
    }
  }
}
