// Runs a sweep on several threads. Each run has its own scene, model and Simulation, so the rows do
// not depend on the number of threads or on their schedule.
#pragma once
#include <functional>
#include <vector>

#include "saltus/study/sweep_plan.h"
#include "saltus/study/sweep_run.h"

namespace saltus {

struct SweepCount {
  std::uint64_t runs = 0, ok = 0, failed = 0, invalid = 0;
  std::uint64_t warned = 0;  ///< of the runs with status ok
  std::uint64_t done() const { return ok + failed + invalid; }
};

/// Counts how the runs ended.
SweepCount count(std::span<const SweepRow> rows);

/// The first valid scene of the sweep. If none is valid, throws the SceneError of run 0: then a
/// path or the scene itself is wrong rather than one value.
Scene first_valid_scene(const SweepScene& scene, const SweepPlan& plan);

/// Called on the caller's thread about 20 times per second; returning false stops the sweep after
/// the current steps.
using SweepWatch = std::function<bool(const SweepCount& now)>;

/// One row per run, in the order of the runs. `threads` >= 1. Throws RunError if no thread can be
/// started.
std::vector<SweepRow> sweep(const SweepScene& scene, const SweepPlan& plan, int threads,
                            const SweepWatch& watch = {});

}  // namespace saltus
