// The same scenes by steps alone, by events alone, and by events with hand-over: what changing lanes costs beside the better of the
// two. Each benchmark runs the three in turn; counters: seconds of each, -1 where it does not come to the end, and the ratio.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

#include "saltus/bodies/rigid.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/scene/build.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace {

using namespace saltus;
using Clock = std::chrono::steady_clock;

/// Seconds of a run to `end`, -1 where it fails or takes longer than `most` [s].
double seconds(const ModelParts& parts, double end, double most, int& handed, long& events) {
  Simulation sim{Model(parts)};
  handed = 0;
  events = 0;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (sim.state().t < end - 0.5 * parts.options.h) {
    const StepReport report = sim.advance();
    if (!report.finite || !report.converged) return -1.0;
    events += report.events;
    for (const Event& e : sim.events()) handed += e.kind == Event::Kind::hand_over;
    if (passed() > most) return -1.0;
  }
  return passed();
}

void compare(benchmark::State& bench, ModelParts parts, double end, double tolerance) {
  constexpr double kMost = 120.0;
  double best = 1e300, stepping = -1.0, events = -1.0, both = -1.0;
  int handed = 0;
  long count = 0;
  parts.options.end = end;
  parts.options.events.tolerance = tolerance;
  for (auto _ : bench) {
    parts.options.lane = Lane::stepping;
    stepping = seconds(parts, end, kMost, handed, count);
    parts.options.lane = Lane::events;
    parts.options.events.hand_over = false;
    events = seconds(parts, end, kMost, handed, count);
    parts.options.events.hand_over = true;
    both = seconds(parts, end, kMost, handed, count);
  }
  for (const double s : {stepping, events})
    if (s >= 0.0) best = std::min(best, s);
  bench.counters["stepping_s"] = stepping;
  bench.counters["events_s"] = events;
  bench.counters["hand_over_s"] = both;
  bench.counters["ratio"] = both / best;
  bench.counters["hand_overs"] = handed;
  bench.counters["events"] = static_cast<double>(count);
}

/// Balls of 20 mm that fall into a box and settle.
ModelParts pile(int across, int up, double h) {
  ModelParts parts;
  RigidSystem system;
  system.gravity = Vector3(0.0, 0.0, -9.81);
  const double r = 0.01, pitch = 0.0225, half = 0.5 * pitch * across + 0.002, m = 0.0105;
  std::vector<Vector3> places;
  for (int z = 0; z < up; ++z)
    for (int y = 0; y < across; ++y)
      for (int x = 0; x < across; ++x) {
        const auto i = static_cast<double>(places.size());
        places.emplace_back((x - 0.5 * (across - 1)) * pitch + 1e-3 * std::sin(1.0 + 2.3 * i),
                            (y - 0.5 * (across - 1)) * pitch + 1e-3 * std::sin(2.0 + 3.1 * i),
                            0.012 + 0.024 * z);
      }
  GroupState state;
  const auto n = static_cast<Eigen::Index>(places.size());
  state.q.setZero(7 * n);
  state.v.setZero(6 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    RigidBody ball;
    ball.mass = m;
    ball.inertia = 0.4 * m * r * r * Matrix3::Identity();
    system.bodies.push_back(ball);
    state.q.segment<3>(7 * i) = places[static_cast<std::size_t>(i)];
    state.q[7 * i + 3] = 1.0;
    parts.surfaces.frames.push_back({0, static_cast<int>(i), "ball"});
    parts.surfaces.colliders.push_back({Sphere{r}, {}, static_cast<int>(i), 0});
  }
  parts.groups.push_back(
      {"balls", "rigid", std::make_shared<Rigid>(system), make_scheme(RigMidOptions{}), {}});
  parts.initial.push_back(state);
  parts.surfaces.colliders.push_back({Plane{}, {}, -1, 0});
  for (const double side : {-1.0, 1.0})
    for (const Vector3& axis : {Vector3(Vector3::UnitX()), Vector3(Vector3::UnitY())}) {
      Pose wall;
      wall.R.col(2) = side * axis;
      wall.R.col(0) = Vector3::UnitZ();
      wall.R.col(1) = (side * axis).cross(Vector3::UnitZ());
      wall.x = -half * side * axis;
      parts.surfaces.colliders.push_back({Plane{}, wall, -1, 0});
    }
  ContactLaw law;
  law.rule = ContactLaw::Rule::newton_impact;
  law.restitution = 0.3;
  law.friction = 0.3;
  parts.laws = {law};
  parts.surfaces.law = {0};
  parts.surfaces.margin = 1e-3;
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  parts.options.instant = ContactInstant::middle;
  parts.options.contact = {1e-8, 500};
  parts.options.on_failure = OnFailure::accept;
  return parts;
}

void lanes_pile_of_40(benchmark::State& bench) {
  ModelParts parts = pile(2, 10, 1e-3);
  parts.options.events.closed = 20;
  compare(bench, std::move(parts), 1.0, 1e-6);
}
void lanes_rattling_slider_crank(benchmark::State& bench) {
  const Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml", {});
  compare(bench, build(scene).parts(), 24e-3, 1e-9);
}
BENCHMARK(lanes_pile_of_40)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(lanes_rattling_slider_crank)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
