// Limits, springs, dampers, friction, motors, drives, gears and screws on the coordinates of joints, against closed forms,
// in space and in the plane, by schemes that carry impulses at mid-step and at the start of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../support/joint_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

struct Way {
  std::string name;
  SchemeChoice scheme;
  bool space;  ///< false: bodies move in the plane z = 0, along locked axes

  /// rig-mid turns by 2 atan(h Omega/2): its angles are of order 2 even at a constant rate.
  bool turns_short() const { return name.starts_with("rig-mid"); }
};
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const bool space : {false, true})
    for (const auto& [name, scheme] :
         {std::pair<std::string, SchemeChoice>{"rig-mid", RigMidOptions{}},
          {"rig-neg", RigNegOptions{}},
          {"moreau-jean", MoreauJeanOptions{}},
          {"runge-kutta", RungeKuttaOptions{}}})
      all.push_back({name + (space ? ", space" : ", plane"), scheme, space});
  return all;
}

/// A slanted axis in space, or the normal of the plane.
Vector3 axis_of(const Way& way) {
  return way.space ? Vector3(0.3, -0.4, 1.2).normalized() : Vector3::UnitZ();
}

constexpr double kJ = 0.02;  ///< about the axis of a wheel [kg m^2]

/// A wheel of 1 kg with its centre on the axis of a revolute joint, or a cylindrical one, that turns at `omega`.
struct WheelScene : JointScene {
  explicit WheelScene(const Way& way, double omega = 0.0, JointKind kind = JointKind::revolute) {
    gravity.setZero();
    const Vector3 z = axis_of(way);
    add_wheel(way, Vector3(0.1, 0.2, 0.0), omega, kind);
    axis = z;
  }
  int add_wheel(const Way& way, const Vector3& centre, double omega, JointKind kind) {
    const Vector3 z = axis_of(way);
    const Quaternion Q(axes_along(z));
    const Vector3 moments(0.013, 0.013, kJ);
    const int body =
        add(1.0, moments.asDiagonal(), centre, way.space ? Q : Quaternion::Identity(),
            Vector3::Zero(), omega * Vector3::UnitZ(), way.space ? std::array<bool, 6>{} : kPlane);
    return join(kind, -1, body, centre, z);
  }
  Vector3 axis;
};

NewtonImpact limit(double restitution) {
  NewtonImpact law;
  law.restitution = restitution;
  return law;
}
AnyLaw spring(double stiffness, double damping) {
  return AnyLaw(law_of({stiffness, 1.0, damping, ContactSpring::At::middle, true}));
}
Relay relay(double bound, double velocity) {
  Relay law;
  law.bound = bound;
  law.velocity = velocity;
  return law;
}

/// A rod of 1 kg and 0.6 m on a revolute at the origin, which falls from the horizontal; its angle against the start.
struct SwingScene : JointScene {
  explicit SwingScene(const Way& way, double tip_velocity = 0.0) {
    gravity = {0.0, -9.81, 0.0};
    const Vector3 z = axis_of(way), x = (Vector3::UnitX() - z.x() * z).normalized();
    rod(1.0, Vector3::Zero(), 0.6 * x, 0.02, way.space ? std::array<bool, 6>{} : kPlane);
    turn(0, -tip_velocity / 0.6 * z, Vector3::Zero());
    join(JointKind::revolute, -1, 0, Vector3::Zero(), z);
  }
};

/// Largest sum of the accounts that no account explains, of the energies that went round.
struct Watch {
  double unexplained = 0.0, gap = 0.0, residual = 0.0;
  bool good = true;
  StepReport step(Simulation& sim) {
    const StepReport report = sim.advance();
    good = good && report.converged && report.finite;
    unexplained = std::max(unexplained, std::abs(report.unexplained));
    gap = std::max(gap, report.joint_gap);
    residual = std::max(residual, report.residual_after);
    return report;
  }
};

}  // namespace

TEST_CASE(
    "a link that swings against the limit of its joint comes back with e times its velocity, comes "
    "to rest on it and stays") {
  for (const Way& way : ways())
    for (const double e : {0.6, 0.0}) {
      CAPTURE(way.name);
      CAPTURE(e);
      SwingScene scene(way);
      scene.act(0, 0, limit(e), 1.0, -0.4);  // lower
      Simulation sim(scene.model(make_scheme(way.scheme)));
      Watch watch;
      int impacts = 0;
      double worst = 0.0, at_rest = 0.0;
      for (int n = 0; n < 4000; ++n) {
        const double before = sim.joint_coordinate(0, 0)[1];
        const StepReport report = watch.step(sim);
        const auto [angle, after] = sim.joint_coordinate(0, 0);
        if (report.contacts > 0 && before < -0.1) {
          ++impacts;
          worst = std::max(worst, std::abs(after + e * before));
        }
        if (n == 3000) at_rest = angle;
        if (n > 3000) REQUIRE(std::abs(angle - at_rest) <= 1e-12);
      }
      REQUIRE(watch.good);
      const auto [angle, rate] = sim.joint_coordinate(0, 0);
      MESSAGE(
          fmt::format("{}, e = {}: {} impacts, velocity off by {:.1e} rad/s, {:.1e} rad beyond "
                      "the limit, unexplained {:.1e} J",
                      way.name, e, impacts, worst, -0.4 - angle, watch.unexplained));
      CHECK(impacts >= (e > 0.0 ? 4 : 1));
      CHECK(worst <= 1e-10);
      CHECK(std::abs(rate) <= 1e-10);
      CHECK(-0.4 - angle <= scene.h * 4.5);  // the way of one step at the speed of the first impact
      CHECK(watch.gap <= 1e-10);
      // nothing else touches: what the stop took is work of the joint
      const double E = sim.state().energy_start, lost = E - sim.state().energy.total();
      CHECK(lost > 0.0);
      CHECK(std::abs(account(sim, "impact")) <= 1e-12 * (std::abs(E) + lost));
      CHECK(std::abs(account(sim, "joints") + lost) <= 1e-2 * lost);
    }
}

// At level position an impact leaves the hinge a velocity that alternates, and with it the load of the stop.
TEST_CASE(
    "a link that rests on the limit of its joint presses on it with the torque of its weight") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    SwingScene scene(way);
    scene.level = JointLevel::both;
    scene.act(0, 0, limit(0.0), 1.0, -0.4);
    Simulation sim(scene.model(make_scheme(way.scheme)));
    Watch watch;
    for (int n = 0; n < 1500; ++n) watch.step(sim);
    REQUIRE(watch.good);
    REQUIRE(sim.state().contacts.size() == 1);
    const double torque = sim.state().contacts[0].impulse[0] / scene.h;
    const Vector3 g(0.0, -9.81, 0.0), r = centre_of(sim, 0);
    const double weight = -axis_of(way).dot(r.cross(g));
    CHECK(torque == doctest::Approx(weight).epsilon(1e-10));
    // and the hinge bears the weight: what the stop gives is a couple
    const auto [force, moment] = sim.joint_load(0);
    CHECK(axis_of(way).cross(force + g).norm() <= 1e-9);
    CHECK(std::abs(axis_of(way).dot(moment)) <= 1e-9);
    double sum = 0.0;
    for (const double x : sim.state().ledger) sum += x;
    CHECK(sum ==
          doctest::Approx(sim.state().energy.total() - sim.state().energy_start).epsilon(1e-11));
  }
}

TEST_CASE("a torsion spring swings a wheel at its period, at order 2, and keeps the energy") {
  const double k = 5.0, omega0 = std::sqrt(k / kJ), start = 0.5;
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    double error[2];
    for (const int fine : {0, 1}) {
      WheelScene scene(way, start * omega0);
      scene.h = fine ? 5e-4 : 1e-3;
      scene.act(0, 0, spring(k, 0.0));
      Simulation sim(scene.model(make_scheme(way.scheme)));
      Watch watch;
      double energy = 0.0;
      const double E = sim.state().energy_start, end = 1.0;
      while (sim.state().t < end - 0.5 * scene.h) {
        watch.step(sim);
        energy = std::max(energy, std::abs(sim.state().energy.total() - E));
        const double c = sim.joint_coordinate(0, 0)[0];
        REQUIRE(sim.state().energy.potential == doctest::Approx(0.5 * k * c * c).epsilon(1e-12));
      }
      REQUIRE(watch.good);
      // the midpoint rule's own frequency:  tan(omega h/2) = omega0 h/2; rig-mid turns by 2 atan(omega h/2) in a step
      const double discrete = 2.0 / scene.h * std::atan(0.5 * omega0 * scene.h);
      const auto [c, rate] = sim.joint_coordinate(0, 0);
      error[fine] = std::abs(c - start * std::sin(omega0 * end));
      MESSAGE(
          fmt::format("{}: off by {:.2e} rad, {:.1e} of the midpoint rule, energy {:.1e} of "
                      "it, unexplained {:.1e}",
                      way.name, error[fine], c - start * std::sin(discrete * end), energy / E,
                      watch.unexplained / E));
      if (!way.turns_short()) CHECK(std::abs(c - start * std::sin(discrete * end)) <= 1e-9);
      CHECK(energy <= 1e-12 * E);
      CHECK(watch.unexplained <= 1e-12 * E);
    }
    CHECK(std::log2(error[0] / error[1]) == doctest::Approx(2.0).epsilon(0.02));
  }
}

TEST_CASE("a mass on a line with a spring swings along it at the period of the midpoint rule") {
  const double k = 40.0, l0 = 0.5, m = 1.0, stretch = 0.2, omega0 = std::sqrt(k / m);
  for (const Way& way : ways()) {
    if (!way.space) continue;
    CAPTURE(way.name);
    JointScene scene;
    scene.gravity.setZero();
    const Vector3 e = axis_of(way), start = (l0 + stretch) * e;
    const int body = scene.add(m, Vector3(0.01, 0.02, 0.025).asDiagonal(), start);
    scene.spring(scene.join(JointKind::line, -1, body, Vector3::Zero(), start, e), k, 0.0, l0);
    Simulation sim(scene.model(make_scheme(way.scheme)));
    Watch watch;
    const double E = sim.state().energy_start;
    CHECK(E == doctest::Approx(0.5 * k * stretch * stretch).epsilon(1e-14));
    double energy = 0.0;
    for (int n = 0; n < 2000; ++n) {
      watch.step(sim);
      energy = std::max(energy, std::abs(sim.state().energy.total() - E));
    }
    REQUIRE(watch.good);
    const double discrete = 2.0 / scene.h * std::atan(0.5 * omega0 * scene.h);
    CHECK(sim.joint_coordinate(0, 0)[0] ==
          doctest::Approx(l0 + stretch * std::cos(discrete * sim.state().t)).epsilon(1e-10));
    CHECK(energy <= 1e-12 * E);
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE(
    "a mass that swings on a springy line in space keeps its energy and its moment of momentum") {
  for (const bool point : {true, false}) {
    CAPTURE(point);
    JointScene scene;
    const Vector3 start(0.7, 0.0, -0.2), v(0.1, 1.3, 0.4);
    const int mass = point ? scene.point(1.5, start, v)
                           : scene.add(1.5, Vector3(0.01, 0.02, 0.025).asDiagonal(), start,
                                       Quaternion::Identity(), v);
    scene.spring(scene.join(JointKind::line, -1, mass, Vector3::Zero(), start, v), 60.0, 0.0, 0.5);
    Simulation sim(
        scene.model(point ? make_scheme(MoreauJeanOptions{}) : make_scheme(RigMidOptions{})));
    const double E = sim.state().energy.kinetic + std::abs(sim.state().energy.potential);
    Watch watch;
    double energy = 0.0, moment = 0.0;
    for (int n = 0; n < 3000; ++n) {
      watch.step(sim);
      energy = std::max(energy, std::abs(sim.state().energy.total() - sim.state().energy_start));
      const GroupState& now = sim.state().groups[0];
      const Vector3 x = now.q.head<3>(), u = now.v.head<3>();
      moment = std::max(moment, std::abs(x.cross(u).z() - start.cross(v).z()));
    }
    REQUIRE(watch.good);
    MESSAGE(
        fmt::format("{}: energy {:.1e} of it, moment of momentum {:.1e} m^2/s, unexplained "
                    "{:.1e} J",
                    point ? "point" : "body", energy / E, moment, watch.unexplained));
    CHECK(energy <= 1e-11 * E);
    CHECK(moment <= 1e-11);
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE(
    "stops nearly a turn apart hold a wheel that turns by more than their distance in a step") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    WheelScene scene(way, 50.0);
    scene.h = 0.01;
    const double stop = 170.0 / 180.0 * std::numbers::pi;
    scene.act(0, 0, limit(0.5), 1.0, -stop);
    scene.act(0, 0, limit(0.5), -1.0, stop);
    Simulation sim(scene.model(make_scheme(way.scheme)));
    Watch watch;
    int impacts = 0;
    double omega = 50.0;
    for (int n = 0; n < 50; ++n) {
      watch.step(sim);
      const double rate = sim.joint_coordinate(0, 0)[1];
      if (rate * omega >= 0.0) continue;
      CHECK(rate == doctest::Approx(-0.5 * omega).epsilon(1e-9));
      omega = rate;
      ++impacts;
    }
    CHECK(watch.good);
    CHECK(impacts >= 2);  // at one stop and, 5.9 rad back at 25 rad/s, at the other
  }
}

TEST_CASE("a damper takes from a wheel what the ledger says") {
  const double c = 0.1, omega = 8.0;
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    WheelScene scene(way, omega);
    scene.act(0, 0, spring(0.0, c));
    Simulation sim(scene.model(make_scheme(way.scheme)));
    const double E = sim.state().energy_start;
    Watch watch;
    for (int n = 0; n < 200; ++n) watch.step(sim);
    REQUIRE(watch.good);
    const double a = 0.5 * c * scene.h / kJ, factor = std::pow((1.0 - a) / (1.0 + a), 200);
    CHECK(sim.joint_coordinate(0, 0)[1] == doctest::Approx(omega * factor).epsilon(1e-11));
    CHECK(factor == doctest::Approx(std::exp(-c * 0.2 / kJ)).epsilon(1e-4));
    CHECK(account(sim, "damping") == doctest::Approx(E * (factor * factor - 1.0)).epsilon(1e-11));
    CHECK(std::abs(account(sim, "impact")) <= 1e-12 * E);
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE(
    "a stop with a dashpot does no work before it is reached, and its own work is that of events") {
  Compliant stop;
  stop.stiffness = 1e4;
  stop.damping = 2.0;
  for (const double offset : {-2.0, -0.3}) {  // the wheel turns by 0.8 rad
    CAPTURE(offset);
    double damping[2] = {}, joints[2] = {};
    for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
      const Way way = ways().front();
      WheelScene scene(way, -2.0);
      scene.h = 1e-4;
      scene.act(0, 0, stop, 1.0, offset);
      ModelParts parts = scene.model(make_scheme(way.scheme)).parts();
      parts.options.mode = mode;
      Simulation sim{Model(parts)};
      for (int n = 0; n < 4000; ++n) REQUIRE(sim.advance().converged);
      const int i = mode == TimeMode::events ? 1 : 0;
      damping[i] = account(sim, "damping"), joints[i] = account(sim, "joints");
      CHECK(std::abs(account(sim, "impact")) <= 1e-12);
      const double change = sim.state().energy.total() - sim.state().energy_start;
      CHECK(std::abs(change - damping[i] - joints[i]) <=
            (i == 1 ? 1e-9 : 1e-12) * sim.state().energy_start);
    }
    if (offset < -1.0) {
      CHECK(damping[0] == 0.0);
      CHECK(joints[0] == 0.0);
    } else {
      CHECK(damping[1] < 0.0);
      CHECK(std::abs(damping[0] - damping[1]) <= 2e-2 * std::abs(damping[1]));
    }
  }
}

TEST_CASE("dry friction in a joint stops a wheel at its time, and it stays") {
  const double M = 0.3, omega = 6.0;
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    WheelScene scene(way, omega);
    scene.act(0, 0, relay(M, 0.0));
    Simulation sim(scene.model(make_scheme(way.scheme)));
    const double E = sim.state().energy_start, stop = kJ * omega / M;
    Watch watch;
    double worst = 0.0;
    for (int n = 1; n <= 600; ++n) {
      watch.step(sim);
      const double exact = std::max(0.0, omega - M / kJ * sim.state().t);
      worst = std::max(worst, std::abs(sim.joint_coordinate(0, 0)[1] - exact));
    }
    REQUIRE(watch.good);
    MESSAGE(fmt::format("{}: {:.1e} rad/s off, angle {:.1e} rad, unexplained {:.1e} of the energy",
                        way.name, worst, sim.joint_coordinate(0, 0)[0] - 0.5 * omega * stop,
                        watch.unexplained / E));
    CHECK(worst <= 1e-11 * omega);
    CHECK(sim.joint_coordinate(0, 0)[0] ==
          doctest::Approx(0.5 * omega * stop).epsilon(way.turns_short() ? 1e-5 : 1e-11));
    CHECK(account(sim, "friction") == doctest::Approx(-E).epsilon(1e-12));
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE(
    "a motor reaches its velocity with its torque and no more; half of its work is lost in slip") {
  const double M = 0.25, omega = 5.0;
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    WheelScene scene(way);
    scene.act(0, 0, relay(M, omega));
    Simulation sim(scene.model(make_scheme(way.scheme)));
    Watch watch;
    double worst = 0.0, most = 0.0;
    for (int n = 1; n <= 600; ++n) {
      watch.step(sim);
      const double exact = std::min(omega, M / kJ * sim.state().t);
      worst = std::max(worst, std::abs(sim.joint_coordinate(0, 0)[1] - exact));
      for (const ContactMemory& c : sim.state().contacts)
        most = std::max(most, std::abs(c.impulse[0]) / scene.h);
    }
    REQUIRE(watch.good);
    const double E = 0.5 * kJ * omega * omega;
    CHECK(worst <= 1e-11 * omega);
    CHECK(most == doctest::Approx(M).epsilon(1e-14));
    CHECK(sim.state().energy.total() == doctest::Approx(E).epsilon(1e-12));
    CHECK(account(sim, "prescribed") == doctest::Approx(2.0 * E).epsilon(1e-12));
    CHECK(account(sim, "friction") == doctest::Approx(-E).epsilon(1e-12));
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE("a driven joint follows its angle, and the work of the drive is in the ledger") {
  const double a = 0.7, w = 9.0;
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    SwingScene scene(way, -a * w * 0.6);
    scene.couplings.push_back({"drive", {{0, 0, 1.0}}, [&](double t) {
                                 return std::array{a * std::sin(w * t), a * w * std::cos(w * t)};
                               }});
    Simulation sim(scene.model(make_scheme(way.scheme)));
    const double E = sim.state().energy_start;
    Watch watch;
    double worst = 0.0, booked = 0.0;
    for (int n = 1; n <= 1000; ++n) {
      watch.step(sim);
      worst = std::max(worst,
                       std::abs(sim.joint_coordinate(0, 0)[0] - a * std::sin(w * sim.state().t)));
      booked = std::max(booked, std::abs(account(sim, "joints")));
    }
    REQUIRE(watch.good);
    const double gained = sim.state().energy.total() - E;
    MESSAGE(fmt::format(
        "{}: {:.1e} rad off, gained {:.4f} J, prescribed {:.4f} J, joints at most "
        "{:.1e} J, unexplained {:.1e} J",
        way.name, worst, gained, account(sim, "prescribed"), booked, watch.unexplained));
    CHECK(worst <= 1e-10);
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}

TEST_CASE("a pair of gears keeps its ratio over many turns, and the energy") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    const double omega = 40.0;
    WheelScene scene(way, omega);  // 12 teeth
    const int second =
        scene.add_wheel(way, Vector3(0.4, 0.1, 0.0), -12.0 / 20.0 * omega, JointKind::revolute);
    scene.couplings.push_back({"gear", {{second, 0, 1.0}, {0, 0, 12.0 / 20.0}}, {}});
    scene.act(0, 0, relay(0.05, 60.0));  // a motor on the first, a brake on the second
    scene.act(second, 0, relay(0.05, 0.0));
    Simulation sim(scene.model(make_scheme(way.scheme)));
    Watch watch;
    double turns[2] = {0.0, 0.0}, last[2] = {0.0, 0.0}, worst = 0.0;
    for (int n = 0; n < 4000; ++n) {
      watch.step(sim);
      for (int i = 0; i < 2; ++i) {
        const double angle = sim.joint_coordinate(i == 0 ? 0 : second, 0)[0];
        turns[i] += std::remainder(angle - last[i], 2.0 * kPi);
        last[i] = angle;
      }
      worst = std::max(worst, std::abs(turns[1] + 0.6 * turns[0]));
    }
    REQUIRE(watch.good);
    MESSAGE(fmt::format("{}: {:.1f} turns, ratio off by {:.1e} rad, unexplained {:.1e} J", way.name,
                        turns[0] / (2.0 * kPi), worst, watch.unexplained));
    CHECK(turns[0] / (2.0 * kPi) > 20.0);
    CHECK(worst <= 1e-10);
    CHECK(watch.unexplained <= 1e-12 * sim.state().energy.total());
  }
}

TEST_CASE("a screw slides by its pitch in every turn and carries the load with its torque") {
  for (const Way& way : ways()) {
    if (!way.space) continue;
    CAPTURE(way.name);
    const double omega = 30.0, lead = 0.004;  // [m/rad]
    WheelScene scene(way, omega, JointKind::cylindrical);
    scene.shift(0, lead * omega * scene.axis);
    scene.gravity = -9.81 * scene.axis;
    scene.couplings.push_back({"screw", {{0, 1, 1.0}, {0, 0, -lead}}, {}});
    Simulation sim(scene.model(make_scheme(way.scheme)));
    const double E = sim.state().energy_start;
    const Vector3 x0 = centre_of(sim, 0);
    Watch watch;
    double angle = 0.0, last = 0.0, worst = 0.0, energy = 0.0;
    for (int n = 0; n < 4000; ++n) {
      watch.step(sim);
      const double now = sim.joint_coordinate(0, 0)[0];
      angle += std::remainder(now - last, 2.0 * kPi);
      last = now;
      worst = std::max(worst, std::abs(scene.axis.dot(centre_of(sim, 0) - x0) - lead * angle));
      energy = std::max(energy, std::abs(sim.state().energy.total() - E));
    }
    REQUIRE(watch.good);
    // J phi'' + m lead^2 phi'' = -m g lead
    const double t = sim.state().t,
                 exact = omega * t - 0.5 * 9.81 * lead / (kJ + lead * lead) * t * t;
    MESSAGE(fmt::format(
        "{}: {:.1f} turns, slide off by {:.1e} m, angle by {:.1e} rad, energy "
        "{:.1e} J, unexplained {:.1e} J",
        way.name, angle / (2.0 * kPi), worst, angle - exact, energy, watch.unexplained));
    CHECK(std::abs(angle - exact) <= (way.turns_short() ? 1e-2 : 1e-8));
    CHECK(worst <= 1e-10);
    CHECK(energy <= (way.turns_short() ? 1e-4 : 1e-10) * E);
    CHECK(watch.unexplained <= 1e-12 * E);
  }
}
