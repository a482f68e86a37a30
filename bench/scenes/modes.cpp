// The same scenes by steps alone, by events alone, and by events with hand-over: what changing the mode costs beside the better of the
// two. Each benchmark runs the three in turn; counters: CPU seconds of each, -1 where it does not come to the end, and the ratio to
// the better one. Where modes differ in what they can know, errors are counters too: the largest distance of a body from where the
// event-driven integration has it at a tolerance of 1e-12.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Lap {
  double seconds = -1.0;  ///< of CPU; -1: it failed, or took longer than allowed
  int handed = 0;
  long events = 0;
  std::vector<Vector> q;  ///< of each group, at times kSpacing apart
};
constexpr double kSpacing = 5e-5;  ///< [s]

/// A run to `end`, at most `most` seconds of CPU.
Lap lap(const ModelParts& parts, double end, double most) {
  Simulation sim{Model(parts)};
  Lap lap;
  const double start = cpu_seconds();
  double seen = 0.0;
  while (sim.state().t < end - 0.5 * parts.options.h) {
    const StepReport report = sim.advance();
    if (!report.finite || !report.converged) return {};
    lap.events += report.events;
    for (const Event& e : sim.events()) lap.handed += e.kind == Event::Kind::hand_over;
    if (sim.state().t > seen + kSpacing - 0.5 * parts.options.h) {
      seen += kSpacing;
      for (const GroupState& group : sim.state().groups) lap.q.push_back(group.q);
    }
    if (cpu_seconds() - start > most) return {};
  }
  lap.seconds = cpu_seconds() - start;
  return lap;
}

/// Largest distance of a body over the instants both have [m].
double distance(const Lap& a, const Lap& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < std::min(a.q.size(), b.q.size()); ++k)
    for (Eigen::Index i = 0; i + 7 <= a.q[k].size(); i += 7)
      most = std::max(most, (a.q[k].segment<3>(i) - b.q[k].segment<3>(i)).norm());
  return most;
}

void compare(benchmark::State& bench, ModelParts parts, double end, double tolerance) {
  constexpr double kMost = 120.0;
  Lap stepping, events, both;
  parts.options.end = end;
  parts.options.events.tolerance = tolerance;
  for (auto _ : bench) {
    parts.options.mode = TimeMode::stepping;
    stepping = lap(parts, end, kMost);
    parts.options.mode = TimeMode::events;
    parts.options.events.hand_over = false;
    events = lap(parts, end, kMost);
    parts.options.events.hand_over = true;
    both = lap(parts, end, kMost);
  }
  double best = 1e300;
  for (const Lap* one : {&stepping, &events})
    if (one->seconds >= 0.0) best = std::min(best, one->seconds);
  bench.counters["stepping_s"] = stepping.seconds;
  bench.counters["events_s"] = events.seconds;
  bench.counters["hand_over_s"] = both.seconds;
  bench.counters["ratio"] = both.seconds / best;
  bench.counters["hand_overs"] = both.handed;
  bench.counters["events"] = static_cast<double>(both.events);
}

/// 64 balls that fall into a box and settle.
constexpr const char* kPile = R"(
saltus: 1
time: {end: 1.5 s, step: 2 ms, mode: events, tolerance: 1e-6}
gravity: [0, 0, -9.81]
bodies:
  - name: ball
    kind: rigid
    rigid:
      shape: {sphere: {radius: 0.1 m}}
      density: 1000
      position: [-0.35, -0.35, 0.15]
      copies: {count: [4, 4, 4], spacing: [0.213, 0.217, 0.222]}
  - name: box
    kind: rigid
    rigid:
      fixed: true
      shapes:
        - {plane: {}}
        - {plane: {point: [-0.5, 0, 0], normal: [1, 0, 0.1]}}
        - {plane: {point: [0.5, 0, 0], normal: [-1, 0, 0.1]}}
        - {plane: {point: [0, -0.5, 0], normal: [0, 1, 0.1]}}
        - {plane: {point: [0, 0.5, 0], normal: [0, -1, 0.1]}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.3, friction: 0.4}}
)";

void lanes_pile_of_64(benchmark::State& bench) {
  compare(bench, build(read_scene_text(kPile, "pile.yaml")).parts(), 1.5, 1e-6);
}
/// Steps of 5 us and of 0.2 us beside events, over the first impacts: what the same time buys.
void lanes_rattling_slider_crank(benchmark::State& bench) {
  const Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml", {});
  ModelParts parts = build(scene).parts();
  constexpr double kEnd = 3e-3;
  const auto run = [&](TimeMode mode, double h, double tolerance) {
    parts.options.mode = mode;
    parts.options.h = h;
    parts.options.end = kEnd;
    parts.options.events.tolerance = tolerance;
    return lap(parts, kEnd, 120.0);
  };
  Lap exact, coarse, fine, events;
  for (auto _ : bench) {
    exact = run(TimeMode::events, 5e-6, 1e-12);
    coarse = run(TimeMode::stepping, 5e-6, 0.0);
    fine = run(TimeMode::stepping, 2e-7, 0.0);
    events = run(TimeMode::events, 5e-6, 1e-9);
  }
  const auto count = [&](const char* name, const Lap& one) {
    bench.counters[std::string(name) + "_s"] = one.seconds;
    bench.counters[std::string(name) + "_error_m"] = distance(one, exact);
  };
  count("steps_of_5us", coarse);
  count("steps_of_200ns", fine);
  count("events", events);
}
BENCHMARK(lanes_pile_of_64)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(lanes_rattling_slider_crank)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
