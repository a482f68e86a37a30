// Short runs from which an automatic choice compares its methods.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "saltus/study/auto_trial.h"

namespace saltus {

/// Bounds on tolerances of event-driven integration.
constexpr double kLoosestTolerance = 1e-3, kTightestTolerance = 1e-13;
/// The next run aims at this fraction of the tolerance.
constexpr double kAimOfTolerance = 0.6;
/// Motions that differ by more than this are not yet in the asymptotic range of their order.
constexpr double kOnSlope = 0.05;

/// (1) of auto_choice.h: error of a run that differs by `change` from the run with `ratio` times
/// its x.
double remaining_error(double change, double ratio, double power);
/// x limited to what the method supports.
double bounded_x(const AutoMethod& method, double x);

/// A finished run of a task.
struct AutoDone {
  AutoTask task;
  AutoSamples samples;
};

/// Makes the runs of a search on one scene and records them.
class AutoRunner {
 public:
  /// Derives the interval and the number of intervals from the scene. Throws SceneError if the
  /// tolerance is out of range.
  AutoRunner(Scene scene, AutoOptions options, std::vector<AutoRun>& records);

  /// Throws RunError if the watch stops the search. The record of a failed run contains the reason.
  AutoDone run(const AutoMethod& method, const AutoTask& task);
  const AutoRun& last() const { return records_.back(); }
  AutoRun& last() { return records_.back(); }

  AutoTask task(const AutoMethod& method, double x, bool coarse = false) const {
    return auto_task(method, plan_, x, plan_.count, coarse);
  }
  Scene scene_of(const AutoMethod& method, const AutoTask& task) const {
    return auto_scene(scene_, method, plan_, task);
  }
  AutoDistance distance(const AutoDone& coarse, const AutoTask& task, const Motion& fine) const {
    return auto_distance(coarse.samples.motion, coarse.task.spacing, fine, task.spacing,
                         observables_);
  }

  const AutoPlan& plan() const { return plan_; }
  /// Candidates of the scene. Call this first: it also determines the observables.
  std::vector<AutoMethod> methods();
  const AutoOptions& options() const { return options_; }
  void stop_by(Stop* stop) { options_.stop = stop; }

 private:
  Scene scene_;
  AutoOptions options_;
  AutoPlan plan_;
  std::vector<Observable> observables_;
  std::vector<AutoRun>& records_;
};

/// Tries methods on the first part of the scene and extrapolates x and work to the whole run.
class MethodTrials {
 public:
  MethodTrials(AutoRunner& runner, std::vector<AutoMethod>& methods)
      : runner_(runner), methods_(methods) {}
  /// Tries the methods that may change the choice and passes over the others.
  void try_all();
  /// Tries the methods passed over after all others have failed. False: there are none.
  bool try_passed_over();

 private:
  void trial(AutoMethod& method);
  double first_x(const AutoMethod& method) const;
  double hoped(const AutoMethod& method, const AutoDone& done, double change, double ratio) const;
  void expect(AutoMethod& method, const AutoDone& done, double estimate, double growth) const;

  AutoRunner& runner_;
  std::vector<AutoMethod>& methods_;
  double least_ = std::numeric_limits<double>::infinity();  ///< least work of a method tried so far
};

}  // namespace saltus
