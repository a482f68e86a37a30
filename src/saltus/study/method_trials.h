// Short runs by which an automatic choice compares its methods.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "saltus/study/auto_trial.h"

namespace saltus {

/// Bounds of tolerances of event-driven integration.
constexpr double kLoosestTolerance = 1e-3, kTightestTolerance = 1e-13;
/// Part of the tolerance that the next run aims at.
constexpr double kAimOfTolerance = 0.6;
/// Motions that are further apart than this are not on the slope of their order yet.
constexpr double kOnSlope = 0.05;

/// (1) of auto_choice.h: the error of a run from the change to it, x `ratio` times as large before.
double remaining_error(double change, double ratio, double power);
/// x within what the method can do.
double bounded_x(const AutoMethod& method, double x);

/// A run to the end of its task.
struct AutoDone {
  AutoTask task;
  AutoSamples samples;
};

/// Makes the runs of a search on one scene and records them.
class AutoRunner {
 public:
  /// Takes interval and number of intervals from the scene. Throws SceneError for a tolerance out
  /// of range.
  AutoRunner(Scene scene, AutoOptions options, std::vector<AutoRun>& records);

  /// Throws RunError where the watch stopped the search. The record says whether the run failed.
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
  /// Candidates of the scene; first of all, since it finds what is compared.
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

/// Tries methods on a first part of the scene, and expects x and work of the whole run from it.
class MethodTrials {
 public:
  MethodTrials(AutoRunner& runner, std::vector<AutoMethod>& methods)
      : runner_(runner), methods_(methods) {}
  /// As far as a method may change the choice; the others are passed over.
  void try_all();
  /// Those passed over, where all others failed. False: there are none.
  bool try_passed_over();

 private:
  void trial(AutoMethod& method);
  double first_x(const AutoMethod& method) const;
  double hoped(const AutoMethod& method, const AutoDone& done, double change, double ratio) const;
  void expect(AutoMethod& method, const AutoDone& done, double estimate, double growth) const;

  AutoRunner& runner_;
  std::vector<AutoMethod>& methods_;
  double least_ = std::numeric_limits<double>::infinity();  ///< work of the methods tried
};

}  // namespace saltus
