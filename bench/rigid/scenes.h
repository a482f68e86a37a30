// Scenes of rigid bodies, the same for every engine. z is up, SI units, nothing but numbers.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contact/random.h"

namespace saltus_bench {

using Triple = std::array<double, 3>;

/// A ball or a box of uniform density.
struct Solid {
  bool ball = false;
  Triple half{};      ///< half lengths of a box, the radius of a ball three times [m]
  Triple centre{};    ///< [m]
  double yaw = 0.0;   ///< about z [rad]
  double mass = 0.0;  ///< [kg]; 0: fixed
};

struct Scene {
  std::string name;
  std::vector<Solid> bodies, fixed;
  int released = 0;      ///< so many at the end of `fixed` are taken away ...
  double release = 0.0;  ///< ... at this time [s]
  Triple gravity{0.0, 0.0, -9.81};
  double friction = 0.5;           ///< [1]
  double rolling = 0.0;            ///< moment of rolling friction by normal force [m]
  double size = 0.0;               ///< smallest radius or half length of a body [m]
  double step = 5e-3, end = 10.0;  ///< [s]
  double timed = 0.0;              ///< steps from here on are timed [s]
  double creep = 0.0;              ///< from here on nothing should move [s]
};

namespace scene_parts {

constexpr double kDensity = 2500.0;  // [kg/m^3]

inline Solid box(const Triple& centre, const Triple& half, bool fixed = false) {
  return {false, half, centre, 0.0, fixed ? 0.0 : 8.0 * kDensity * half[0] * half[1] * half[2]};
}
inline Solid ball(const Triple& centre, double r) {
  return {true, {r, r, r}, centre, 0.0, 4.0 / 3.0 * std::numbers::pi * kDensity * r * r * r};
}
/// z <= 0 as far as `half` from the origin.
inline Solid floor(double half) { return box({0.0, 0.0, -0.5}, {half, half, 0.5}, true); }

/// Walls round the square |x|, |y| <= half, from z = 0 up to `height`.
inline void add_walls(Scene& scene, double half, double height) {
  const double thick = 0.5, out = half + thick, h = 0.5 * height;
  for (const double side : {-1.0, 1.0}) {
    scene.fixed.push_back(box({side * out, 0.0, h}, {thick, out + thick, h}, true));
    scene.fixed.push_back(box({0.0, side * out, h}, {half, thick, h}, true));
  }
}

/// Balls of radius 0.9 r to r on a cubic lattice of spacing 2.2 r, off by up to 0.1 r, layer by layer over the places that
/// inside(x, y) admits, until there are `count`. None touches another.
template <class Inside>
void add_balls(Scene& scene, int count, double r, double half, double base, Random& random,
               const Inside& inside) {
  const double spacing = 2.2 * r;
  const int side = static_cast<int>(2.0 * half / spacing + 1e-9);
  const double first = -0.5 * spacing * (side - 1);
  for (int layer = 0; static_cast<int>(scene.bodies.size()) < count; ++layer)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const double x = first + i * spacing, y = first + j * spacing;
        if (static_cast<int>(scene.bodies.size()) == count || !inside(x, y)) continue;
        const double own = r * random.uniform(0.9, 1.0), off = 0.1 * r;
        const Triple centre{x + off * random.uniform(-1.0, 1.0),
                            y + off * random.uniform(-1.0, 1.0),
                            base + 1.1 * r + layer * spacing + off * random.uniform(-1.0, 1.0)};
        scene.bodies.push_back(ball(centre, own));
      }
}

/// Cubes of 1 m, one on the other.
inline Scene stack(int cubes) {
  Scene scene;
  scene.fixed.push_back(floor(10.0));
  for (int i = 0; i < cubes; ++i) scene.bodies.push_back(box({0.0, 0.0, 0.5 + i}, {0.5, 0.5, 0.5}));
  scene.size = 0.5;
  scene.timed = scene.creep = 5.0;
  return scene;
}

/// Running bond of 0.4 x 0.2 x 0.2 m bricks with head joints open by 4 mm: courses of `length` bricks, and of length - 1
/// between two halves. Ten such pairs of 20 have 410 bricks.
inline Scene wall(int courses, int length) {
  Scene scene;
  const double joint = 4e-3, pitch = 0.4 + joint, left = -0.5 * length * pitch;
  scene.fixed.push_back(floor(10.0));
  const auto brick = [&](double x, double width, int course) {  // from x on, with its joint
    scene.bodies.push_back(
        box({left + x + 0.5 * (width + joint), 0.0, 0.1 + 0.2 * course}, {0.5 * width, 0.1, 0.1}));
  };
  for (int k = 0; k < courses; ++k) {
    const bool odd = k % 2 == 1;
    if (odd) brick(0.0, 0.5 * pitch - joint, k);
    for (int i = 0; i < length - (odd ? 1 : 0); ++i) brick(pitch * (i + (odd ? 0.5 : 0.0)), 0.4, k);
    if (odd) brick(pitch * (length - 0.5), 0.5 * pitch - joint, k);
  }
  scene.size = 0.1;
  scene.timed = scene.creep = 5.0;
  return scene;
}

/// side^3 balls that fall together in a square container. Time is taken from 2 s on, when they rest.
inline Scene pile(int side) {
  Scene scene;
  Random random(static_cast<std::uint64_t>(side));
  const double r = 0.05, half = 1.1 * r * side;
  scene.fixed.push_back(floor(half));
  add_walls(scene, half, 4.0 * half);
  add_balls(scene, side * side * side, r, half, 0.0, random, [](double, double) { return true; });
  scene.size = 0.9 * r;
  scene.timed = scene.creep = 2.0;
  scene.end = 2.5;
  return scene;
}

/// 2000 balls in a tube that is taken away after 1.5 s. Run-out: Lube et al., J. Fluid Mech. 508 (2004) 175-199.
constexpr double kTube = 0.82;  ///< inner radius [m]
inline Scene column() {
  Scene scene;
  Random random(2000);
  const double r = 0.05;
  scene.fixed.push_back(floor(6.0));
  const int walls = 24;
  const double thick = 0.1, wide = (kTube + 2.0 * thick) * std::tan(std::numbers::pi / walls);
  for (int k = 0; k < walls; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / walls, out = kTube + thick;
    Solid wall = box({out * std::cos(angle), out * std::sin(angle), 1.5}, {thick, wide, 1.5}, true);
    wall.yaw = angle;
    scene.fixed.push_back(wall);
  }
  scene.released = walls;
  scene.release = 1.5;
  add_balls(scene, 2000, r, kTube, 0.0, random,
            [&](double x, double y) { return std::hypot(x, y) < kTube - 1.15 * r; });
  scene.rolling = 0.02 * r;
  scene.size = 0.9 * r;
  scene.timed = 1.5;
  scene.creep = 4.0;
  scene.end = 4.5;
  return scene;
}

/// 4000 balls over a square hole in a flat floor, `orifice` mean diameters wide, shut for 1.5 s.
constexpr double kMeanDiameter = 0.095;  // [m]
inline Scene silo(double orifice) {
  Scene scene;
  Random random(4000);
  const double r = 0.05, half = 0.88, hole = 0.5 * orifice * kMeanDiameter,
               rim = 0.5 * (half - hole);
  for (const double side : {-1.0, 1.0}) {
    scene.fixed.push_back(box({side * (hole + rim), 0.0, -0.05}, {rim, half, 0.05}, true));
    scene.fixed.push_back(box({0.0, side * (hole + rim), -0.05}, {hole, rim, 0.05}, true));
  }
  add_walls(scene, half, 4.0);
  scene.fixed.push_back(box({0.0, 0.0, -0.05}, {hole, hole, 0.05}, true));
  scene.released = 1;
  scene.release = 1.5;
  add_balls(scene, 4000, r, half, 0.0, random, [](double, double) { return true; });
  scene.size = 0.9 * r;
  scene.timed = 1.5;
  scene.creep = scene.end = 5.0;
  return scene;
}

}  // namespace scene_parts

constexpr std::array<std::string_view, 8> kScenes{"stack10",    "wall410", "pile1000", "pile8000",
                                                  "column2000", "silo5",   "silo6.5",  "silo8"};

inline std::optional<Scene> scene_of(std::string_view name) {
  using namespace scene_parts;
  Scene scene;
  if (name == "stack10")
    scene = stack(10);
  else if (name == "wall410")
    scene = wall(20, 20);
  else if (name == "pile1000")
    scene = pile(10);
  else if (name == "pile8000")
    scene = pile(20);
  else if (name == "column2000")
    scene = column();
  else if (name == "silo5")
    scene = silo(5.0);
  else if (name == "silo6.5")
    scene = silo(6.5);
  else if (name == "silo8")
    scene = silo(8.0);
  else
    return {};
  scene.name = name;
  return scene;
}

}  // namespace saltus_bench
