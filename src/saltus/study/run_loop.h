// The time loop of a run: steps, rows, frames, checkpoints; stops at the end, at a failure or when
// it is told to.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>

#include "saltus/results/results.h"
#include "saltus/sim/simulation.h"
#include "saltus/spec/spec.h"

namespace saltus {

/// The account of the schemes: the last but one of Model::accounts().
template <typename Accounts>
const auto& scheme_account(const Accounts& accounts) {
  return accounts[accounts.size() - 2];
}

/// Where frames lie: `count` of them evenly over `steps` steps, the first at 0, the last at the
/// end.
class FramePlan {
 public:
  FramePlan(int count, std::uint64_t steps);
  /// The first frame at or behind this step; the largest integer if there is none.
  std::uint64_t next(std::uint64_t step) const;

 private:
  std::uint64_t count_, steps_;
};

/// Where a run is; for a progress line.
struct RunProgress {
  std::uint64_t step = 0, first = 0, last = 0;  ///< now, where this run began, where it ends
  double t = 0.0, end = 0.0;                    ///< [s]
  int contacts = 0;                             ///< with impulse, in the last step
  double residual = 0.0;                        ///< worst so far [1]
};
/// Called before the first step and then about 20 times a second, between steps; false stops the
/// run.
using RunWatch = std::function<bool(const RunProgress&)>;

/// Called after each step that was taken, with the time it took [s].
using RunAfter = std::function<void(const StepReport&, double)>;

constexpr double kBetweenCheckpoints = 30.0;  // [s]

/// How the loop went.
struct LoopReport {
  enum class End { reached, interrupted, failed };  ///< interrupted: by the watch
  End end = End::reached;
  StepReport failure;                 ///< of the step that failed
  std::uint64_t first = 0, last = 0;  ///< steps before and behind the loop
  double wall = 0.0;                  ///< of the loop, with what it wrote [s]
  double stepping = 0.0;              ///< of Simulation::advance alone [s]
  double worst = 0.0;                 ///< slowest step [s]
  std::uint64_t worst_step = 0;
  std::uint64_t halved = 0;                                    ///< steps that were cut in two
  double first_gap = std::numeric_limits<double>::infinity();  ///< behind the first step [m]
  double least_gap = std::numeric_limits<double>::infinity();  ///< of the steps of this loop [m]
  double speed = 0.0;        ///< largest StepReport::speed of them [m/s]
  RunStatistics statistics;  ///< of the whole run as far as rows tell, else of this loop
  ContactGain gain;
};

/// `gain`: of the steps before, when resumed. `between`: wall time after which a checkpoint follows
/// the last one [s], as soon as a step is done; longer where checkpoints take more than a fiftieth
/// of it.
LoopReport run_loop(Simulation& sim, ResultsWriter& out, const ResultsSpec& spec,
                    std::uint64_t steps, const ContactGain& gain, const RunWatch& watch = {},
                    const RunAfter& after = {}, double between = kBetweenCheckpoints);

}  // namespace saltus
