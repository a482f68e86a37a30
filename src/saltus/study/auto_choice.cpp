#include "saltus/study/auto_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"
#include "saltus/sim/failure_text.h"
#include "saltus/study/method_trials.h"

namespace saltus {
namespace {

/// Smallest estimate that is reported, as a fraction of the tolerance: two runs may agree by chance
/// or have the same round-off.
constexpr double kLeastEstimate = 1e-3;
/// Ratio of x between the coarse run and the result: for steps, and bounds for tolerances. Steps
/// across impacts use two ratios that are not powers of two, so that impacts fall at different
/// positions within a step.
constexpr double kCoarseStep = 2.0, kLeastRatio = 8.0, kMostRatio = 256.0;
constexpr double kKinkedFar = 3.3, kKinkedNear = 1.8;
/// Safety factor on estimates; the true error must not exceed twice the estimate.
constexpr double kSafety = 1.5;
/// Smallest ratio of x between one run and the next.
constexpr double kLeastJump = 1.3;
/// Another method is preferred over event-driven integration only if it needs at most this fraction
/// of its work.
constexpr double kSaved = 0.8;
/// If the coarse run took nearly the same steps as the result (limited by rotations or cut by
/// events), the result is compared with a run at this fraction of its tolerance. At order 8, a
/// tolerance eight times as large makes steps longer by a factor of 1.3.
constexpr double kSecondLook = 1e-3, kSameSteps = 1.15;

}  // namespace

double AutoChoice::work() const {
  double sum = 0.0;
  for (const AutoRun& run : runs) sum += run.work;
  return sum;
}

/// Chooses the method by trials and proposes runs with it until the estimated error is within the
/// tolerance.
struct AutoSearch::Search {
  Search(Scene scene, AutoOptions options)
      : runner_(std::move(scene), std::move(options), choice_.runs),
        trials_(runner_, choice_.methods) {
    choice_.tolerance = runner_.options().tolerance;
    choice_.methods = runner_.methods();
    trials_.try_all();
    take_cheapest();
  }

  /// Selects the method with the least expected work. Event-driven integration is preferred if
  /// others save little: its tolerance is a continuous number, while their steps must divide an
  /// interval and are more often too long.
  void take_cheapest() {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < choice_.methods.size(); ++i)
      if (const AutoMethod& method = choice_.methods[i]; method.left_out.empty()) {
        const double work = method.work * (method.events ? kSaved : 1.0);
        if (!(work < least)) continue;
        best = static_cast<int>(i);
        least = work;
      }
    if (best < 0) {
      if (!trials_.try_passed_over()) nothing_left();
      take_cheapest();
      return;
    }
    choice_.chosen = best;
    earlier_.clear();
    last_change_ = kNotMeasured;
    stuck_ = 0;
    propose(method().x);
  }

  [[noreturn]] void nothing_left() const {
    std::string why;
    for (const AutoMethod& method : choice_.methods)
      why += (why.empty() ? "" : "; ") + method.label + ": " + method.left_out;
    throw SceneError("time.scheme", "'auto' found no method for this scene: " + why,
                     "remove it, and set `time.step` and the schemes yourself");
  }

  AutoMethod& method() { return choice_.methods[static_cast<std::size_t>(choice_.chosen)]; }

  void propose(double x) {
    fine_ = runner_.task(method(), x);
    proposed_ = runner_.scene_of(method(), fine_);
    choice_.step = *proposed_.spec.time.step;
  }

  /// Ratios of x between the coarse runs and the first result.
  std::vector<double> coarse_ratios() {
    const AutoMethod& m = method();
    if (m.kinked) return {kKinkedFar, kKinkedNear};
    if (!m.events) return {kCoarseStep};
    return {std::clamp(std::pow(kOnSlope / runner_.options().tolerance, 1.0 / m.power), kLeastRatio,
                       kMostRatio)};
  }

  /// Makes the runs from which the error of the first result is estimated. Failed runs are ignored.
  void run_coarse() {
    const AutoMethod& m = method();
    for (const double ratio : coarse_ratios()) {
      double x = bounded_x(m, fine_.x * ratio);
      if (m.exact) x = fine_.x;
      // a coarser run is not possible or would not differ: make a finer one
      if (x < 1.2 * fine_.x)
        x = m.exact ? std::max(kSecondLook * fine_.x, kTightestTolerance) : fine_.x / ratio;
      AutoDone done = runner_.run(m, runner_.task(m, x, true));
      if (choice_.runs.back().failure.empty()) earlier_.push_back(std::move(done));
    }
  }

  /// Whether the earlier runs took the same steps; then their difference says nothing about the
  /// error of event-driven integration.
  bool same_steps(const AutoSamples& samples) const {
    return std::ranges::all_of(earlier_, [&](const AutoDone& done) {
      if (done.task.x < fine_.x) return false;
      const auto now = static_cast<double>(samples.passes),
                 then = static_cast<double>(done.samples.passes);
      return std::max(now, then) < kSameSteps * std::min(now, then);
    });
  }

  bool judge(const AutoSamples& samples) {
    const AutoMethod m = method();
    if (earlier_.empty()) run_coarse();
    AutoRun record{.method = m.label, .x = fine_.x, .end = proposed_.spec.time.end};
    record.work = auto_work(m, samples);
    record.handed_over = samples.handed_over;
    double estimate = estimate_error(m, samples, record.change);
    choice_.runs.push_back(record);
    if (refuse_handed_over(m)) return true;
    estimate = std::max(kSafety * estimate, kLeastEstimate * runner_.options().tolerance);
    choice_.runs.back().estimate = choice_.estimate = estimate;
    choice_.met = estimate <= runner_.options().tolerance;
    if (choice_.met) return true;
    if (!std::isfinite(estimate)) estimate = 1.0;
    if (is_stuck(m, record.change))
      return give_up("finer runs do not converge: the motion is chaotic or dominated by round-off");
    return refine(m, samples, record.work, estimate);
  }

  /// If runs of the method switched to time stepping, the difference between two tolerances does
  /// not estimate the error.
  bool refuse_handed_over(const AutoMethod& m) {
    const auto stepped = std::ranges::count_if(
        choice_.runs, [&](const AutoRun& run) { return run.handed_over && run.method == m.label; });
    if (stepped == 0) return false;
    choice_.unmet = fmt::format(
        "no error estimate: event-driven integration switched to time stepping in {} of the runs "
        "compared; raise `events.limit` and `events.closed`, or compare two values of `time.step` "
        "yourself",
        stepped);
    return true;
  }

  /// Whether refinement no longer converges. `change` approximates the error of the previous run,
  /// last_change_ that of the last but one.
  bool is_stuck(const AutoMethod& m, double change) {
    if (earlier_.size() > 1) {
      const double expected =
          std::pow(earlier_.back().task.x / earlier_[earlier_.size() - 2].task.x, m.order);
      if (change < 0.7 * last_change_)
        stuck_ = 0;
      else if (expected < 0.5)
        ++stuck_;
    }
    last_change_ = change;
    return stuck_ > 1;
  }

  /// Error of the current run: (1) with each of the earlier runs, because two motions may agree by
  /// chance, but hardly three. `change`: from the last one.
  double estimate_error(const AutoMethod& m, const AutoSamples& samples, double& change) {
    double estimate = kNotMeasured;
    for (const AutoDone& done : earlier_) {
      const double ratio = done.task.x / fine_.x;
      change = runner_.distance(done, fine_, samples.motion).error;
      const double one = ratio > 1.0 ? remaining_error(change, ratio, m.power)
                                     : remaining_error(change, 1.0 / ratio, m.power) + change;
      estimate = std::isfinite(estimate) ? std::max(estimate, one) : one;
    }
    if (m.events && ((!m.exact && !(estimate > kLeastEstimate * runner_.options().tolerance)) ||
                     same_steps(samples))) {
      const AutoDone second = runner_.run(
          m, runner_.task(m, std::max(kSecondLook * fine_.x, kTightestTolerance), true));
      if (choice_.runs.back().failure.empty())
        estimate = std::max(estimate, runner_.distance(second, fine_, samples.motion).error);
    }
    return estimate;
  }

  /// Proposes a finer run; returns true if no further run is worthwhile.
  bool refine(const AutoMethod& m, const AutoSamples& samples, double work, double estimate) {
    const double wish = std::pow(
        kAimOfTolerance * runner_.options().tolerance / std::min(estimate, 1.0), 1.0 / m.order);
    double x = fine_.x * std::clamp(wish, 1.0 / m.jump, 1.0 / kLeastJump);
    if (m.events && x < kTightestTolerance) {
      if (fine_.x < 2.0 * kTightestTolerance)
        return give_up("event-driven integration has reached its smallest tolerance");
      x = kTightestTolerance;
    }
    const double expected = work * std::pow(fine_.x / x, m.cheap);
    if (expected > runner_.options().work)
      return give_up(fmt::format("{} would need {:.2g} evaluations", m.label, expected));
    if (++attempts_ >= runner_.options().attempts)
      return give_up(fmt::format("{} runs were made", attempts_));
    if (earlier_.size() > 1) earlier_.erase(earlier_.begin());
    earlier_.push_back({fine_, samples});
    propose(x);
    return false;
  }

  bool give_up(const std::string& why) {
    choice_.unmet =
        fmt::format("the tolerance {:g} cannot be met: {}", runner_.options().tolerance, why);
    return true;
  }

  bool judge_failure(const std::string& why) {
    AutoRun record{.method = method().label, .x = fine_.x, .end = proposed_.spec.time.end};
    record.failure = why;
    choice_.runs.push_back(record);
    method().left_out = "it failed: " + why;
    take_cheapest();
    return false;
  }

  AutoChoice choice_;
  AutoRunner runner_;
  MethodTrials trials_;
  std::vector<AutoDone> earlier_;  ///< the last two complete runs before the current one
  AutoTask fine_;
  Scene proposed_;
  double last_change_ = kNotMeasured;
  int stuck_ = 0;  ///< runs that changed as much as the previous one
  int attempts_ = 0;
};

AutoSearch::AutoSearch(Scene scene, AutoOptions options)
    : search_(std::make_unique<Search>(std::move(scene), std::move(options))) {}
AutoSearch::~AutoSearch() = default;
AutoSearch::AutoSearch(AutoSearch&&) noexcept = default;

const Scene& AutoSearch::scene() const { return search_->proposed_; }
std::uint64_t AutoSearch::stride() const { return search_->fine_.parts; }
bool AutoSearch::judge(const AutoSamples& samples) { return search_->judge(samples); }
bool AutoSearch::judge_failure(const std::string& why) { return search_->judge_failure(why); }
void AutoSearch::stop_by(Stop* stop) { search_->runner_.stop_by(stop); }
Stop* AutoSearch::stop() const { return search_->runner_.options().stop; }
const AutoChoice& AutoSearch::choice() const { return search_->choice_; }

bool run_next(AutoSearch& search, AutoResult& result) {
  result.scene = search.scene();
  Simulation sim(build_run(result.scene));
  sim.stop_by(search.stop());
  AutoRecorder recorder(sim, search.stride());
  const auto steps = static_cast<std::uint64_t>(step_count(result.scene.spec.time));
  std::string failure;
  while (sim.state().step < steps && failure.empty()) {
    const std::uint64_t before = sim.state().step;
    const StepReport report = sim.advance();
    if (is_stop(report.failure)) throw RunError("interrupted");
    if (sim.state().step == before)
      failure = failure_text(sim.model(), report, before + 1);
    else
      recorder.step(report);
  }
  const bool done =
      failure.empty() ? search.judge(recorder.samples()) : search.judge_failure(failure);
  if (!done) return false;
  result.choice = search.choice();
  result.motion = std::move(recorder.samples().motion);
  const double interval = *result.scene.spec.time.step * static_cast<double>(search.stride());
  for (std::size_t k = 0; k < result.motion.rows(); ++k)
    result.times.push_back(interval * static_cast<double>(k));
  result.state = sim.state();
  return true;
}

AutoResult run_auto(AutoSearch search) {
  AutoResult result;
  while (!run_next(search, result)) continue;
  return result;
}

AutoResult run_auto(const Scene& scene, const AutoOptions& options) {
  return run_auto(AutoSearch(scene, options));
}

}  // namespace saltus
