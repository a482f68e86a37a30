// Which group a report names when a motion is no longer finite.
#include <doctest/doctest.h>

#include "saltus/bodies/linear.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("of several groups the report names the one that runs away") {
  const auto spring = [](double stiffness) {
    return MovingBody{std::make_shared<Linear>(oscillator(1.0, stiffness)), Vector{{0.1}},
                      Vector{{0.0}}};
  };
  for (const bool ledger : {true, false}) {
    CAPTURE(ledger);
    ModelParts parts = one_group(spring(1.0), EulerExplicitOptions{}, 0.1);
    const ModelParts other = one_group(spring(1e12), EulerExplicitOptions{}, 0.1);  // h omega = 1e5
    parts.groups.push_back(other.groups[0]);
    parts.initial.push_back(other.initial[0]);
    parts.options.ledger = ledger;
    Simulation sim{Model(parts)};
    StepReport report;
    for (int k = 0; k < 200 && report.finite; ++k) report = sim.advance();
    REQUIRE(!report.finite);
    CHECK(report.group == 1);
  }
}
