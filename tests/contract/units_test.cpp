// Nothing in the engine knows a unit: the same motion written in other units of mass, length and time.
#include <doctest/doctest.h>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// What a run leaves behind, divided by the units.
struct Bounced {
  Vector3 tip;
  double energy = 0.0, impulse = 0.0, gap = 1e300;
  std::vector<double> ledger;
  int impacts = 0;
};

Bounced bounce(const Pair& pair, const AnyLaw& law, Units u) {
  Simulation sim{Model(above_plane(pair, law, 2e-3 * u.time, 0.01 * u.length))};
  Bounced b;
  for (int k = 0; k < 150; ++k) {
    const StepReport report = sim.advance();
    b.impacts += report.contacts;
    b.impulse += report.impulse / (u.mass * u.velocity());
    b.gap = std::min(b.gap, report.gap / u.length);
  }
  b.tip = point_at(*pair.body.dynamics, sim.state().groups[0].q, pair.body.tip) / u.length;
  b.energy = sim.state().energy.total() / u.energy();
  for (double work : sim.state().ledger) b.ledger.push_back(work / u.energy());
  return b;
}

void compare(const AnyLaw& law, bool gain_one) {
  for (const Units& u :
       {Units{1e3, 1e3, 1.0}, Units{0.37, 2.1e-3, 41.0}, Units{2.6e-6, 55.0, 3e-4}}) {
    const std::vector<Pair> si = legal_pairs(), scaled = legal_pairs(u);
    REQUIRE(si.size() == scaled.size());
    for (std::size_t i = 0; i < si.size(); ++i) {
      if (gain_one && (si[i].scheme.scheme->gain() != 1.0 || si[i].decoupled())) continue;
      CAPTURE(si[i].name());
      CAPTURE(u.mass);
      const Bounced a = bounce(si[i], law, {}), b = bounce(scaled[i], law, u);
      CHECK(a.impacts >= 1);
      CHECK(a.impacts == b.impacts);
      CHECK((a.tip - b.tip).norm() <= 1e-9);
      CHECK(b.energy == doctest::Approx(a.energy).epsilon(1e-9));
      CHECK(b.impulse == doctest::Approx(a.impulse).epsilon(1e-9));
      CHECK(std::abs(b.gap - a.gap) <= 1e-9);
      REQUIRE(a.ledger.size() == b.ledger.size());
      for (std::size_t k = 0; k < a.ledger.size(); ++k)
        CHECK(std::abs(a.ledger[k] - b.ledger[k]) <= 1e-9);
    }
  }
}

}  // namespace

TEST_CASE("results scale with the units of mass, length and time under velocity laws") {
  compare(newton_impact(0.6), false);
}

TEST_CASE("results scale with the units of mass, length and time under the position law") {
  compare(signorini(), true);
}
