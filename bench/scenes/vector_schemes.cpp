// Vector schemes beside what one would write without Saltus: RK4 on 1000 oscillators and Boost.odeint on the same system;
// an implicit step whose factor is kept and the bare CHOLMOD solve that it contains.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

#if __has_include(<boost/numeric/odeint.hpp>)
#define SALTUS_HAVE_ODEINT 1
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#endif
#if __has_include(<suitesparse/cholmod.h>)
#define SALTUS_HAVE_BARE_CHOLMOD 1
#include <suitesparse/cholmod.h>
#endif

namespace {

using namespace saltus;

Model model_of(std::shared_ptr<const Dynamics> body, Vector q, Vector v, SchemeChoice scheme,
               double h, bool ledger) {
  ModelParts parts;
  parts.groups.push_back({"body", "bench", std::move(body), make_scheme(scheme)});
  parts.initial.push_back({std::move(q), std::move(v), {}});
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  parts.options.ledger = ledger;
  return Model(std::move(parts));
}

// ---- 1000 oscillators ------------------------------------------------------------------------------------------------
constexpr int kOscillators = 1000;
constexpr double kStep = 1e-3;

Vector angular_frequencies() {
  Vector omega(kOscillators);
  for (int j = 0; j < kOscillators; ++j) omega[j] = 2.0 * std::numbers::pi * (1.0 + 0.1 * j);
  return omega;
}

void rk4_oscillators(benchmark::State& bench) {
  auto body = std::make_shared<Modal>(Vector::Ones(kOscillators), angular_frequencies(),
                                      Vector::Zero(kOscillators), nullptr);
  Simulation sim(model_of(body, Vector::Ones(kOscillators), Vector::Zero(kOscillators),
                          RungeKuttaOptions{}, kStep, false));
  for (auto _ : bench) benchmark::DoNotOptimize(sim.advance().passes);
}

#if SALTUS_HAVE_ODEINT
void rk4_odeint(benchmark::State& bench) {
  using State = std::vector<double>;  // q_0 .. q_n-1, v_0 .. v_n-1
  const Vector omega = angular_frequencies();
  State x(2 * kOscillators, 0.0);
  std::fill_n(x.begin(), kOscillators, 1.0);
  const auto rate = [&](const State& y, State& dy, double) {
    for (std::size_t j = 0; j < kOscillators; ++j) {
      dy[j] = y[kOscillators + j];
      dy[kOscillators + j] =
          -omega[static_cast<Eigen::Index>(j)] * omega[static_cast<Eigen::Index>(j)] * y[j];
    }
  };
  boost::numeric::odeint::runge_kutta4<State> stepper;
  double t = 0.0;
  for (auto _ : bench) {
    stepper.do_step(rate, x, t, kStep);
    t += kStep;
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(rk4_odeint);
#endif
BENCHMARK(rk4_oscillators);

// ---- an implicit step with its factor kept ------------------------------------------------------------------------------
/// The Laplacian of a grid of nx ny nz nodes with springs to the ground, M = 1.
LinearSystem stencil(int nx, int ny, int nz) {
  std::vector<Entry> K;
  const int n = nx * ny * nz;
  const auto node = [&](int i, int j, int k) { return (k * ny + j) * nx + i; };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int a = node(i, j, k);
        K.push_back({a, a, 1.0});
        const auto spring = [&](int b) {
          for (const Entry& e :
               {Entry{a, a, 1e4}, Entry{b, b, 1e4}, Entry{a, b, -1e4}, Entry{b, a, -1e4}})
            K.push_back(e);
        };
        if (i + 1 < nx) spring(node(i + 1, j, k));
        if (j + 1 < ny) spring(node(i, j + 1, k));
        if (k + 1 < nz) spring(node(i, j, k + 1));
      }
  LinearSystem system;
  system.mass = SparseMatrix::identity(n);
  system.stiffness = SparseMatrix(n, K);
  return system;
}

LinearSystem long_bar() {
  BarMesh mesh;
  mesh.elements = 100'000;
  mesh.young = 1e4;
  mesh.ends = ChainEnds::fixed_free;
  return bar(mesh);
}

void implicit_step(benchmark::State& bench, LinearSystem system) {
  const int n = system.mass.size();
  auto body = std::make_shared<Linear>(std::move(system));
  Vector q = Vector::LinSpaced(n, 0.0, 1e-3);
  EulerImplicitOptions options;
  options.trapezoidal = true;
  Simulation sim(model_of(body, q, Vector::Zero(n), options, 1e-3, false));
  for (auto _ : bench) benchmark::DoNotOptimize(sim.advance().passes);
}
void implicit_stencil(benchmark::State& bench) { implicit_step(bench, stencil(30, 20, 20)); }
void implicit_bar(benchmark::State& bench) { implicit_step(bench, long_bar()); }

#if SALTUS_HAVE_BARE_CHOLMOD
/// A x = b with A = M + h^2/4 K factorised once, vectors kept (cholmod_solve2).
void bare_solve(benchmark::State& bench, const LinearSystem& system) {
  const double h = 1e-3;
  const SparseMatrix A = sum(1.0, system.mass, 0.25 * h * h, system.stiffness, 0.0, SparseMatrix());
  cholmod_common common;
  cholmod_start(&common);
  const auto n = static_cast<std::size_t>(A.size());
  cholmod_triplet* entries =
      cholmod_allocate_triplet(n, n, A.value().size(), 1, CHOLMOD_REAL, &common);
  for (int i = 0; i < A.size(); ++i)
    for (int k = A.offset()[static_cast<std::size_t>(i)];
         k < A.offset()[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto e = static_cast<std::size_t>(k);
      if (A.column()[e] < i) continue;
      static_cast<int*>(entries->i)[entries->nnz] = i;
      static_cast<int*>(entries->j)[entries->nnz] = A.column()[e];
      static_cast<double*>(entries->x)[entries->nnz] = A.value()[e];
      ++entries->nnz;
    }
  cholmod_sparse* matrix = cholmod_triplet_to_sparse(entries, 0, &common);
  cholmod_factor* factor = cholmod_analyze(matrix, &common);
  cholmod_factorize(matrix, factor, &common);
  cholmod_dense* b = cholmod_ones(n, 1, CHOLMOD_REAL, &common);
  cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;
  for (auto _ : bench) {
    cholmod_solve2(CHOLMOD_A, factor, b, nullptr, &x, nullptr, &y, &e, &common);
    benchmark::DoNotOptimize(x->x);
  }
  for (cholmod_dense** d : {&b, &x, &y, &e}) cholmod_free_dense(d, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_free_sparse(&matrix, &common);
  cholmod_free_triplet(&entries, &common);
  cholmod_finish(&common);
}
void cholmod_stencil(benchmark::State& bench) { bare_solve(bench, stencil(30, 20, 20)); }
void cholmod_bar(benchmark::State& bench) { bare_solve(bench, long_bar()); }
BENCHMARK(cholmod_stencil)->Unit(benchmark::kMicrosecond);
BENCHMARK(cholmod_bar)->Unit(benchmark::kMicrosecond);
#endif
BENCHMARK(implicit_stencil)->Unit(benchmark::kMicrosecond);
BENCHMARK(implicit_bar)->Unit(benchmark::kMicrosecond);

}  // namespace
