// One contact with friction from cold, a sweep of many, and what the blocks of W cost in it.
#include "saltus/solvers/local_coulomb.h"

#include <benchmark/benchmark.h>

#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/solvers/local_rolling.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/contact_blocks.h"

namespace {

using namespace saltus;
using namespace saltus::testing;

struct Case {
  double W[9], b[3], mu;
  CoulombContact contact;
};

/// Different blocks, more than the branch predictor can learn; all modes or one.
std::vector<Case> cases(int mode) {
  ContactBlocks block;
  std::vector<Case> all;
  while (all.size() < 100'000) {
    block.next();
    if (mode >= 0 && static_cast<int>(block.mode) != mode) continue;
    Case& x = all.emplace_back();
    std::copy(block.W.begin(), block.W.end(), x.W);
    std::copy(block.b.begin(), block.b.end(), x.b);
    x.mu = block.mu;
    x.contact.set(3, x.W);
  }
  return all;
}

void cold(benchmark::State& state, int mode) {
  const std::vector<Case> all = cases(mode);
  double p[3];
  std::size_t k = 0;
  for (auto _ : state) {
    const Case& x = all[k];
    solve_coulomb(3, x.W, x.b, x.mu, p);
    benchmark::DoNotOptimize(p);
    if (++k == all.size()) k = 0;
  }
}
void BM_coulomb_cold(benchmark::State& state) { cold(state, -1); }
void BM_coulomb_cold_open(benchmark::State& state) { cold(state, 0); }
void BM_coulomb_cold_stick(benchmark::State& state) { cold(state, 1); }
void BM_coulomb_cold_slide(benchmark::State& state) { cold(state, 2); }
BENCHMARK(BM_coulomb_cold);
BENCHMARK(BM_coulomb_cold_open);
BENCHMARK(BM_coulomb_cold_stick);
BENCHMARK(BM_coulomb_cold_slide);

void BM_coulomb_prepared(benchmark::State& state) {  // as in sweeps: W is already prepared
  const std::vector<Case> all = cases(-1);
  double p[3];
  std::size_t k = 0;
  for (auto _ : state) {
    all[k].contact.solve(all[k].b, all[k].mu, p);
    benchmark::DoNotOptimize(p);
    if (++k == all.size()) k = 0;
  }
}
BENCHMARK(BM_coulomb_prepared);

void BM_rolling_cold(benchmark::State& state) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  struct Rolling {
    double W[25], b[5];
  };
  std::vector<Rolling> all(20'000);
  for (Rolling& x : all) {
    double G[5][5];
    for (auto& row : G)
      for (double& g : row) g = normal(random);
    for (int i = 0; i < 5; ++i) {
      x.b[i] = normal(random);
      for (int j = 0; j < 5; ++j) {
        x.W[5 * i + j] = 0.0;
        for (int k = 0; k < 5; ++k) x.W[5 * i + j] += G[i][k] * G[j][k];
      }
    }
    x.b[0] = -std::abs(x.b[0]);
  }
  double p[5];
  std::size_t k = 0;
  for (auto _ : state) {
    solve_rolling(5, all[k].W, all[k].b, 0.4, 0.2, 0.0, p);
    benchmark::DoNotOptimize(p);
    if (++k == all.size()) k = 0;
  }
}
BENCHMARK(BM_rolling_cold);

/// Contacts in a ring, each coupled to the `reach` next ones on either side; time of one contact in one sweep.
void sweep(benchmark::State& state, int contacts, int reach) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  BlockMatrix W;
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b(3 * contacts);
  for (int c = 0; c < contacts; ++c) {
    laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = 0.3});
    std::vector<int> columns;
    for (int k = -reach; k <= reach; ++k) columns.push_back((c + k + contacts) % contacts);
    std::sort(columns.begin(), columns.end());
    for (const int d : columns) {
      W.column.push_back(d);
      W.start.push_back(W.value.size());
      for (int k = 0; k < 9; ++k)  // coupled weakly, so that the sweeps converge
        W.value.push_back(c == d ? (k % 4 == 0 ? 1.0 : 0.0) : 0.2 / reach * std::sin(c * d + k));
    }
    W.first.push_back(3 * (c + 1));
    W.offset.push_back(static_cast<int>(W.column.size()));
    for (int i = 0; i < 3; ++i) {
      ids.push_back(3 * c + i);
      b[3 * c + i] = i == 0 ? -std::abs(normal(random)) : 0.4 * normal(random);
    }
  }
  const BlockDelassus held(W, false);
  const auto solver = make_gauss_seidel();
  SolverMemory memory;
  Vector p(3 * contacts);
  const Limits limits{.tolerance = 0.0, .iterations = 10};
  for (auto _ : state) {
    p.setZero();
    benchmark::DoNotOptimize(solver->solve({held, b, laws, ids}, limits, memory, p));
  }
  state.counters["contact"] = benchmark::Counter(
      10.0 * contacts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
void BM_sweep_3_blocks_a_contact(benchmark::State& state) { sweep(state, 1000, 1); }
void BM_sweep_23_blocks_a_contact(benchmark::State& state) { sweep(state, 570, 11); }
BENCHMARK(BM_sweep_3_blocks_a_contact);
BENCHMARK(BM_sweep_23_blocks_a_contact);

}  // namespace
