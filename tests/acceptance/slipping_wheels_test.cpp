// Wheels carry a load that rigid bodies share in any way; those that slip turn the car by how it is shared.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

struct Car {
  double heading = 0.0;  ///< [rad], from x to y
  double radius = 0.25;  ///< of its wheels [m]
  double rate = 6.0;     ///< of those that are driven [rad/s]
  bool rear = true, front = false;
  std::string step = "1 ms";
  double chassis = 150.0;  ///< [kg]
  double friction = 0.6;
  double far = 0.0;    ///< where it starts, along x and y [m]
  bool balls = false;  ///< its wheels are spheres
  std::string scheme;  ///< of its wheels; empty: that of the chassis, in one group
  std::string end = "0.8 s";
};

std::string scene_of(const Car& car) {
  const double c = std::cos(car.heading), s = std::sin(car.heading), R = car.radius;
  const auto place = [&](double x, double y, double z) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", car.far + c * x - s * y,
                       car.far + s * x + c * y, z);
  };
  std::string text = fmt::format(R"(
saltus: 1
time: {{end: {}, step: {}}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: chassis, kind: rigid, rigid: {{shape: {{box: {{size: [1.8, 0.8, 0.15]}}}}, mass: {}, position: {}, rotation: {{axis: [0, 0, 1], angle: {:.17g}}}}}}}
)",
                                 car.end, car.step, car.chassis, place(0, 0, R + 0.1), car.heading);
  std::string joints;
  int k = 0;
  for (const double x : {-0.7, 0.7})
    for (const double y : {-0.55, 0.55}) {
      const std::string shape =
          car.balls ? fmt::format("{{sphere: {{radius: {}}}}}", R)
                    : fmt::format(
                          "{{cylinder: {{radius: {}, length: 0.12}}, rotation: {{axis: [{:.17g}, "
                          "{:.17g}, 0], angle: 90 deg}}}}",
                          R, c, s);
      text += fmt::format(
          "  - {{name: w{}, kind: rigid, {}rigid: {{shape: {}, mass: 7, position: {}}}}}\n", k,
          car.scheme.empty() ? "" : "scheme: " + car.scheme + ", ", shape, place(x, y, R));
      const bool driven = x < 0.0 ? car.rear : car.front;
      joints += fmt::format(
          "  - {{name: j{0}, kind: revolute, between: [chassis, w{0}], at: {1}, axis: [{2:.17g}, "
          "{3:.17g}, 0]{4}}}\n",
          k, place(x, y, R), -s, c,
          driven ? fmt::format(", turn: {{drive: {{rate: {}}}}}", car.rate) : "");
      ++k;
    }
  return text +
         fmt::format("surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]\njoints:\n",
                     car.friction) +
         joints;
}

struct Path {
  double aside = 0.0, speed = 0.0;  ///< across its heading [m], along it at the end [m/s]
  int iterations = 0;
  bool converged = false;
};

Path drive(const Car& car) {
  const double c = std::cos(car.heading), s = std::sin(car.heading);
  Path path;
  const Shown shown =
      run_text(scene_of(car), {}, [&](const Simulation& sim, const StepReport& report) {
        const State& state = sim.state();
        // the chassis is the first of the bodies that move
        const auto& moving = car.scheme.empty() ? state.groups.back() : state.groups.front();
        path.aside = std::max(path.aside,
                              std::abs(c * (moving.q[1] - car.far) - s * (moving.q[0] - car.far)));
        path.speed = c * moving.v[0] + s * moving.v[1];
        path.iterations = std::max(path.iterations, report.iterations);
      });
  path.converged = shown.converged;
  return path;
}

}  // namespace

TEST_CASE("a car whose driven wheels slip goes straight, and rolls as they turn") {
  Car front;
  front.rear = false;
  front.front = true;
  Car all;
  all.front = true;
  Car turned;
  turned.heading = 2.1;
  Car longer;
  longer.step = "2 ms";
  longer.friction = 0.4;
  longer.end = "1 s";
  Car heavy;
  heavy.chassis = 2e4;
  Car away;
  away.far = 300.0;
  away.end = "0.4 s";
  for (const Car& car : {Car{}, front, all, turned, longer, heavy}) {
    CAPTURE(car.heading);
    CAPTURE(car.chassis);
    CAPTURE(car.front);
    const Path path = drive(car);
    CHECK(path.converged);
    CHECK(path.aside < 1e-8);
    CHECK(path.speed == doctest::Approx(car.radius * car.rate).epsilon(1e-4));
    if (!(car.rear && car.front)) CHECK(path.iterations < 1500);
  }
  CHECK(drive(away).aside < 1e-8);
}

TEST_CASE("spheres for wheels share the load alike") {
  Car car;
  car.balls = true;
  const Path path = drive(car);
  CHECK(path.converged);
  CHECK(path.aside < 1e-4);
  CHECK(path.speed == doctest::Approx(car.radius * car.rate).epsilon(1e-4));
}

TEST_CASE("a car whose wheels are of another group than its chassis goes as straight") {
  for (const char* scheme : {"rig-neg", "rig-pos"})
    for (const bool front : {false, true}) {
      CAPTURE(scheme);
      CAPTURE(front);
      Car car;
      car.scheme = scheme;
      car.front = front;
      car.heading = 0.7;
      car.rate = 5.0;
      car.radius = 0.22;
      const Path path = drive(car);
      CHECK(path.converged);
      CHECK(path.aside < 1e-8);
      CHECK(path.speed == doctest::Approx(car.radius * car.rate).epsilon(1e-4));
      CHECK(path.iterations < 1500);
    }
}

}  // namespace saltus::test
