// Compositions of exact motion without forces and of kicks: free bodies, tops, long runs, contact.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run_scene.h"
#include "saltus/bodies/particles.h"
#include "saltus/schemes/registry.h"
#include "support/tops.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Table = SplittingOptions::Table;

double apart(const Vector& q, const Eigen::Vector4d& Q) {  ///< angle between attitudes [rad]
  const Eigen::Vector4d at = q.segment<4>(3);
  return 2.0 * std::min((at - Q).norm(), (at + Q).norm());
}

}  // namespace

TEST_CASE("a free body under splitting is at its place after one step or a thousand") {
  for (const Vector3& J : {Vector3(1.0, 2.0, 2.5), Vector3(2.0, 2.0, 1.0), Vector3(1.0, 1.0, 1.0)})
    for (const Table table : {Table::strang, Table::blanes_moan_4, Table::blanes_moan_6}) {
      const MovingBody top = free_top(J, {0.1, -0.2, 0.3}, {0.3, 1.2, -0.5});
      const auto end = [&](int steps) {
        Simulation sim{Model(one_group(top, SplittingOptions{table}, 10.0 / steps))};
        for (int k = 0; k < steps; ++k) {
          const StepReport report = sim.advance();
          CHECK(report.finite);
          CHECK(std::abs(report.unexplained) <= 1e-13 * sim.state().energy_start);
        }
        CHECK(std::abs(sim.state().energy.total() / sim.state().energy_start - 1.0) <= 1e-12);
        return sim.state().groups[0];
      };
      const GroupState once = end(1), often = end(1000);
      CAPTURE(J.transpose());
      CHECK(apart(once.q, often.q.segment<4>(3)) <= 1e-11);
      CHECK((once.v - often.v).norm() <= 1e-11);
    }
}

// The top of bench/peers: some 80 turns about its axis and ten nods in 10 s. The answer is that of an independent
// integrator of order 8 at a tolerance of 1e-13 (bench/peers/references.json, uncertain by 1.6e-11).
TEST_CASE("a heavy top spinning at 50 rad/s keeps five digits of attitude in steps of 0.6 s") {
  const Eigen::Vector4d exact(0.24380164859163217, 0.019599796421054493, -0.018724922959971732,
                              -0.9694462240806418);
  const MovingBody top =
      heavy_top({5.0, 5.0, 1.0}, {0.05, 0.0, 0.0}, {0.0, 0.0, 50.0}, 20.0, {0.0, 0.0, 1.0});
  const auto error = [&](Table table, int steps) {
    Simulation sim{Model(one_group(top, SplittingOptions{table}, 10.0 / steps))};
    for (int k = 0; k < steps; ++k) sim.advance();
    return apart(sim.state().groups[0].q, exact);
  };
  CHECK(error(Table::blanes_moan_6, 16) <= 1e-5);
  CHECK(error(Table::blanes_moan_4, 50) <= 1e-5);
  CHECK(error(Table::strang, 1000) <= 1e-5);
  CHECK(error(Table::blanes_moan_6, 200) <= 1e-10);
}

TEST_CASE("over 200 000 steps the energy of a top under splitting swings and does not drift") {
  const MovingBody top =
      heavy_top({5.0, 4.0, 2.0}, {0.6, 0.3, 0.0}, {0.4, -0.3, 2.0}, 20.0, {0.1, 0.0, 0.8});
  ModelParts parts = one_group(top, SplittingOptions{}, 0.02);
  parts.options.ledger = false;
  Simulation sim{Model(parts)};
  const Dynamics& body = *top.dynamics;
  const auto energy =
      [&] {  // the weight is a load: its potential is 20 N times the height of the point
        const auto& state = sim.state().groups[0];
        const Quaternion Q = RigidAt(0).Q(state.q);
        return body.energy(0.0, state.q, state.v).kinetic + 20.0 * (Q * Vector3(0.1, 0.0, 0.8)).z();
      };
  const double start = energy();
  double worst[2] = {0.0, 0.0};
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 100'000; ++k) {
      sim.advance();
      worst[half] = std::max(worst[half], std::abs(energy() - start));
    }
  CAPTURE(worst[0]);
  CAPTURE(worst[1]);
  CHECK(worst[0] >= 1e-5);
  CHECK(worst[0] <= 5e-2);
  CHECK(worst[1] <= 1.05 * worst[0]);
}

TEST_CASE("forces that depend on the velocity are refused by name, at the scheme") {
  const std::string scene =
      "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n  - name: top\n    kind: rigid\n    "
      "rigid: "
      "{mass: 1, inertia: [1, 2, 2.5], spin_drag: 0.1}\n    scheme: splitting\n";
  std::string message;
  try {
    build(read_scene_text(scene, "scene.yaml"));
  } catch (const SceneError& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find("'splitting' needs separable") != std::string::npos);
  CHECK(message.find("without damping, drag or dashpots, except lagrangian") != std::string::npos);
}
