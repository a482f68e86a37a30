// Two bodies of different kinds, each with its own scheme, in one contact.
#include <doctest/doctest.h>

#include <cmath>

#include "rigid_on_string.h"
#include "saltus/bodies/modal.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// J^T n of a point: the generalised impulse of a unit impulse along n.
Vector pull(const Dynamics& body, View q, const PointRef& point, const Vector3& n) {
  Vector r(body.velocities());
  for (Eigen::Index j = 0; j < r.size(); ++j) {
    const Vector e = Vector::Unit(r.size(), j);
    r[j] = rate_of(body, q, e, point, n);
  }
  return r;
}

/// The same step without contact.
State free_step(ModelParts parts, const State& from) {
  parts.pairs.clear();
  const Model model(parts);
  State state = initial_state(model);
  state.t = from.t;
  state.groups = from.groups;
  Simulation sim(model, state);
  sim.advance();
  return sim.state();
}

/// One mode that moves as a whole: mass, frequency, damping, load, along z.
Body block(double mass, double omega, double sigma, double load) {
  Body body;
  body.name = "block";
  body.dynamics = std::make_shared<Modal>(Vector::Constant(1, mass), Vector::Constant(1, omega),
                                          Vector::Constant(1, sigma),
                                          tabulated_shapes({0.0, 1.0}, Matrix::Ones(2, 1)),
                                          ModalPlacement{}, Vector::Constant(1, load));
  body.state.q = Vector::Zero(1);
  body.state.v = Vector::Constant(1, 0.7);
  return body;
}

struct Run {
  double rise = 0.0, unexplained = 0.0;  ///< largest of a step / energy
  double after = 0.0, gap = 1e300;
  int impacts = 0;
};

Run follow(const RigidOnString& scene) {
  Simulation sim{Model(rigid_on_string(scene))};
  const double scale = energy_scale(sim.state());
  Run run;
  bool converged = true;
  for (int k = 0; k < 500; ++k) {
    const double before = sim.state().energy.total();
    const StepReport report = sim.advance();
    run.rise = std::max(run.rise, (sim.state().energy.total() - before) / scale);
    run.unexplained = std::max(run.unexplained, std::abs(report.unexplained) / scale);
    run.after = std::max(run.after, report.residual_after);
    run.gap = std::min(run.gap, report.gap);
    run.impacts += report.contacts;
    converged = converged && report.converged;
  }
  CHECK(converged);
  return run;
}

}  // namespace

TEST_CASE("both sides of a contact receive the same impulse, opposite in sign") {
  const std::shared_ptr<const Scheme> half = moreau_jean(0.5), end = moreau_jean(1.0);
  for (const RigidOnString& scene : {RigidOnString{half, half, newton_impact(0.4)},
                                     {half, end, newton_impact(0.4)},
                                     {end, modal_exact(), signorini()}}) {
    const ModelParts made = rigid_on_string(scene);
    Simulation sim{Model(made)};
    const Dynamics& string = *made.groups[1].dynamics;
    int impacts = 0;
    for (int k = 0; k < 60; ++k) {
      const State before = sim.state();
      if (sim.advance().contacts == 0) continue;
      ++impacts;
      const State free = free_step(made, before);
      const double P = sim.state().contacts.at(0).impulse.x();
      REQUIRE(P > 0.0);
      const Vector3 rigid = 0.4 * (sim.state().groups[0].v - free.groups[0].v).head<3>();
      CHECK((rigid - P * string_normal()).norm() <= 1e-12 * P);
      Vector change = -P * pull(string, before.groups[1].q, place_on_string(), string_normal());
      solve(
          drive(string, *scene.string, made.initial[1], scene.h, Vector::Zero(string.velocities()))
              .A(),
          change);
      const Vector measured = sim.state().groups[1].v - free.groups[1].v;
      CHECK((measured - change).norm() <= 1e-11 * change.norm());
    }
    CHECK(impacts >= 1);
  }
}

TEST_CASE(
    "a rigid body and a string never gain energy at velocity level with theta 1/2, whatever e") {
  for (double e : {0.0, 0.3, 0.7, 1.0}) {
    CAPTURE(e);
    const Run run = follow({moreau_jean(0.5), moreau_jean(0.5), newton_impact(e)});
    CHECK(run.impacts >= 1);
    CHECK(run.after <= 1e-9);
    CHECK(run.rise <= 1e-12);
    CHECK(run.unexplained <= 1e-12);
  }
}

// P . H v_theta is taken with two different v_theta, so that the work of an elastic impact does not cancel.
TEST_CASE(
    "with a different theta on each side laws and accounts hold, and an impact may gain a little") {
  for (double theta_rigid : {0.5, 0.7, 1.0})
    for (double theta_string : {0.6, 1.0})
      for (double e : {0.0, 0.5, 1.0}) {
        CAPTURE(theta_rigid);
        CAPTURE(theta_string);
        CAPTURE(e);
        const Run run =
            follow({moreau_jean(theta_rigid), moreau_jean(theta_string), newton_impact(e)});
        CHECK(run.impacts >= 1);
        CHECK(run.after <= 1e-9);
        CHECK(run.unexplained <= 1e-12);
        CHECK(run.rise <= 5e-3);
      }
}

TEST_CASE("with gain 1 on both sides the position law lets nothing through and no energy in") {
  for (const std::shared_ptr<const Scheme>& string : {modal_exact(), moreau_jean(1.0)}) {
    CAPTURE(std::string(string->name()));
    const Run run = follow({moreau_jean(1.0), string, signorini()});
    CHECK(run.impacts >= 20);
    CHECK(run.after <= 1e-9);
    CHECK(run.gap >= -1e-12);
    CHECK(run.rise <= 1e-12);
    CHECK(run.unexplained <= 1e-12);
  }
}

TEST_CASE(
    "two blocks tied together move as one block with the sum of their masses, springs and loads") {
  for (const std::shared_ptr<const Scheme>& scheme :
       {moreau_jean(0.5), moreau_jean(0.8), moreau_jean(1.0)}) {
    CAPTURE(scheme->gain());
    const double m = 2.5, n = 1.5, omega = 9.0, sigma = 0.3;
    ModelParts tied = parts(block(m, 0.0, 0.0, -5.0), scheme, 2e-3);
    add_group(tied, block(n, omega, sigma, 2.0), scheme);
    const PointRef point{0, 0, Vector3(1.0, 0.0, 0.0)};
    add_pair(tied, {0, point}, {1, point}, Vector3::UnitZ(), equality());
    Simulation two{Model(tied)};
    Simulation one{Model(parts(
        block(m + n, omega * std::sqrt(n / (m + n)), sigma * n / (m + n), -3.0), scheme, 2e-3))};
    double apart = 0.0, off = 0.0, drawn = 0.0, pushed = 0.0;
    for (int k = 0; k < 500; ++k) {
      two.advance();
      one.advance();
      const auto& groups = two.state().groups;
      const double P = two.state().contacts.at(0).impulse.x();
      drawn = std::min(drawn, P);
      pushed = std::max(pushed, P);
      apart = std::max(apart, std::abs(groups[0].q[0] - groups[1].q[0]));
      off = std::max(off, std::abs(groups[0].q[0] - one.state().groups[0].q[0]));
    }
    CHECK(apart <= 1e-13);
    CHECK(off <= 1e-12);
    CHECK(drawn < 0.0);
    CHECK(pushed > 0.0);
    CHECK(two.state().energy.total() == doctest::Approx(one.state().energy.total()).epsilon(1e-10));
  }
}

TEST_CASE(
    "a rigid body tied to a string by one point: the tie holds in every step and its work vanishes "
    "with h") {
  double work[2];
  for (int i = 0; i < 2; ++i) {
    RigidOnString scene{moreau_jean(0.5), moreau_jean(0.5), equality()};
    scene.h = 1e-3 / (1 << i);
    Simulation sim{Model(rigid_on_string(scene))};
    sim.advance();  // the first step makes the velocities of the two points equal, like an impact
    double after = 0.0;
    bool converged = true;
    work[i] = 0.0;
    for (int k = 0; k < 500 << i; ++k) {
      const StepReport report = sim.advance();
      converged = converged && report.converged;
      after = std::max(after, report.residual_after);
      work[i] += report.impact / energy_scale(sim.state());
    }
    CHECK(converged);
    CHECK(after <= 1e-9);
  }
  CHECK(std::abs(work[0]) <= 1e-2);
  CHECK(std::abs(std::log2(work[0] / work[1]) - 1.0) < 0.15);
}
