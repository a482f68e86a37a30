// A step that fails is rejected whole: the state stays as it was. `halve` takes it in parts, `accept` keeps it and
// says so.
#include <doctest/doctest.h>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

constexpr double kSmall = 1e-3,
                 kLarge =
                     0.32;  // the passes of a pendulum converge in the first, not in the second

ModelParts impatient(OnFailure policy) {
  ModelParts made =
      above_plane({pendulum(), {"", moreau_jean(0.5), 2.0}}, newton_impact(0.5), kSmall);
  made.options.pass_limit = 4;
  made.options.pass_tolerance = 1e-8;
  made.options.on_failure = policy;
  return made;
}

ModelParts breaking(OnFailure policy, bool fixed_points, const SchemeCase& scheme) {
  Bead::Data data;
  data.breaks = 0.01305;
  data.fixed_points = fixed_points;
  Body body = bead();
  body.dynamics = std::make_shared<Bead>(data, Units{});
  ModelParts made = above_plane({body, scheme}, newton_impact(0.5), kSmall);
  made.options.on_failure = policy;
  return made;
}

/// Steps that a scheme of several passes cannot take: the first of doubled lengths whose passes do not end. 0: none.
double too_long(const Model& model) {
  for (double h = 4.0 * kSmall; h < 100.0; h *= 2.0) {
    Simulation sim(model);
    if (!sim.advance(h).converged) return h;
  }
  return 0.0;
}

}  // namespace

TEST_CASE("under stop a step whose passes do not converge leaves every bit of the state") {
  Simulation sim{Model(impatient(OnFailure::stop))},
      never_failed{Model(impatient(OnFailure::stop))};
  for (int k = 0; k < 10; ++k) {
    REQUIRE(sim.advance().converged);
    never_failed.advance();
  }
  const State before = sim.state();
  const StepReport report = sim.advance(kLarge);
  CHECK_FALSE(report.converged);
  CHECK(report.passes == 4);
  CHECK(report.group == 0);
  CHECK(identical(sim.state(), before));
  for (int k = 0; k < 10; ++k) {
    sim.advance();
    never_failed.advance();
  }
  CHECK(identical(sim.state(), never_failed.state()));
}

TEST_CASE("halve takes the failed step as two halves and says how often it cut") {
  Simulation sim{Model(impatient(OnFailure::halve))}, by_hand{Model(impatient(OnFailure::stop))};
  const StepReport report = sim.advance(kLarge);
  CHECK(report.converged);
  REQUIRE(report.halvings >= 3);  // both halves are cut again
  CHECK(sim.state().t == doctest::Approx(kLarge).epsilon(1e-14));
  CHECK(sim.state().step == 1);

  int parts = 0;  // the same by hand: halve until it converges, then the rest in the same way
  const auto walk = [&](auto&& self, double h) -> void {
    REQUIRE(h > 1e-3 * kLarge);
    if (by_hand.advance(h).converged) {
      ++parts;
      return;
    }
    self(self, 0.5 * h);
    self(self, 0.5 * h);
  };
  walk(walk, kLarge);
  CHECK(parts == report.halvings + 1);
  CHECK((sim.state().groups[0].q - by_hand.state().groups[0].q).norm() <= 1e-15);
  CHECK((sim.state().groups[0].v - by_hand.state().groups[0].v).norm() <= 1e-14);
}

TEST_CASE(
    "whatever the scheme, a step whose passes do not converge leaves every bit of the state") {
  int tried = 0, failed = 0;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.scheme->fixed_step() || pair.scheme.scheme->one_pass(*pair.body.dynamics))
      continue;
    CAPTURE(pair.name());
    ModelParts made = above_plane(pair, newton_impact(0.5), kSmall);
    made.options.pass_limit = 6;
    made.options.pass_tolerance = 1e-9;
    const Model model(made);
    ++tried;
    const double h = too_long(model);
    if (h == 0.0) continue;  // explicit schemes take any step
    ++failed;
    Simulation sim(model), never_failed(model);
    bool converged = true;
    for (int k = 0; k < 5; ++k) {
      converged = converged && sim.advance().converged;
      never_failed.advance();
    }
    CHECK(converged);
    const State before = sim.state();
    const StepReport report = sim.advance(h);
    if (report.converged) continue;  // from here it can be taken
    CHECK(identical(sim.state(), before));
    const StepReport again = sim.advance(h);
    CHECK(again.outstanding == report.outstanding);
    CHECK(again.passes == report.passes);
    CHECK(identical(sim.state(), before));
    for (int k = 0; k < 5; ++k) {
      sim.advance();
      never_failed.advance();
    }
    CHECK(identical(sim.state(), never_failed.state()));
  }
  CHECK(tried >= 60);
  CHECK(failed >= 40);
}

TEST_CASE(
    "a force that is not a number is reported and never enters the state, whatever the scheme and "
    "the policy") {
  int tried = 0;
  for (const SchemeCase& scheme : scheme_cases()) {
    if (!legal(*scheme.scheme, *bead().dynamics)) continue;
    for (OnFailure policy : {OnFailure::stop, OnFailure::halve, OnFailure::accept})
      for (bool fixed : {true, false}) {
        CAPTURE(scheme.name);
        CAPTURE(static_cast<int>(policy));
        CAPTURE(fixed);
        Simulation sim{Model(breaking(policy, fixed, scheme))};
        State before;
        StepReport report;
        int good = 0;
        do {
          before = sim.state();
          report = sim.advance();
          good += report.converged && report.finite ? 1 : 0;
        } while (report.converged && report.finite && good < 30);
        // the force breaks at 13.05 ms: in the step from 13 ms, or where it is met at the end of a step
        CHECK(good >= 12);
        CHECK(good <= 14);
        CHECK(identical(sim.state(), before));
        CHECK(sim.state().groups[0].q.allFinite());
        CHECK(sim.state().groups[0].v.allFinite());
        ++tried;
      }
  }
  CHECK(tried >= 180);
}

TEST_CASE("accept keeps a step that did not converge and does not call it converged") {
  Simulation sim{Model(impatient(OnFailure::accept))};
  const StepReport report = sim.advance(kLarge);
  CHECK_FALSE(report.converged);
  CHECK(sim.state().step == 1);
  CHECK(sim.state().t == doctest::Approx(kLarge).epsilon(1e-14));
  CHECK(sim.state().groups[0].q.allFinite());
}
