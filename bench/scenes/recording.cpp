// Cost of recording: a pile of 8000 balls with every step as a frame, contacts included; a bass with its probe and its
// contacts at 44.1 kHz and its whole state at 1 kHz. The argument selects the writer: 1 a thread of its own, 2 the caller.
//
// Each run is repeated five times with and without recording, alternately. Counters are medians: `cost` and `cpu_cost`, the
// increase by recording of wall time and of CPU time of the stepping thread, as fractions of the times without it; `finish`
// the part of `cost` after the last step (the last rows, and the file forced to the disk); `writer_cpu` the increase of the
// CPU time of all other threads, as a fraction of that of the stepping thread. `cpu_cost` is meaningful on a busy machine too.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus;
using Clock = std::chrono::steady_clock;

double cpu_seconds(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Times of a run [s].
struct Took {
  double wall = 0.0, finish = 0.0;
  double caller = 0.0, others = 0.0;  ///< CPU time of this thread and of the others
};

class Stopwatch {
 public:
  double wall() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double caller() const { return cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - caller_; }
  double all() const { return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all_; }

 private:
  Clock::time_point begin_ = Clock::now();
  double caller_ = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  double all_ = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
};

/// A run like that of the command. who: the argument above, 0: no recording.
Took record(const Scene& scene, const Model& model, long long steps, long long frame_every,
            bool step_contacts, int who, const std::string& file) {
  Simulation sim(model);
  std::vector<double> probes(model.probes().size());
  std::vector<Vector> v;
  for (const GroupState& group : sim.state().groups) v.emplace_back(group.v.size());
  const std::string resolved = write_scene(scene.spec);
  std::filesystem::remove(file);  // deleting an earlier file is not part of the cost of recording
  std::optional<ResultsWriter> out;
  const Stopwatch watch;
  if (who > 0) {
    ResultsOptions options;
    options.step_contacts = step_contacts;
    options.own_thread = who == 1;
    options.expected_steps = static_cast<std::uint64_t>(steps);
    out.emplace(file, model, scene.text, resolved, options);
    out->start(sim.state(), probes);
  }
  for (long long k = 1; k <= steps; ++k) {
    const bool framed = out && k % frame_every == 0;
    if (framed) out->begin_step(sim.state().groups);
    const auto from = Clock::now();
    const StepReport report = sim.advance();
    const auto to = Clock::now();
    if (!out) continue;
    for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = sim.probe(static_cast<int>(i));
    out->record(report, sim.state(), probes, std::chrono::duration<double>(to - from).count());
    if (framed) {
      for (std::size_t g = 0; g < v.size(); ++g) sim.velocity(static_cast<int>(g), v[g]);
      const std::span<const ContactView> contacts = sim.contacts(ResultsWriter::near(model));
      out->frame(sim.state(), v, {}, contacts, sim.seen_contacts());
    }
    if (out->wants_drain()) out->hand_over();
  }
  const double last = watch.wall();
  if (out) out->finish(sim.state(), {});
  Took took;
  took.wall = watch.wall();
  took.finish = took.wall - last;
  took.caller = watch.caller();
  took.others = watch.all() - took.caller;
  return took;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + std::ssize(x) / 2, x.end());
  return x[x.size() / 2];
}

void run(benchmark::State& bench, const Scene& scene, long long steps, long long frame_every,
         bool step_contacts) {
  constexpr int kRuns = 5;
  const Model model = build(scene);
  const auto file = (std::filesystem::temp_directory_path() / "saltus_recording.h5").string();
  std::vector<Took> with, without;
  const auto middle = [](const std::vector<Took>& runs, double Took::*what) {
    std::vector<double> values;
    for (const Took& took : runs) values.push_back(took.*what);
    return median(values);
  };
  for (auto _ : bench)
    for (int k = 0; k < kRuns; ++k) {
      without.push_back(record(scene, model, steps, frame_every, step_contacts, 0, file));
      with.push_back(record(scene, model, steps, frame_every, step_contacts,
                            static_cast<int>(bench.range(0)), file));
    }
  const double wall = middle(without, &Took::wall), caller = middle(without, &Took::caller);
  bench.counters["cost"] = middle(with, &Took::wall) / wall - 1.0;
  bench.counters["cpu_cost"] = middle(with, &Took::caller) / caller - 1.0;
  bench.counters["finish"] = middle(with, &Took::finish) / wall;
  bench.counters["writer_cpu"] =
      (middle(with, &Took::others) - middle(without, &Took::others)) / caller;
  bench.counters["ms_per_step"] = 1e3 * wall / static_cast<double>(steps);
  if (std::error_code error; std::filesystem::exists(file)) {
    bench.counters["MB"] = 1e-6 * static_cast<double>(std::filesystem::file_size(file));
    std::filesystem::remove(file, error);
  }
}

/// Balls of 10 mm with eight contacts each; few sweeps, as in a run at low accuracy.
constexpr const char* kPile = R"(saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
solver: {kind: body-gauss-seidel, tolerance: 1e-4, iterations: 100}
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
                                 std::vector<std::string>{"time.end=10 s"});
  run(bench, scene, step_count(scene.spec.time), 44, true);
}
BENCHMARK(recording_pile8000)->DenseRange(1, 2)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(recording_bass)->DenseRange(1, 2)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
