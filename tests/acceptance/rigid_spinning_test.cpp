// Spinning friction between shapes: |moment about the normal| <= sigma times the normal force, against what it means.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "../support/rigid_scene.h"
#include "saltus/base/error.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kG = 9.81, kR = 0.1, kSigma = 0.003;

NewtonImpact law_that_spins(double friction, double sigma, double restitution = 0.0) {
  NewtonImpact law = newton_law(restitution, friction);
  law.spinning = sigma;
  return law;
}

/// A ball of 1 kg on the plane z = 0 that spins about the vertical.
RigidThing spun_ball(double rate) {
  RigidThing ball{Sphere{kR}};
  ball.x = Vector3(0.0, 0.0, kR);
  ball.Omega = Vector3(0.0, 0.0, rate);
  return ball;
}

}  // namespace

// J w' = -sigma m g with J = 2/5 m r^2. In the step in which it stops the mean rate is half of that at its start, as of any
// step: with s the part of the step in which it still spins, the ball turns by rate s (h - s)/2 too far.
TEST_CASE("a ball that spins on the floor stops after 2/5 r^2 w/(sigma g), where it was") {
  const double w = 7.3, rate = 2.5 * kSigma * kG / (kR * kR), stop = w / rate;
  for (const double rolling : {0.0, 0.002})
    for (const double h : {1e-3, 2e-3, 5e-3}) {
      CAPTURE(rolling);
      CAPTURE(h);
      NewtonImpact law = law_that_spins(0.5, kSigma);
      law.rolling = rolling;
      RigidScene scene;
      scene.add(spun_ball(w));
      scene.fix(Plane{});
      Simulation sim(scene.model(rig_mid(), h, law));
      const int last = static_cast<int>(stop / h);
      double off = 0.0, angle = 0.0, before = w;
      for (int n = 1; n <= last + 20; ++n) {
        REQUIRE(sim.advance().converged);
        const double now = spin_of(sim, 0).z();
        const double expected = n <= last ? w - rate * n * h : 0.0;
        off = std::max(off, std::abs(now - expected));
        angle += 0.5 * h * (before + now);
        before = now;
      }
      const double s = stop - last * h;
      MESSAGE(fmt::format("h {}: stops at {:.4f} s, rate off by {:.1e} 1/s", h, stop, off));
      CHECK(off <= 1e-11);
      CHECK(std::abs(angle - 0.5 * w * stop - 0.5 * rate * s * (h - s)) <= 1e-11);
      CHECK(spin_of(sim, 0).norm() <= 1e-13);
      CHECK((place_of(sim, 0) - Vector3(0.0, 0.0, kR)).norm() <= 1e-12);
      CHECK(speed_of(sim, 0).norm() <= 1e-13);
      const double energy = 0.5 * 0.4 * kR * kR * w * w;
      CHECK(std::abs(account(sim, "friction") / energy + 1.0) <= 1e-12);
      CHECK(std::abs(account(sim, "unexplained")) <= 1e-14);
    }
}

TEST_CASE("without spinning friction the ball spins on for ever, also where rolling is braked") {
  NewtonImpact law = newton_law(0.0, 0.5);
  law.rolling = 0.002;
  RigidScene scene;
  scene.add(spun_ball(7.3));
  scene.fix(Plane{});
  Simulation sim(scene.model(rig_mid(), 1e-3, law));
  for (int n = 0; n < 300; ++n) REQUIRE(sim.advance().converged);
  CHECK(std::abs(spin_of(sim, 0).z() - 7.3) <= 1e-12);
}

// On the mean spin a contact that holds it would turn it round in every step.
TEST_CASE("the mean slip and tangential restitution are of slips, moments bring spins to rest") {
  for (const double e_T : {0.4, 1.0}) {
    CAPTURE(e_T);
    NewtonImpact law = law_that_spins(0.5, 0.5);
    law.rolling = 0.5;
    law.restitution_tangential = e_T;
    RigidThing ball = spun_ball(0.01);
    ball.Omega = Vector3(0.01, 0.02, 0.01);
    ball.v = Vector3(0.02 * kR, -0.01 * kR, 0.0);  // rolls
    RigidScene scene;
    scene.add(ball);
    scene.fix(Plane{});
    Simulation sim(scene.model(rig_mid(), 1e-3, law));
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    CHECK(report.residual_after <= 1e-10);
    CHECK(spin_of(sim, 0).norm() <= 1e-12);
  }
}

// Each of four corners at the distance d from the axis bears m g/4, slips across its arm and turns with the box.
// With `slip: end` friction opposes the slip at the end of the step, h w/2 ahead of the arm: a part
// cos(h w/2) of it brakes.
TEST_CASE("a box that turns on four corners is braked by (mu d + sigma) m g, and then rests") {
  const Vector3 half(0.2, 0.15, 0.05);
  const double mu = 0.2, w = 2.0, h = 1e-3, d = std::hypot(half.x(), half.y());
  const double J = (half.x() * half.x() + half.y() * half.y()) / 3.0;
  for (const double sigma : {0.0, 0.01, 0.1}) {
    CAPTURE(sigma);
    const double rate = (mu * d + sigma) * kG / J, stop = w / rate;
    RigidScene scene;
    RigidThing box{Box{half}};
    box.x = Vector3(0.0, 0.0, half.z());
    box.Omega = Vector3(0.0, 0.0, w);
    scene.add(box);
    scene.fix(Plane{});
    Simulation sim(scene.model(rig_mid(), h, law_that_spins(mu, sigma)));
    double off = 0.0;
    for (int n = 1; n * h < stop; ++n) {
      REQUIRE(sim.advance().converged);
      off = std::max(off, std::abs(spin_of(sim, 0).z() - (w - rate * n * h)));
    }
    const double ahead =
        1.0 / 6.0 * std::pow(0.5 * h * w, 2) * w;  // the mean of 1 - cos over the run, times w
    MESSAGE(fmt::format("sigma {}: rate off by {:.1e} 1/s, expected {:.1e}", sigma, off,
                        ahead * mu * d / (mu * d + sigma)));
    CHECK(off == doctest::Approx(ahead * mu * d / (mu * d + sigma)).epsilon(0.1));
    sim.advance();
    const Quaternion turn = turn_of(sim, 0);
    for (int n = 0; n < 500; ++n) REQUIRE(sim.advance().converged);
    CHECK(spin_of(sim, 0).norm() <= 1e-12);
    CHECK(turn.angularDistance(turn_of(sim, 0)) <= 2.0 * off * h);
    CHECK(std::abs(place_of(sim, 0).x()) + std::abs(place_of(sim, 0).y()) <= 1e-8);
    CHECK(std::abs(account(sim, "friction") / (0.5 * J * w * w) + 1.0) <= 1e-7);
  }
}

// Rolling without slip knows nothing of the spin about the normal: v' = 5/7 g sin, w_n' = -5/2 sigma g cos/r^2. The rows turn
// with the ball by w h in a step, which leaves an error of second order in h.
TEST_CASE(
    "a ball rolls down a slope as without its spin, which the weight across the slope brakes") {
  const double tilt = 0.2, w = 12.0, end = 0.1;
  for (const double rolling : {0.0, 0.001}) {
    CAPTURE(rolling);
    const auto off = [&](double h) {
      NewtonImpact law = law_that_spins(0.6, kSigma);
      law.rolling = rolling;
      RigidScene scene;
      scene.gravity = kG * Vector3(std::sin(tilt), 0.0, -std::cos(tilt));
      scene.add(spun_ball(w));
      scene.fix(Plane{});
      Simulation sim(scene.model(rig_mid(), h, law));
      for (int n = 0; n < std::lround(end / h); ++n) REQUIRE(sim.advance().converged);
      const Vector3 spin = turn_of(sim, 0) * spin_of(sim, 0);
      const double speed = 5.0 / 7.0 * kG * (std::sin(tilt) - rolling / kR * std::cos(tilt)) * end;
      const double left = w - 2.5 * kSigma * kG * std::cos(tilt) / (kR * kR) * end;
      CHECK(left > 1.0);
      return std::array{spin.z() - left, (speed_of(sim, 0) - Vector3(speed, 0.0, 0.0)).norm()};
    };
    const auto [spin, speed] = off(1e-3);
    const auto [spin_half, speed_half] = off(5e-4);
    MESSAGE(fmt::format(
        "spin off by {:.1e} 1/s, speed by {:.1e} m/s; at half the step by {:.1e}, {:.1e}", spin,
        speed, spin_half, speed_half));
    CHECK(std::abs(spin) <= 2e-8);
    CHECK(std::abs(spin_half) <= 3e-9);
    CHECK(speed <= 2e-6);
    CHECK(speed / speed_half >= 3.6);
    CHECK(speed / speed_half <= 4.4);
  }
}

TEST_CASE("a blow takes sigma times its impulse from the spin, and no more than there is") {
  const double v = 2.0, e = 0.5, h = 1e-4;
  for (const double w : {100.0, 1.0, -100.0}) {
    CAPTURE(w);
    RigidScene scene;
    scene.gravity.setZero();
    RigidThing ball = spun_ball(w);
    ball.x.z() += 1e-3;
    ball.v = Vector3(0.0, 0.0, -v);
    scene.add(ball);
    scene.fix(Plane{});
    Simulation sim(scene.model(rig_mid(), h, law_that_spins(0.5, kSigma, e)));
    for (int n = 0; n < 30; ++n) REQUIRE(sim.advance().converged);
    const double lost = 2.5 * kSigma * (1.0 + e) * v / (kR * kR);
    const double left = std::copysign(std::max(std::abs(w) - lost, 0.0), w);
    CHECK(lost > 1.0);
    CHECK(speed_of(sim, 0).z() == doctest::Approx(e * v).epsilon(1e-12));
    CHECK(std::abs((turn_of(sim, 0) * spin_of(sim, 0)).z() - left) <= 1e-10);
  }
}

TEST_CASE("two balls that press on each other share their spin and keep their angular momentum") {
  const double h = 1e-3, pull = 5.0, w = 9.0;
  RigidScene scene;
  scene.gravity.setZero();
  for (const double side : {-1.0, 1.0}) {
    RigidThing ball{Sphere{kR}};
    ball.x = Vector3(side * kR, 0.0, 0.0);
    if (side < 0.0) ball.Omega = Vector3(w, 0.0, 0.0);
    const int i = scene.add(ball);
    scene.system.loads.push_back(
        {.body = i, .direction = Vector3(-side, 0.0, 0.0), .signal = Signal::constant(pull)});
  }
  Simulation sim(scene.model(rig_mid(), h, law_that_spins(0.5, kSigma)));
  const double rate = 2.5 * kSigma * pull / (kR * kR);
  const int stop = static_cast<int>(0.5 * w / rate / h);
  double off = 0.0, momentum = 0.0;
  for (int n = 1; n <= stop + 100; ++n) {
    REQUIRE(sim.advance().converged);
    const double a = spin_of(sim, 0).x(), b = spin_of(sim, 1).x();
    const double gone = n <= stop ? rate * n * h : 0.5 * w;
    off = std::max({off, std::abs(a - (w - gone)), std::abs(b - gone)});
    momentum = std::max(momentum, std::abs(a + b - w));
  }
  MESSAGE(fmt::format("spins off by {:.1e} 1/s, their sum by {:.1e} 1/s", off, momentum));
  CHECK(off <= 1e-11);
  CHECK(momentum <= 1e-13);
}

TEST_CASE("every scheme of rigid bodies and every solver that takes rolling laws brakes alike") {
  const double w = 7.3, h = 1e-3, expected = w - 2.5 * kSigma * kG / (kR * kR) * 0.1;
  for (const bool mid : {true, false})
    for (const char* solver : {"auto", "proximal-newton", "gauss-seidel", "body-gauss-seidel"}) {
      CAPTURE(mid);
      CAPTURE(solver);
      RigidScene scene;
      scene.solver = solver;
      scene.add(spun_ball(w));
      scene.fix(Plane{});
      Simulation sim(scene.model(mid ? rig_mid() : make_scheme(MoreauJeanOptions{}), h,
                                 law_that_spins(0.5, kSigma)));
      for (int n = 0; n < 100; ++n) REQUIRE(sim.advance().converged);
      CHECK(std::abs(spin_of(sim, 0).z() - expected) <= 1e-10);
    }
  RigidScene scene;
  scene.solver = "interior-point";
  scene.add(spun_ball(w));
  scene.fix(Plane{});
  CHECK_THROWS_WITH_AS(scene.model(rig_mid(), h, law_that_spins(0.5, kSigma)),
                       "solver.kind: 'interior-point' cannot solve the law of laws[0]; use auto",
                       SceneError);
}

TEST_CASE("a run goes on from any state bit by bit, with its moments about the normals") {
  for (const double rolling : {0.0, 0.002}) {
    CAPTURE(rolling);
    NewtonImpact law = law_that_spins(0.5, kSigma);
    law.rolling = rolling;
    RigidScene scene;
    for (int i = 0; i < 2; ++i) {
      RigidThing ball = spun_ball(20.0 - 30.0 * i);
      ball.x.z() += 2.0 * kR * i;
      scene.add(ball);
    }
    scene.fix(Plane{});
    const Model model = scene.model(rig_mid(), 1e-3, law);
    Simulation sim(model);
    for (int n = 0; n < 50; ++n) REQUIRE(sim.advance().converged);
    bool moments = false;
    for (const ContactMemory& c : sim.state().contacts)
      moments = moments || (c.moment.z() != 0.0 && c.moment.head<2>().isZero(1e-12));
    CHECK(moments);
    Simulation again(model, sim.state());
    for (int n = 0; n < 50; ++n) {
      sim.advance();
      again.advance();
    }
    CHECK(sim.state().groups[0].v == again.state().groups[0].v);
    CHECK(sim.state().groups[0].q == again.state().groups[0].q);
  }
}

TEST_CASE("spinning friction in the plane is refused: nothing turns about a normal there") {
  RigidScene scene;
  scene.plane = Vector3::UnitY();
  scene.hold({false, true, false, true, false, true});
  scene.add(spun_ball(0.0));
  scene.fix(Plane{});
  CHECK_THROWS_WITH_AS(
      scene.model(rig_mid(), 1e-3, law_that_spins(0.5, kSigma)),
      "laws[0].spinning: bodies of a planar scene do not rotate about the normals of "
      "their contacts; leave it out; `rolling` acts about the normal of the plane",
      SceneError);
}
