// The ledger: E1 - E0 = work of the sources + impact + scheme + unexplained, and unexplained is round-off where the
// scheme has an exact identity.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

double account(const Simulation& sim, const std::string& name) {
  const auto names = sim.model().accounts();
  const auto at = std::find(names.begin(), names.end(), name);
  REQUIRE(at != names.end());
  return sim.state().ledger[static_cast<std::size_t>(at - names.begin())];
}

struct Books {
  double worst = 0.0;        ///< largest |unexplained| of a step / energy
  double unexplained = 0.0;  ///< sum over the run / energy
  int impacts = 0;
};

Books keep(Simulation& sim, int steps) {
  Books books;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    const double E = energy_scale(sim.state());
    books.worst = std::max(books.worst, std::abs(report.unexplained) / E);
    books.impacts += report.contacts;
    books.unexplained += report.unexplained / E;
  }
  return books;
}

/// Affine forces or, of the curved ones, constant mass and no tangent of a potential: the identity is exact.
bool exact_books(const Body& body) { return body.name != "rail pendulum"; }

}  // namespace

TEST_CASE("the accounts of a bouncing body close to round-off where the kinetic balance is exact") {
  for (const Pair& pair : legal_pairs()) {
    if (!exact_books(pair.body)) continue;
    CAPTURE(pair.name());
    Simulation sim{Model(above_plane(pair, newton_impact(0.6), 2e-3, 0.01))};
    const Books books = keep(sim, 300);
    CHECK(books.impacts >= 1);
    CHECK(books.worst <= 1e-12);
    const double booked =
        std::accumulate(sim.state().ledger.begin(), sim.state().ledger.end(), 0.0);
    const double change = sim.state().energy.total() - sim.state().energy_start;
    CHECK(std::abs(booked - change) <= 1e-11 * energy_scale(sim.state()));
  }
}

TEST_CASE("the energy of the accounts is the energy of the body at its physical velocity") {
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.scheme->velocity_at() != 1.0) continue;  // a measure of its own
    CAPTURE(pair.name());
    Simulation sim{Model(above_plane(pair, newton_impact(0.6), 2e-3, 0.01))};
    for (int k = 0; k < 50; ++k) sim.advance();
    const GroupState& at = sim.state().groups[0];
    const Energy E = pair.body.dynamics->energy(sim.state().t, at.q, at.v);
    CHECK(sim.state().energy.kinetic == doctest::Approx(E.kinetic).epsilon(1e-14));
    CHECK(sim.state().energy.potential == doctest::Approx(E.potential).epsilon(1e-14));
  }
}

TEST_CASE(
    "with M(q) and inertial forces the midpoint rule loses track of energy as h^2, over a fixed "
    "time") {
  for (double dashpot : {0.0, 1.5}) {
    CAPTURE(dashpot);
    double drift[3];
    for (int i = 0; i < 3; ++i) {
      const int steps = 200 << i;
      Simulation sim{Model(parts(pendulum({}, dashpot), moreau_jean(0.5), 0.4 / steps))};
      drift[i] = std::abs(keep(sim, steps).unexplained);
    }
    CHECK(drift[0] <= 1e-3);
    CHECK(std::abs(std::log2(drift[0] / drift[1]) - 2.0) < 0.15);
    CHECK(std::abs(std::log2(drift[1] / drift[2]) - 2.0) < 0.15);
  }
}

TEST_CASE(
    "theta above one half dissipates under the account scheme, below it gains there, and at one "
    "half nothing") {
  for (const Body& body : {modal_bar(), bead()})
    for (double theta : {0.0, 0.3, 0.5, 0.6, 1.0}) {
      CAPTURE(body.name);
      CAPTURE(theta);
      Simulation sim{Model(parts(body, moreau_jean(theta), 2e-3))};
      keep(sim, 50);
      const double scheme = account(sim, "scheme") / energy_scale(sim.state());
      if (theta > 0.5) CHECK(scheme < -1e-6);
      if (theta < 0.5) CHECK(scheme > 1e-6);
      if (theta == 0.5) CHECK(scheme == 0.0);
      CHECK(std::abs(account(sim, "unexplained")) <= 1e-12 * energy_scale(sim.state()));
    }
}

TEST_CASE("an impact at theta 1/2 costs (1 - e)/2 P |u0|, and never gives") {
  for (const Body& body : {modal_bar(), bead()})
    for (double e : {0.0, 0.5, 1.0}) {
      CAPTURE(body.name);
      CAPTURE(e);
      Simulation sim{
          Model(above_plane({body, {"", moreau_jean(0.5), 2.0}}, newton_impact(e), 1e-3))};
      const double u0 = rate_of(*body.dynamics, body.state.q, body.state.v, body.tip, body.normal);
      const StepReport report = sim.advance();
      REQUIRE(report.contacts == 1);
      const double expected = 0.5 * (1.0 - e) * report.impulse * u0;
      CHECK(std::abs(report.impact - expected) <= 1e-13 * energy_scale(sim.state()));
      CHECK(account(sim, "impact") == report.impact);
    }
}

TEST_CASE("an impact of one body is not booked again for another body that hit something earlier") {
  Body late = modal_bar();
  ModelParts made =
      above_plane({modal_bar(), {"", moreau_jean(0.5), 2.0}}, newton_impact(0.9), 2e-3, 0.0);
  add_group(made, late, moreau_jean(0.5));
  const Vector3 tip = point_at(*late.dynamics, late.state.q, late.tip);
  add_plane(made, 1, late.tip, tip - 0.02 * late.normal, late.normal, newton_impact(0.9));
  Simulation sim{Model(made)};
  REQUIRE(sim.model().island_count() == 2);
  const Books books = keep(sim, 300);
  CHECK(books.impacts >= 4);
  CHECK(books.worst <= 1e-12);
}
