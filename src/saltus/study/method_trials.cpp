#include "saltus/study/method_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"

namespace saltus {
namespace {

/// Number of intervals if the scene sets no step; the trial covers this fraction of the run and at
/// least this number of intervals.
constexpr double kIntervals = 200.0;
constexpr std::uint64_t kTrialPart = 32, kLeastTrial = 8;
/// Largest number of runs in the trial of one method.
constexpr int kTrialRuns = 8;
/// The largest tolerance used for a result of event-driven integration: this fraction of the
/// required tolerance, or one that costs little.
constexpr double kLoosePart = 1e-2, kLooseResult = 1e-6;
/// From this tolerance upward, schemes of order 2 with one evaluation per step may be the cheapest.
constexpr double kLowOrder = 1e-4;
/// A trial ends when its work exceeds that of another method by this factor.
constexpr double kHopeless = 30.0;
/// Smallest error expected of a trial: round-off over many steps.
constexpr double kRoundOffError = 1e-13;
/// A smaller change between two tolerances counts as none.
constexpr double kRoundOff = 1e-12;

void pass_over(AutoMethod& method, std::string why) {
  method.left_out = std::move(why);
  method.passed_over = true;
}

}  // namespace

double remaining_error(double change, double ratio, double power) {
  return change / (std::pow(ratio, power) - 1.0);
}

double bounded_x(const AutoMethod& method, double x) {
  if (method.events) return std::clamp(x, kTightestTolerance, kLoosestTolerance);
  return method.limit > 0.0 ? std::min(x, method.limit) : x;
}

AutoRunner::AutoRunner(Scene scene, AutoOptions options, std::vector<AutoRun>& records)
    : scene_(std::move(scene)), options_(std::move(options)), records_(records) {
  if (!(options_.tolerance > 0.0 && options_.tolerance < 1.0))
    throw SceneError("time.tolerance", fmt::format("{:g} is out of range", options_.tolerance),
                     "allowed: above 0, below 1");
  TimeSpec& time = scene_.spec.time;
  const double h = time.h() > 0.0 ? time.h() : time.end / kIntervals;
  time.mode.reset();
  time.tolerance.reset();
  time.scheme = TimeScheme::bodies;
  plan_.count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(time.end / h)));
  plan_.interval = h;
}

std::vector<AutoMethod> AutoRunner::methods() {
  const Model base = build_run(scene_of(AutoMethod{}, {.x = plan_.interval, .count = plan_.count}));
  observables_ = auto_observables(base);
  return auto_methods(scene_, base);
}

AutoDone AutoRunner::run(const AutoMethod& method, const AutoTask& task) {
  if (stop_requested(options_.stop) || (options_.watch && !options_.watch()))
    throw RunError("interrupted");
  const Scene now = scene_of(method, task);
  AutoRun record{.method = method.label, .x = task.x, .end = now.spec.time.end};
  AutoSamples samples =
      auto_run(now, task.parts, task.rows(), options_.work, method, options_.stop, record.failure);
  if (stop_requested(options_.stop)) throw RunError("interrupted");
  record.work = auto_work(method, samples);
  record.handed_over = samples.handed_over;
  records_.push_back(std::move(record));
  return {task, std::move(samples)};
}

/// Tries methods as long as they may change the choice: those of high order, then event-driven
/// integration (the first in the list), and then those of low order. The latter are cheapest if
/// stability limits the others or the tolerance is large.
void MethodTrials::try_all() {
  bool held = runner_.options().tolerance >= kLowOrder, fine = false;
  for (std::size_t i = 1; i < methods_.size(); ++i) {
    AutoMethod& method = methods_[i];
    if (!method.left_out.empty() || method.spare) continue;
    if (i == 2 && !method.kinked && fine) {
      pass_over(method, "of lower order than " + methods_[1].label);
      continue;
    }
    trial(method);
    held = held || method.held || !method.left_out.empty();
    fine = fine || method.x < 0.6 * runner_.plan().interval;
  }
  const bool alone = std::ranges::none_of(methods_, [](const AutoMethod& method) {
    return !method.events && !method.spare && method.left_out.empty();
  });
  if (methods_[0].left_out.empty()) {
    const double rows = auto_least_work(runner_.plan());
    if (least_ < rows)
      pass_over(methods_[0], fmt::format("its rows alone cost {:.3g} evaluations, another method "
                                         "needs {:.3g}",
                                         rows, least_));
    else
      trial(methods_[0]);
  }
  for (AutoMethod& method : methods_) {
    if (!method.left_out.empty() || !method.spare) continue;
    if (held || alone)
      trial(method);
    else
      pass_over(method, "of low order, and stability does not limit the explicit scheme");
  }
}

bool MethodTrials::try_passed_over() {
  least_ = std::numeric_limits<double>::infinity();
  bool any = false;
  for (AutoMethod& method : methods_) {
    if (!method.passed_over) continue;
    any = true;
    method.passed_over = false;
    method.left_out.clear();
    trial(method);
  }
  return any;
}

double MethodTrials::first_x(const AutoMethod& method) const {
  if (method.events) return std::clamp(30.0 * runner_.options().tolerance, 1e-8, kLoosestTolerance);
  return method.limit > 0.0 ? std::min(runner_.plan().interval, method.limit)
                            : runner_.plan().interval;
}

/// Runs the first part of the scene with increasing refinement until the order is reliable, and
/// extrapolates to the whole run.
void MethodTrials::trial(AutoMethod& method) {
  const std::uint64_t count =
      std::min(runner_.plan().count, std::max(kLeastTrial, runner_.plan().count / kTrialPart));
  const double finer = method.events ? 100.0 : 2.0;
  double x = first_x(method);
  std::optional<AutoDone> before;
  for (int i = 0; i < kTrialRuns; ++i, x /= finer) {
    AutoDone now = runner_.run(method, auto_task(method, runner_.plan(), x, count, false));
    AutoRun& record = runner_.last();
    if (now.samples.handed_over) {
      method.left_out = "too many events at once: it switches to time stepping";
      return;
    }
    if (!record.failure.empty()) {
      before.reset();
      continue;
    }
    if (before) {
      const AutoDistance d = runner_.distance(*before, now.task, now.samples.motion);
      record.change = d.error;
      record.estimate = remaining_error(d.error, before->task.x / now.task.x, method.power);
      if (d.error < kOnSlope || i + 1 == kTrialRuns) {
        method.exact = method.events && record.change < kRoundOff;
        expect(method, now, record.estimate, d.growth);
        least_ = std::min(least_, method.work);
        return;
      }
      if (const double work = hoped(method, now, d.error, before->task.x / now.task.x);
          work > kHopeless * least_) {
        pass_over(method, fmt::format("needs at least {:.3g} evaluations, another method {:.3g}",
                                      work, least_));
        return;
      }
    }
    before = std::move(now);
  }
  method.left_out = "it failed in the trial: " + runner_.last().failure;
}

/// Smallest possible work of the whole run: assumes that all of the change was the error of the
/// previous run, whose x was `ratio` times as large, and that the error does not grow.
double MethodTrials::hoped(const AutoMethod& method, const AutoDone& done, double change,
                           double ratio) const {
  const double longer =
                   static_cast<double>(runner_.plan().count) / static_cast<double>(done.task.count),
               // a larger change says only that the run was useless, and one halving may fix it
      most = std::min(change, 1.0),
               shorter = std::pow(most / runner_.options().tolerance, 1.0 / method.order) / ratio;
  return auto_work(method, done.samples) * longer * std::pow(std::max(shorter, 1.0), method.cheap);
}

/// Sets x and work of the whole run such that it meets the tolerance.
void MethodTrials::expect(AutoMethod& method, const AutoDone& done, double estimate,
                          double growth) const {
  const double longer =
      static_cast<double>(runner_.plan().count) / static_cast<double>(done.task.count);
  const double whole = std::max(estimate, kRoundOffError) * std::pow(longer, growth);
  const double factor =
      std::pow(kAimOfTolerance * runner_.options().tolerance / whole, 1.0 / method.order);
  const double wanted = done.task.x * factor;
  method.x = bounded_x(method, wanted);
  if (method.events)
    method.x = std::min(method.x, std::max(kLoosePart * runner_.options().tolerance, kLooseResult));
  if (!method.events) method.x = std::min(method.x, runner_.plan().interval);
  method.held =
      method.limit > 0.0 && wanted > 1.5 * method.limit && method.limit < runner_.plan().interval;
  // steps divide an interval: 0.42 of it becomes a third
  const double taken = runner_.task(method, method.x).x;
  method.work =
      auto_work(method, done.samples) * longer * std::pow(done.task.x / taken, method.cheap);
}

}  // namespace saltus
