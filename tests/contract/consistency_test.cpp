// The consistency law: contact laws hold on the state a step returns, not on a predictor of it.
#include <doctest/doctest.h>

#include <cmath>

#include "cases.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

struct Impact {
  StepReport report;
  double u0 = 0.0, u1 = 0.0, impulse = 0.0;
};

/// The first step of a body that touches with approaching velocity: rows at the end, where the step looks for contact.
Impact strike(const Pair& pair, const AnyLaw& law, double h) {
  Simulation sim{Model(above_plane(pair, law, h))};
  const Body& body = pair.body;
  const Vector v0 = sim.state().groups[0].v;
  Impact impact;
  impact.report = sim.advance();
  const GroupState& end = sim.state().groups[0];
  impact.u0 = rate_of(*body.dynamics, end.q, v0, body.tip, body.normal);
  impact.u1 = rate_of(*body.dynamics, end.q, end.v, body.tip, body.normal);
  impact.impulse = sim.state().contacts.empty() ? 0.0 : sim.state().contacts.at(0).impulse.x();
  return impact;
}

}  // namespace

TEST_CASE("after an impact the finished velocity is -e times the one before") {
  for (const Pair& pair : legal_pairs())
    for (double e : {0.0, 0.5, 1.0}) {
      CAPTURE(pair.name());
      CAPTURE(e);
      const double h = 1e-3;
      const Impact at = strike(pair, newton_impact(e), h),
                   finer = strike(pair, newton_impact(e), 0.1 * h);
      REQUIRE(at.u0 < -0.1);
      CHECK(at.report.converged);
      CHECK(at.report.contacts == 1);
      CHECK(at.impulse > 0.0);
      CHECK(at.report.impulse == at.impulse);
      CHECK(at.report.residual <= 1e-12);
      CHECK(at.report.residual_after <= 1e-9);
      const double defect = std::abs(at.u1 + e * at.u0),
                   finer_defect = std::abs(finer.u1 + e * finer.u0);
      if (pair.body.constant_rows) {
        CHECK(defect <= 1e-12);
      } else {  // gaps and arms of the step are those of its prediction
        CHECK(defect <= 0.05);
        CHECK(finer_defect <= std::max(0.2 * defect, 1e-10));
      }
    }
}

TEST_CASE("the position law ends a step with gap 0 where it pushes") {
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.scheme->gain() != 1.0 || pair.decoupled()) continue;
    CAPTURE(pair.name());
    const Impact at = strike(pair, signorini(), 1e-3);
    CHECK(at.report.converged);
    CHECK(at.impulse > 0.0);
    CHECK(at.report.residual_after <= 1e-9);
    CHECK(std::abs(at.report.gap) <= 1e-12);
  }
}

TEST_CASE("an equality holds the point's velocity at zero, pulling or pushing") {
  for (const Pair& pair : legal_pairs())
    for (double sign : {1.0, -1.0}) {
      Pair turned = pair;
      turned.body.normal *= sign;
      CAPTURE(pair.name());
      if (pair.decoupled()) {  // its positions would creep while the velocity is held
        CHECK_THROWS_AS(strike(turned, equality(), 1e-3), SceneError);
        continue;
      }
      const Impact at = strike(turned, equality(), 1e-3);
      CHECK(at.report.converged);
      CHECK(at.report.residual_after <= 1e-9);
      CHECK(at.impulse * sign > 0.0);
      CHECK(std::abs(at.u1) <= (pair.body.constant_rows ? 1e-12 : 0.02));
    }
}

TEST_CASE("laws hold on every finished state of a bouncing body") {
  for (const Pair& pair : legal_pairs()) {
    CAPTURE(pair.name());
    Simulation sim{Model(above_plane(pair, newton_impact(0.8), 2e-3, 0.01))};
    double worst = 0.0;
    int impacts = 0;
    bool converged = true;
    for (int k = 0; k < 300; ++k) {
      const StepReport report = sim.advance();
      worst = std::max(worst, report.residual_after);
      converged = converged && report.converged;
      impacts += report.contacts;
    }
    CHECK(converged);
    CHECK(worst <= 1e-9);
    CHECK(impacts >= 1);
  }
}

TEST_CASE("a moving plate gives the point its own velocity: u1 counts the prescribed part") {
  Bead::Data data;
  data.drift = 0.3;
  data.fixed_points = false;
  Body body = bead();
  body.dynamics = std::make_shared<Bead>(data, Units{});
  body.normal = Vector3::UnitZ();
  for (double e : {0.0, 0.5}) {
    const Impact at = strike({body, {"", moreau_jean(0.5), 2.0}}, newton_impact(e), 1e-3);
    CHECK(at.report.residual_after <= 1e-9);
    CHECK(at.u1 + 0.3 == doctest::Approx(-e * (at.u0 + 0.3)).epsilon(1e-12));
  }
}

TEST_CASE("fixed rows and rows assembled in every pass give the same motion") {
  for (const SchemeCase& scheme : scheme_cases()) {
    if (!legal(*scheme.scheme, *bead().dynamics)) continue;
    CAPTURE(scheme.name);
    Simulation a{Model(above_plane({bead({}, true), scheme}, newton_impact(0.7), 2e-3, 0.01))};
    Simulation b{Model(above_plane({bead({}, false), scheme}, newton_impact(0.7), 2e-3, 0.01))};
    int impacts = 0;
    for (int k = 0; k < 300; ++k) {
      impacts += a.advance().contacts;
      b.advance();
    }
    CHECK(impacts >= 3);
    CHECK((a.state().groups[0].q - b.state().groups[0].q).norm() <= 1e-12);
    CHECK((a.state().groups[0].v - b.state().groups[0].v).norm() <= 1e-12);
  }
}
