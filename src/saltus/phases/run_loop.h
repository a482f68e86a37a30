// The time loop of a run: steps, rows, frames, checkpoints. Ends at the final time, at a failure or
// when a stop is requested.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>

#include "saltus/results/results.h"
#include "saltus/sim/simulation.h"
#include "saltus/spec/spec.h"

namespace saltus {

/// The work term of the schemes: the last but one of Model::accounts().
template <typename Accounts>
const auto& scheme_account(const Accounts& accounts) {
  return accounts[accounts.size() - 2];
}

/// Which steps have frames: `count` frames, evenly spaced over `steps` steps; the first at step 0,
/// the last at the end.
class FramePlan {
 public:
  FramePlan(int count, std::uint64_t steps);
  /// The first frame at or after this step; the largest integer if there is none.
  std::uint64_t next(std::uint64_t step) const;

 private:
  std::uint64_t count_, steps_;
};

/// Position of a run, for a progress line.
struct RunProgress {
  std::uint64_t step = 0, first = 0, last = 0;  ///< current, first and last step
  double t = 0.0, end = 0.0;                    ///< [s]
  int contacts = 0;                             ///< with impulse in the last step
  double residual = 0.0;                        ///< largest so far [1]
};
/// Called before the first step and then about 20 times per second, between steps; returning false
/// stops the run.
using RunWatch = std::function<bool(const RunProgress&)>;

/// Called after each accepted step with its wall time [s].
using RunAfter = std::function<void(const StepReport&, double)>;

/// Summary of a loop.
struct LoopReport {
  enum class End { reached, interrupted, failed };  ///< interrupted: stopped by the watch
  End end = End::reached;
  StepReport failure;                 ///< the step that failed
  std::uint64_t first = 0, last = 0;  ///< step numbers before and after the loop
  double wall = 0.0;                  ///< of the loop including output [s]
  double stepping = 0.0;              ///< of Simulation::advance only [s]
  double worst = 0.0;                 ///< wall time of the slowest step [s]
  std::uint64_t worst_step = 0;
  std::uint64_t halved = 0;  ///< number of steps that were subdivided
  double first_gap = std::numeric_limits<double>::infinity();  ///< after the first step [m]
  double least_gap = std::numeric_limits<double>::infinity();  ///< smallest gap in this loop [m]
  double speed = 0.0;        ///< largest StepReport::speed in this loop [m/s]
  RunStatistics statistics;  ///< of the whole run if its rows are stored, else of this loop
  ContactGain gain;
};

/// A part of a run of several phases.
struct RunPart {
  std::uint64_t until = 0;             ///< step at its end; 0: that of the run
  const LoopReport* former = nullptr;  ///< of the part before, in the same process
};

/// `gain`: that of the earlier steps, if the run is resumed. Checkpoints are written at the start
/// and as `spec` says; those by wall time take at most 1/100 of it.
LoopReport run_loop(Simulation& sim, ResultsWriter& out, const ResultsSpec& spec,
                    std::uint64_t steps, const ContactGain& gain, const RunWatch& watch = {},
                    const RunAfter& after = {}, const RunPart& part = {});

}  // namespace saltus
