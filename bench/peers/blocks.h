// Scenes of boxes and balls, built alike in the worlds of ODE and Bullet: plane(), floor(), box(), ball(), step(),
// places().
#pragma once
#include <string>
#include <vector>

#include "peer.h"
#include "penetration.h"

namespace peers {

/// The heap from its start to its end: the time is that of the steps alone, its balls are looked at after each.
template <class Step, class Places>
Outcome march_heap(double h, Step&& step, Places&& places) {
  using namespace scenes::heap;
  Outcome outcome;
  HeapLook look;
  std::vector<double> centres;
  outcome.steps = steps_to(end, h);
  for (long k = 0; k < outcome.steps; ++k) {
    const Clock clock;
    step(h);
    outcome.seconds += clock.seconds();
    centres.clear();
    places(centres);
    look.at(centres);
  }
  outcome.values = look.values();
  return outcome;
}

/// The pile from its start to its end; where its balls are at `seen` and at the end.
template <class World>
Outcome march_seen(World& world, double h) {
  using namespace scenes::pile;
  const long total = steps_to(end, h), look = steps_to(seen, h);
  Outcome outcome;
  const Clock clock;
  for (long k = 1; k <= total; ++k) {
    world.step(h);
    if (k == look || k == total) world.places(outcome.values);
  }
  outcome.seconds = clock.seconds();
  outcome.steps = total;
  return outcome;
}

template <class World>
Outcome stack_of(double h, const std::string& method) {
  using namespace scenes::stack;
  World world(method, friction);
  world.floor();
  const double sides[] = {half, half, half};
  for (int k = 0; k < cubes; ++k)
    world.box(density * 8.0 * half * half * half, sides, 0.0, 0.0, half * (2 * k + 1));
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

template <class World>
Outcome wall_of(double h, const std::string& method) {
  using namespace scenes::wall;
  World world(method, friction);
  world.floor();
  for (const auto& b : bricks_at)
    world.box(density * 8.0 * b[3] * b[4] * b[5], b + 3, b[0], b[1], b[2]);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

template <class World>
Outcome pile_of(double h, const std::string& method) {
  using namespace scenes::pile;
  World world(method, friction);
  world.plane(0, 0, 1, 0);
  world.plane(1, 0, 0, -half);
  world.plane(-1, 0, 0, -half);
  world.plane(0, 1, 0, -half);
  world.plane(0, -1, 0, -half);
  for (const auto& c : centres)
    world.ball(density * 4.0 / 3.0 * M_PI * radius * radius * radius, radius, c[0], c[1], c[2]);
  return march_seen(world, h);
}

template <class World>
Outcome heap_of(double h, const std::string& method) {
  using namespace scenes::heap;
  World world(method, friction);
  world.gravity(gravity[0], gravity[1], gravity[2]);
  world.plane(0, 0, 1, 0);
  world.plane(1, 0, 0, -half);
  world.plane(-1, 0, 0, -half);
  world.plane(0, 1, 0, -half);
  world.plane(0, -1, 0, -half);
  for (int l = 0; l < side; ++l)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        world.ball(density * 4.0 / 3.0 * M_PI * radius * radius * radius, radius,
                   first[0] + i * spacing, first[1] + j * spacing, first[2] + l * spacing);
  return march_heap(
      h, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

}  // namespace peers
