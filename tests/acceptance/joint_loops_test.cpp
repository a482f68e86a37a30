// Loops whose rows depend on each other, and the governor (tests/golden/benchmarks: B17d, B17e): reactions that no order of
// the joints changes, loops that stay closed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "../support/golden.h"
#include "../support/mechanisms.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Three equal bars hang from the world, aslant, and carry one long bar: two loops, of which one would do.
JointScene parallelogram(const std::array<int, 6>& order, bool planar) {
  JointScene scene;
  scene.gravity = Vector3(0.0, -9.81, 0.0);
  const std::array<bool, 6> locked = planar ? kPlane : std::array<bool, 6>{};
  const std::array<Vector3, 3> foot{Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(2.3, 0, 0)};
  const Vector3 bar(0.6, -0.8, 0.0);
  for (const Vector3& p : foot) scene.rod(1.0, p, p + bar, 0.05, locked);
  const int coupler = scene.rod(2.0, foot[0] + bar, foot[2] + bar, 0.05, locked);
  for (const int i : order) {
    const auto k = static_cast<std::size_t>(i % 3);
    const int j = i < 3 ? scene.join(JointKind::revolute, -1, i, foot[k])
                        : scene.join(JointKind::revolute, i - 3, coupler, foot[k] + bar);
    scene.joints[static_cast<std::size_t>(j)].name = (i < 3 ? "foot" : "head") + std::to_string(k);
  }
  return scene;
}

/// Joints with rows that depend on others at the start, and how many such rows there are.
struct Dependence {
  int rows = 0, dependent = 0;
  std::set<std::string> names;
};
Dependence dependence(const Simulation& sim) {
  const Dynamics& body = *sim.model().groups()[0].dynamics;
  const GroupState& x = sim.state().groups[0];
  JointSystem system(sim.model().joints(), sim.model().couplings(),
                     std::vector<JointMember>{{0, &body}});
  const auto q = [&](int) -> const Vector& { return x.q; };
  system.make_rows(0.0, q);
  Factor M;
  body.factorise({1.0, 0.0, 0.0}, 0.0, x.q, x.v, M);
  REQUIRE(system.factorise([&](int) -> const Factor& { return M; }));
  Dependence found;
  found.rows = system.rows();
  for (const int i : system.dependent()) {
    ++found.dependent;
    found.names.insert(system.name_of_row(i));
  }
  return found;
}

/// Forces and torques of the joints by their names.
std::map<std::string, std::array<Vector3, 2>> loads(const Simulation& sim) {
  std::map<std::string, std::array<Vector3, 2>> by_name;
  for (std::size_t i = 0; i < sim.model().joints().size(); ++i)
    by_name[sim.model().joints()[i].name] = sim.joint_load(static_cast<int>(i));
  return by_name;
}

/// Largest difference of the loads, against the largest load.
double difference(const Simulation& a, const Simulation& b) {
  double most = 0.0, off = 0.0;
  const auto of_b = loads(b);
  for (const auto& [name, load] : loads(a))
    for (const std::size_t k : {0u, 1u}) {
      most = std::max(most, load[k].norm());
      off = std::max(off, (load[k] - of_b.at(name)[k]).norm());
    }
  return off / most;
}

double shaft_momentum(const Simulation& sim) {
  const auto& x = sim.state().groups;
  const RigidData& data = *sim.model().groups()[0].dynamics->rigid();
  double L = 0.0;
  for (int i = 0; i < static_cast<int>(data.mass.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vector3 v = x[0].v.segment<3>(6 * i), W = x[0].v.segment<3>(6 * i + 3);
    L += data.mass[k] * centre_of(sim, i).cross(v).z() +
         (rotation_of(sim, i) * Vector3(data.inertia[k] * W)).z();
  }
  for (int i = 0; i < 2; ++i) {
    const Vector3 p = x[1].q.segment<3>(3 * i), v = x[1].v.segment<3>(3 * i);
    L += 5.0 * p.cross(v).z();
  }
  return L;
}

}  // namespace

TEST_CASE("B17d: Bricard's mechanism moves for 10 s although Gruebler counts no freedom") {
  std::array<Vector3, 2> end;
  for (const std::size_t fine : {0u, 1u}) {
    JointScene scene = bricard();
    scene.h = fine == 0 ? 2e-3 : 1e-3;
    Simulation sim(scene.model(make_scheme(RigMidOptions{})));
    const Dependence at_start = dependence(sim);
    CHECK(at_start.rows == 30);      // as many as the 5 rods have velocities,
    CHECK(at_start.dependent == 1);  // and one freedom is left
    CHECK(at_start.names.size() == 1);
    const JointRun run = run_joints(sim, static_cast<int>(std::lround(10.0 / scene.h)));
    REQUIRE_MESSAGE(run.converged, run.failure);
    CHECK(run.gap <= 1e-10);
    CHECK(run.energy <= 1e-7);
    CHECK(run.unexplained <= 1e-12);
    CHECK(dependence(sim).dependent == 1);
    end[fine] = centre_of(sim, 0);
    MESSAGE(fmt::format("h {}: energy {:.1e} J, gap {:.1e}", scene.h, run.energy, run.gap));
  }
  CHECK((end[0] - end[1]).norm() <= 1e-3);
}

// Coefficients of the dependence pass zero on the way; at mid-step the loop is open by (h omega)^2/8, 3e-4 m at 20 ms.
TEST_CASE(
    "Bricard's mechanism runs 10 s from 1 to 20 ms whatever its row axes and order of joints") {
  for (const double h : {1e-3, 2e-3, 5e-3, 1e-2, 2e-2}) {
    CAPTURE(h);
    double gap = 0.0, energy = 0.0;
    int passes = 0;
    for (unsigned variant = 0; variant < (h < 3e-3 ? 3u : 6u); ++variant) {
      CAPTURE(variant);
      std::mt19937 random(variant);
      std::vector<int> order{0, 1, 2, 3, 4, 5};
      if (variant > 0) std::shuffle(order.begin(), order.end(), random);
      JointScene scene = bricard(order);
      scene.h = h;
      for (Joint& joint : scene.joints) {
        if (variant == 0) break;
        const double turn = std::uniform_real_distribution<double>(-3.0, 3.0)(random);
        const Matrix3 R = Eigen::AngleAxisd(turn, Vector3::UnitZ()).toRotationMatrix();
        joint.a.axes *= R;
        joint.b.axes *= R;
        if (random() % 2 == 0) std::swap(joint.a, joint.b);
      }
      Simulation sim(scene.model(make_scheme(RigMidOptions{})));
      const JointRun run = run_joints(sim, static_cast<int>(std::lround(10.0 / h)));
      REQUIRE_MESSAGE(run.converged, run.failure);
      gap = std::max(gap, run.gap);
      energy = std::max(energy, run.energy);
      passes = std::max(passes, run.passes);
    }
    CHECK(gap <= 1e-10);
    CHECK(energy <= 1e-3);
    MESSAGE(fmt::format("h {}: gap {:.1e}, energy {:.1e} J, {} passes at most", h, gap, energy,
                        passes));
  }
}

TEST_CASE("the example: the far corner falls 1 + sqrt(3) m and is back every 2.749 s") {
  double lowest = 0.0, gap = 0.0, before = -1.0, rate = 1.0;
  std::vector<double> back;
  const Shown shown =
      run_example("bricard.yaml", {}, [&](const Simulation& sim, const StepReport& report) {
        const double height = sim.probe(1), now = height - before, t = sim.state().t, h = 5e-3;
        if (rate > 0.0 && now <= 0.0 && t > 0.1)  // between the steps, straight in the differences
          back.push_back(t - h * (0.5 + now / (now - rate)));
        before = height, rate = now;
        lowest = std::min(lowest, height);
        gap = worse(gap, report.joint_gap);
      });
  CHECK(shown.converged);
  CHECK(std::abs(lowest + 1.0 + std::sqrt(3.0)) <= 1e-4);
  CHECK(gap <= 1e-10);
  REQUIRE(back.size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(std::abs(back[k] - 2.749 * static_cast<double>(k + 1)) <= 3e-3);
}

TEST_CASE("a parallelogram of 3 bars swings for 10 s like a pendulum of its masses") {
  for (const bool planar : {false, true}) {
    CAPTURE(planar);
    JointScene scene = parallelogram({0, 1, 2, 3, 4, 5}, planar);
    Simulation sim(scene.model(make_scheme(RigMidOptions{})));
    const Dependence at_start = dependence(sim);
    CHECK(at_start.rows == 30);
    // 23 rows hold 4 bodies but for one motion; in the plane 11 do, and those across it hold nothing
    CHECK(at_start.dependent == (planar ? 30 - 11 : 30 - 23));
    // one angle a: (3 J + 3 m/4 + M) a'' = -(3 m/2 + M) g sin a,  J = m (1 + 0.05^2)/12
    const double J = 1.0025 / 12.0, inertia = 3.0 * (J + 0.25) + 2.0, weight = 3.5 * 9.81;
    double a = std::atan2(0.6, 0.8), w = 0.0;
    const double d = 1e-3;
    const JointRun run = run_joints(sim, 1);
    REQUIRE(run.converged);
    double gap = 0.0, energy = 0.0, off = 0.0;
    for (int k = 0; k < 10'000; ++k) {
      const auto rate = [&](double x) { return -weight / inertia * std::sin(x); };
      const double k1 = rate(a), k2 = rate(a + 0.5 * d * w), v2 = w + 0.5 * d * k1;
      const double k3 = rate(a + 0.5 * d * v2), v3 = w + 0.5 * d * k2;
      const double k4 = rate(a + d * v3), v4 = w + d * k3;
      a += d / 6.0 * (w + 2.0 * v2 + 2.0 * v3 + v4);
      w += d / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      const Vector3 bar = 2.0 * centre_of(sim, 0);
      off = std::max(off, std::hypot(bar.x() - std::sin(a), bar.y() + std::cos(a)));
      const JointRun one = run_joints(sim, 1);
      REQUIRE(one.converged);
      gap = std::max(gap, one.gap);
    }
    energy = std::abs(sim.state().energy.total() - sim.state().energy_start);
    CHECK(gap <= 1e-10);
    CHECK(off <= 2e-4);
    CHECK(energy <= 1e-5);
    MESSAGE(fmt::format("planar {}: {:.1e} m off the pendulum, gap {:.1e}, energy {:.1e} J", planar,
                        off, gap, energy));
  }
}

// Reactions are second differences of places. What round-off of these does is shown by runs in one order with gravities that
// differ in their last bits: 2e-9 of the largest load at 1 ms for Bricard's mechanism, 4e-10 for the parallelogram.
TEST_CASE(
    "the reactions of redundant joints do not depend on the order in which joints are given") {
  const std::array<std::array<int, 6>, 3> orders{
      {{0, 1, 2, 3, 4, 5}, {5, 3, 1, 4, 2, 0}, {2, 4, 0, 5, 3, 1}}};
  for (const int which : {0, 1, 2})
    for (const double h : {1e-2, 1e-3}) {
      CAPTURE(which);
      CAPTURE(h);
      std::array<double, 2> worst{};
      for (const std::size_t round_off : {0u, 1u}) {
        std::vector<Simulation> sims;
        for (std::size_t k = 0; k < orders.size(); ++k) {
          const auto& order = orders[round_off == 1 ? 0 : k];
          JointScene scene = which == 0 ? bricard(std::vector<int>(order.begin(), order.end()))
                                        : parallelogram(order, which == 1);
          scene.h = h;
          scene.level = JointLevel::both;  // round-off of a step is not handed on as a velocity
          scene.pass_tolerance = 1e-11;
          if (round_off == 1) scene.gravity *= 1.0 + 1e-15 * static_cast<double>(k);
          sims.emplace_back(scene.model(make_scheme(RigMidOptions{})));
          CHECK(dependence(sims.back()).dependent > 0);
        }
        for (int step = static_cast<int>(std::lround(0.5 / h)); step > 0; --step) {
          for (Simulation& sim : sims) REQUIRE(run_joints(sim, 1).converged);
          for (std::size_t i = 1; i < sims.size(); ++i)
            worst[round_off] = std::max(worst[round_off], difference(sims[0], sims[i]));
        }
      }
      if (h == 1e-2) CHECK(worst[0] <= 1e-9);
      CHECK(worst[0] <= 1e-9 + 4.0 * worst[1]);
      CHECK(worst[0] <= 1e-8);
      MESSAGE(
          fmt::format("{}, h {}: loads differ by {:.1e} of the largest, for last bits by {:.1e}",
                      which == 0   ? "Bricard"
                      : which == 1 ? "parallelogram in the plane"
                                   : "parallelogram",
                      h, worst[0], worst[1]));
    }
}

// At level velocity nothing is divided by h^2, and under rig-mid the gaps of joints stay of themselves (g1 - g0 = h G v).
TEST_CASE(
    "at level velocity reactions of redundant joints are those of any order to 1e-9 at 1 ms") {
  const std::array<std::array<int, 6>, 3> orders{
      {{0, 1, 2, 3, 4, 5}, {5, 3, 1, 4, 2, 0}, {2, 4, 0, 5, 3, 1}}};
  for (const int which : {0, 1, 2}) {
    CAPTURE(which);
    std::vector<Simulation> sims;
    for (const auto& order : orders) {
      JointScene scene = which == 0 ? bricard(std::vector<int>(order.begin(), order.end()))
                                    : parallelogram(order, which == 1);
      scene.h = 1e-3;
      scene.level = JointLevel::velocity;
      scene.pass_tolerance = 1e-11;
      sims.emplace_back(scene.model(make_scheme(RigMidOptions{})));
    }
    double worst = 0.0, gap = 0.0;
    for (int step = 0; step < 500; ++step) {
      for (Simulation& sim : sims) {
        const JointRun run = run_joints(sim, 1);
        REQUIRE(run.converged);
        gap = worse(gap, run.gap);
      }
      for (std::size_t i = 1; i < sims.size(); ++i)
        worst = std::max(worst, difference(sims[0], sims[i]));
    }
    CHECK(worst <= 1e-9);
    CHECK(gap <= 1e-12);
    MESSAGE(fmt::format("loads differ by {:.1e} of the largest, gap {:.1e} m", worst, gap));
  }
}

TEST_CASE(
    "B17e: a stiff governor turns for 10 s at steps of 10 ms and keeps its momentum to 1e-9") {
  for (const double h : {1e-2, 1e-3}) {
    CAPTURE(h);
    Governor governor = flyball_governor(2.0 * std::numbers::pi);
    governor.scene.h = h;
    Simulation sim(
        governor.scene.model(make_scheme(RigMidOptions{}), make_scheme(MoreauJeanOptions{})));
    const double L = shaft_momentum(sim);
    double change = 0.0, stretch = 0.0, energy = sim.state().energy.total(), rise = 0.0;
    for (int k = static_cast<int>(std::lround(10.0 / h)); k > 0; --k) {
      const JointRun run = run_joints(sim, 1);
      REQUIRE_MESSAGE(run.converged, run.failure);
      REQUIRE(run.gap <= 1e-10);
      REQUIRE(run.unexplained <= 1e-9);
      change = std::max(change, std::abs(shaft_momentum(sim) / L - 1.0));
      rise = std::max(rise, sim.state().energy.total() - energy);
      for (const Joint& joint : sim.model().joints())
        if (joint.kind == JointKind::line)
          stretch = std::max(
              stretch, std::abs(sim.joint_coordinate(
                                    static_cast<int>(&joint - sim.model().joints().data()), 0)[0] -
                                0.5));
    }
    CHECK(change <= 1e-9);
    CHECK(stretch <= 1e-3);
    CHECK(rise <= 1e-3 * std::abs(energy));
    MESSAGE(fmt::format("h {}: momentum {:.1e} of itself, springs {:.1e} m, energy {:+.1e} J", h,
                        change, stretch, sim.state().energy.total() - energy));
  }
}
