// Joints of bodies that are not rigid: strings, point masses, linear systems; by schemes that carry impulses at mid-step and
// at the end of the step.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../support/contacts.h"
#include "../support/joint_scene.h"
#include "saltus/base/error.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/moving.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;
constexpr int kModes = 24;

MoreauJeanOptions end_rule() {
  MoreauJeanOptions options;
  options.theta = 1.0;
  return options;
}

/// A string of 1 m along x that moves along z, modes of 30 Hz and its multiples, plucked in three of them.
void add_string(ModelParts& parts, const SchemeChoice& scheme, double sigma = 0.0) {
  Vector mass = Vector::Constant(kModes, 0.01), omega(kModes);
  for (int j = 0; j < kModes; ++j) omega[j] = 2.0 * kPi * 30.0 * (j + 1);
  parts.groups.push_back({"string",
                          "modal",
                          std::make_shared<Modal>(mass, omega, Vector::Constant(kModes, sigma),
                                                  sine_shapes(1.0, kModes), ModalPlacement{}),
                          make_scheme(scheme),
                          {}});
  GroupState state{Vector::Zero(kModes), Vector::Zero(kModes), {}};
  parts.initial.push_back(state);
}

Joint tie(JointKind kind, const JointSide& a, const JointSide& b) {
  Joint joint;
  joint.name = "tie";
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.length = 0.0;
  return joint;
}
JointSide side(int group, const Vector3& local) {
  return {group, {0, 0, local}, Matrix3::Identity()};
}

void finish(ModelParts& parts, double h, JointLevel level) {
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  parts.options.end = 1.0;
  parts.options.joints = level;
}

constexpr double kTie = 0.31;   ///< place on the string [m]
constexpr double kRise = 2e-3;  ///< of the bridge: z = kRise (1 - cos kShake t) [m]
const double kShake = 2.0 * kPi * 11.0;
double bridge_height(double t) { return kRise * (1.0 - std::cos(kShake * t)); }

/// The string tied to a bridge that rises and falls.
ModelParts string_on_bridge(const SchemeChoice& scheme, JointKind kind, double h,
                            JointLevel level = JointLevel::position) {
  ModelParts parts;
  add_string(parts, scheme);
  parts.initial[0].v[1] =
      0.4;  // at t = 0 the tie is where the bridge is; its velocity is that of mode 1
  parts.initial[0].v[0] = -0.4 * std::sin(2.0 * kPi * kTie) / std::sin(kPi * kTie);
  PrescribedMotion motion;
  motion.position[2] = Signal::harmonic(-kRise, kShake, 0.0, kRise);
  parts.groups.push_back({"bridge",
                          "moving",
                          std::make_shared<saltus::Moving>(std::vector{motion}),
                          make_scheme(MoreauJeanOptions{}),
                          {}});
  parts.initial.push_back({Vector(0), Vector(0), {}});
  parts.joints.push_back(
      tie(kind, side(1, Vector3(kTie, 0.0, 0.0)), side(0, Vector3(kTie, 0.0, 0.0))));
  finish(parts, h, level);
  return parts;
}

double height(const Simulation& sim, double x) {
  Vector3 at;
  const PointRef ref{0, 0, Vector3(x, 0.0, 0.0)};
  sim.model().groups()[0].dynamics->points(sim.state().t, sim.state().groups[0].q,
                                           std::span(&ref, 1), at);
  return at.z();
}

double sum_of(const std::vector<double>& ledger) {
  double sum = 0.0;
  for (const double x : ledger) sum += x;
  return sum;
}

}  // namespace

TEST_CASE("a string of the exact scheme follows the bridge that it is tied to, ledger closed") {
  // The impulse acts in the recursion of both nodes as any force does: held at the place of the end of the step it moves no
  // node alone, as the positions of a gain of 1 are q1 = q0 + h v1.
  for (const JointKind kind : {JointKind::along, JointKind::ball})
    for (const auto& [name, scheme] :
         {std::pair<std::string, SchemeChoice>{"modal-exact", ModalExactOptions{}},
          {"moreau-jean", MoreauJeanOptions{}},
          {"moreau-jean, theta 1", end_rule()}}) {
      CAPTURE(name);
      CAPTURE(std::string(name_of(kind)));
      Simulation sim(Model(string_on_bridge(scheme, kind, 1.0 / 8000.0)));
      double off = 0.0, unexplained = 0.0, load = 0.0, highest = 0.0;
      for (int n = 0; n < 4000; ++n) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        off = std::max(off, std::abs(height(sim, kTie) - bridge_height(sim.state().t)));
        unexplained = std::max(unexplained, std::abs(report.unexplained));
        load = std::max(load, sim.joint_load(0)[0].norm());
        highest = std::max(highest, sim.state().energy.total());
      }
      const double gained = sim.state().energy.total() - sim.state().energy_start;
      MESSAGE(
          fmt::format("{}, {}: {:.1e} m off, load {:.2f} N, gained {:.3e} J, prescribed {:.3e} J, "
                      "joints {:.1e} J, unexplained {:.1e} J",
                      name, name_of(kind), off, load, gained, account(sim, "prescribed"),
                      account(sim, "joints"), unexplained));
      CHECK(off <= 1e-14);
      CHECK(load > 0.01);
      CHECK(unexplained <= 1e-12 * highest);
      CHECK(std::abs(sum_of(sim.state().ledger) - gained) <= 1e-10 * highest);
    }
}

TEST_CASE("a string of the exact scheme that is tied to a place keeps its energy") {
  ModelParts parts;
  add_string(parts, ModalExactOptions{});
  parts.initial[0].v[1] = 0.4;
  parts.initial[0].v[0] = -0.4 * std::sin(2.0 * kPi * kTie) / std::sin(kPi * kTie);
  parts.joints.push_back(
      tie(JointKind::along, side(-1, Vector3(kTie, 0.0, 0.0)), side(0, Vector3(kTie, 0.0, 0.0))));
  finish(parts, 1.0 / 8000.0, JointLevel::position);
  Simulation sim{Model(std::move(parts))};
  double off = 0.0, energy = 0.0;
  // the exact start puts the first node where the free string would be: from the first step on it is held
  sim.advance();
  const double E = sim.state().energy.total();
  for (int n = 0; n < 8000; ++n) {
    REQUIRE(sim.advance().converged);
    off = std::max(off, std::abs(height(sim, kTie)));
    energy = std::max(energy, std::abs(sim.state().energy.total() - E));
  }
  MESSAGE(fmt::format("{:.1e} m off, energy {:.1e} of it", off, energy / E));
  CHECK(off <= 1e-15);
  CHECK(energy <= 1e-11 * E);
}

TEST_CASE("a joint between schemes that take impulses into positions differently is refused") {
  const auto joined = [](const SchemeChoice& string, const SchemeChoice& rigid, JointLevel level) {
    ModelParts parts;
    add_string(parts, string);
    RigidSystem system;
    system.bodies.push_back({0.1, 0.01 * Matrix3::Identity(), {}});
    GroupState state{Vector(7), Vector::Zero(6), {}};
    state.q << kTie, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
    parts.groups.push_back(
        {"body", "rigid", std::make_shared<Rigid>(system), make_scheme(rigid), {}});
    parts.initial.push_back(state);
    parts.joints.push_back(
        tie(JointKind::along, side(1, Vector3::Zero()), side(0, Vector3(kTie, 0.0, 0.0))));
    finish(parts, 1e-4, level);
    return Model(std::move(parts));
  };
  const SchemeChoice exact = ModalExactOptions{}, mid = RigMidOptions{}, mean = MoreauJeanOptions{},
                     late = end_rule();
  CHECK_THROWS_WITH_AS(joined(exact, mid, JointLevel::position), doctest::Contains("gain"),
                       SceneError);
  CHECK_THROWS_WITH_AS(joined(exact, late, JointLevel::both),
                       doctest::Contains("no velocity at the end"), SceneError);
  CHECK_NOTHROW(joined(exact, late, JointLevel::position));
  CHECK_NOTHROW(joined(mean, mid, JointLevel::position));
}

TEST_CASE("a rigid bridge hung on a string takes its energy and gives it back") {
  struct Case {
    std::string name;
    SchemeChoice string, rigid;
    bool keeps;
  };
  for (const Case& c :
       {Case{"moreau-jean and rig-mid", MoreauJeanOptions{}, RigMidOptions{}, true},
        Case{"modal-exact and moreau-jean, theta 1", ModalExactOptions{}, end_rule(), false}}) {
    CAPTURE(c.name);
    ModelParts parts;
    add_string(parts, c.string);
    parts.initial[0].v[1] = 0.5;
    RigidSystem system;
    system.bodies.push_back({0.02, 1e-5 * Matrix3::Identity(), {}});
    GroupState state{Vector(7), Vector::Zero(6), {}};
    state.q << kTie, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
    state.v[2] = 0.5 * std::sin(2.0 * kPi * kTie);
    parts.groups.push_back(
        {"bridge", "rigid", std::make_shared<Rigid>(system), make_scheme(c.rigid), {}});
    parts.initial.push_back(state);
    parts.joints.push_back(
        tie(JointKind::ball, side(1, Vector3::Zero()), side(0, Vector3(kTie, 0.0, 0.0))));
    finish(parts, 1.0 / 20000.0, JointLevel::position);
    Simulation sim{Model(std::move(parts))};
    const double E = sim.state().energy_start;
    double change = 0.0, rise = 0.0, most = 0.0, least = 1e300, gap = 0.0, unexplained = 0.0;
    for (int n = 0; n < 4000; ++n) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      const double now = sim.state().energy.total(), v = sim.state().groups[1].v[2];
      change = std::max(change, std::abs(now - E));
      rise = std::max(rise, now - E);
      most = std::max(most, 0.01 * v * v);
      if (n > 10) least = std::min(least, 0.01 * v * v);
      gap = std::max(gap, report.joint_gap);
      unexplained = std::max(unexplained, std::abs(report.unexplained));
    }
    MESSAGE(
        fmt::format("{}: energy changes by {:.1e} of it, rises by {:.1e}; the bridge has {:.1e} to "
                    "{:.2f}; gap {:.1e} m, unexplained {:.1e} J",
                    c.name, change / E, rise / E, least / E, most / E, gap, unexplained));
    CHECK(gap <= 1e-14);
    CHECK(most > 0.05 * E);
    CHECK(unexplained <= 1e-12 * E);
    if (c.keeps) CHECK(change <= 1e-11 * E);
    CHECK(rise <= 1e-3 * E);
  }
}

TEST_CASE(
    "point masses on rigid links in free space keep momentum, moment of momentum and energy") {
  for (const auto& [name, scheme] :
       {std::pair<std::string, SchemeChoice>{"moreau-jean", MoreauJeanOptions{}},
        {"newmark", NewmarkOptions{}}}) {
    CAPTURE(name);
    JointScene scene;
    scene.pass_tolerance = 1e-13;
    scene.gravity.setZero();
    const Vector3 x[4] = {{0.0, 0.0, 0.0}, {0.5, 0.1, 0.0}, {0.7, 0.6, 0.2}, {0.2, 0.9, 0.5}};
    const Vector3 omega(0.4, -0.7, 1.9);
    int body[4];
    for (int i = 0; i < 4; ++i) {
      Vector3 v = omega.cross(x[i]) + Vector3(0.3, 0.2, -0.1);
      if (i == 3) v += 0.8 * (x[3] - x[2]).cross(Vector3(1.0, 2.0, 0.0));  // the last link swings
      body[i] = scene.point(0.5 + 0.3 * i, x[i], v);
    }
    for (int i = 0; i < 3; ++i) {
      scene.join(JointKind::distance, body[i], body[i + 1], x[i], x[i + 1], Vector3::UnitZ());
    }
    Simulation sim(scene.model(make_scheme(scheme)));
    const auto momenta = [&] {
      Eigen::Matrix<double, 6, 1> p;
      p.setZero();
      const GroupState& s = sim.state().groups[0];
      for (Eigen::Index i = 0; i < 4; ++i) {
        const Vector3 at = s.q.segment<3>(3 * i);
        const Vector3 mv = (0.5 + 0.3 * static_cast<double>(i)) * s.v.segment<3>(3 * i);
        p.head<3>() += mv;
        p.tail<3>() += at.cross(mv);
      }
      return p;
    };
    const Eigen::Matrix<double, 6, 1> p0 = momenta();
    const JointRun run = run_joints(sim, 5000);
    REQUIRE(run.converged);
    const double E = sim.state().energy_start, change = (momenta() - p0).norm() / p0.norm();
    MESSAGE(
        fmt::format("{}: momenta {:.1e}, energy {:.1e} of it, gap {:.1e} m, unexplained {:.1e} J",
                    name, change, run.energy / E, run.gap, run.unexplained));
    CHECK(change <= 1e-11);
    CHECK(run.energy <= 1e-11 * E);
    CHECK(run.gap <= 1e-11);
  }
}

namespace {

/// A mass M on a spring k along x, and a pendulum of mass m and length l on it:
///     (M + m) x'' + m l (a'' cos a - a'^2 sin a) = -k x,   l a'' + x'' cos a = -g sin a
std::array<double, 4> cart_rates(const std::array<double, 4>& s, double M, double m, double k,
                                 double l) {
  const double g = 9.81, c = std::cos(s[1]), n = std::sin(s[1]);
  const double x2 = (-k * s[0] + m * l * s[3] * s[3] * n + m * g * n * c) / (M + m - m * c * c);
  return {s[2], s[3], x2, (-g * n - x2 * c) / l};
}

}  // namespace

TEST_CASE("a pendulum on a mass of a linear system moves as the two together, at order 2") {
  const double M = 2.0, m = 0.7, k = 80.0, l = 0.6, start = 1.1, end = 1.0;
  std::array<double, 4> s{0.05, start, 0.0, 0.0};
  const int fine = 20000;
  for (int i = 0; i < fine; ++i) {  // the classical rule of Runge and Kutta
    const double h = end / fine;
    const auto moved = [&](const std::array<double, 4>& rate, double by) {
      std::array<double, 4> to = s;
      for (std::size_t j = 0; j < 4; ++j) to[j] += by * rate[j];
      return to;
    };
    const auto r1 = cart_rates(s, M, m, k, l), r2 = cart_rates(moved(r1, 0.5 * h), M, m, k, l),
               r3 = cart_rates(moved(r2, 0.5 * h), M, m, k, l),
               r4 = cart_rates(moved(r3, h), M, m, k, l);
    for (std::size_t j = 0; j < 4; ++j)
      s[j] += h / 6.0 * (r1[j] + 2.0 * r2[j] + 2.0 * r3[j] + r4[j]);
  }
  double error[2];
  for (const int half : {0, 1}) {
    const double h = half ? 1e-3 : 2e-3;
    ModelParts parts;
    LinearSystem cart = oscillator(M, k);
    cart.points = {{Vector3::Zero(), Vector3::UnitX()}};
    parts.groups.push_back(
        {"cart", "linear", std::make_shared<Linear>(cart), make_scheme(MoreauJeanOptions{}), {}});
    parts.initial.push_back({Vector::Constant(1, 0.05), Vector::Zero(1), {}});
    ParticleSystem bob;
    bob.mass = Vector::Constant(1, m);
    bob.gravity = {0.0, 0.0, -9.81};
    parts.groups.push_back({"bob",
                            "particles",
                            std::make_shared<Particles>(bob),
                            make_scheme(MoreauJeanOptions{}),
                            {}});
    const Vector3 hangs(0.05 + l * std::sin(start), 0.0, -l * std::cos(start));
    parts.initial.push_back({hangs, Vector::Zero(3), {}});
    Joint link = tie(JointKind::distance, side(0, Vector3::Zero()), side(1, Vector3::Zero()));
    link.length = l;
    parts.joints.push_back(link);
    finish(parts, h, JointLevel::position);
    parts.options.pass_tolerance = 1e-13;
    Simulation sim{Model(std::move(parts))};
    const JointRun run = run_joints(sim, static_cast<int>(std::lround(end / h)));
    REQUIRE(run.converged);
    error[half] = std::abs(sim.state().groups[0].q[0] - s[0]);
    MESSAGE(fmt::format("h = {} s: {:.2e} m off, energy {:.1e} J, gap {:.1e} m, {} passes", h,
                        error[half], run.energy, run.gap, run.passes));
    CHECK(run.energy <= 1e-11);
    CHECK(run.gap <= 1e-11);
    CHECK(run.unexplained <= 1e-12);
  }
  CHECK(error[0] <= 1e-4);
  CHECK(std::log2(error[0] / error[1]) == doctest::Approx(2.0).epsilon(0.1));
}
