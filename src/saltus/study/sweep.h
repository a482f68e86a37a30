// All runs of a sweep on several threads. Each run is a scene, a model and a Simulation of its own,
// so the rows do not depend on how many threads there are or which of them took which run.
#pragma once
#include <functional>
#include <vector>

#include "saltus/study/sweep_plan.h"
#include "saltus/study/sweep_run.h"

namespace saltus {

struct SweepCount {
  std::uint64_t runs = 0, ok = 0, failed = 0, invalid = 0;
  std::uint64_t warned = 0;  ///< of those that are ok
  std::uint64_t done() const { return ok + failed + invalid; }
};

/// How the runs ended.
SweepCount count(std::span<const SweepRow> rows);

/// The first run that the scene accepts, read. Throws the SceneError of run 0 where none is: then a
/// path or the scene itself is at fault rather than one value.
Scene first_valid_scene(const SweepScene& scene, const SweepPlan& plan);

/// Called on the caller's thread about 20 times a second; false stops the sweep after the present
/// steps.
using SweepWatch = std::function<bool(const SweepCount& now)>;

/// One row a run, in the order of the runs. `threads` >= 1. Throws RunError where the system starts
/// no thread at all.
std::vector<SweepRow> sweep(const SweepScene& scene, const SweepPlan& plan, int threads,
                            const SweepWatch& watch = {});

}  // namespace saltus
