// Bodies on links and pins as Solfec has them: a pendulum, a double pendulum against a wall, a pinned body.
//
// Values: closed forms, and an event-driven integration to 1e-12 of the second problem (Potra and others 2006).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "../support/mechanisms.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

/// A mass that is a particle, or a rigid body of next to no inertia.
int mass_at(JointScene& scene, bool rigid, const Vector3& x) {
  return rigid ? scene.add(1.0, 1e-12 * Matrix3::Identity(), x) : scene.point(1.0, x);
}
std::shared_ptr<const Scheme> scheme_of(bool rigid) {
  return rigid ? make_scheme(RigMidOptions{}) : make_scheme(MoreauJeanOptions{});
}

/// J = (1, 2, 3) held at p from the mass centre, turning freely.
Simulation pinned(const SchemeChoice& scheme, JointLevel level, double h) {
  JointScene scene;
  scene.gravity.setZero();
  scene.level = level;
  scene.h = h;
  const Vector3 p(0.3, 0.2, -0.4), W(0.3, 1.2, -0.5);
  scene.add(1.0, Vector3(1.0, 2.0, 3.0).asDiagonal(), Vector3::Zero(), Quaternion::Identity(),
            -W.cross(p), W);
  scene.join(JointKind::ball, -1, 0, p);
  return Simulation(scene.model(make_scheme(scheme)));
}

}  // namespace

TEST_CASE("a mass on a rigid link swings with the exact period and neither stretches nor tires") {
  for (const bool rigid : {false, true})
    for (const JointLevel level : {JointLevel::position, JointLevel::velocity}) {
      CAPTURE(rigid);
      JointScene scene;
      scene.level = level;
      scene.gravity = Vector3(0.0, 0.0, -kPi * kPi);
      const Vector3 pivot(0.0, 0.0, 1.0), start(1.0, 0.0, 1.0);
      const int bob = mass_at(scene, rigid, start);
      scene.join(JointKind::distance, -1, bob, pivot, start, Vector3::UnitZ());
      Simulation sim(scene.model(scheme_of(rigid)));
      const double energy = sim.state().energy.total();
      REQUIRE(std::abs(energy - 9.869604401) <= 1e-8);
      std::vector<double> crossed;
      double stretch = 0.0, drift = 0.0;
      while (crossed.size() < 21 && sim.state().t < 30.0) {
        const double x0 = sim.state().groups[0].q[0];
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        const Vector3 x = sim.state().groups[0].q.head<3>();
        stretch = std::max(stretch, std::abs((x - pivot).norm() - 1.0));
        drift = std::max(drift, std::abs(sim.state().energy.total() / energy - 1.0));
        if ((x0 > 0.0) != (x.x() > 0.0))
          crossed.push_back(sim.state().t - scene.h * x.x() / (x.x() - x0));
      }
      REQUIRE(crossed.size() == 21);
      const double period = 2.3606811980321925;
      const double one = crossed[2] - crossed[0], ten = (crossed[20] - crossed[0]) / 10.0;
      CHECK(std::abs(one - period) <= 1e-3);
      CHECK(std::abs(ten - period) <= 1e-3);
      CHECK(drift <= 1e-4);
      CHECK(stretch <= 1e-6);
      MESSAGE(fmt::format("rigid {}, level {}: period {:.1e} s off, energy {:.1e}, length {:.1e} m",
                          rigid, static_cast<int>(level), ten - period, drift, stretch));
    }
}

TEST_CASE("a double pendulum that strikes a wall loses at each impact what it must") {
  // energy above that of the end, between the impacts
  const std::array<std::array<double, 2>, 6> exact{{{0.3, 11.676659321},
                                                    {0.6, 9.024532289},
                                                    {1.0, 0.900986568},
                                                    {1.5, 0.645321324},
                                                    {2.12, 0.526231163},
                                                    {2.4, 0.0}}};
  for (const bool rigid : {false, true})
    for (const auto& [h, tolerance] : {std::array{1e-3, 1e-2}, std::array{1e-4, 1e-3}}) {
      CAPTURE(rigid);
      CAPTURE(h);
      JointScene scene;
      scene.h = h;
      const double a = kPi / 3.0, b = kPi / 5.0;
      const Vector3 pivot(0.0, 0.0, 2.0);
      const Vector3 x1 = pivot + Vector3(std::sin(a), 0.0, -std::cos(a));
      const Vector3 x2 = x1 + Vector3(std::sin(b), 0.0, -std::cos(b));
      const int first = mass_at(scene, rigid, x1), second = mass_at(scene, rigid, x2);
      scene.join(JointKind::distance, -1, first, pivot, x1, Vector3::UnitZ());
      scene.join(JointKind::distance, first, second, x1, x2, Vector3::UnitZ());
      scene.wall(first, Vector3::UnitX(), newton_law(0.1));
      scene.wall(second, Vector3::UnitX(), newton_law(0.1));
      Simulation sim(scene.model(scheme_of(rigid)));
      const double end = sim.state().energy.total() - exact[0][1];
      double worst = 0.0, gap = 0.0;
      for (const auto& [t, above] : exact) {
        while (sim.state().t < t - 0.5 * h) {
          const StepReport report = sim.advance();
          REQUIRE(report.converged);
          gap = std::max(gap, report.joint_gap);
        }
        worst = std::max(worst, std::abs(sim.state().energy.total() - end - above));
      }
      CHECK(worst <= tolerance);
      CHECK(gap <= 1e-10);
      const auto& q = sim.state().groups[0].q;
      const Eigen::Index k = rigid ? 7 : 3;
      const double off = std::max(std::hypot(q[0] - 0.02104355, q[2] - 1.00022144),
                                  std::hypot(q[k] - 0.01744765, q[k + 2] - 0.00022790));
      CHECK(off <= (h < 5e-4 ? 3e-4 : 3e-3));
      MESSAGE(fmt::format("rigid {}, h {}: energy {:.1e} J off, end {:.1e} m off", rigid, h, worst,
                          off));
    }
}

TEST_CASE(
    "a pinned body keeps its energy as Solfec's three rotation schemes do, and drifts in h^2") {
  RigNegOptions neg;
  RigImpOptions imp;
  neg.reactions = imp.reactions = Reactions::predictor;
  struct Case {
    const char* name;
    SchemeChoice scheme;
  };
  for (const Case& c :
       {Case{"rig-pos", RigPosOptions{}}, Case{"rig-neg", neg}, Case{"rig-imp", imp}}) {
    CAPTURE(c.name);
    std::array<double, 3> energy{}, band{}, gap{};
    const std::array<double, 3> h{0.02, 0.01, 0.005};
    for (std::size_t i = 0; i < 3; ++i) {
      Simulation sim = pinned(c.scheme, JointLevel::velocity, h[i]);
      const double start = sim.state().energy.total();
      REQUIRE(std::abs(start - 1.97765) <= 1e-12);
      const JointRun run = run_joints(sim, static_cast<int>(std::lround(5.0 / h[i])));
      REQUIRE(run.converged);
      CHECK(run.passes == 1);
      energy[i] = sim.state().energy.total() - start;
      band[i] = run.energy;
      gap[i] = run.gap;
    }
    MESSAGE(fmt::format("{}: energy {:+.2e} {:+.2e} {:+.2e} J, gap {:.2e} {:.2e} {:.2e} m", c.name,
                        energy[0], energy[1], energy[2], gap[0], gap[1], gap[2]));
    CHECK(gap[0] < 4e-5);
    const bool first_order = std::string_view(c.name) == "rig-pos";
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(gap[i] / gap[i + 1] > 3.9);
      CHECK(gap[i] / gap[i + 1] < 4.1);
      CHECK(band[i] / band[i + 1] > (first_order ? 1.9 : 3.8));
      CHECK(band[i] / band[i + 1] < (first_order ? 2.1 : 4.2));
    }
    if (first_order) {
      const std::array<double, 3> lost{1.0e-2, 5.0e-3, 2.5e-3};  // Solfec
      for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(-energy[i] / lost[i] - 1.0) <= 0.05);
    } else {
      CHECK(std::abs(energy[0]) < 5e-5);
      if (std::string_view(c.name) == "rig-neg") CHECK(std::abs(energy[0]) < 1e-5 * 1.97765);
    }
  }
}

TEST_CASE("a pinned body: what converged reactions and closed positions make of it") {
  struct Case {
    const char* name;
    SchemeChoice scheme;
    double energy;  // at the end at 20 ms [J]
  };
  for (const JointLevel level : {JointLevel::velocity, JointLevel::position})
    for (const Case& c :
         {Case{"rig-neg", RigNegOptions{}, 1e-5}, Case{"rig-imp", RigImpOptions{}, 5e-5},
          Case{"rig-mid", RigMidOptions{}, 1e-11}}) {
      CAPTURE(c.name);
      std::array<double, 2> gap{}, energy{};
      for (const std::size_t i : {0u, 1u}) {
        const double h = i == 0 ? 0.02 : 0.01;
        Simulation sim = pinned(c.scheme, level, h);
        const double start = sim.state().energy.total();
        const JointRun run = run_joints(sim, static_cast<int>(std::lround(5.0 / h)));
        REQUIRE(run.converged);
        gap[i] = run.gap;
        energy[i] = sim.state().energy.total() - start;
      }
      CHECK(std::abs(energy[0]) < c.energy);
      if (level == JointLevel::position) {
        CHECK(gap[0] <= 1e-11);
      } else if (std::string_view(c.name) == "rig-mid") {  // g1 - g0 = h G v
        CHECK(gap[0] <= 1e-13);
      } else {
        CHECK(gap[0] / gap[1] > 3.9);
        CHECK(gap[0] / gap[1] < 4.1);
      }
      MESSAGE(fmt::format("{}, {}: energy {:+.2e} {:+.2e} J, gap {:.2e} {:.2e} m", c.name,
                          level == JointLevel::position ? "position" : "velocity", energy[0],
                          energy[1], gap[0], gap[1]));
    }
}
