// Blocks, arches and discs against independent values: a block on a driven table and a masonry arch (Solfec's list), a
// rocking block (B10), a rolling disc (B15), masonry statics (B22).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/golden.h"
#include "../support/rigid_scene.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi, kG = 9.81;

RigidThing box(const Vector3& half, const Vector3& x) {
  RigidThing thing{Box{half}};
  thing.x = x;
  return thing;
}

/// Half a ring of `blocks` straight-edged voussoirs in the xz plane between two fixed abutments.
RigidScene arch(int blocks, double radius, double thickness, double width, double density) {
  RigidScene scene;
  scene.limits.tolerance = 1e-10;
  const auto corner = [&](int joint, int side) {
    const double angle = kPi * joint / blocks, r = radius + 0.5 * side * thickness;
    return Vector3(r * std::cos(angle), 0.0, r * std::sin(angle));
  };
  const auto block = [&](int joint) {
    std::vector<Vector3> points;
    for (const int j : {joint, joint + 1})
      for (const int side : {-1, 1})
        for (const double y : {-0.5 * width, 0.5 * width})
          points.push_back(corner(j, side) + Vector3(0.0, y, 0.0));
    return points;
  };
  for (int i = 0; i < blocks; ++i) {
    std::vector<Vector3> points = block(i);
    const Vector3 centre = moments(Shape(convex_hull(points))).centre;
    for (Vector3& x : points) x -= centre;
    RigidThing thing{convex_hull(points)};
    thing.mass = density * moments(thing.shape).volume;
    thing.x = centre;
    scene.add(thing);
  }
  for (const double side : {-1.0, 1.0})
    scene.fix(Box{Vector3(radius / 2.0, width, radius / 4.0)},
              {Vector3(side * radius, 0.0, -radius / 4.0), Matrix3::Identity()});
  return scene;
}

Simulation run_to(RigidScene& scene, double h, double end, const AnyLaw& law) {
  Simulation sim(scene.model(rig_mid(), h, law));
  while (sim.state().t < end - 0.5 * h) REQUIRE(sim.advance().converged);
  return sim;
}

double kinetic_at_end(RigidScene& scene, double h, double end, const AnyLaw& law) {
  return run_to(scene, h, end, law).state().energy.kinetic;
}

/// How far each joint of an arch has opened on its inner side, from one abutment to the other; negative: on its outer
/// side, the blocks turn about the inner edge [rad].
std::vector<double> inner_openings(const Simulation& sim, int blocks) {
  const auto turned = [&](int i) {  // from x to z
    return i < 0 || i == blocks ? 0.0 : 2.0 * std::atan2(-turn_of(sim, i).y(), turn_of(sim, i).w());
  };
  std::vector<double> open;
  for (int joint = 0; joint <= blocks; ++joint) open.push_back(turned(joint - 1) - turned(joint));
  return open;
}

}  // namespace

TEST_CASE("a block on a table slips and sticks under 8 cos t as it must") {
  const auto table = read_table(golden("solfec/block_on_table.csv"), ',');
  const double h = 1e-3;
  RigidScene scene;
  scene.add(box(Vector3(0.15, 0.15, 0.05), Vector3(3.0, 0.0, 0.05)));
  RigidLoad load;
  load.direction = Vector3::UnitX();
  load.signal = Signal::harmonic(8.0, 1.0);
  scene.system.loads.push_back(load);
  scene.fix(Plane{});
  Simulation sim(scene.model(rig_mid(), h, newton_law(0.0, 0.8)));
  double worst = 0.0, drift = 0.0;
  std::size_t phase = 1;
  while (sim.state().t < 9.0) {
    const Vector3 before = place_of(sim, 0);
    REQUIRE(sim.advance().converged);
    const double t = sim.state().t;
    while (phase < table.size() && t > number(table[phase][2])) ++phase;
    const bool inside =
        t - 2.0 * h > number(table[phase][1]) && t + 2.0 * h < number(table[phase][2]);
    if (table[phase][0] == "stick" && inside) {
      worst = std::max(worst, std::abs(place_of(sim, 0).x() - number(table[phase][3])));
      drift = std::max(drift, (place_of(sim, 0) - before).norm() / h);
    }
    for (const auto& [at, v] :
         {std::pair{0.15, 0.018305059789}, {3.15, -0.021049450900}, {6.15, 0.002675346515}})
      if (std::abs(t - at) < 0.25 * h) CHECK(std::abs(speed_of(sim, 0).x() - v) <= 5e-4);
  }
  MESSAGE(fmt::format("place {:.1e} m off, {:.1e} m/s while it sticks", worst, drift));
  CHECK(worst <= 2e-4);
  CHECK(drift <= 1e-12);
}

TEST_CASE("an arch of 27 blocks stands at h/r = 0.1085 and falls at 0.1050") {
  RigidScene thick = arch(27, 10.0, 1.085, 5.0, 1.0), thin = arch(27, 10.0, 1.050, 5.0, 1.0);
  const double stands = kinetic_at_end(thick, 1e-3, 0.75, newton_law(0.0, 0.5)),
               falls = kinetic_at_end(thin, 1e-3, 0.75, newton_law(0.0, 0.5));
  MESSAGE(fmt::format("kinetic energy {:.1e} and {:.1e} J", stands, falls));
  CHECK(stands < 1e-4);
  CHECK(falls > 1e-3);
}

TEST_CASE("an arch held in its plane moves as the same arch in space") {
  RigidScene space = arch(9, 1.0, 0.09, 0.5, 1000.0), plane = arch(9, 1.0, 0.09, 0.5, 1000.0);
  plane.plane = Vector3::UnitY();
  plane.hold({false, true, false, true, false, true});
  Simulation a(space.model(rig_mid(), 1e-3, newton_law(0.0, 0.6))),
      b(plane.model(rig_mid(), 1e-3, newton_law(0.0, 0.6)));
  double off = 0.0, fallen = 0.0;
  const double start = place_of(a, 4).z();
  for (int n = 0; n < 150; ++n) {
    REQUIRE(a.advance().converged);
    REQUIRE(b.advance().converged);
    for (int i = 0; i < 9; ++i) {
      off = std::max(off, (place_of(a, i) - place_of(b, i)).norm());
      CHECK(speed_of(b, i).y() == 0.0);
    }
    fallen = start - place_of(a, 4).z();
  }
  MESSAGE(fmt::format("{:.1e} m apart after the crown has fallen by {:.2e} m", off, fallen));
  CHECK(off <= 1e-9);
  CHECK(fallen > 1e-4);
}

TEST_CASE("B22: a round arch stands at t/R = 0.112 and falls at 0.103") {
  RigidScene thick = arch(40, 1.0, 0.112, 0.5, 1000.0), thin = arch(40, 1.0, 0.103, 0.5, 1000.0);
  const double stands = kinetic_at_end(thick, 1e-3, 0.4, newton_law(0.0, 0.8));
  thin.plane = Vector3::UnitY();  // hinges are a matter of the plane
  thin.hold({false, true, false, true, false, true});
  const Simulation fallen = run_to(thin, 1e-3, 0.4, newton_law(0.0, 0.8));
  const double falls = fallen.state().energy.kinetic;
  MESSAGE(fmt::format("kinetic energy {:.1e} and {:.1e} J", stands, falls));
  CHECK(stands < 1e-6);
  CHECK(falls > 1e-2);

  // it turns about five hinges: outer edges at crown and springings, inner edges at the haunches
  const std::vector<double> open = inner_openings(fallen, 40);
  const auto joint = [&](auto at) { return static_cast<int>(at - open.begin()); };
  const int right = joint(std::min_element(open.begin(), open.begin() + 20)),
            left = joint(std::min_element(open.begin() + 21, open.end())),
            crown = joint(std::max_element(open.begin() + right, open.begin() + left)),
            first = joint(std::max_element(open.begin(), open.begin() + right)),
            last = joint(std::max_element(open.begin() + left, open.end()));
  const double voussoir = 180.0 / 40, angle = benchmark("B22", "hinge angle from crown");
  MESSAGE(fmt::format("hinges at joints {}, {}, {}, {}, {}; haunches at {:.1f} and {:.1f} degrees",
                      first, right, crown, left, last, 90.0 - voussoir * right,
                      voussoir * left - 90.0));
  CHECK(std::abs(90.0 - voussoir * right - angle) <= voussoir);
  CHECK(std::abs(voussoir * left - 90.0 - angle) <= voussoir);
  CHECK(crown == 20);
  CHECK(first == 0);
  CHECK(last == 40);
  double all = 0.0, hinges = 0.0;
  for (const double turn : open) all += std::abs(turn);
  for (const int j : {first, right, crown, left, last})
    hinges += std::abs(open[static_cast<std::size_t>(j)]);
  MESSAGE(fmt::format("{:.1f} % of all turning is at these hinges", 100.0 * hinges / all));
  CHECK(hinges > 0.95 * all);
}

TEST_CASE("B22: four blocks overhang by 99 % of the harmonic sum and fall at 101 %") {
  const double sum = benchmark("B22", "overhang of harmonic stack n=4: (l/2)(1+1/2+1/3+1/4)");
  for (const double share : {0.99, 1.01}) {
    RigidScene scene;
    scene.limits.tolerance = 1e-10;
    double edge = 0.0;  // of the support under the lowest block
    std::vector<double> x(4);
    for (int i = 0; i < 4; ++i) {  // from below: block i overhangs by l/(2 (4 - i))
      x[static_cast<std::size_t>(i)] = edge - 0.5 + share * 0.5 / (4 - i);
      edge = x[static_cast<std::size_t>(i)] + 0.5;
    }
    CHECK(edge == doctest::Approx(share * sum));
    for (int i = 0; i < 4; ++i)
      scene.add(box(Vector3(0.5, 0.25, 0.1),
                    Vector3(x[static_cast<std::size_t>(i)], 0.0, 0.1 + 0.2 * i)));
    scene.fix(Box{Vector3(2.0, 1.0, 1.0)}, {Vector3(-2.0, 0.0, -1.0), Matrix3::Identity()});
    const double kinetic = kinetic_at_end(scene, 2e-3, 1.0, newton_law(0.0, 0.5));
    CAPTURE(share);
    CAPTURE(kinetic);
    CHECK((kinetic <= 1e-9) == (share < 1.0));
  }
}

TEST_CASE("B22, B10: a block on a tilted plane slides before it topples exactly when mu < b/h") {
  // b/h = 0.2: it topples at tan(tilt) = 0.2 with mu = 0.3, and slides at tan(tilt) = 0.15 with mu = 0.15
  const double near = 0.05 * kPi / 180.0,
               topple = benchmark("B10", "static toppling slope angle") * kPi / 180.0;
  struct Try {
    double mu, angle;
    bool slides, turns;
  };
  const double fine = 0.01 * kPi / 180.0;
  for (const Try& t :
       {Try{0.15, std::atan(0.15) - near, false, false},
        Try{0.15, std::atan(0.15) + near, true, false}, Try{0.3, topple - fine, false, false},
        Try{0.3, topple + fine, false, true}}) {
    RigidScene scene;
    scene.limits.tolerance = 1e-11;
    scene.gravity = kG * Vector3(std::sin(t.angle), 0.0, -std::cos(t.angle));
    scene.add(box(Vector3(0.1, 0.1, 0.5), Vector3(0.0, 0.0, 0.5)));
    scene.fix(Plane{});
    Simulation sim(scene.model(rig_mid(), 1e-3, newton_law(0.0, t.mu)));
    for (int n = 0; n < 300; ++n) REQUIRE(sim.advance().converged);
    CAPTURE(t.angle);
    CAPTURE(t.mu);
    CHECK((speed_of(sim, 0).norm() > 1e-6) == (t.slides || t.turns));
    CHECK((spin_of(sim, 0).norm() > 1e-6) == t.turns);
  }
}

TEST_CASE("B10: a rocking block strikes when, and leaves as fast, as Housner says") {
  const double b = 0.1, half = 0.5, h = 1e-4, alpha = std::atan(b / half), theta0 = 0.5 * alpha;
  CHECK(std::abs(alpha - benchmark("B10", "alpha")) <= 1e-14);
  RigidScene scene;
  scene.limits.tolerance = 1e-11;
  RigidThing block = box(Vector3(b, 0.05, half), Vector3::Zero());
  // turned about y so that it stands on the edge at x = 0
  block.Q = Quaternion(Eigen::AngleAxisd(theta0, Vector3::UnitY()));
  block.x = -(block.Q * Vector3(b, 0.0, -half));
  block.locked = {false, true, false, true, false, true};
  scene.add(block);
  scene.fix(Plane{});
  scene.plane = Vector3::UnitY();
  Simulation sim(scene.model(rig_mid(), h, newton_law(0.0, 10.0)));
  const auto angle = [&] { return 2.0 * std::atan2(turn_of(sim, 0).y(), turn_of(sim, 0).w()); };
  double time = 0.0, speed = 0.0, after = 0.0, amplitude = 0.0, before_angle = angle();
  while (sim.state().t < 1.0) {
    const double w0 = spin_of(sim, 0).y();
    REQUIRE(sim.advance().converged);
    const double now = angle(), w1 = spin_of(sim, 0).y();
    if (time == 0.0 && std::abs(w1) < 0.99 * std::abs(w0)) {
      time = sim.state().t - h + before_angle / -w0;
      speed = std::abs(w0);
      after = std::abs(w1);
    }
    if (time != 0.0) amplitude = std::max(amplitude, -now);
    before_angle = now;
  }
  const auto off = [](double value, const char* what) {
    return value / benchmark("B10", what) - 1.0;
  };
  MESSAGE(fmt::format("time {:.1e}, speed {:.1e}, ratio {:.1e}, amplitude {:.1e}",
                      off(time, "time to first impact (exact nonlinear)"),
                      off(speed, "angular speed just before first impact"),
                      off(after / speed, "velocity ratio over impact 1-1.5 sin^2(alpha)"),
                      off(amplitude, "amplitude after first impact")));
  CHECK(std::abs(off(time, "time to first impact (exact nonlinear)")) <= 1e-4);
  CHECK(std::abs(off(speed, "angular speed just before first impact")) <= 1e-4);
  CHECK(std::abs(off(after / speed, "velocity ratio over impact 1-1.5 sin^2(alpha)")) <= 1e-3);
  CHECK(std::abs(off(amplitude, "amplitude after first impact")) <= 1e-3);
}

TEST_CASE("B15: a thin disc rolls on its rim with its centre at rest") {
  const double a = 0.0381, tilt = kPi / 6.0, h = 2e-5;
  const double W = benchmark("B15", "precession rate of the contact point");
  RigidScene scene;
  scene.margin = 1e-7;
  scene.limits.tolerance = 1e-12;
  RigidBody disc;
  disc.mass = 1.0;
  disc.inertia = Vector3(0.25 * a * a, 0.25 * a * a, 0.5 * a * a).asDiagonal();
  RigidThing thing{Cylinder{a, 1e-8 * a}};
  // the axis leans in the xz plane; the contact is at -x
  thing.Q = Quaternion(Eigen::AngleAxisd(-tilt, Vector3::UnitY()));
  const Matrix3 R = thing.Q.toRotationMatrix();
  const Vector3 rim = R * Vector3(-a, 0.0, -1e-8 * a);
  thing.x = Vector3(0.0, 0.0, -rim.z());
  // omega along the diameter through the contact, so that the contact point rests
  thing.Omega = Vector3(W * std::sin(tilt), 0.0, 0.0);
  scene.add(disc, thing);
  scene.fix(Plane{});
  // Both rows of the mean velocity: a contact that rolls on then does no work in the middle of the step.
  NewtonImpact law = newton_law(1.0, 1.0);
  law.restitution_tangential = 1.0;
  law.activation.kind = ActivationKind::siconos;  // u1 + u0 while it carries load too
  Simulation sim(scene.model(rig_mid(), h, law));
  const double energy0 = sim.state().energy.total();
  double heading = 0.0, last = 0.0, largest = 0.0, least = 1e9;
  const double end = 20.0 * kPi / W;
  while (sim.state().t < end) {
    REQUIRE(sim.advance().converged);
    const Vector3 axis = turn_of(sim, 0) * Vector3::UnitZ();
    const double now = std::atan2(axis.y(), axis.x());
    const double step = std::remainder(now - last, 2.0 * kPi);
    if (sim.state().step > 1) heading += step;
    last = now;
    const double omega = spin_of(sim, 0).norm();
    largest = std::max(largest, omega);
    least = std::min(least, omega);
  }
  const double rate = heading / (sim.state().t - h);
  MESSAGE(fmt::format(
      "precession {:.2e}, omega {:.2e} .. {:.2e}, energy {:.1e} relative, centre {:.1e} m",
      std::abs(rate) / W - 1.0, least / (W * std::sin(tilt)) - 1.0,
      largest / (W * std::sin(tilt)) - 1.0, sim.state().energy.total() / energy0 - 1.0,
      place_of(sim, 0).head<2>().norm()));
  CHECK(std::abs(std::abs(rate) / W - 1.0) <= 1e-4);
  CHECK(std::abs(largest / (W * std::sin(tilt)) - 1.0) <= 1e-4);
  CHECK(std::abs(sim.state().energy.total() / benchmark("B15", "energy per mass 1.5*g*a*sin(th)") -
                 1.0) <= 1e-6);
}
