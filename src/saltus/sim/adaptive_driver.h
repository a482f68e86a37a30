// Covers an interval H with steps whose lengths are controlled by an error estimate from step
// doubling. For each step:
//
//   estimate   makes one step of s, of which only its end is stored
//   take       makes two steps of s/2 over the same time, which count
//   judge      compares the two ends (StepEstimator, time_stepping/step_control.h): the step
//              counts, or everything is reset to its start
//
// Few different lengths occur, so their factors and tables are stored (sim/step_tables.h). Theory
// and measurements: docs/theory/adaptive-stepping.md.
#pragma once
#include <utility>
#include <vector>

#include "saltus/sim/step_driver.h"
#include "saltus/time_stepping/step_control.h"

namespace saltus {

class AdaptiveDriver {
 public:
  explicit AdaptiveDriver(StepDriver& steps);

  /// Covers the interval to t1. A rejected step changes nothing, nor does an interval that fails.
  void advance(double H, double t1, StepReport& report);
  const State& before() const { return before_; }         ///< at the start of the last interval
  const IntervalForces& forces() const { return last_; }  ///< means over the last interval

 private:
  /// The current interval.
  struct Interval {
    double t0, t1, H;
    StepLadder ladder;
    StepReport sum;  ///< of the steps that count
    /// Times at which the parts of the next step end [s].
    double at(double part) const { return t0 + H * ladder.at(part); }
    double end() const { return ladder.at(1.0) == 1.0 ? t1 : at(1.0); }
  };
  enum class Outcome { accepted, rejected, given_up };
  void begin(double H);
  Outcome try_step(Interval& now, bool& estimated, bool last_try, StepReport& report);
  StepEstimator::Verdict judge(const Interval& now);
  void accept(Interval& now, const StepEstimator::Verdict& verdict, StepReport& made);
  bool estimate(double s, StepReport& report);
  bool take(const Interval& now, StepReport& report);
  void restore(const State& from);
  void read_end(std::span<const GroupState> groups, double t, double h, StepEnd& end);
  void find_closings(const StepEnd& start, const StepEnd& end);
  void find_missed(double t, double h, bool second);

  StepDriver& steps_;
  StepEstimator estimator_;
  std::vector<double> points_;  ///< breakpoints of functions of time, increasing [s]
  State before_, from_;         ///< at the start of the interval, and of the step
  StepEnd start_, coarse_, half_, fine_;
  IntervalForces forces_, forces_before_;  ///< of the current interval, with and without the step
  IntervalForces last_;
  std::vector<SeenContact> contacts_;
  std::vector<Touch> closed_;
  std::vector<ContactView> views_;
  std::vector<std::pair<std::uint64_t, double>> open_;  ///< contacts without impulse, their gaps
};

}  // namespace saltus
