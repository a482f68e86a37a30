#include "saltus/sim/inspect.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "saltus/base/error.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/modal.h"
#include "support/one_group.h"
#include "support/tops.h"

using namespace saltus;
using namespace saltus::test;

namespace {

MovingBody chain_of_four() {
  LinearSystem system = chain(4, 0.5, 80.0, 0.3, ChainEnds::fixed_free);
  system.load = Vector{{0.0, 1.0, 0.0, -0.5}};
  return {std::make_shared<Linear>(system), Vector{{0.1, -0.05, 0.02, 0.0}},
          Vector{{1.0, 0.0, -2.0, 0.5}}};
}
MovingBody modes() {
  return {std::make_shared<Modal>(Vector{{1.0, 2.0}}, Vector{{30.0, 70.0}}, Vector{{0.4, 0.9}},
                                  sine_shapes(1.0, 2), ModalPlacement{}, Vector()),
          Vector{{0.1, -0.1}}, Vector{{1.0, 2.0}}};
}
MovingBody arms() {
  return {std::make_shared<Lagrangian>(n_pendulum({})), Vector{{0.5, -0.3}}, Vector{{1.0, -2.0}}};
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("without an impulse an inspection makes the step that follows, of rigid bodies too") {
  int checked = 0;
  for (const SchemeRow& row : schemes())
    for (const MovingBody& body :
         {chain_of_four(), free_top({1.0, 2.0, 2.5}, {0.1, -0.2, 0.3}, {0.3, 1.2, -0.5}),
          heavy_top({5.0, 4.0, 2.0}, {0.6, 0.3, 0.0}, {0.4, -0.3, 2.0}, 20.0)}) {
      ModelParts parts = one_group(body, MoreauJeanOptions{}, 0.05);
      parts.groups[0].scheme = row.make_default();
      if (!legal(*parts.groups[0].scheme, *body.dynamics)) continue;
      if (parts.groups[0].scheme->stages().size() > 1) continue;
      CAPTURE(row.name);
      Simulation sim{Model(parts)};
      // one pass, where the step makes as many as it needs: the square of what the first one left
      const Scheme& scheme = *sim.model().groups()[0].scheme;
      const double share = scheme.one_pass(*body.dynamics) ? 1e-14 : 1e-7;
      const Inspection step(sim);
      const GroupState told = step.update(0, Vector::Zero(body.v.size()));
      sim.advance();
      const GroupState& made = sim.state().groups[0];
      CHECK((told.q - made.q).norm() <= share * made.q.norm());
      CHECK((told.v - made.v).norm() <= share * made.v.norm());
      ++checked;
    }
  CHECK(checked >= 30);
}

// Finite differences of the finished step with respect to the impulse.
TEST_CASE(
    "the inverse that is shown is the answer of the step to an impulse, for every scheme of one "
    "stage") {
  constexpr double h = 1e-3;
  int checked = 0;
  for (const SchemeRow& row : schemes())
    for (const MovingBody& body : {chain_of_four(), modes()}) {
      ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
      parts.groups[0].scheme = row.make_default();
      if (!legal(*parts.groups[0].scheme, *body.dynamics)) continue;
      if (!parts.groups[0].scheme->stages()[0].jump)
        continue;  // seen in a stage that moves q alone
      CAPTURE(row.name);
      const Simulation sim{Model(parts)};
      const Inspection step(sim);
      const Eigen::Index n = body.v.size();
      const Vector none = Vector::Zero(n);
      const Matrix inverse = step.inverse(0);
      const GroupState without = step.update(0, none);
      for (Eigen::Index j = 0; j < n; ++j) {
        const Vector r = Vector::Unit(n, j);
        const GroupState with = step.update(0, r);
        CHECK((with.v - without.v - inverse.col(j)).norm() <= 1e-10 * inverse.col(j).norm());
      }
      CHECK((step.matrix(0) * inverse - Matrix::Identity(n, n)).cwiseAbs().maxCoeff() <= 1e-12);
      CHECK((step.update(0, none).v - step.free_velocity(0)).norm() <= 1e-12 * without.v.norm());
      ++checked;
    }
  CHECK(checked > 20);
}

TEST_CASE("looking at a step changes nothing") {
  for (const MovingBody& body : {chain_of_four(), modes(), arms()}) {
    const auto made = [&] { return Model(one_group(body, MoreauJeanOptions{}, 1e-3)); };
    Simulation watched{made()}, alone{made()};
    for (int k = 0; k < 20; ++k) {
      const Inspection step(watched);
      const Vector r = Vector::Ones(body.v.size());
      step.matrix(0);
      step.update(0, r);
      step.position(0, r);
      step.text();
      REQUIRE(watched.advance().converged);
      REQUIRE(alone.advance().converged);
    }
    CHECK(watched.state().groups[0].q == alone.state().groups[0].q);
    CHECK(watched.state().groups[0].v == alone.state().groups[0].v);
  }
}

TEST_CASE("the free velocity of an affine group is the end of its step") {
  for (const MovingBody& body : {chain_of_four(), modes()}) {
    Simulation sim{Model(one_group(body, MoreauJeanOptions{}, 1e-3))};
    for (int k = 0; k < 5; ++k) {
      const Vector v = Inspection(sim).free_velocity(0);
      const Vector q = Inspection(sim).position(0, v);
      sim.advance();
      CHECK((sim.state().groups[0].v - v).norm() <= 1e-14 * v.norm());
      CHECK((sim.state().groups[0].q - q).norm() <= 1e-14 * q.norm());
    }
  }
}

TEST_CASE("a step of another length is seen as it would be made") {
  Simulation sim{Model(one_group(chain_of_four(), MoreauJeanOptions{}, 1e-3))};
  sim.advance();
  const Vector v = Inspection(sim, 4e-4).free_velocity(0);
  sim.advance(4e-4);
  CHECK((sim.state().groups[0].v - v).norm() <= 1e-14 * v.norm());
}

TEST_CASE("velocities do not advance alone where the group is curved or the scheme remembers") {
  const Model curved(one_group(arms(), MoreauJeanOptions{}, 1e-3));
  CHECK(refusal([&] { advance_velocity(curved, initial_state(curved)); }).find("affine") !=
        std::string::npos);
  const Model remembers(one_group(chain_of_four(), NewmarkOptions{}, 1e-3));
  CHECK(refusal([&] { advance_velocity(remembers, initial_state(remembers)); }).find("store") !=
        std::string::npos);
}

TEST_CASE("a run to a time ends exactly there") {
  for (double end : {0.0, 0.01, 0.0123, 0.7 * 1e-3, 0.3}) {
    Simulation sim{Model(one_group(chain_of_four(), MoreauJeanOptions{}, 1e-3))};
    const Reached reached = advance_until(sim, end);
    CHECK(std::abs(sim.state().t - end) <= 1e-15);
    CHECK(reached.steps == static_cast<std::uint64_t>(std::ceil(end / 1e-3 - 1e-6)));
    advance_until(sim, end + 0.0055);
    CHECK(std::abs(sim.state().t - end - 0.0055) <= 1e-15);
  }
}

TEST_CASE(
    "a run to a time off the grid is refused where the step is fixed, and backwards everywhere") {
  Simulation sim{Model(one_group(modes(), ModalExactOptions{}, 1e-3))};
  CHECK(refusal([&] { advance_until(sim, 0.0105); }).find("grid") != std::string::npos);
  CHECK(sim.state().step == 0);
  CHECK(advance_until(sim, 0.010).steps == 10);
  CHECK(refusal([&] { advance_until(sim, 0.005); }).find("present time") != std::string::npos);
  CHECK(refusal([&] { Inspection(sim, 5e-4); }).find("fixed step") != std::string::npos);
}

TEST_CASE("groups and pairs that are not there are refused") {
  const Inspection step{Simulation{Model(one_group(chain_of_four(), MoreauJeanOptions{}, 1e-3))}};
  const Vector r = Vector::Zero(4);
  for (int group : {-1, 1}) {
    CHECK_FALSE(refusal([&] { step.matrix(group); }).empty());
    CHECK_FALSE(refusal([&] { step.update(group, r); }).empty());
    CHECK_FALSE(refusal([&] { step.first_iterate(group); }).empty());
    CHECK_FALSE(refusal([&] { step.contact_rows(group); }).empty());
  }
  CHECK_FALSE(refusal([&] { step.active(0); }).empty());
  CHECK_FALSE(refusal([&] { step.row(0); }).empty());
  CHECK_FALSE(refusal([&] { step.velocity(0, Vector::Zero(3)); }).empty());
}
