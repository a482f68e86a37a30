// The schemes of rigid bodies: rig-pos, rig-neg, rig-imp, rig-mid. Their tables and orders are in tests/acceptance.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "saltus/math/pack.h"
#include "saltus/schemes/rig_mid_kernel.h"
#include "support/tops.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const std::vector<SchemeChoice> kAll{RigPosOptions{},
                                     RigNegOptions{},
                                     RigNegOptions{Reactions::predictor},
                                     RigImpOptions{},
                                     RigImpOptions{Reactions::predictor},
                                     RigMidOptions{},
                                     RigMidOptions{false}};

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// Bodies of all sorts: full and round inertia, locked motions, slow and fast, one at rest.
RigidSystem company(int bodies) {
  RigidSystem s;
  for (int i = 0; i < bodies; ++i) {
    const double k = i + 1.0;
    const Matrix3 R =
        exp_rotation(Vector3(std::sin(k), std::cos(2.0 * k), 0.3 * k)).toRotationMatrix();
    const Vector3 J = 0.1 * k * Vector3(1.0, 1.0 + 0.5 * std::sin(k), 1.4);
    RigidBody body{0.5 + 0.1 * k, R * J.asDiagonal() * R.transpose(), {}};
    if (i % 4 == 1) body.locked = {false, true, false, true, false, true};
    if (i % 4 == 2) body.inertia = 0.2 * k * Matrix3::Identity();
    s.bodies.push_back(body);
  }
  s.gravity = Vector3(0.1, 0.0, -9.81);
  return s;
}

MovingBody moving(RigidSystem s) {
  const auto n = static_cast<Eigen::Index>(s.bodies.size());
  MovingBody body;
  body.q.resize(7 * n);
  body.v.resize(6 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double k = static_cast<double>(i);
    const Quaternion Q = exp_rotation(Vector3(0.3 * k, 1.0 - 0.2 * k, std::sin(k)));
    body.q.segment<7>(7 * i) << k, 2.0 * k, -k, Q.w(), Q.x(), Q.y(), Q.z();
    body.v.segment<6>(6 * i) << 0.1 * k, -0.3, 0.2, std::cos(k) * k, 1.0 + k, -0.5 * k;
    if (i % 5 == 3) body.v.segment<6>(6 * i).setZero();
    for (int a = 0; a < 6; ++a)
      if (s.bodies[static_cast<std::size_t>(i)].locked[static_cast<std::size_t>(a)])
        body.v[6 * i + a] = 0.0;
  }
  body.dynamics = std::make_shared<Rigid>(std::move(s));
  return body;
}

/// Loads of time, place and velocity on every body.
RigidSystem loaded(RigidSystem s) {
  const Signal signal = Signal::harmonic(1.3, 7.0, 0.4, 0.3);
  for (int i = 0; i < static_cast<int>(s.bodies.size()); ++i) {
    s.loads.push_back({i, true, false, Vector3(-0.1, 0.5, 0.9), Vector3::Zero(), signal});
    s.loads.push_back({i, false, true, Vector3(0.3, 0.2, -0.5), Vector3(0.2, 0.1, 0), signal});
    s.loads.push_back({i, false, false, Vector3(0.0, 0.7, -0.5), Vector3(0.0, 0.1, 0.3), signal});
  }
  s.drag = 0.3;
  s.spin_drag = 0.1;
  return s;
}

struct Run {
  Vector q, v;
  std::vector<double> ledger;
  double worst = 0.0;  ///< |unexplained| / energy
  int contacts = 0, passes = 0;
  bool good = true;
};
Run run(Simulation sim, int steps) {
  Run run;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    const Energy E = sim.state().energy;
    run.worst =
        std::max(run.worst, std::abs(report.unexplained) / (E.kinetic + std::abs(E.potential)));
    run.contacts += report.contacts;
    run.passes = std::max(run.passes, report.passes);
    run.good = run.good && report.converged && report.finite;
  }
  run.q = sim.state().groups[0].q;
  run.v = sim.state().groups[0].v;
  return run;
}

/// A free body whose corner strikes a plane through it.
struct Strike {
  ModelParts parts;
  PointRef corner{0, 0, Vector3(0.11, -0.06, -0.09)};
  Vector3 normal{0.36, -0.48, 0.8};
};
Strike strike(const SchemeChoice& scheme, double h, double restitution, double speed = 1.0) {
  MovingBody body = free_top(Vector3(0.021, 0.034, 0.047), Vector3(0.4, -0.2, 0.9),
                             speed * Vector3(2.0, -1.5, 3.0));
  body.v.head<3>() = Vector3(0.3, -0.1, -1.2);
  Strike s{one_group(body, scheme, h)};
  s.parts.options.instant = ContactInstant::middle;
  Vector3 x;
  body.dynamics->points(0.0, body.q, std::span(&s.corner, 1), x);
  NewtonImpact law;
  law.restitution = restitution;
  add_stop(s.parts, s.corner, x, s.normal, law);
  return s;
}

/// n . (v + Omega x arm) with the axes and the arm of `at`.
double rate(const Dynamics& body, const Vector& at, const Vector& v, const Strike& s) {
  PointRows J;
  body.point_rows(at, at, std::span(&s.corner, 1), J);
  double sum = 0.0;
  for (int a = 0; a < 3; ++a)
    for (int j = 0; j < 6; ++j)
      sum += s.normal[a] * J.value[static_cast<std::size_t>(6 * a + j)] * v[j];
  return sum;
}

/// Half the change of that rate over a step, in the middle of which the body is at `at`, by the
/// rotation of the arm: n . (w x (Omega x arm)), w the rotation in half the step.
double turned(const Vector& at, const Vector& v, const Vector& w, const Strike& s) {
  const RigidAt body(0);
  return s.normal.dot(body.Q(at) * body.spin(w).cross(body.spin(v).cross(s.corner.local)));
}

}  // namespace

TEST_CASE("a body has the same bits whatever its company and the width of the registers") {
  for (bool with_loads : {false, true}) {
    RigidSystem all = company(11);
    if (with_loads) all = loaded(all);
    const MovingBody body = moving(all);
    Simulation together{Model(one_group(body, RigMidOptions{}, 0.01))};
    for (int k = 0; k < 50; ++k) REQUIRE(together.advance().converged);
    for (int i = 0; i < 11; ++i) {
      CAPTURE(i);
      RigidSystem one = all;
      one.bodies = {all.bodies[static_cast<std::size_t>(i)]};
      one.loads.clear();
      for (RigidLoad load : all.loads)
        if (load.body == i) {
          load.body = 0;
          one.loads.push_back(load);
        }
      const MovingBody alone{std::make_shared<Rigid>(one), body.q.segment<7>(7 * i),
                             body.v.segment<6>(6 * i)};
      Simulation single{Model(one_group(alone, RigMidOptions{}, 0.01))};
      for (int k = 0; k < 50; ++k) single.advance();
      CHECK(same_bits(single.state().groups[0].q, together.state().groups[0].q.segment<7>(7 * i)));
      CHECK(same_bits(single.state().groups[0].v, together.state().groups[0].v.segment<6>(6 * i)));
    }
  }
  const MovingBody body = moving(company(11));
  const rig_mid::Columns columns(*body.dynamics->rigid());
  const Vector load = Vector::LinSpaced(66, -3.0, 2.0), r = Vector::LinSpaced(66, 0.1, -0.3);
  Vector first;
  for (int width : {1, 2, 4, 8}) {
    if (width > simd::register_width()) continue;
    Vector q1(77), v1(66), q_mid(77), v_mid(66), out(2 * (77 + 66));
    REQUIRE(rig_mid::advance(columns,
                             {0.02, body.q.data(), body.v.data(), load.data(), r.data(), q1.data(),
                              v1.data(), q_mid.data(), v_mid.data()},
                             width));
    out << q1, v1, q_mid, v_mid;
    if (width == 1) first = out;
    CHECK(same_bits(out, first));
  }
}

TEST_CASE("under loads rig-mid changes the spatial momentum by exactly their impulse") {
  // a force in space off the centre and a torque in space: t = torque + (R_m X) x f at mid-step
  RigidSystem system = top(Vector3(1.0, 2.0, 2.5));
  const Vector3 torque(-0.1, 0.5, 0.9);
  system.loads.push_back({0, true, false, torque, Vector3::Zero(), Signal::constant(1.0)});
  const MovingBody body = at_rest_in_space(system, {0.1, 0.2, -0.4}, {3.0, 12.0, -5.0});
  const auto& kind = static_cast<const Rigid&>(*body.dynamics);
  Simulation sim{Model(one_group(body, RigMidOptions{}, 0.02))};  // 15 degrees a step
  for (int k = 0; k < 200; ++k) {
    const GroupState before = sim.state().groups[0];
    const StepReport report = sim.advance();
    const GroupState& after = sim.state().groups[0];
    const Vector3 change =
        spatial_momentum(kind, after.q, after.v) - spatial_momentum(kind, before.q, before.v);
    CHECK((change - 0.02 * torque).norm() <= 3e-14);
    CHECK(std::abs(report.unexplained) <= 1e-13 * sim.state().energy.kinetic);
  }
}

TEST_CASE("the accounts of rigid bodies close to round-off under loads, drag and impacts") {
  for (const SchemeChoice& scheme : kAll) {
    CAPTURE(scheme_name(scheme));
    const Run smooth =
        run(Simulation(Model(one_group(moving(loaded(company(5))), scheme, 0.01))), 300);
    CHECK(smooth.good);
    CHECK(smooth.worst <= 1e-13);
    Strike s = strike(scheme, 2e-3, 0.6);
    RigidSystem heavy = static_cast<const Rigid&>(*s.parts.groups[0].dynamics).system();
    heavy.gravity = Vector3(0.0, 0.0, -9.81);
    s.parts.groups[0].dynamics = std::make_shared<Rigid>(heavy);
    const Run bouncing = run(Simulation(Model(s.parts)), 400);
    CHECK(bouncing.good);
    CHECK(bouncing.contacts >= 2);
    CHECK(bouncing.worst <= 1e-12);
  }
}

TEST_CASE("a free body costs rig-pos energy by its formula, and the account says how much") {
  Simulation sim{Model(one_group(free_top({1.0, 2.0, 3.0}, {0.1, -0.2, 0.3}, {0.3, 1.2, -0.5}),
                                 RigPosOptions{}, 1.0 / 16))};
  const double start = sim.state().energy.kinetic;
  for (int k = 0; k < 3200; ++k) sim.advance();
  const auto names = sim.model().accounts();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "scheme")
      CHECK(sim.state().ledger[i] ==
            doctest::Approx(sim.state().energy.kinetic - start).epsilon(1e-10));
    if (names[i] == "unexplained") CHECK(std::abs(sim.state().ledger[i]) <= 1e-12);
  }
}

TEST_CASE("contact laws hold on the finished velocity; with the predictor only to O(h)") {
  for (const SchemeChoice& scheme : kAll) {
    const bool predictor = scheme == kAll[2] || scheme == kAll[4];
    CAPTURE(scheme_name(scheme));
    CAPTURE(predictor);
    double off[2];
    for (int i : {0, 1}) {
      const Strike s = strike(scheme, i == 0 ? 1e-2 : 1e-3, 0.5);
      Simulation sim{Model(s.parts)};
      const Dynamics& body = *s.parts.groups[0].dynamics;
      const GroupState start = sim.state().groups[0];
      const StepReport report = sim.advance();
      REQUIRE(report.contacts == 1);
      REQUIRE(report.converged);
      off[i] = report.residual_after;
      if (predictor) CHECK(report.passes == 1);
      if (!predictor) CHECK(report.passes <= 8);
      if (predictor) continue;
      // rig-pos, -neg, -imp take rows at R_h, which v0 alone reaches
      if (scheme_name(scheme) != RigMidOptions::name) {
        const Vector w = 0.5 * (i == 0 ? 1e-2 : 1e-3) * start.v;
        Vector at(7);
        body.retract(start.q, w, at);
        const double u0 = rate(body, at, start.v, s) - turned(at, start.v, w, s),
                     u1 = rate(body, at, sim.state().groups[0].v, s) + turned(at, start.v, w, s);
        CHECK(std::abs(u1 + 0.5 * u0) <= 1e-9 * std::abs(u0));
      }
    }
    if (predictor) {
      CHECK(off[0] >= 1e-5);
      CHECK(off[1] <= 0.2 * off[0]);
    } else {
      CHECK(off[0] <= 1e-9);
      CHECK(off[1] <= 1e-9);
    }
  }
}

TEST_CASE("an impulse turns a body by arm x P exactly, on the axes of the scheme's own mid-step") {
  for (const SchemeChoice& choice : {kAll[1], kAll[2], kAll[3], kAll[4], kAll[5], kAll[6]}) {
    CAPTURE(scheme_name(choice));
    const auto scheme = make_scheme(choice);
    const MovingBody body =
        free_top(Vector3(0.021, 0.034, 0.047), Vector3(0.4, -0.2, 0.9), Vector3(4.0, -3.0, 6.0));
    const auto& kind = static_cast<const Rigid&>(*body.dynamics);
    const auto prepared = scheme->prepare(kind, 1e-2);
    const GroupState start{body.q, body.v, {}};
    Trial x;
    x.h = 1e-2;
    x.start = &start;
    x.prepared = prepared.get();
    x.q.resize(7);
    x.v.resize(6);
    x.v_free.resize(6);
    x.r = Vector::Zero(6);
    scheme->begin(kind, x);
    const Vector3 P(0.1, -0.3, 0.2), arm(0.05, 0.2, -0.1);
    Vector axes(7);
    double outstanding = 1.0;
    for (x.pass = 1; x.pass < 40 && outstanding > 1e-15; ++x.pass) {
      scheme->place(kind, x, scheme->axes_at(), axes);
      scheme->linearise(kind, x);
      x.r.head<3>() = P;
      x.r.tail<3>() = rotation_of(axes).conjugate() * arm.cross(P);
      outstanding = scheme->correct(kind, x);
      if (x.pass < 6) outstanding = 1.0;  // the axes of rig-mid follow
    }
    GroupState end = start;
    scheme->finish(kind, x, end);
    const Vector3 change =
        spatial_momentum(kind, end.q, end.v) - spatial_momentum(kind, start.q, start.v);
    CHECK((change - arm.cross(P)).norm() <= 3e-15 * arm.cross(P).norm());
    CHECK((end.v.head<3>() - start.v.head<3>() - P).norm() <= 1e-15);
  }
}

TEST_CASE("passes with the whole tangent converge faster than with mass and inertia") {
  // 20 degrees a step, where the gyroscopic part counts
  const Run symmetric =
                run(Simulation(Model(strike(RigMidOptions{true}, 2e-2, 0.5, 4.0).parts)), 1),
            whole = run(Simulation(Model(strike(RigMidOptions{false}, 2e-2, 0.5, 4.0).parts)), 1);
  REQUIRE(symmetric.contacts == 1);
  REQUIRE(whole.contacts == 1);
  CHECK(whole.passes < symmetric.passes);
  CHECK((whole.v - symmetric.v).norm() <= 1e-5 * whole.v.norm());  // axes stay after three passes
}

TEST_CASE("what is locked stays exactly 0, and the rest moves as in the plane") {
  RigidSystem flat = top(Vector3(0.5, 0.8, 0.9));
  flat.bodies[0].locked = {false, true, false, true, false, true};
  flat.gravity = Vector3(0.0, 0.0, -9.81);
  flat.loads.push_back(
      {0, false, true, Vector3(2.0, 0.0, 1.0), Vector3(0.1, 0.0, 0.4), Signal::constant(1.0)});
  for (const SchemeChoice& scheme : kAll) {
    CAPTURE(scheme_name(scheme));
    MovingBody body = at_rest_in_space(flat, Vector3::Zero(), Vector3(0.0, 2.0, 0.0));
    body.v.head<3>() = Vector3(1.0, 0.0, 0.5);
    Simulation sim{Model(one_group(body, scheme, 0.01))};
    for (int k = 0; k < 300; ++k) {
      REQUIRE(sim.advance().converged);
      const Vector& v = sim.state().groups[0].v;
      CHECK(v[1] == 0.0);
      CHECK(v[3] == 0.0);
      CHECK(v[5] == 0.0);
      CHECK(sim.state().groups[0].q[1] == 0.0);
    }
    // J Omega' = 0.4 * 2 - 0.1 * 1
    CHECK(sim.state().groups[0].v[4] == doctest::Approx(2.0 + 3.0 * 0.7 / 0.8).epsilon(1e-12));
  }
}

TEST_CASE("inertia and torques in other units change no rotation") {
  for (const SchemeChoice& scheme : kAll) {
    CAPTURE(scheme_name(scheme));
    Vector q;
    for (double unit : {1.0, 1e-12, 1e-6, 1e3, 1e9}) {
      const MovingBody one = driven_top();
      RigidSystem system = static_cast<const Rigid&>(*one.dynamics).system();
      system.bodies[0].inertia *= unit;
      system.bodies[0].mass *= unit;
      for (RigidLoad& load : system.loads) load.direction *= unit;
      const MovingBody body{std::make_shared<Rigid>(system), one.q, one.v};
      Simulation sim{Model(one_group(body, scheme, 0.05))};
      for (int k = 0; k < 200; ++k) REQUIRE(sim.advance().converged);
      if (unit == 1.0) q = sim.state().groups[0].q;
      CHECK((sim.state().groups[0].q - q).norm() <= 1e-12 * q.norm());
    }
  }
}

TEST_CASE("a load that is no number and a turn that has no end fail the step and leave the state") {
  for (const SchemeChoice& scheme : {kAll[3], kAll[5]}) {
    CAPTURE(scheme_name(scheme));
    const MovingBody body =
        free_top({1.0, 2.0, 3.0}, Vector3::Zero(), Vector3(std::nan(""), 1.0, 0.2));
    Simulation sim{Model(one_group(body, scheme, 0.01))};
    const StepReport report = sim.advance();
    CHECK_FALSE(report.converged);
    CHECK(report.failure.find(scheme_name(scheme)) == 0);
    CHECK(sim.state().t == 0.0);
  }
}

TEST_CASE("rigid schemes need rigid bodies, and their contact sees mass and inertia") {
  for (const SchemeChoice& choice : kAll) {
    const auto scheme = make_scheme(choice);
    CHECK(scheme->needs() == static_cast<unsigned>(Trait::rigid));
    CHECK(scheme->gain() == 0.5);
    CHECK(std::isinf(scheme->stability_limit(0.0)));
    CHECK(scheme->free_motion(*driven_top().dynamics));
  }
}
