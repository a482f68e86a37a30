// Joints inside the stages of a scheme: RK4 keeps its order on mechanisms, and work is accounted for.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "saltus/base/error.h"
#include "saltus/bodies/moving.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "tests/support/joint_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::shared_ptr<const Scheme> rk4() { return make_scheme(RungeKuttaOptions{}); }

/// O. Bruels, A. Cardona 2010, J. Comput. Nonlinear Dyn. 5, 031002: a heavy top on a ball joint at the origin, fast enough to nutate only.
JointScene heavy_top() {
  JointScene scene;
  const Vector3 Omega(0.0, 150.0, -4.61538), arm(0.0, 1.0, 0.0);
  const int top = scene.add(15.0, Vector3(0.234375, 0.46875, 0.234375).asDiagonal(), arm,
                            Quaternion::Identity(), Omega.cross(arm), Omega);
  scene.join(JointKind::ball, -1, top, Vector3::Zero());
  return scene;
}

/// Two rods in space, the first on a slanted hinge, the second on a universal joint, as one body at the start.
JointScene double_pendulum() {
  JointScene scene;
  const Vector3 top(0.0, 0.0, 0.0), knee(1.0, 0.0, 0.0), end(1.5, 0.3, 0.4);
  const Vector3 axis(0.0, 1.0, 0.2);
  const int upper = scene.rod(1.0, top, knee, 0.1), lower = scene.rod(0.7, knee, end, 0.1);
  for (const int rod : {upper, lower}) scene.turn(rod, 2.0 * axis.normalized(), top);
  scene.join(JointKind::revolute, -1, upper, top, axis);
  scene.join(JointKind::universal, upper, lower, knee, Vector3(0.1, 1.0, 0.0));
  return scene;
}

/// Crank, coupler and rocker on four hinges: three of the 20 rows depend on others.
JointScene four_bar() {
  JointScene scene;
  const Vector3 A(0.0, 0.0, 0.0), D(0.9, 0.0, 0.0), Y(0.0, 1.0, 0.0);
  const Vector3 B(0.6 * std::cos(1.2), 0.0, 0.6 * std::sin(1.2)), C(1.2, 0.0, 1.0);
  const int crank = scene.rod(1.0, A, B, 0.1), coupler = scene.rod(1.5, B, C, 0.1),
            rocker = scene.rod(0.8, C, D, 0.1);
  // v_B + w_2 Y x (C - B) = w_3 Y x (C - D)
  const double w1 = -1.0;
  const Vector3 v_B = w1 * Y.cross(B - A), p = Y.cross(C - B), q = Y.cross(C - D);
  Eigen::Matrix2d X;
  X << p.x(), -q.x(), p.z(), -q.z();
  const Eigen::Vector2d w = X.inverse() * Eigen::Vector2d(-v_B.x(), -v_B.z());
  scene.turn(crank, w1 * Y, A);
  scene.turn(rocker, w[1] * Y, D);
  scene.turn(coupler, w[0] * Y, B);
  scene.shift(coupler, v_B + w[0] * Y.cross(0.5 * (B + C) - B));
  scene.join(JointKind::revolute, -1, crank, A, Y);
  scene.join(JointKind::revolute, crank, coupler, B, Y);
  scene.join(JointKind::revolute, coupler, rocker, C, Y);
  scene.join(JointKind::revolute, -1, rocker, D, Y);
  return scene;
}

struct Path {
  Vector q, v;
  JointRun run;
};
Path path(JointScene scene, double h, double T) {
  scene.h = h;
  Simulation sim(scene.model(rk4()));
  Path path;
  path.run = run_joints(sim, static_cast<int>(std::lround(T / h)));
  path.q = sim.state().groups[0].q;
  path.v = sim.state().groups[0].v;
  return path;
}

struct Orders {
  double q = 0.0, v = 0.0;
};
/// log2 of the ratio of the changes when h is halved twice.
Orders orders(const JointScene& scene, double h, double T) {
  const Path coarse = path(scene, h, T), middle = path(scene, h / 2, T),
             fine = path(scene, h / 4, T);
  for (const Path* x : {&coarse, &middle, &fine}) CHECK(x->run.converged);
  return {std::log2((coarse.q - middle.q).norm() / (middle.q - fine.q).norm()),
          std::log2((coarse.v - middle.v).norm() / (middle.v - fine.v).norm())};
}

/// An arm on a hinge of a base that shakes and turns, and a forearm whose elbow is driven. State at t = 0 closed.
Model driven_arm(double h) {
  ModelParts parts;
  RigidSystem arms;
  arms.gravity = {0.0, 0.0, -9.81};
  for (const double mass : {1.0, 2.0}) {
    RigidBody body;
    body.mass = mass;
    body.inertia = Vector3(0.1, 0.2, 0.25).asDiagonal();
    arms.bodies.push_back(body);
  }
  const double quarter = -0.5 * std::numbers::pi;
  PrescribedMotion base;
  base.position[0] = Signal::harmonic(0.2, 3.0, quarter);  // 0.2 sin 3t
  base.angle = Signal::harmonic(0.5, 2.0, quarter);
  const Vector3 spin(0.0, 0.0, 1.0), v_base(0.6, 0.0, 0.0);
  const Vector3 upper(0.5, 0.0, 0.0), elbow(1.0, 0.0, 0.0), lower(1.5, 0.0, 0.0);
  const Vector3 bend = 1.8 * Vector3::UnitZ();  // spin and 0.8 of the drive
  GroupState state;
  state.q.resize(14);
  state.v.resize(12);
  state.q << upper, 1.0, 0.0, 0.0, 0.0, lower, 1.0, 0.0, 0.0, 0.0;
  state.v << v_base + spin.cross(upper), spin,
      v_base + spin.cross(elbow) + bend.cross(lower - elbow), bend;
  const auto scheme = rk4();
  parts.groups.push_back({"arms", "rigid", std::make_shared<Rigid>(arms), scheme, {}});
  parts.groups.push_back({"base",
                          "moved",
                          std::make_shared<saltus::Moving>(std::vector<PrescribedMotion>{base}),
                          scheme,
                          {}});
  parts.initial = {state, {}};
  const Matrix3 Y = axes_along(Vector3::UnitY()), Z = axes_along(Vector3::UnitZ());
  parts.joints.push_back({"shoulder",
                          JointKind::revolute,
                          {1, {0, 0, Vector3::Zero()}, Y},
                          {0, {0, 0, Vector3(-0.5, 0.0, 0.0)}, Y}});
  parts.joints.push_back({"elbow",
                          JointKind::revolute,
                          {0, {0, 0, Vector3(0.5, 0.0, 0.0)}, Z},
                          {0, {1, 0, Vector3(-0.5, 0.0, 0.0)}, Z}});
  parts.couplings.push_back({"drive", {{1, 0, 1.0}}, [](double t) -> std::array<double, 2> {
                               return {0.4 * std::sin(2.0 * t), 0.8 * std::cos(2.0 * t)};
                             }});
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  parts.options.end = 1.0;
  parts.options.joints_in_stages = true;
  return Model(std::move(parts));
}

}  // namespace

TEST_CASE("a heavy top on a ball joint under RK4 is of order 4 with the joint in the stages") {
  const Vector3 expected(0.1733439640981183, 0.6400885920701571, -0.7484907911339955);
  JointScene scene = heavy_top();
  scene.in_stages = true;
  const auto error = [&](double h) {
    const Path end = path(scene, h, 1.0);
    CHECK(end.run.converged);
    CHECK(end.run.gap <= 1e-11);
    return (end.q.head<3>() - expected).norm();
  };
  const double coarse = error(1e-3), fine = error(1e-4);
  CHECK(coarse <= 1e-3);
  CHECK(fine <= 1e-6);
  const double order = std::log10(coarse / fine);
  CHECK(order >= 3.7);
  CHECK(order <= 4.3);
}

TEST_CASE(
    "RK4 keeps order 4 on open and closed mechanisms, and has 2 or less with joint impulses") {
  struct Case {
    const char* name;
    JointScene scene;
    double h, T;
  };
  const Case cases[] = {{"heavy top", heavy_top(), 5e-4, 0.3},
                        {"double pendulum", double_pendulum(), 5e-3, 0.6},
                        {"four-bar loop", four_bar(), 1e-2, 0.4}};
  for (const Case& one : cases) {
    CAPTURE(std::string(one.name));
    for (const JointLevel level : {JointLevel::position, JointLevel::both}) {
      CAPTURE(static_cast<int>(level));
      JointScene scene = one.scene;
      scene.level = level;
      scene.in_stages = true;
      const Orders with = orders(scene, one.h, one.T);
      CHECK(with.q >= 3.7);
      CHECK(with.q <= 4.3);
      if (level == JointLevel::position)
        continue;  // across joints v alternates by what passes leave
      CHECK(with.v >= 3.7);
      CHECK(with.v <= 4.3);
    }
    CHECK(orders(one.scene, one.h, one.T).q <= 2.2);
  }
}

TEST_CASE(
    "driven coordinates and moved bodies act in the stages: order 4, their work the drive's") {
  Vector q[3];
  for (int k = 0; k < 3; ++k) {
    Simulation sim(driven_arm(0.01 / (1 << k)));
    const double start = sim.state().energy.total();
    const JointRun run = run_joints(sim, 60 << k);
    CHECK(run.converged);
    CHECK(run.gap <= 1e-11);
    q[k] = sim.state().groups[0].q;
    const auto accounts = sim.model().accounts();
    const auto booked = [&](std::string_view name) {
      for (std::size_t i = 0; i < accounts.size(); ++i)
        if (accounts[i] == name) return sim.state().ledger[i];
      return 0.0;
    };
    const double change = sim.state().energy.total() - start;
    CHECK(std::abs(change) >= 1.0);
    CHECK(std::abs(booked("prescribed") - change) <= 1e-4 * std::abs(change));
    CHECK(std::ranges::count(accounts, "joints") == 1);
  }
  const double order = std::log2((q[0] - q[1]).norm() / (q[1] - q[2]).norm());
  CHECK(order >= 3.7);
  CHECK(order <= 4.3);
}

TEST_CASE("implicit schemes and joints between groups are refused in stages, by name") {
  const auto refusal = [](const JointScene& scene, const SchemeChoice& choice) -> std::string {
    try {
      scene.model(make_scheme(choice));
    } catch (const SceneError& error) {
      return error.what();
    }
    return {};
  };
  JointScene scene = double_pendulum();
  scene.in_stages = true;
  CHECK(refusal(scene, RungeKuttaOptions{}).empty());
  for (const SchemeChoice& choice :
       {SchemeChoice(MoreauJeanOptions{}), SchemeChoice(RigMidOptions{}),
        SchemeChoice(GeneralizedAlphaOptions{}), SchemeChoice(CentralDifferenceOptions{})}) {
    const std::string says = refusal(scene, choice);
    CAPTURE(says);
    CHECK(says.find("joint.in_stages") != std::string::npos);
    CHECK(says.find("runge-kutta") != std::string::npos);
  }
  const int mass = scene.point(1.0, Vector3(1.5, 0.3, 0.4));
  scene.join(JointKind::ball, mass, 1, Vector3(1.5, 0.3, 0.4));
  CHECK(refusal(scene, RungeKuttaOptions{}).find("several groups") != std::string::npos);
}

TEST_CASE("a model with joints in stages is wrapped once, however often it is copied") {
  JointScene scene = double_pendulum();
  scene.in_stages = true;
  scene.h = 1e-3;
  const Model model = scene.model(rk4());
  const Model again = model.with_ledger(false).with_ledger(true);
  CHECK(again.groups()[0].dynamics == model.groups()[0].dynamics);
  Simulation one(model), two(again);
  run_joints(one, 20);
  run_joints(two, 20);
  CHECK(one.state().groups[0].q == two.state().groups[0].q);
}

TEST_CASE(
    "a chain let go from rest at the height 0 keeps its joints with and without accounts of "
    "energy") {
  std::string text =
                  "saltus: 1\ntime: {end: 1 s, step: 5 ms}\ngravity: [0, 0, -9.81]\njoint: "
                  "{in_stages: true}\nbodies:\n",
              joints = "joints:\n";
  for (int i = 0; i < 8; ++i) {
    const std::string rod = std::to_string(i), at = std::to_string(i) + ".5";
    text += "  - {name: rod " + rod +
            ", kind: rigid, scheme: runge-kutta, rigid: {mass: 1, inertia: [0.00167, 0.0842, "
            "0.0842], position: [" +
            at + ", 0, 0]}}\n";
    joints += "  - {kind: revolute, between: [" +
              (i == 0 ? "world" : "rod " + std::to_string(i - 1)) + ", rod " + rod + "], at: [" +
              rod + ", 0, 0], axis: [0, 1, 0]}\n";
  }
  const Model model = build(read_scene_text(text + joints, "chain.yaml", {}, {}));
  Simulation with(model), without(model.with_ledger(false));
  for (int k = 0; k < 200; ++k) {
    CAPTURE(k);
    REQUIRE(with.advance().converged);
    REQUIRE(without.advance().converged);
  }
  for (std::size_t g = 0; g < with.state().groups.size(); ++g)
    CHECK((with.state().groups[g].q - without.state().groups[g].q).cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("a scene puts its joints into the stages by joint.in_stages") {
  const auto model = [](const std::string& scheme, const std::string& option) {
    return build(
        read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n"
                        "bodies: [{name: bob, kind: rigid, scheme: " +
                            scheme +
                            ", rigid: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}]\n"
                            "joints: [{kind: ball, between: [bob, world], at: [0, 0, 0]}]\n" +
                            option,
                        "scene.yaml", {}, {}));
  };
  const std::string option = "joint: {in_stages: true}\n";
  CHECK_FALSE(model("runge-kutta", "").options().joints_in_stages);
  const Model in_stages = model("runge-kutta", option);
  CHECK(in_stages.options().joints_in_stages);
  const auto sources = in_stages.groups()[0].dynamics->sources();
  CHECK(std::ranges::any_of(sources, [](const Source& s) { return s.name == "joints"; }));
  CHECK_THROWS_AS(model("rig-mid", option), SceneError);
}
