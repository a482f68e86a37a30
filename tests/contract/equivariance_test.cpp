// Nothing in the engine knows a direction: the same motion in a frame turned and moved as a whole.
#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cases.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// x -> R x + shift
struct Frame {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Vector3 shift = Vector3::Zero();
  Vector3 place(const Vector3& x) const { return R * x + shift; }
};

Frame turned() {
  return {Eigen::AngleAxisd(1.1, Vector3(0.48, -0.6, 0.64)).toRotationMatrix(),
          Vector3(0.7, -0.2, 0.4)};
}

Eigen::Matrix3d mirror() { return Vector3(1.0, -1.0, 1.0).asDiagonal(); }

/// Two particles on springs, one of them held by the world, under gravity and drag.
Body cluster(const Frame& frame) {
  ParticleSystem system;
  system.mass = Eigen::Vector2d(1.2, 0.7);
  system.springs.push_back({0, 1, 120.0, 0.5, 0.8, Vector3::Zero()});
  system.springs.push_back({0, -1, 80.0, 0.6, 0.2, frame.place(Vector3(0.0, 0.0, 1.2))});
  system.gravity = frame.R * Vector3(0.4, -0.3, -9.81);
  system.drag = 0.2;
  system.rayleigh = {0.1, 0.001};
  Body body;
  body.name = "particles";
  body.dynamics = std::make_shared<Particles>(system);
  const Vector3 x0(0.05, -0.02, 0.6), x1(0.1, 0.1, 0.15), v0(0.2, 0.1, -0.1), v1(0.3, -0.2, -0.9);
  body.state.q.resize(6);
  body.state.v.resize(6);
  body.state.q << frame.place(x0), frame.place(x1);
  body.state.v << frame.R * v0, frame.R * v1;
  body.tip.feature = 1;
  body.normal = frame.R * Vector3(0.0, 0.6, 0.8);
  return body;
}

/// A rigid body, turned about the vertical and moved: gravity keeps its direction.
Body rigid_in(double angle, const Vector3& shift) {
  Body body = rigid();
  const Eigen::AngleAxisd turn(angle, Vector3::UnitZ());
  const Eigen::Quaterniond Q =
      Eigen::Quaterniond(turn) *
      Eigen::Quaterniond(body.state.q[3], body.state.q[4], body.state.q[5], body.state.q[6]);
  body.state.q.head<3>() = turn * Vector3(body.state.q.head<3>()) + shift;
  body.state.q.tail<4>() << Q.w(), Q.x(), Q.y(), Q.z();
  body.state.v.head<3>() = turn * Vector3(body.state.v.head<3>());
  body.normal = turn * body.normal;
  return body;
}

struct Trace {
  std::vector<Vector3> tip;
  double energy = 0.0, impulse = 0.0;
  int impacts = 0;
};

Trace bounce(const Body& body, const SchemeCase& scheme) {
  Simulation sim{Model(above_plane({body, scheme}, newton_impact(0.6), 2e-3, 0.01))};
  Trace trace;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = sim.advance();
    trace.impacts += report.contacts;
    trace.impulse += report.impulse;
    trace.tip.push_back(point_at(*body.dynamics, sim.state().groups[0].q, body.tip));
  }
  trace.energy = sim.state().energy.kinetic;
  return trace;
}

void compare(const Trace& a, const Trace& b, const Frame& frame) {
  CHECK(a.impacts >= 1);
  CHECK(a.impacts == b.impacts);
  double off = 0.0;
  for (std::size_t k = 0; k < a.tip.size(); ++k)
    off = std::max(off, (frame.place(a.tip[k]) - b.tip[k]).norm());
  CHECK(off <= 1e-9);
  CHECK(b.energy == doctest::Approx(a.energy).epsilon(1e-9));
  CHECK(b.impulse == doctest::Approx(a.impulse).epsilon(1e-9));
}

}  // namespace

TEST_CASE("particles move in the same way in a frame that is turned, moved or mirrored") {
  Frame mirrored;
  mirrored.R = mirror();
  int tried = 0;
  for (const SchemeCase& scheme : scheme_cases()) {
    const Body plain = cluster({});
    if (!legal(*scheme.scheme, *plain.dynamics)) continue;
    CAPTURE(scheme.name);
    const Trace reference = bounce(plain, scheme);
    for (const Frame& frame : {turned(), mirrored}) {
      compare(reference, bounce(cluster(frame), scheme), frame);
      ++tried;
    }
  }
  CHECK(tried >= 60);
}

TEST_CASE("a rigid body moves in the same way when the scene is turned about the vertical") {
  Frame frame;
  frame.R = Eigen::AngleAxisd(2.3, Vector3::UnitZ()).toRotationMatrix();
  frame.shift = Vector3(-1.5, 0.6, 0.0);
  int tried = 0;
  for (const SchemeCase& scheme : scheme_cases()) {
    const Body plain = rigid();
    if (!legal(*scheme.scheme, *plain.dynamics)) continue;
    CAPTURE(scheme.name);
    compare(bounce(plain, scheme), bounce(rigid_in(2.3, frame.shift), scheme), frame);
    ++tried;
  }
  CHECK(tried >= 20);
}
