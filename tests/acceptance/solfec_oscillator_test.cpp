// The deformable schemes of Solfec on a spring, and a projectile with drag.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "../support/golden.h"
#include "../support/reference_motion.h"
#include "../tables/scheme_orders.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// |a - b| / max(1, |b|)
double deviation(double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); }

}  // namespace

TEST_CASE("def-exp and def-lim repeat the steps of Solfec's leap-frog on a spring to 1e-13") {
  double worst = 0.0, worst_reference = 0.0;
  int rows = 0;
  for (const TableRow& row : read_table(golden("solfec/deformable_golden.csv"), ',')) {
    REQUIRE(row.size() >= 10);
    if (row[0] != "OSC") continue;
    CAPTURE(row[1]);
    CAPTURE(row[2]);
    CAPTURE(row[3]);
    LinearSystem system = oscillator(1.0, 36.0);
    system.rayleigh.stiffness = number(row[2]);
    const MovingBody body{std::make_shared<Linear>(system), Vector::Constant(1, 1.0),
                          Vector::Constant(1, 0.5)};
    Vector q = body.q, v = body.v;
    double tolerance = 1e-13, *seen = &worst;
    if (row[1] == "EXACT") {
      ReferenceMotion(body.dynamics).carry(q, v, 0.0, number(row[5]), 80);
      tolerance = 1e-12;
      seen = &worst_reference;
    } else if (row[1] != "INITIAL") {
      REQUIRE((row[1] == "DEF_EXP" || row[1] == "DEF_LIM"));
      const SchemeChoice scheme =
          row[1] == "DEF_EXP" ? SchemeChoice(DefExpOptions{}) : SchemeChoice(DefLimOptions{});
      Simulation sim{Model(one_group(body, scheme, number(row[3])))};
      const int steps = static_cast<int>(number(row[4]));
      for (int k = 0; k < steps; ++k) REQUIRE(sim.advance().converged);
      CHECK(sim.state().t == doctest::Approx(number(row[5])).epsilon(1e-14));
      q = sim.state().groups[0].q;
      v = velocity_of(sim);
    }
    const Energy energy = body.dynamics->energy(0.0, q, v);
    const double off = std::max({deviation(q[0], number(row[8])), deviation(v[0], number(row[9])),
                                 deviation(energy.kinetic, number(row[6])) / 10.0,
                                 deviation(energy.potential, number(row[7])) / 10.0});
    CHECK(off <= tolerance);
    *seen = std::max(*seen, off);
    ++rows;
  }
  CHECK(rows == 9);
  MESSAGE(fmt::format("steps {:.1e}, exact rows {:.1e}", worst, worst_reference));
}

TEST_CASE("a projectile with linear drag lands where the closed form says") {
  // m v' = m g - m v: v = (v0 - g) exp(-t) + g, with T = 1.976 s and 1024 steps
  const double T = 1.976, m = 0.45359237, g = 9.81456;
  ParticleSystem system;
  system.mass = Vector::Constant(1, m);
  system.gravity = Vector3(0.0, 0.0, -g);
  system.drag = m;
  const MovingBody body{std::make_shared<Particles>(system), Vector3::Zero(),
                        Vector3(2.54, 0.0, 12.7)};
  const Vector3 x(2.187898544467852, 0.0, -3.786184e-5),
      v(0.352101455532148, 0.0, -6.693532698163039);
  int first = 0, second = 0;
  for (const OrderRow& row : scheme_orders()) {
    if (row.exact || !legal(*make_scheme(row.scheme), *body.dynamics)) continue;
    CAPTURE(row.label);
    Simulation sim{Model(one_group(body, row.scheme, T / 1024))};
    for (int k = 0; k < 1024; ++k) REQUIRE(sim.advance().converged);
    const Vector q = sim.state().groups[0].q, rate = velocity_of(sim);
    const double off = std::abs(q[0] / x[0] - 1.0);
    CAPTURE(off);
    if (row.dashpot.q >= 2.0) {
      const bool plain = row.label == make_scheme(row.scheme)->name();
      CHECK(off < (plain ? 1e-6 : 2e-6));
      CHECK(std::abs(q[2] - x[2]) < 4e-5);  // of a flight that rises 5 m
      CHECK((rate - v).norm() < 1e-5);
      ++second;
    } else {
      // a position that moves with the velocity of one end of the step lags by h/2 more
      CHECK(off < (row.label == "def-exp" ? 1e-3 : 2e-3));
      CHECK((rate - v).norm() < 2e-2);
      ++first;
    }
  }
  CHECK(first >= 7);
  CHECK(second >= 12);
}
