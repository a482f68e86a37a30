// A step of free rigid bodies by rig-mid through the public interface: one body, and 10 000 in a group.
#include <benchmark/benchmark.h>

#include "saltus/bodies/rigid.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace {

using namespace saltus;

/// range(0) bodies with J = diag(1, 2, 3) that tumble; range(1): with ledger.
void rigid_step(benchmark::State& bench) {
  const auto n = static_cast<int>(bench.range(0));
  ModelParts parts;
  RigidSystem system;
  GroupState state;
  state.q.resize(7 * n);
  state.v.resize(6 * n);
  for (int i = 0; i < n; ++i) {
    RigidBody body;
    body.mass = 1.0;
    body.inertia = Vector3(1.0, 2.0, 3.0).asDiagonal();
    system.bodies.push_back(body);
    state.q.segment<7>(7 * i) << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
    state.v.segment<6>(6 * i) << 0.0, 0.0, 0.0, 0.3, 1.0 + 1e-5 * i, 0.2;
  }
  parts.groups.push_back(
      {"tops", "rigid", std::make_shared<Rigid>(system), make_scheme(RigMidOptions{}), {}});
  parts.initial.push_back(state);
  parts.solver = solvers().front().make();
  parts.options.h = 1e-3;
  parts.options.end = 1.0;
  parts.options.ledger = bench.range(1) != 0;
  Simulation sim{Model(std::move(parts))};
  for (auto _ : bench) benchmark::DoNotOptimize(sim.advance().residual);
  bench.counters["per_body"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate |
                                                     benchmark::Counter::kInvert);
}
BENCHMARK(rigid_step)->ArgNames({"bodies", "ledger"})->ArgsProduct({{1, 10'000}, {0, 1}});

}  // namespace
