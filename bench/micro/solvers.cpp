// Warm solves of the linear complementarity solvers, with the residual that every solve reports.
#include <benchmark/benchmark.h>

#include <vector>

#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

namespace {

using namespace saltus;
using namespace saltus::testing;

/// A contact region of 2 half points that moves by `speed` points a solve, `steps` forth and back.
void moving_region(benchmark::State& state, int points, double half, double speed, int steps) {
  const ConstantDelassus W(string_delassus(points, points, 3.0));
  const Rows rows(points);
  std::vector<Region> regions;
  for (int k = 0; k <= steps; ++k)
    regions.push_back(region(W.matrix(), 0.4 * points + 0.3 + speed * k, half));

  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  Vector p = Vector::Zero(points);
  double residual = 0.0, pivots = 0.0, active = 0.0;
  std::size_t k = 0;
  bool forward = true;
  const auto solve = [&] {
    const SolveReport report = solver->solve({W, regions[k].b, rows.laws, rows.ids}, {}, memory, p);
    residual = std::max(residual, report.residual);
    pivots += report.iterations;
    active += static_cast<double>(memory.active.size());
    if (k == (forward ? regions.size() - 1 : 0)) forward = !forward;
    k += forward ? 1 : static_cast<std::size_t>(-1);
  };
  solve();
  pivots = active = 0.0;
  for (auto _ : state) solve();
  state.counters["residual"] = residual;
  state.counters["pivots"] = benchmark::Counter(pivots, benchmark::Counter::kAvgIterations);
  state.counters["active"] = benchmark::Counter(active, benchmark::Counter::kAvgIterations);
}

void BM_pivoting_862_rows_60_active(benchmark::State& state) {
  moving_region(state, 862, 30, 4, 50);
}
void BM_pivoting_862_rows_164_active(benchmark::State& state) {
  moving_region(state, 862, 82, 4, 50);
}
void BM_pivoting_862_rows_60_unmoved(benchmark::State& state) {
  moving_region(state, 862, 30, 1e-3, 50);
}
BENCHMARK(BM_pivoting_862_rows_60_active);
BENCHMARK(BM_pivoting_862_rows_164_active);
BENCHMARK(BM_pivoting_862_rows_60_unmoved);

void BM_pivoting_20_rows_5_active(benchmark::State& state) { moving_region(state, 20, 2.6, 1, 5); }
BENCHMARK(BM_pivoting_20_rows_5_active);

void BM_pivoting_20_rows_at_rest(benchmark::State& state) {
  const ConstantDelassus W(string_delassus(20, 20, 3.0));
  const Rows rows(20);
  const Vector b = Vector::Constant(20, 0.1);
  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  Vector p = Vector::Zero(20);
  for (auto _ : state)
    benchmark::DoNotOptimize(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p));
}
BENCHMARK(BM_pivoting_20_rows_at_rest);

}  // namespace
