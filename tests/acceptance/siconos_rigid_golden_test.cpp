// A rigid ball that bounces, against a trajectory that the Siconos tutorials publish, read in place.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "saltus/base/csv_read.h"
#include "support/skip.h"
#include "support/tops.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("a rigid ball bounces by moreau-jean as Siconos' Newton-Euler ball does") {
  const auto file =
      std::filesystem::path(SALTUS_SHARED) / "golden" / "siconos" / "newton_euler_ball.csv";
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no published trajectories (golden/siconos)");
  const CsvTable table = read_csv(file);
  RigidSystem system = top(Vector3::Ones());
  system.gravity = Vector3(-9.81, 0.0, 0.0);
  MovingBody body = at_rest_in_space(system, Vector3::Zero(), Vector3::Zero());
  body.q[0] = 1.0;
  body.v[0] = 2.0;
  for (const auto operators :
       {MoreauJeanOptions::Operators::refreshed, MoreauJeanOptions::Operators::frozen}) {
    MoreauJeanOptions half;
    half.operators = operators;
    ModelParts parts = one_group(body, half, 0.005);
    parts.options.instant = ContactInstant::start;
    NewtonImpact law;
    law.restitution = 0.9;
    law.activation.forecast = 0.5;
    // the ball does not turn: its lowest point stays the one at -x
    add_stop(parts, {0, 0, Vector3(-0.1, 0.0, 0.0)}, Vector3::Zero(), Vector3::UnitX(), law);
    Simulation sim{Model(parts)};
    double q = 0.0, v = 0.0, r = 0.0, aside = 0.0;
    int impacts = 0;
    StepReport report;
    for (int i = 0; i < table.rows; ++i) {
      while (static_cast<double>(sim.state().step) < table.at(i, 0)) {
        report = sim.advance();
        REQUIRE(report.converged);
        impacts += report.contacts;
      }
      const GroupState& at = sim.state().groups[0];
      q = std::max(q, std::abs(at.q[0] - table.at(i, 2)));
      v = std::max(v, std::abs(at.v[0] - table.at(i, 3)));
      r = std::max(r, std::abs(report.impulse - table.at(i, 5)));
      for (int a = 1; a < 7; ++a)  // y, z and the quaternion, columns 9 on
        aside = std::max(aside, std::abs(at.q[a] - table.at(i, 8 + a)));
    }
    CHECK(sim.state().step == 2000);
    CHECK(impacts > 10);
    CHECK(q <= 1e-9);
    CHECK(v <= 1e-7);
    CHECK(r <= 1e-7);
    CHECK(aside <= 1e-15);
    MESSAGE(fmt::format("positions {:.1e} m, velocities {:.1e} m/s, impulses {:.1e} N s", q, v, r));
  }
}
