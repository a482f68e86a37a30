// The runs of an automatic choice: candidates, the scene of one of them, and how far two of their
// motions are apart.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/study/auto_choice.h"

namespace saltus {

/// The instants that runs are compared at: k interval, k = 0 .. count.
struct AutoPlan {
  double interval = 0.0;  ///< [s]
  std::uint64_t count = 1;
  double end() const { return interval * static_cast<double>(count); }
};

/// A run to be made: x, over how many intervals, and how many of them lie between two rows.
struct AutoTask {
  double x = 0.0;
  std::uint64_t count = 1, spacing = 1;
  std::uint64_t parts = 1;  ///< steps in `spacing` intervals

  std::uint64_t rows() const { return count / spacing; }
};

/// The candidates of a scene: methods that could take all of it, and those that could not, with the
/// reason. `base`: the scene in time stepping.
std::vector<AutoMethod> auto_methods(const Scene& scene, const Model& base);

/// The task nearest to x whose step is not longer: whole parts of the interval, or, where `coarse`,
/// a few intervals.
AutoTask auto_task(const AutoMethod& method, const AutoPlan& plan, double x, std::uint64_t count,
                   bool coarse);

/// The scene of a task. Throws SceneError as build does.
Scene auto_scene(const Scene& scene, const AutoMethod& method, const AutoPlan& plan,
                 const AutoTask& task);

/// Evaluations that the samples of a run stand for.
double auto_work(const AutoMethod& method, const AutoSamples& samples);

/// The same of a run in event-driven integration that needs none for its motion.
double auto_least_work(const AutoPlan& plan);

/// What is compared: probes at an instant, or positions of all bodies, also where a probe hears a
/// body by its modes.
std::vector<Observable> auto_observables(const Model& model);

/// Runs a task in memory; `failure` receives why it ended. Where `stop` is requested it ends at
/// once.
AutoSamples auto_run(const Scene& scene, std::uint64_t stride, std::uint64_t rows, double most,
                     const AutoMethod& method, Stop* stop, std::string& failure);

/// How far two motions are apart, (1) of study.h, at the instants that both have; and how that
/// grows with time.
struct AutoDistance {
  double error = kNotMeasured;
  double growth = 0.0;  ///< the distance over the size of the motion grows like t^growth
};
AutoDistance auto_distance(const Motion& coarse, std::uint64_t coarse_spacing, const Motion& fine,
                           std::uint64_t fine_spacing, std::span<const Observable> observables);

}  // namespace saltus
