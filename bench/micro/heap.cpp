// Heaps of spheres solved by bodies: time, sweeps and memory a contact against size, threads and first guess.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <map>

#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/heap.h"

namespace {

using namespace saltus;
using namespace saltus::testing;

constexpr double kStep = 2e-3, kFriction = 0.4;
constexpr Limits kLimits{.tolerance = 1e-4, .iterations = 5000};

/// A heap that moves on by warm-started steps.
struct Run {
  SphereHeap heap;
  SphereHeap::Problem now;
  Vector p;
  std::unique_ptr<ContactSolver> solver = make_body_gauss_seidel();
  SolverMemory memory;

  explicit Run(int base) : heap(SphereHeap::pyramid(base, 7)), now(heap.problem(kStep, kFriction)) {
    p = Vector::Zero(now.b.size());
  }
  SolveReport solve(const Limits& limits) {
    const auto view = now.view();
    return solver->solve(view, limits, memory, p);
  }
  void advance() {
    heap.advance(now, p, kStep);
    auto next = heap.problem(kStep, kFriction);
    p = SphereHeap::guess(now, p, next);
    now = std::move(next);
  }
};

/// The heap after 30 steps: it has fallen together and pushes on the ground.
const SphereHeap& settled(int base) {
  static std::map<int, SphereHeap> heaps;
  const auto found = heaps.find(base);
  if (found != heaps.end()) return found->second;
  Run run(base);
  for (int k = 0; k < 30; ++k) {
    run.solve({.tolerance = 1e-3, .iterations = 500});
    run.advance();
  }
  return heaps[base] = run.heap;
}

double in_use() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<double>(all.uordblks + all.hblkhd);
}

/// One step from rest of the impulses (cold) by `threads` threads.
void BM_heap(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(1));
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(threads));
  const SphereHeap& heap = settled(static_cast<int>(state.range(0)));
  const double before = in_use();
  const auto problem = heap.problem(kStep, kFriction);
  const auto view = problem.view();
  const auto solver = make_body_gauss_seidel();
  SolverMemory memory;
  Vector p = Vector::Zero(problem.b.size());
  tbb::task_arena arena(threads);
  SolveReport report;
  for (auto _ : state) {
    p.setZero();
    arena.execute([&] { report = solver->solve(view, kLimits, memory, p); });
  }
  if (!report.converged) state.SkipWithError("not converged");
  // the work space of residual() and of W belongs to the thread and may be older: 2 numbers a row, 3 a body
  const double work = 8.0 * (2.0 * problem.W->rows() + 3.0 * heap.size());
  state.counters["contacts"] = problem.contacts();
  state.counters["sweeps"] = report.iterations;
  state.counters["residual"] = report.residual;
  state.counters["bytes_per_contact"] = (in_use() - before + work) / problem.contacts();
  state.counters["ns_per_contact_and_sweep"] = benchmark::Counter(
      1e-9 * report.iterations * problem.contacts(),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_heap)
    ->Args({9, 1})
    ->Args({20, 1})
    ->Args({43, 1})
    ->Args({43, 2})
    ->ArgNames({"base", "threads"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// 100 steps with contacts detected anew in each, from the impulses of the step before; in every fifth step also from 0.
void BM_heap_100_steps(benchmark::State& state) {
  const SphereHeap& heap = settled(static_cast<int>(state.range(0)));
  tbb::task_arena arena(1);
  double warm = 0.0, cold = 0.0, contacts = 0.0;
  int colds = 0, failed = 0;
  for (auto _ : state) {
    Run run(1);
    run.heap = heap;
    run.now = run.heap.problem(kStep, kFriction);
    run.p = Vector::Zero(run.now.b.size());
    arena.execute([&] {
      run.solve(kLimits);  // impulses before the first step that counts
      run.advance();
      for (int k = 0; k < 100; ++k) {
        if (k % 5 == 0) {
          const Vector guess = run.p;
          run.p.setZero();
          const auto report = run.solve(kLimits);
          cold += report.iterations;
          failed += report.converged ? 0 : 1;
          ++colds;
          run.p = guess;
        }
        const auto report = run.solve(kLimits);
        warm += report.iterations;
        failed += report.converged ? 0 : 1;
        contacts += run.now.contacts();
        run.advance();
      }
    });
  }
  if (failed > 0) state.SkipWithError("not converged");
  state.counters["contacts"] = contacts / (5.0 * colds);
  state.counters["warm_sweeps_per_step"] = warm / (5.0 * colds);
  state.counters["cold_sweeps_per_step"] = cold / colds;
}
BENCHMARK(BM_heap_100_steps)
    ->Arg(9)
    ->Arg(20)
    ->ArgName("base")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
