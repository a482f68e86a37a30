// What the numbers of a run say about energy: what may gain it, and what is round-off.
#include "saltus/results/statistics.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "support/joint_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A bob on a guide, on which `law` acts, before a wall under `on_wall` where that is given.
std::string opening(const AnyLaw& law, const AnyLaw* on_wall = nullptr) {
  JointScene scene;
  const int bob = scene.rod(1.0, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, 0.1);
  const int guide = scene.join(JointKind::prismatic, -1, bob, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
  if (on_wall) scene.wall(bob, Vector3::UnitX(), *on_wall);
  scene.act(guide, 0, law);
  return what_opens(scene.model(std::shared_ptr<const Scheme>(make_scheme(RigMidOptions{}))));
}

}  // namespace

TEST_CASE("contacts and stops open and close; springs, motors and friction hold both ways") {
  const AnyLaw spring(law_of({10.0, 1.0, 0.0, ContactSpring::At::middle, true})),
      motor = Relay{1.0, 2.0, Slip::end, {}}, friction = relay_law(1.0), impact = newton_law(0.0);
  for (const AnyLaw& law : {spring, motor, friction}) {
    CHECK(opening(law).empty());
    CHECK(opening(law, &impact) == "contact");
  }
  CHECK(opening(impact) == "a stop of a joint");
  CHECK(opening(impact, &impact) == "contact or a stop of a joint");
}

TEST_CASE("work below 1e-12 of the energies in play is round-off, also where they sum to 0") {
  ContactGain gain;
  gain.add({0.9e-12}, 0.0, {1.0, -1.0}, 1);
  CHECK(gain.steps == 0);
  gain.add({2.1e-12}, 0.0, {1.0, -1.0}, 2);
  CHECK(gain.steps == 1);
  CHECK(gain.worst.row == 2);
}

TEST_CASE("a gain matters above 1e-3 of what moved or contacts carried and all accounts together") {
  const std::vector<double> none{0.0, 0.0};
  const auto after = [](const ContactGain::Step& work, double kinetic) {
    ContactGain gain;
    gain.add(work, 0.0, {kinetic, 0.0}, 1);
    return gain;
  };
  CHECK(after({2e-3}, 1.0).matters(none));
  CHECK(!after({0.5e-3}, 1.0).matters(none));
  CHECK(!after({2e-3}, 1.0).matters(std::vector<double>{0.5, -1.0}));
  // a body at rest: its weight is taken in every step, and nothing moves
  CHECK(!after({3.6e-17, 0.0, 0.0, 1e-4}, 1e-25).matters(none));
  CHECK(after({3.6e-6, 0.0, 0.0, 1e-4}, 1e-25).matters(none));
}

TEST_CASE("gains of many steps add up, less what the steps between them take") {
  ContactGain sum, taken, friction;
  for (std::uint64_t step = 1; step <= 100; ++step) {
    sum.add({0.5e-4}, 0.0, {1.0, 0.0}, step);
    taken.add({step % 2 == 1 ? 0.8e-3 : -0.8e-3}, 0.0, {1.0, 0.0}, step);
    friction.add({-0.5e-4, 0.5e-4}, 0.0, {1.0, 0.0}, step);
  }
  CHECK(sum.fed() == doctest::Approx(5e-3));
  CHECK(sum.matters({}));
  CHECK(taken.fed() == 0.0);
  CHECK(!taken.matters({}));
  CHECK(!friction.matters({}));
  ContactGain turned;  // friction turns the slip round in an impact that takes more
  turned.add({-0.1, 0.05}, 0.0, {1.0, 0.0}, 1);
  CHECK(turned.by_friction());
  CHECK(turned.fed() == doctest::Approx(0.05));
  CHECK(turned.matters({}));
}

TEST_CASE("the largest energy in play counts both parts") {
  RunStatistics statistics;
  statistics.add({}, {0.0, 0.0}, 0.0);
  statistics.add({}, {3.0, -3.0}, 0.1);
  statistics.add({}, {1.0, -1.0}, 0.2);
  CHECK(statistics.largest_parts == 6.0);
  CHECK(statistics.energy.value == 0.0);
}
