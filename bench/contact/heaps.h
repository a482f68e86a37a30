// Heaps of discs and balls on the ground.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/contact/families.h"

namespace saltus_bench {

/// Layers on a lattice, triangular in the plane and of close-packed balls in space, with radii that differ by 4 %,
/// places that are off by 1 % and some left empty; neighbours touch where their gap is small. Filled from below until
/// there are `contacts`. Opening: every ball moves from a point c deep in the ground, v = x - c, so that two balls that
/// touch part along their normal, and on the ground u_N >= depth of c >= 2 |x_T| >= 2 |u_T|.
inline RigidScene heap(int contacts, bool plane, bool rolling, Random& random) {
  Builder make(plane, rolling);
  const double r = random.log_uniform(1e-3, 0.1), s = 1.96 * r;
  const double size = plane ? std::sqrt(contacts) : std::cbrt(contacts / 1.3);
  const int base = std::max(2, static_cast<int>(size * random.uniform(1.1, 1.6)));
  const double touching = random.uniform(0.01, 0.03) * r, empty = random.uniform(0.0, 0.08);
  const double layer = plane ? 0.5 * std::sqrt(3.0) * s : s / std::sqrt(2.0);

  std::vector<double> radius;
  std::vector<int> below, here;  // bodies of a layer by place, -1: none
  const auto join = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
    const Vector3 apart = make.scene.bodies[ib].centre - make.scene.bodies[ia].centre;
    const double distance = apart.norm(), gap = distance - radius[ia] - radius[ib];
    if (gap > touching) return;
    const Vector3 n = apart / distance;
    make.scene.touch(a, b, make.scene.bodies[ia].centre + (radius[ia] + 0.5 * gap) * n, n);
    make.scene.touches.back().gap = std::max(gap, 0.0);
  };
  for (int k = 0; k < base && static_cast<int>(make.scene.touches.size()) < contacts; ++k) {
    const int width = base - k, depth = plane ? 1 : width;
    here.assign(static_cast<std::size_t>(width * depth), -1);
    const auto place = [](const std::vector<int>& of, int wide, int deep, int i, int j) {
      return i < 0 || j < 0 || i >= wide || j >= deep ? -1
                                                      : of[static_cast<std::size_t>(j * wide + i)];
    };
    for (int j = 0; j < depth; ++j)
      for (int i = 0; i < width; ++i) {
        if (static_cast<int>(make.scene.touches.size()) >= contacts || random.chance(empty))
          continue;
        const double own = r * random.uniform(0.96, 1.0);
        const auto off = [&] { return 0.01 * r * random.uniform(-1.0, 1.0); };
        const double x = (i + 0.5 * k) * s + off(), y = plane ? 0.0 : (j + 0.5 * k) * s + off();
        const double z = k == 0 ? own + std::abs(off()) : r + k * layer + off();
        const double volume =
            plane ? std::numbers::pi * own * own : 4.0 / 3.0 * std::numbers::pi * own * own * own;
        const int ball = make.ball(make.at(x, y, z), own, 2500.0 * volume);
        radius.push_back(own);
        here[static_cast<std::size_t>(j * width + i)] = ball;
        if (k == 0) {
          make.scene.touch(kWorld, ball, make.at(x, y, 0.0), make.scene.up());
          make.scene.touches.back().gap = z - own;
        }
        join(place(here, width, depth, i - 1, j), ball);
        if (!plane) join(place(here, width, depth, i, j - 1), ball);
        for (int dj = 0; k > 0 && dj <= (plane ? 0 : 1); ++dj)
          for (int di = 0; di <= 1; ++di)
            join(place(below, width + 1, plane ? 1 : depth + 1, i + di, j + dj), ball);
      }
    below.swap(here);
  }
  const double middle = 0.5 * base * s;
  const Vector3 c = make.at(middle, middle, -2.0 * kMostFriction * base * s);
  for (RigidBody& body : make.scene.bodies) body.opening = body.centre - c;
  if (plane)
    for (RigidBody& body : make.scene.bodies) body.opening[2] = 0.0;
  if (rolling)
    for (Touch& touch : make.scene.touches) touch.rolling = r * random.log_uniform(1e-3, 0.3);
  return make.scene;
}

}  // namespace saltus_bench
