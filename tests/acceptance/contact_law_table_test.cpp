// Every contact law of the list against what it says of itself: numbers of one mass, a force that is the slope of its
// energy, rows that hold after the step, names and texts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <variant>

#include "saltus/bodies/particles.h"
#include "support/contacts.h"
#include "tables/contact_laws.h"

using namespace saltus;
using namespace saltus::test;

namespace {

AnyLaw made(const LawRow& row) {
  return std::visit([](const auto& options) { return AnyLaw(options, LawContext{}); }, row.law);
}

ModelParts mass_before(const LawRow& row, double h) {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  const MovingBody body{std::make_shared<Particles>(system), Vector3(0.01, 0.0, 0.0),
                        Vector3(-1.0, 0.0, 0.0)};
  MoreauJeanOptions scheme;
  const AnyLaw law = made(row);
  if (law->position_level()) scheme.theta = 1.0;
  ModelParts parts = one_group(body, scheme, h);
  parts.options.end = 1.0;
  add_stop(parts, {}, Vector3::Zero(), Vector3::UnitX(), law);
  return parts;
}

std::vector<AnyLaw> all_laws() {
  std::vector<AnyLaw> all;
  for (const LawRow& row : contact_laws()) all.push_back(made(row));
  return all;
}

}  // namespace

TEST_CASE("a mass has the velocity that each law says, in steps and between events") {
  for (const LawRow& row : contact_laws()) {
    CAPTURE(row.label);
    for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
      CAPTURE(static_cast<int>(mode));
      ModelParts parts = mass_before(row, 1e-3);
      if (mode == TimeMode::events && !parts.laws[0]->facts().not_by_events.empty()) continue;
      parts.options.mode = mode;
      Simulation sim{Model(parts)};
      StepReport report;
      while (sim.state().t < 1.0 - 1e-9) {
        report = sim.advance();
        REQUIRE(report.converged);
        CHECK(report.residual_after <= 1e-9);
      }
      CHECK(std::abs(velocity_of(sim)[0] - row.end) <=
            (mode == TimeMode::events ? std::min(row.tolerance, 1e-6) : row.tolerance));
      // what holds the velocity or drags it along may do work; others never give more than they took
      if (!parts.laws[0]->facts().drives) CHECK(sim.state().energy.total() <= 0.5 * (1.0 + 2e-2));
    }
  }
}

TEST_CASE("what a law stores is what its force takes, and set-valued laws store nothing") {
  for (const AnyLaw& law : all_laws()) {
    CAPTURE(law->description());
    for (const double y : {-0.02, -1e-3, -1e-5, 0.01}) {
      CAPTURE(y);
      if (law->set_valued()) {
        CHECK(law->stored_energy(y) == 0.0);
        continue;
      }
      CHECK(law->stored_energy(y) >= 0.0);
      if (y > 0.0 && !law->bilateral()) CHECK(law->stored_energy(y) == 0.0);
      if (y > 0.0) continue;  // its force goes on smoothly there
      const double d = 1e-6 * std::abs(y),
                   slope = (law->stored_energy(y + d) - law->stored_energy(y - d)) / (2.0 * d);
      CHECK(std::abs(slope + law->force(y, 0.0, 0.0)) <= 1e-6 * std::abs(slope));
      CHECK(law->force(y, 0.5, 0.0) ==
            doctest::Approx(law->force(y, 0.0, 0.0) + law->damping_force(y, 0.5)).epsilon(1e-12));
      CHECK(law->damping_force(y, 0.0) == 0.0);
      CHECK((law->damping_force(y, 0.5) < 0.0) == law->facts().yields);
      if (law->facts().yields)  // of the sign of the force
        for (const double u : {-1.0, 0.1, 1e3})
          CHECK((law->pressing(y, u) > 0.0) == (law->force(y, u, 0.0) > 0.0));
    }
  }
}

TEST_CASE("the row of a law before the solution is its row on the state that the solution makes") {
  // One mass of 1 kg under a scheme of gain 1/2 or 1:  u1 = u_free + P,  y1 = y + h ahead + gain h P
  const double h = 1e-3, u0 = -1.0, u_free = -0.9;
  for (const AnyLaw& law : all_laws()) {
    CAPTURE(law->description());
    const double gain = law->position_level() ? 1.0 : 0.5;
    for (const double y0 : {-2e-4, 1e-4}) {
      CAPTURE(y0);
      double y = y0 + 0.5 * h * (u0 + u_free), P = 0.0;
      RowTerm term;
      for (int pass = 0; pass < 30; ++pass) {  // the iterate has P, y its gap with it
        const double u = u_free + P, iterate = y + gain * h * P;
        term = law->row({.h = h,
                         .y0 = y0,
                         .u0 = u0,
                         .y = iterate,
                         .u = u,
                         .u_free = u_free,
                         .ahead = -gain * P,
                         .before = y0 - h * u0,
                         .gain = gain});
        P = -term.b / (1.0 + term.compliance);  // the row as an equation
      }
      const double at_end = law->row_at_end({.h = h,
                                             .y0 = y0,
                                             .u0 = u0,
                                             .y = y + gain * h * P,
                                             .u = u_free + P,
                                             .before = y0 - h * u0,
                                             .compliance = term.compliance,
                                             .P = P});
      // gap rows: y1/h = y/h + ahead + gain P is 1/gain of it
      if (std::isfinite(term.compliance))
        CHECK(std::abs(at_end) <= 1e-9 * (1.0 + std::abs(term.b)));
    }
  }
}

namespace {

/// A law of a program's own: it comes back the slower the slower it comes, u1 = share u0^2 per m/s.
class SlowRebound final : public ContactLaw {
 public:
  explicit SlowRebound(LawFacts facts) : ContactLaw(std::move(facts)) {}

 private:
  double term(const RateTerm& x) const override { return 0.5 * std::abs(x.u0) * x.u0; }
};

}  // namespace

TEST_CASE("a law of one's own does the same on points that stand still and among all others") {
  for (const double e : {0.0, 0.9}) {  // a fact that its row does not use
    CAPTURE(e);
    const AnyLaw law(std::make_shared<SlowRebound>(LawFacts{.name = "slow-rebound",
                                                            .restitution = e,
                                                            .activation = Activation{},
                                                            .impact = ImpactForm::newton}));
    for (const bool tangent : {false, true}) {  // a tangent asks for the island of all
      CAPTURE(tangent);
      ModelParts parts = mass_before({"", SignoriniPosition{}, 0.0}, 1e-3);
      parts.groups[0].scheme = make_scheme(MoreauJeanOptions{});
      parts.laws[0] = law;
      if (tangent) {
        parts.pairs[0].tangents = 1;
        parts.pairs[0].tangent[0] = Vector3::UnitY();
      }
      Simulation sim{Model(parts)};
      for (int n = 0; n < 100; ++n) CHECK(sim.advance().residual_after <= 1e-12);
      CHECK(velocity_of(sim)[0] == doctest::Approx(0.5).epsilon(1e-14));
    }
  }
}

TEST_CASE("facts of a law that contradict each other are refused by name") {
  const auto refused = [](LawFacts facts, std::string_view words) {
    CAPTURE(words);
    try {
      SlowRebound law(std::move(facts));
      FAIL("was accepted");
    } catch (const UsageError& error) {
      CHECK(std::string_view(error.what()).find(words) != std::string_view::npos);
    }
  };
  refused({}, "needs a name");
  refused({.name = "x", .set_valued = false, .impact = ImpactForm::newton}, "that is a force");
  refused({.name = "x", .slides_on_normal = true}, "set-valued and bilateral");
  refused({.name = "x", .impact = ImpactForm::held}, "must be bilateral");
  refused({.name = "x", .expands = true, .friction = {.coefficient = 0.1}},
          "must not have friction");
  refused({.name = "x", .bilateral = true, .rebounds = true}, "unilateral and at velocity level");
  CHECK_THROWS_AS(AnyLaw(std::shared_ptr<const ContactLaw>()), UsageError);
  ModelParts parts = mass_before({"", NewtonImpact{}, 0.0}, 1e-3);
  parts.laws[0] = AnyLaw(std::make_shared<SlowRebound>(LawFacts{.name = "slow-rebound"}));
  parts.options.mode = TimeMode::events;
  CHECK_THROWS_WITH_AS(Model{parts},
                       doctest::Contains("slow-rebound does not define its behaviour in an impact"),
                       SceneError);
}

TEST_CASE("laws have the names and the numbers that their options have") {
  std::set<std::string_view> seen;
  for (const LawRow& row : contact_laws()) {
    CAPTURE(row.label);
    const AnyLaw law = made(row);
    CHECK(law->name() == name_of(row.law));
    CHECK(law->description().starts_with(law->name()));
    CHECK(acts_at_any_gap(row.law) == law->bilateral());
    for (const LawNumber& one : law->numbers()) CHECK(one.value != one.rest);
    seen.insert(law->name());
  }
  CHECK(seen.size() == std::variant_size_v<LawChoice>);  // each law has a row
  std::istringstream all(laws_that([](const ContactLaw&) { return true; }));
  std::string name;
  std::size_t listed = 0;
  for (; std::getline(all >> std::ws, name, ','); ++listed) CHECK(seen.contains(name));
  CHECK(listed + 1 >= seen.size());  // the library does not know a law of a page that is followed
  CHECK(laws_that([](const ContactLaw& law) { return law.position_level(); }) ==
        "signorini-position, schatzman-paoli");
}
