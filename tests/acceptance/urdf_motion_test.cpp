// A robot of a URDF file moves as the scene that one would have written by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/import/urdf.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

using namespace saltus;

namespace {

struct MovingRobot {
  std::string name;
  std::optional<UrdfBase> base;
  std::string pushed;                    ///< body that starts with a motion, "": gravity alone
  std::array<double, 3> velocity, spin;  ///< of it [m/s], [rad/s]; joints let pass what they can
};

std::filesystem::path urdf_folder() {
  return std::filesystem::path(SALTUS_TEST_DATA) / "golden" / "urdf";
}

Scene with_push(Scene scene, const MovingRobot& robot) {
  for (BodySpec& body : scene.spec.bodies) {
    if (body.name != robot.pushed) continue;
    body.rigid->velocity = robot.velocity;
    body.rigid->spin = robot.spin;
  }
  return scene;
}

/// Largest distance of two places [m] and two quaternions, either sign, over all bodies.
double distance(const State& a, const State& b) {
  double largest = 0.0;
  REQUIRE(a.groups.size() == b.groups.size());
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    const Vector &p = a.groups[g].q, &q = b.groups[g].q;
    REQUIRE(p.size() == q.size());
    for (Eigen::Index i = 0; i < p.size(); i += 7) {
      const Eigen::Vector4d P = p.segment<4>(i + 3), Q = q.segment<4>(i + 3);
      largest = std::max({largest, (p.segment<3>(i) - q.segment<3>(i)).norm(),
                          std::min((P - Q).norm(), (P + Q).norm())});
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("three robots move for 1 s as the scenes made by hand, to 1e-10") {
  const MovingRobot robots[] = {
      {"arm", UrdfBase::fixed, "", {}, {}},
      {"quadruped", UrdfBase::free, "trunk", {0.3, 0.0, 2.0}, {1.0, -2.0, 0.5}},
      {"gripper", std::nullopt, "left_finger", {-0.3, 0.4, 0.15}, {}}};
  for (const MovingRobot& robot : robots) {
    CAPTURE(robot.name);
    const std::filesystem::path folder = urdf_folder();
    Scene made;
    made.folder = folder;
    made.spec =
        import_urdf(folder / (robot.name + ".urdf"), {.base = robot.base, .scene_folder = folder})
            .spec;
    Simulation import(build(with_push(made, robot)));
    Simulation hand(build(with_push(read_scene(folder / (robot.name + ".yaml")), robot)));
    const State start = hand.state();
    CHECK(distance(import.state(), start) <= 1e-14);
    double worst = 0.0, moved = 0.0;
    for (int step = 0; step < 1000; ++step) {
      const StepReport one = import.advance(), other = hand.advance();
      REQUIRE(one.converged);
      REQUIRE(other.converged);
      worst = std::max(worst, distance(import.state(), hand.state()));
      moved = std::max(moved, distance(hand.state(), start));
    }
    CHECK(worst <= 1e-10);
    CHECK(moved >= 0.01);  // they do move
    MESSAGE(robot.name << ": moved by " << moved << ", largest difference " << worst);
  }
}

TEST_CASE("the arm of the examples is its URDF file with velocities for the motors") {
  const std::filesystem::path folder(SALTUS_EXAMPLES);
  SceneSpec example = read_scene(folder / "arm.yaml").spec;
  const SceneSpec made =
      import_urdf(folder / "arm.urdf", {.base = UrdfBase::fixed, .motors = true}).spec;
  example.title = made.title;
  for (JointSpec& joint : example.joints) joint.turn->motor->velocity = 0.0;
  CHECK(example == made);
}

TEST_CASE("motors of the arm keep their velocities, the hand sags to the stop of its weak wrist") {
  Simulation sim(build(read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "arm.yaml")));
  const double h = 1e-3, velocity[] = {1.0, 0.6, -0.8, 0.0};
  double before[4];
  for (int step = 0; step < 1000; ++step) {
    for (int i = 0; i < 4; ++i) before[i] = sim.probe(i);
    REQUIRE(sim.advance().converged);
  }
  // angles of a midpoint rule grow by velocity * h up to (velocity * h)^3
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(std::abs((sim.probe(i) - before[i]) / h - velocity[i]) <= h * h);
  }
  // the first steps go into speeding up
  for (int i = 0; i < 3; ++i) CHECK(std::abs(sim.probe(i) - velocity[i]) <= 0.02);
  CHECK(std::abs(sim.probe(3) + 0.9) <= 1e-3);
}
