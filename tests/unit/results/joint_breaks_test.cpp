// Broken joints are part of the state: the future does not depend on who made it, nor on a file in between.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "saltus/results/checkpoint.h"
#include "support/joint_scene.h"
#include "unit/results/support.h"

using namespace saltus;

namespace {

/// A net of 4 x 3 masses that hangs by its upper row and carries a box, over a floor. One link after the other breaks.
Model breaking_net(JointLevel level) {
  test::JointScene scene;
  scene.level = level;
  scene.h = 2e-3;
  scene.gravity = Vector3(3.0, 1.0, -9.3);
  const auto place = [](int i, int j) {
    return Vector3(0.5 * i, 0.01 * ((i + 2 * j) % 3), 2.0 - 0.5 * j);
  };
  const auto link = [&](int a, int b, const Vector3& p, const Vector3& q, double strength) {
    scene.join(JointKind::distance, a, b, p, q, Vector3::UnitZ());
    scene.joints.back().strength = strength;
  };
  const int box = scene.add(4.0, Matrix3::Identity(), {0.75, 0.0, 0.5});
  std::array<std::array<int, 3>, 4> mass{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
      const Vector3 at = place(i, j);
      mass[x][y] = scene.point(0.2, at);
      const double strength = 16.0 + 3.0 * ((3 * i + 5 * j) % 4);
      link(j > 0 ? mass[x][y - 1] : -1, mass[x][y], place(i, j - 1), at, strength);
      if (i > 0 && j > 0)  // cross links make loops
        link(mass[x - 1][y], mass[x][y], place(i - 1, j), at, i == 2 ? 0.0 : strength);
      if (j == 2) link(mass[x][y], box, at, {0.5 * i, 0.0, 0.7}, 14.0 + 3.0 * i);
    }
  NewtonImpact floor;
  floor.restitution = 0.3;
  scene.wall(box, Vector3::UnitZ(), floor);
  scene.wall(mass[0][2], Vector3::UnitZ(), floor);
  return scene.model(make_scheme(RigMidOptions{}), make_scheme(MoreauJeanOptions{}));
}

void check_same_bits(const Vector& a, const Vector& b) {
  CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }));
}
void check_same(const Simulation& one, const Simulation& other) {
  const State &a = one.state(), &b = other.state();
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    check_same_bits(a.groups[g].q, b.groups[g].q);
    check_same_bits(a.groups[g].v, b.groups[g].v);
  }
  CHECK(a.ledger == b.ledger);
  CHECK(a.energy.total() == b.energy.total());
  CHECK(a.broken == b.broken);
  REQUIRE(a.contacts.size() == b.contacts.size());
  for (std::size_t i = 0; i < a.contacts.size(); ++i)
    CHECK(a.contacts[i].impulse == b.contacts[i].impulse);
  for (std::size_t i = 0; i < one.model().joints().size(); ++i)
    CHECK(one.joint_load(static_cast<int>(i)) == other.joint_load(static_cast<int>(i)));
}

void store(const std::string& path, const State& state) {
  h5::File file = h5::File::create(path);
  file.create_group("checkpoint");
  write_checkpoint(file, "a", state, {});
  file.close();
}

}  // namespace

TEST_CASE("a net of which link after link breaks goes on from any of its states in the same bits") {
  const io_test::Folder folder;
  for (const JointLevel level : {JointLevel::position, JointLevel::velocity, JointLevel::both}) {
    CAPTURE(static_cast<int>(level));
    const Model model = breaking_net(level);
    Simulation whole(model);
    constexpr int kSteps = 500;
    std::vector<State> kept;
    std::size_t broken = 0, touched = 0;
    double unexplained = 0.0;
    for (int n = 0; n < kSteps; ++n) {
      if (n % 100 == 0) kept.push_back(whole.state());
      const StepReport report = whole.advance();
      REQUIRE(report.converged);
      unexplained = worse(unexplained, std::abs(report.unexplained));
      touched += report.contacts > 0 ? 1 : 0;
      if (whole.state().broken.size() > broken) {  // just now
        broken = whole.state().broken.size();
        kept.push_back(whole.state());
      }
    }
    const State end = whole.state();
    CHECK(end.broken.size() >= 6);
    CHECK(end.broken.back().t > end.broken.front().t + 0.1);
    CHECK(touched > 5);
    CHECK(unexplained <= 1e-12 * std::abs(end.energy_start));
    for (const State& from : kept) {
      CAPTURE(from.step);
      Simulation again(model, from);
      while (again.state().step < end.step) again.advance();
      check_same(whole, again);
    }
    CHECK(kept.front().broken.empty());  // copies are values

    const std::string path = folder / "net.h5";
    store(path, kept[kept.size() / 2]);
    Simulation stored(model, newest_checkpoint(h5::File::read(path), path, model).state);
    CHECK(stored.state().broken == kept[kept.size() / 2].broken);
    CHECK(!stored.state().broken.empty());
    while (stored.state().step < end.step) stored.advance();
    check_same(whole, stored);
  }
}

TEST_CASE("two simulations of one state do not share what breaks") {
  const Model model = breaking_net(JointLevel::position);
  Simulation one(model);
  while (one.state().broken.size() < 2) REQUIRE(one.advance().converged);
  const State copy = one.state();
  Simulation other(model, copy);
  while (one.state().broken.size() < 4) REQUIRE(one.advance().converged);
  CHECK(other.state().broken.size() == copy.broken.size());
  CHECK(other.advance().converged);
}

TEST_CASE("what is broken stays broken in steps of another length") {
  const Model model = breaking_net(JointLevel::position);
  Simulation sim(model);
  while (sim.state().broken.empty()) REQUIRE(sim.advance().converged);
  Simulation again(model, sim.state());
  const BrokenJoint first = sim.state().broken[0];
  for (int i = 0; i < 40; ++i) {
    REQUIRE(sim.advance(1e-3).converged);
    again.advance(1e-3);
    CHECK(sim.joint_load(first.joint)[0] == Vector3::Zero());
  }
  CHECK(sim.state().broken[0] == first);
  check_same(sim, again);
}

TEST_CASE(
    "a checkpoint without broken joints is the one of before, and one of another scene is "
    "refused") {
  const io_test::Folder folder;
  const Model model = breaking_net(JointLevel::position);
  Simulation sim(model);
  const std::string whole = folder / "whole.h5", broken = folder / "broken.h5";
  store(whole, sim.state());
  {
    const h5::File file = h5::File::read(whole);
    const h5::Group slot = file.group("checkpoint/a");
    for (const std::string& name : slot.names()) CHECK(!name.starts_with("broken"));
  }
  CHECK(newest_checkpoint(h5::File::read(whole), whole, model).state.broken.empty());

  while (sim.state().broken.empty()) REQUIRE(sim.advance().converged);
  store(broken, sim.state());
  CHECK(newest_checkpoint(h5::File::read(broken), broken, model).state.broken ==
        sim.state().broken);
  {  // what is told of a break is in the checksum
    h5::File file = h5::File::modify(broken);
    const h5::Group slot = file.group("checkpoint/a");
    slot.remove("broken_time");
    slot.write("broken_time", std::span<const double>(std::array{0.25}));
    file.close();
  }
  CHECK_THROWS_AS(newest_checkpoint(h5::File::read(broken), broken, model), SceneError);

  State other = sim.state();
  other.broken[0].joint = 1000;
  CHECK_THROWS_AS(Simulation(model, other), UsageError);
  store(broken, other);
  CHECK(io_test::message<SceneError>([&] {
          newest_checkpoint(h5::File::read(broken), broken, model);
        }).find("joint 1000 is broken, but in the scene it cannot break") != std::string::npos);
}
