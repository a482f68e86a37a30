// Time of the hot kernels on this machine, one thread.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "saltus/math/aligned_array.h"
#include "saltus/math/kernels.h"
#include "saltus/math/sine_transform.h"

namespace {

using Array = saltus::AlignedArray;

Array wave(int n, double step) {
  Array x(static_cast<std::size_t>(n));
  double t = 0.3;
  for (double& value : x) value = std::sin(t += step);
  return x;
}

void per_mode(benchmark::State& state) {
  state.counters["per mode"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Modes that keep their size over any number of steps: an undamped rotation, e = 1, n/h = 0.01/h.
struct Modes {
  explicit Modes(int count)
      : n(count),
        e(wave(n, 0)),
        n_over_h(wave(n, 0)),
        g(wave(n, 0.1)),
        q(wave(n, 0.4)),
        v(wave(n, 0.5)),
        v_old(v) {
    for (double& value : e) value = 1;
    for (double& value : n_over_h) value = 0.01 / h;
  }
  int n;
  double h = 0.5;
  Array e, n_over_h, g, q, v, v_old;
};

/// The recursion written out with the flags of the project: the yardstick of modal_step.
__attribute__((noinline)) void bare_loop(int n, const double* e, const double* n_over_h, double* q,
                                         double* d) {
  for (int j = 0; j < n; ++j) {
    d[j] = e[j] * d[j] - n_over_h[j] * q[j];
    q[j] += d[j];
  }
}

void BM_bare_loop(benchmark::State& state) {
  Modes m(static_cast<int>(state.range(0)));
  for (double& value : m.n_over_h) value = 0.01;
  for (auto _ : state) {
    bare_loop(m.n, m.e.data(), m.n_over_h.data(), m.q.data(), m.v.data());
    benchmark::ClobberMemory();
  }
  per_mode(state);
}
BENCHMARK(BM_bare_loop)->Arg(100)->Arg(1000)->Arg(10000);

void BM_modal_step(benchmark::State& state) {
  Modes m(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    saltus::modal_step(m.n, m.h, m.e.data(), m.n_over_h.data(), m.q.data(), m.v.data(), m.q.data(),
                       m.v.data());
    benchmark::ClobberMemory();
  }
  per_mode(state);
}
BENCHMARK(BM_modal_step)->Arg(100)->Arg(1000)->Arg(10000);

void BM_modal_step_with_balance(benchmark::State& state) {
  Modes m(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    saltus::modal_step(m.n, m.h, m.e.data(), m.n_over_h.data(), m.q.data(), m.v.data(), m.q.data(),
                       m.v_old.data());
    benchmark::DoNotOptimize(saltus::modal_balance(m.n, m.e.data(), m.n_over_h.data(), m.g.data(),
                                                   m.h, m.q.data(), m.v.data(), m.q.data(),
                                                   m.v_old.data()));
    m.v.swap(m.v_old);
  }
  per_mode(state);
}
BENCHMARK(BM_modal_step_with_balance)->Arg(100)->Arg(1000)->Arg(10000);

void BM_modal_step_balance_fused(benchmark::State& state) {
  Modes m(static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(saltus::modal_step_balance(m.n, m.h, m.e.data(), m.n_over_h.data(),
                                                        m.g.data(), m.q.data(), m.v.data(),
                                                        m.q.data(), m.v.data()));
  per_mode(state);
}
BENCHMARK(BM_modal_step_balance_fused)->Arg(100)->Arg(1000)->Arg(10000);

void BM_multiply_rows(benchmark::State& state) {
  const int rows = static_cast<int>(state.range(0)), cols = static_cast<int>(state.range(1));
  const Array S = wave(rows * cols, 0.7), x = wave(cols, 0.3);
  Array y(static_cast<std::size_t>(rows));
  for (auto _ : state) {
    saltus::multiply_rows(S.data(), cols, rows, cols, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_multiply_rows)->Args({20, 862})->Args({862, 862})->Unit(benchmark::kMicrosecond);

void BM_accumulate_rows(benchmark::State& state) {
  const int rows = 20, cols = 862;
  const Array S = wave(rows * cols, 0.7), p = wave(rows, 0.3);
  Array r(static_cast<std::size_t>(cols));
  std::vector<int> index(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) index[static_cast<std::size_t>(i)] = i;
  for (auto _ : state) {
    saltus::accumulate_rows(S.data(), cols, index, cols, p.data(), r.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_accumulate_rows)->Unit(benchmark::kMicrosecond);

void sine_transform(benchmark::State& state, saltus::SineTransform::Method method) {
  const int N = static_cast<int>(state.range(0));
  const saltus::SineTransform transform(N, method);
  saltus::SineTransform::Workspace workspace;
  const Array x = wave(N, 0.3);
  Array y(x.size());
  for (auto _ : state) {
    transform.apply(x.data(), y.data(), workspace);
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(sine_transform, automatic, saltus::SineTransform::Method::automatic)
    ->Arg(30)
    ->Arg(100)
    ->Arg(862)
    ->Arg(999)
    ->Arg(1001)
    ->Arg(1023)
    ->Arg(8191)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(sine_transform, dense, saltus::SineTransform::Method::dense)
    ->Arg(30)
    ->Arg(100)
    ->Arg(862)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
