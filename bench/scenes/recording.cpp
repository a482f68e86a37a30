// What recording costs: a pile of 8000 balls with every step as a frame, contacts included; a bass with its probe and its
// contacts at 44.1 kHz and its whole state at 1 kHz. The argument says who writes: 0 nobody, 1 a thread of its own, 2 the
// caller. `recording`: share of the time of the run that the caller spends in the writer, with what it measures for it.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>

#include "saltus/io/results.h"
#include "saltus/io/scene_write.h"
#include "saltus/io/scene_yaml.h"
#include "saltus/scene/build.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A run as the command makes it. Returns seconds in the writer and of all.
std::array<double, 2> record(const Scene& scene, const Model& model, long long steps,
                             long long frame_every, bool step_contacts, int who,
                             const std::string& file) {
  Simulation sim(model);
  std::vector<double> probes(model.probes().size());
  std::vector<Vector> v;
  for (const GroupState& group : sim.state().groups) v.emplace_back(group.v.size());
  const auto frame = [&](ResultsWriter& out) {
    for (std::size_t g = 0; g < v.size(); ++g) sim.velocity(static_cast<int>(g), v[g]);
    out.frame(sim.state(), v, {}, sim.contacts());
  };
  std::optional<ResultsWriter> out;
  double writing = 0.0;
  const auto begin = Clock::now();
  if (who > 0) {
    ResultsOptions options;
    options.step_contacts = step_contacts;
    options.own_thread = who == 1;
    options.expected_steps = static_cast<std::uint64_t>(steps);
    out.emplace(file, model, scene.text, write_scene(scene.spec), options);
    out->start(sim.state(), probes);
    writing = seconds_since(begin);
  }
  for (long long k = 1; k <= steps; ++k) {
    const auto from = Clock::now();
    const StepReport report = sim.advance();
    const auto to = Clock::now();
    if (!out) continue;
    for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = sim.probe(static_cast<int>(i));
    out->record(report, sim.state(), probes, std::chrono::duration<double>(to - from).count());
    if (k % frame_every == 0) frame(*out);
    if (out->wants_drain()) out->hand_over();
    writing += seconds_since(to);
  }
  const auto last = Clock::now();
  if (out) out->finish(sim.state(), {});
  writing += seconds_since(last);
  return {writing, seconds_since(begin)};
}

void run(benchmark::State& bench, const Scene& scene, long long steps, long long frame_every,
         bool step_contacts) {
  const Model model = build(scene);
  const auto file = (std::filesystem::temp_directory_path() / "saltus_recording.h5").string();
  std::array<double, 2> time{};
  for (auto _ : bench)
    time = record(scene, model, steps, frame_every, step_contacts, static_cast<int>(bench.range(0)),
                  file);
  bench.counters["recording"] = time[0] / time[1];
  bench.counters["ms_per_step"] = 1e3 * time[1] / static_cast<double>(steps);
  if (std::error_code error; std::filesystem::exists(file)) {
    bench.counters["MB"] = 1e-6 * static_cast<double>(std::filesystem::file_size(file));
    std::filesystem::remove(file, error);
  }
}

/// Balls of 10 mm that touch eight others each.
constexpr const char* kPile = R"(saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
solver: {kind: body-gauss-seidel, tolerance: 1e-4}
on_failure: accept
bodies:
  - name: box
    kind: rigid
    rigid:
      fixed: true
      shapes:
        - {plane: {}}
        - {plane: {point: [-0.01, 0, 0], normal: [1, 0, 0]}}
        - {plane: {point: [0.45, 0, 0], normal: [-1, 0, 0]}}
        - {plane: {point: [0, -0.01, 0], normal: [0, 1, 0]}}
        - {plane: {point: [0, 0.45, 0], normal: [0, -1, 0]}}
  - name: even
    kind: rigid
    rigid:
      shape: {sphere: {radius: 10 mm}}
      density: 2500
      position: [0, 0, 0.01]
      copies: {count: [20, 20, 10], spacing: [22 mm, 22 mm, 25.14 mm]}
  - name: odd
    kind: rigid
    rigid:
      shape: {sphere: {radius: 10 mm}}
      density: 2500
      position: [0.011, 0.011, 0.02257]
      copies: {count: [20, 20, 10], spacing: [22 mm, 22 mm, 25.14 mm]}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)";

void recording_pile8000(benchmark::State& bench) {
  run(bench, read_scene_text(kPile, "bench.yaml"), 12, 1, false);
}
void recording_bass(benchmark::State& bench) {
  const Scene scene = read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "bass_on_frets.yaml",
                                 std::vector<std::string>{"time.end=4 s"});
  run(bench, scene, step_count(scene.spec.time), 44, true);
}
BENCHMARK(recording_pile8000)->DenseRange(0, 2)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(recording_bass)->DenseRange(0, 2)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
