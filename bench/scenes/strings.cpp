// The strings of examples/, as the command runs them: every step with its ledger and its probe recorded.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <vector>

#include "saltus/math/flush_denormals.h"
#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus;
using Clock = std::chrono::steady_clock;

/// One run; counters in microseconds a step. Iteration time is that of the whole loop.
void run(benchmark::State& bench, const char* example, std::vector<std::string> set) {
  const Scene scene = read_scene(std::filesystem::path(SALTUS_EXAMPLES) / example, set);
  const Model model = build(scene);
  const auto file = (std::filesystem::temp_directory_path() / "saltus_bench.h5").string();
  const auto steps = step_count(scene.spec.time);
  double worst = 0.0, mean = 0.0;
  for (auto _ : bench) {
    Simulation sim(model);
    ResultsWriter out(file, model, scene.text, write_scene(scene.spec));
    std::vector<double> probes(model.probes().size());
    const auto measure = [&] {
      for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = sim.probe(static_cast<int>(i));
    };
    measure();
    out.start(sim.state(), probes);
    worst = 0.0;
    double in_steps = 0.0;
    auto last = Clock::now();
    for (long long k = 0; k < steps; ++k) {
      const StepReport report = sim.advance();
      measure();
      out.record(report, sim.state(), probes);
      const auto now = Clock::now();
      const double us = std::chrono::duration<double, std::micro>(now - last).count();
      worst = std::max(worst, us);
      in_steps += us;
      if (out.wants_drain()) out.drain();
      last = Clock::now();
    }
    mean = in_steps / static_cast<double>(steps);
  }
  std::filesystem::remove(file + ".part");
  bench.counters["us_per_step"] = mean;
  bench.counters["worst_us"] = worst;
  bench.counters["real_time_factor"] = 1e6 * scene.spec.time.h() / mean;
}

void bass_on_frets(benchmark::State& bench) { run(bench, "bass_on_frets.yaml", {}); }
void fretless_newton(benchmark::State& bench) { run(bench, "fretless_bass.yaml", {}); }
void fretless_position(benchmark::State& bench) {
  run(bench, "fretless_bass.yaml", {"contacts[0].law=signorini-position"});
}
void tanpura(benchmark::State& bench) { run(bench, "tanpura_bridge.yaml", {}); }
void bass_free_exact(benchmark::State& bench) { run(bench, "bass_on_frets.yaml", {"contacts=[]"}); }
void bass_free_theta(benchmark::State& bench) {
  run(bench, "bass_on_frets.yaml", {"contacts=[]", "bodies[0].scheme=moreau-jean"});
}
BENCHMARK(bass_on_frets)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(fretless_newton)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(fretless_position)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(tanpura)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(bass_free_exact)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(bass_free_theta)->Unit(benchmark::kMillisecond)->Iterations(1);

// A contact-free modal step of 1000 modes against the bare loop  d = e d - n q,  q += d  with the same flags.
std::string thousand_modes() {
  return "saltus: 1\ntime: {end: 1 s, rate: 44.1 kHz}\nbodies:\n  - name: string\n    kind: "
         "modal\n    string: {length: 1 "
         "m, tension: 180 N, linear_density: 1e-3 kg/m, modes: 1000, damping: {constant: 0.1}}\n   "
         " scheme: modal-exact\n"
         "    pluck: {at: 0.3 m, height: 1 mm}\n";
}

void free_step(benchmark::State& bench, bool ledger) {
  const Scene scene = read_scene_text(thousand_modes(), "bench.yaml");
  const Model model = build(scene).with_ledger(ledger);
  Simulation sim(model);
  for (auto _ : bench) benchmark::DoNotOptimize(sim.advance().gap);
  bench.counters["ns_per_mode"] =
      benchmark::Counter(1000.0 * static_cast<double>(bench.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
void modal_step_1000(benchmark::State& bench) { free_step(bench, false); }
void modal_step_1000_ledger(benchmark::State& bench) { free_step(bench, true); }

void bare_loop_1000(benchmark::State& bench) {
  const Scene scene = read_scene_text(thousand_modes(), "bench.yaml");
  const Model model = build(scene);
  const ModalData& modes = *model.groups()[0].dynamics->modal();
  Vector e(1000), n(1000), q = model.initial()[0].q, d = Vector::Zero(1000);
  for (int j = 0; j < 1000; ++j) {
    const double h = scene.spec.time.h();
    e[j] = std::exp(-2.0 * modes.sigma[j] * h);
    n[j] = 1.0 + e[j] - 2.0 * std::exp(-modes.sigma[j] * h) * std::cos(modes.omega[j] * h);
  }
  const FlushDenormals flush;
  for (auto _ : bench) {
    double *qs = q.data(), *ds = d.data();
    const double *es = e.data(), *ns = n.data();
    for (int j = 0; j < 1000; ++j) {
      ds[j] = es[j] * ds[j] - ns[j] * qs[j];
      qs[j] += ds[j];
    }
    benchmark::DoNotOptimize(qs);
    benchmark::ClobberMemory();
  }
  bench.counters["ns_per_mode"] =
      benchmark::Counter(1000.0 * static_cast<double>(bench.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
/// A wire of 62 modes under a string of 60, by 30 pairs of points, as a snare lies under its head.
std::string wire_under_string() {
  std::string text =
      "saltus: 1\ntime: {end: 1 s, rate: 48 kHz}\nbodies:\n"
      "  - name: head\n    kind: modal\n    string: {length: 0.32 m, tension: 80 N, "
      "linear_density: 8 "
      "g/m, modes: 60}\n    scheme: modal-exact\n    pluck: {at: 0.1 m, height: 1 mm}\n"
      "  - name: wire\n    kind: modal\n    string: {length: 0.32 m, tension: 5 N, linear_density: "
      "2 "
      "g/m, modes: 62}\n    scheme: modal-exact\ncontacts:\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string x = std::to_string(0.01 * i);
    text += "  - {on: head, at: " + x + ", against: {body: wire, at: " + x +
            ", normal: [0, 0, 1]}, law: signorini-position}\n";
  }
  return text;
}

/// Steps of the first 100 ms; contacts: pairs that push in a step on average.
void wire_on_head(benchmark::State& bench) {
  const Model model = build(read_scene_text(wire_under_string(), "bench.yaml"));
  constexpr int kSteps = 4800;
  long contacts = 0;
  for (auto _ : bench) {
    Simulation sim(model);
    for (int k = 0; k < kSteps; ++k) contacts += sim.advance().contacts;
  }
  const double steps = kSteps * static_cast<double>(bench.iterations());
  bench.counters["us_per_step"] =
      benchmark::Counter(1e-6 * steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  bench.counters["contacts"] = static_cast<double>(contacts) / steps;
}
BENCHMARK(wire_on_head)->Unit(benchmark::kMillisecond);

BENCHMARK(bare_loop_1000);
BENCHMARK(modal_step_1000);
BENCHMARK(modal_step_1000_ledger);

}  // namespace
