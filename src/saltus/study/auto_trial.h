// Runs of an automatic choice: candidates, their scenes, and the distance between two motions.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/study/auto_choice.h"

namespace saltus {

/// The times at which runs are compared: k interval, k = 0 .. count.
struct AutoPlan {
  double interval = 0.0;  ///< [s]
  std::uint64_t count = 1;
  double end() const { return interval * static_cast<double>(count); }
};

/// A run to make: x, the number of intervals, and the number of intervals between two rows.
struct AutoTask {
  double x = 0.0;
  std::uint64_t count = 1, spacing = 1;
  std::uint64_t parts = 1;  ///< steps per `spacing` intervals

  std::uint64_t rows() const { return count / spacing; }
};

/// Methods that support the whole scene, and those that do not, with the reason. `base`: the scene
/// in time stepping.
std::vector<AutoMethod> auto_methods(const Scene& scene, const Model& base);

/// The task closest to x whose step is at most x: the step divides the interval, or, if `coarse`,
/// may span a few intervals.
AutoTask auto_task(const AutoMethod& method, const AutoPlan& plan, double x, std::uint64_t count,
                   bool coarse);

/// The scene of a task. Throws SceneError like build().
Scene auto_scene(const Scene& scene, const AutoMethod& method, const AutoPlan& plan,
                 const AutoTask& task);

/// Evaluations of a run, from its counters.
double auto_work(const AutoMethod& method, const AutoSamples& samples);

/// Smallest work of a run in event-driven integration: its rows only.
double auto_least_work(const AutoPlan& plan);

/// What is compared: probes with a value at an instant. If there are none, or if one belongs to a
/// modal body, the positions of all bodies instead.
std::vector<Observable> auto_observables(const Model& model);

/// Runs a task in memory; `failure` receives the reason if it fails. Ends at once if `stop` is
/// requested.
AutoSamples auto_run(const Scene& scene, std::uint64_t stride, std::uint64_t rows, double most,
                     const AutoMethod& method, Stop* stop, std::string& failure);

/// Distance of two motions, (1) of study.h, at their common times, and its growth with time.
struct AutoDistance {
  double error = kNotMeasured;
  double growth = 0.0;  ///< the ratio of distance to size of the motion grows like t^growth
};
AutoDistance auto_distance(const Motion& coarse, std::uint64_t coarse_spacing, const Motion& fine,
                           std::uint64_t fine_spacing, std::span<const Observable> observables);

}  // namespace saltus
