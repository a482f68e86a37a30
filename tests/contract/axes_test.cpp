// The axes law: an impulse on a turning body changes its angular momentum by arm x P, whatever axes carry it.
#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// Free motion under no gravity: what remains of L1 - L0 - arm x P is the scheme's error alone.
Body turning(Rigid::Tangent tangent) {
  Body body = rigid({}, tangent);
  Rigid::Data data;
  data.gravity = 0.0;
  data.inertia = Vector3(0.021, 0.034, 0.047);
  data.tangent = tangent;
  body.dynamics = std::make_shared<Rigid>(data, Units{});
  body.state.v.tail<3>() *= 2.0;
  return body;
}

Vector moved(const Dynamics& body, View q, const Vector& w) {
  Vector out(body.positions());
  body.retract(q, w, out);
  return out;
}

/// |L1 - L0 - arm x P| / |arm x P| about the mass centre.
double defect(const Rigid& body, const GroupState& start, const GroupState& end,
              const Vector3& moment) {
  const Vector3 change =
      body.angular_momentum(end.q, end.v) - body.angular_momentum(start.q, start.v);
  return (change - moment).norm() / moment.norm();
}

/// Of the step that strikes, as the driver takes it: gaps and arms are those of the predicted motion.
double driver_defect(const Body& body, double h) {
  const auto& kind = static_cast<const Rigid&>(*body.dynamics);
  Simulation sim{Model(above_plane({body, {"", moreau_jean(0.5), 2.0}}, newton_impact(0.5), h))};
  const GroupState start = sim.state().groups[0];
  const GroupState predicted = drive(kind, *moreau_jean(0.5), start, h, Vector::Zero(6)).end;
  REQUIRE(sim.advance().contacts == 1);
  const Vector3 P = sim.state().contacts.at(0).impulse.x() * body.normal;
  const Vector3 arm = Rigid::rotation(predicted.q) * body.tip.local;
  return defect(kind, start, sim.state().groups[0], arm.cross(P));
}

/// The same impulse on the axes of the finished motion at `fraction` of the step.
double scheme_defect(const Body& body, double h, double fraction) {
  const auto& kind = static_cast<const Rigid&>(*body.dynamics);
  const Vector3 P = 0.8 * body.normal,
                moment = (Rigid::rotation(body.state.q) * body.tip.local).cross(P);
  Vector r(6);
  GroupState end = body.state;
  for (int pass = 0; pass < 30; ++pass) {
    const Vector w = 0.5 * fraction * h * (body.state.v + end.v);
    r.head<3>() = P;
    r.tail<3>() = Rigid::rotation(moved(kind, body.state.q, w)).transpose() * moment;
    end = drive(kind, *moreau_jean(0.5), body.state, h, r).end;
  }
  return defect(kind, body.state, end, moment);
}

}  // namespace

TEST_CASE(
    "on the axes of its own mid-step theta 1/2 turns a body by arm x P to second order in h") {
  for (Rigid::Tangent tangent : {Rigid::Tangent::exact, Rigid::Tangent::symmetrised}) {
    const Body body = turning(tangent);
    const double a = scheme_defect(body, 1e-2, 0.5), b = scheme_defect(body, 5e-3, 0.5);
    const double c = scheme_defect(body, 2.5e-3, 0.5);
    CHECK(a <= 1e-3);
    CHECK(std::abs(std::log2(a / b) - 2.0) < 0.15);
    CHECK(std::abs(std::log2(b / c) - 2.0) < 0.15);
    // the axes of the start or of the end are one order worse
    CHECK(scheme_defect(body, 2.5e-3, 0.0) >= 10.0 * c);
    CHECK(scheme_defect(body, 2.5e-3, 1.0) >= 10.0 * c);
  }
}

// The driver takes gaps and arms once a step; only if the axes follow the iterate does the order of the scheme remain.
TEST_CASE("an impact in a simulation turns a body by arm x P to second order in h") {
  for (Rigid::Tangent tangent : {Rigid::Tangent::exact, Rigid::Tangent::symmetrised}) {
    const Body body = turning(tangent);
    const double a = driver_defect(body, 4e-3), b = driver_defect(body, 2e-3),
                 c = driver_defect(body, 1e-3);
    CHECK(a <= 3e-4);
    CHECK(std::abs(std::log2(a / b) - 2.0) < 0.15);
    CHECK(std::abs(std::log2(b / c) - 2.0) < 0.15);
  }
}
