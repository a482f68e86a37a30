#include "saltus/study/auto_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/scene/build.h"
#include "saltus/sim/failure_text.h"
#include "saltus/study/auto_trial.h"
#include "saltus/study/study_verdict.h"

namespace saltus {
namespace {

/// Intervals of a run that asks for none, and of the trial: this part of the run, at least so many intervals.
constexpr double kIntervals = 200.0;
constexpr std::uint64_t kTrialPart = 32, kLeastTrial = 8;
/// Motions that are further apart than this are not on the slope of their order yet.
constexpr double kOnSlope = 0.05;
/// Runs that a trial makes of one method at most.
constexpr int kTrialRuns = 8;
/// Share of the tolerance that the next run aims at.
constexpr double kAim = 0.6;
/// No estimate is believed below this share of the tolerance: two runs may agree by chance, or share their round-off.
constexpr double kLeastEstimate = 1e-3;
/// x of the coarse run over that of the result: of steps, and bounds of that of tolerances. Steps over impacts get two, no
/// powers of two, so that impacts fall on other parts of a step.
constexpr double kCoarseStep = 2.0, kLeastRatio = 8.0, kMostRatio = 256.0;
constexpr double kKinkedFar = 3.3, kKinkedNear = 1.8;
/// On estimates, of which no error may be more than twice as large.
constexpr double kSafety = 1.5;
/// Least ratio between the x of a run and of the next one.
constexpr double kLeastJump = 1.3;
/// Of tolerances of event-driven integration; of a result, the loosest is this share of the tolerance, or what costs little.
constexpr double kLoosest = 1e-3, kTightest = 1e-13, kLooseShare = 1e-2, kLooseResult = 1e-6;
/// From this tolerance on schemes of order 2 and one evaluation a step may be the cheapest.
constexpr double kLowOrder = 1e-4;
/// Work over that of another method from which on a trial is given up, and share that a method has to do with beside the lane.
constexpr double kHopeless = 30.0, kSaved = 0.8;
/// A run whose coarse one took nearly the same steps, held by turns or cut by events, is compared with one of this share of
/// its tolerance. Steps of order 8 are longer by 1.3 where the tolerance is eight times as large.
constexpr double kSecondLook = 1e-3, kSameSteps = 1.15;
/// Error that a trial is not expected to beat; round-off over many steps.
constexpr double kRoundOffError = 1e-13;
/// Change between two tolerances that is none.
constexpr double kRoundOff = 1e-12;

}  // namespace

double AutoChoice::work() const {
  double sum = 0.0;
  for (const AutoRun& run : runs) sum += run.work;
  return sum;
}

struct AutoSearch::Search {
  struct Done {
    AutoTask task;
    AutoSamples samples;
  };
  Search(Scene scene, AutoOptions options)
      : scene_(std::move(scene)), options_(std::move(options)) {
    if (!(options_.tolerance > 0.0 && options_.tolerance < 1.0))
      throw SceneError("time.tolerance", fmt::format("{:g} is out of range", options_.tolerance),
                       "allowed: above 0, below 1");
    choice_.tolerance = options_.tolerance;
    lay_out();
    const AutoMethod none{};
    const Model base =
        build(auto_scene(scene_, none, plan_, {.x = plan_.interval, .count = plan_.count}));
    observables_ = auto_observables(base);
    choice_.methods = auto_methods(scene_, base);
    try_methods();
    take_cheapest();
  }

  /// Trials, as far as one may change the choice: methods of high order, event-driven integration (the first of the methods), and then
  /// those of low order, which are the cheapest where stability holds the others back or little is asked for.
  void try_methods() {
    auto& methods = choice_.methods;
    bool held = options_.tolerance >= kLowOrder, fine = false;
    for (std::size_t i = 1; i < methods.size(); ++i) {
      AutoMethod& method = methods[i];
      if (!method.left_out.empty() || method.spare) continue;
      if (i == 2 && !method.kinked && fine) {
        pass_over(method, "of lower order than " + methods[1].label);
        continue;
      }
      trial(method);
      held = held || method.held || !method.left_out.empty();
      fine = fine || method.x < 0.6 * plan_.interval;
    }
    const bool alone = std::ranges::none_of(methods, [](const AutoMethod& method) {
      return !method.events && !method.spare && method.left_out.empty();
    });
    if (methods[0].left_out.empty()) {
      const double rows = auto_least_work(plan_);
      if (least_ < rows)
        pass_over(methods[0], fmt::format("its rows alone cost as much as {:.3g} evaluations, "
                                          "another method needs {:.3g}",
                                          rows, least_));
      else
        trial(methods[0]);
    }
    for (AutoMethod& method : methods) {
      if (!method.left_out.empty() || !method.spare) continue;
      if (held || alone)
        trial(method);
      else
        pass_over(method, "of low order, and no stability limit holds the explicit one back");
    }
  }

  void lay_out() {
    TimeSpec& time = scene_.spec.time;
    const double h = time.h() > 0.0 ? time.h() : time.end / kIntervals;
    time.mode.reset();
    time.tolerance.reset();
    time.scheme = TimeScheme::bodies;
    plan_.count =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(time.end / h)));
    plan_.interval = h;
  }

  void watch() const {
    if (stop_requested(options_.stop) || (options_.watch && !options_.watch()))
      throw RunError("interrupted");
  }

  /// One run, told in the choice.
  Done run(const AutoMethod& method, const AutoTask& task) {
    watch();
    const Scene now = auto_scene(scene_, method, plan_, task);
    AutoRun told{.method = method.label, .x = task.x, .end = now.spec.time.end};
    AutoSamples samples =
        auto_run(now, task.parts, task.rows(), options_.work, method, options_.stop, told.failure);
    if (stop_requested(options_.stop)) throw RunError("interrupted");
    told.work = auto_work(method, samples);
    told.handed_over = samples.handed_over;
    choice_.runs.push_back(std::move(told));
    return {task, std::move(samples)};
  }

  AutoDistance distance(const Done& coarse, const AutoTask& task, const Motion& fine) const {
    return auto_distance(coarse.samples.motion, coarse.task.spacing, fine, task.spacing,
                         observables_);
  }

  /// (1)
  static double left(double change, double ratio, double power) {
    return change / (std::pow(ratio, power) - 1.0);
  }

  double first_x(const AutoMethod& method) const {
    if (method.events) return std::clamp(30.0 * options_.tolerance, 1e-8, kLoosest);
    return method.limit > 0.0 ? std::min(plan_.interval, method.limit) : plan_.interval;
  }

  /// Runs a first part of the scene ever finer until the order can be relied on, and expects the whole run from it.
  void trial(AutoMethod& method) {
    const std::uint64_t count =
        std::min(plan_.count, std::max(kLeastTrial, plan_.count / kTrialPart));
    const double finer = method.events ? 100.0 : 2.0;
    double x = first_x(method);
    std::optional<Done> before;
    for (int i = 0; i < kTrialRuns; ++i, x /= finer) {
      Done now = run(method, auto_task(method, plan_, x, count, false));
      AutoRun& told = choice_.runs.back();
      if (now.samples.handed_over) {
        method.left_out = "too many events at once: it hands over to the schemes";
        return;
      }
      if (!told.failure.empty()) {
        before.reset();
        continue;
      }
      if (before) {
        const AutoDistance d = distance(*before, now.task, now.samples.motion);
        told.change = d.error;
        told.estimate = left(d.error, before->task.x / now.task.x, method.power);
        if (d.error < kOnSlope || i + 1 == kTrialRuns) {
          method.exact = method.events && told.change < kRoundOff;
          expect(method, now, told.estimate, d.growth);
          least_ = std::min(least_, method.work);
          return;
        }
        if (const double work = hoped(method, now, d.error, before->task.x / now.task.x);
            work > kHopeless * least_) {
          pass_over(method, fmt::format("{:.3g} evaluations at least, another method needs {:.3g}",
                                        work, least_));
          return;
        }
      }
      before = std::move(now);
    }
    method.left_out = "it failed in the trial: " + choice_.runs.back().failure;
  }

  /// Least work of a whole run: all of the change was error of the run before, x `ratio` times as long, and it does not grow.
  double hoped(const AutoMethod& method, const Done& done, double change, double ratio) const {
    const double longer = static_cast<double>(plan_.count) / static_cast<double>(done.task.count),
                 most = std::min(change,
                                 1.0),  // beyond it nothing is right, and one halving may mend all
        shorter = std::pow(most / options_.tolerance, 1.0 / method.order) / ratio;
    return auto_work(method, done.samples) * longer *
           std::pow(std::max(shorter, 1.0), method.cheap);
  }

  /// x and work of the whole run that meets the tolerance.
  void expect(AutoMethod& method, const Done& done, double estimate, double growth) {
    const double longer = static_cast<double>(plan_.count) / static_cast<double>(done.task.count);
    const double whole = std::max(estimate, kRoundOffError) * std::pow(longer, growth);
    const double factor = std::pow(kAim * options_.tolerance / whole, 1.0 / method.order);
    const double wanted = done.task.x * factor;
    method.x = bounded(method, wanted);
    if (method.events)
      method.x = std::min(method.x, std::max(kLooseShare * options_.tolerance, kLooseResult));
    if (!method.events) method.x = std::min(method.x, plan_.interval);
    method.held =
        method.limit > 0.0 && wanted > 1.5 * method.limit && method.limit < plan_.interval;
    // steps are whole parts of an interval: 0.42 of it becomes a third
    const double taken = auto_task(method, plan_, method.x, plan_.count, false).x;
    method.work =
        auto_work(method, done.samples) * longer * std::pow(done.task.x / taken, method.cheap);
  }

  double bounded(const AutoMethod& method, double x) const {
    if (method.events) return std::clamp(x, kTightest, kLoosest);
    return method.limit > 0.0 ? std::min(x, method.limit) : x;
  }

  /// The method of least expected work; event-driven integration where others hardly save: its tolerance is a number, their steps are
  /// whole parts of an interval, and are more often too long.
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
      try_passed_over();
      take_cheapest();
      return;
    }
    choice_.chosen = best;
    earlier_.clear();
    last_change_ = kNotMeasured;
    stuck_ = 0;
    propose(method().x);
  }

  /// All others failed.
  void try_passed_over() {
    least_ = std::numeric_limits<double>::infinity();
    bool any = false;
    for (AutoMethod& method : choice_.methods) {
      if (!method.passed_over) continue;
      any = true;
      method.passed_over = false;
      method.left_out.clear();
      trial(method);
    }
    if (!any) nothing_left();
  }

  static void pass_over(AutoMethod& method, std::string why) {
    method.left_out = std::move(why);
    method.passed_over = true;
  }

  [[noreturn]] void nothing_left() const {
    std::string why;
    for (const AutoMethod& method : choice_.methods)
      why += (why.empty() ? "" : "; ") + method.label + ": " + method.left_out;
    throw SceneError("time.scheme", "'auto' finds no method for this scene: " + why,
                     "leave it out, and give `time.step` and schemes by hand");
  }

  AutoMethod& method() { return choice_.methods[static_cast<std::size_t>(choice_.chosen)]; }

  void propose(double x) {
    fine_ = auto_task(method(), plan_, x, plan_.count, false);
    proposed_ = auto_scene(scene_, method(), plan_, fine_);
    choice_.step = *proposed_.spec.time.step;
  }

  /// x of the coarse runs over that of the first result.
  std::vector<double> coarse_ratios() {
    const AutoMethod& m = method();
    if (m.kinked) return {kKinkedFar, kKinkedNear};
    if (!m.events) return {kCoarseStep};
    return {std::clamp(std::pow(kOnSlope / options_.tolerance, 1.0 / m.power), kLeastRatio,
                       kMostRatio)};
  }

  /// Runs beside the first result, which tell its error. Those that fail tell nothing.
  void run_coarse() {
    const AutoMethod& m = method();
    for (const double ratio : coarse_ratios()) {
      double x = bounded(m, fine_.x * ratio);
      if (m.exact) x = fine_.x;
      // nothing coarser will do, or would show nothing: a finer one
      if (x < 1.2 * fine_.x)
        x = m.exact ? std::max(kSecondLook * fine_.x, kTightest) : fine_.x / ratio;
      Done done = run(m, auto_task(m, plan_, x, plan_.count, true));
      if (choice_.runs.back().failure.empty()) earlier_.push_back(std::move(done));
    }
  }

  /// The runs before say nothing of the error of one of event-driven integration.
  bool same_steps(const AutoSamples& samples) const {
    return std::ranges::all_of(earlier_, [&](const Done& done) {
      if (done.task.x < fine_.x) return false;
      const auto now = static_cast<double>(samples.passes),
                 then = static_cast<double>(done.samples.passes);
      return std::max(now, then) < kSameSteps * std::min(now, then);
    });
  }

  bool judge(const AutoSamples& samples) {
    const AutoMethod m = method();
    if (earlier_.empty()) run_coarse();
    AutoRun told{.method = m.label, .x = fine_.x, .end = proposed_.spec.time.end};
    told.work = auto_work(m, samples);
    told.handed_over = samples.handed_over;
    // (1) with each of the runs before: two motions may be close by chance, three hardly are
    double estimate = kNotMeasured;
    for (const Done& done : earlier_) {
      const double ratio = done.task.x / fine_.x;
      told.change = distance(done, fine_, samples.motion).error;
      const double one = ratio > 1.0 ? left(told.change, ratio, m.power)
                                     : left(told.change, 1.0 / ratio, m.power) + told.change;
      estimate = std::isfinite(estimate) ? std::max(estimate, one) : one;
    }
    if (m.events &&
        ((!m.exact && !(estimate > kLeastEstimate * options_.tolerance)) || same_steps(samples))) {
      const Done second = run(
          m, auto_task(m, plan_, std::max(kSecondLook * fine_.x, kTightest), plan_.count, true));
      if (choice_.runs.back().failure.empty())
        estimate = std::max(estimate, distance(second, fine_, samples.motion).error);
    }
    // Of what the schemes did no difference of tolerances tells the error.
    const auto stepped = std::ranges::count_if(choice_.runs,
                                               [&](const AutoRun& run) {
                                                 return run.handed_over && run.method == m.label;
                                               }) +
                         (told.handed_over ? 1 : 0);
    if (stepped > 0) {
      choice_.runs.push_back(told);
      choice_.unmet = fmt::format(
          "no estimate of the error: event-driven integration handed over to time stepping in {} "
          "of "
          "the runs that are compared; raise `events.limit` and `events.closed`, or compare two "
          "values of `time.step` by hand",
          stepped);
      return true;
    }
    estimate *= kSafety;
    estimate = std::max(estimate, kLeastEstimate * options_.tolerance);
    told.estimate = choice_.estimate = estimate;
    choice_.runs.push_back(told);
    choice_.met = estimate <= options_.tolerance;
    if (choice_.met) return true;
    if (!std::isfinite(estimate)) estimate = 1.0;
    // the change is the error of the run before, that before it the error of the one before that
    if (earlier_.size() > 1) {
      const double expected =
          std::pow(earlier_.back().task.x / earlier_[earlier_.size() - 2].task.x, m.order);
      if (told.change < 0.7 * last_change_)
        stuck_ = 0;
      else if (expected < 0.5)
        ++stuck_;
    }
    last_change_ = told.change;
    if (stuck_ > 1)
      return give_up("finer runs do not come closer to each other: chaotic motion, or round-off");
    return refine(m, samples, told.work, estimate);
  }

  /// Goes on to a finer run; true where none is worth it.
  bool refine(const AutoMethod& m, const AutoSamples& samples, double work, double estimate) {
    const double wish =
        std::pow(kAim * options_.tolerance / std::min(estimate, 1.0), 1.0 / m.order);
    double x = fine_.x * std::clamp(wish, 1.0 / m.jump, 1.0 / kLeastJump);
    if (m.events && x < kTightest) {
      if (fine_.x < 2.0 * kTightest)
        return give_up("event-driven integration is at its tightest tolerance");
      x = kTightest;
    }
    const double expected = work * std::pow(fine_.x / x, m.cheap);
    if (expected > options_.work)
      return give_up(fmt::format("{} would need {:.2g} evaluations", m.label, expected));
    if (++attempts_ >= options_.attempts)
      return give_up(fmt::format("{} runs were made", attempts_));
    if (earlier_.size() > 1) earlier_.erase(earlier_.begin());
    earlier_.push_back({fine_, samples});
    propose(x);
    return false;
  }

  bool give_up(const std::string& why) {
    choice_.unmet = fmt::format("the tolerance {:g} cannot be met: {}", options_.tolerance, why);
    return true;
  }

  bool judge_failure(const std::string& why) {
    AutoRun told{.method = method().label, .x = fine_.x, .end = proposed_.spec.time.end};
    told.failure = why;
    choice_.runs.push_back(told);
    method().left_out = "it failed: " + why;
    take_cheapest();
    return false;
  }

  Scene scene_;
  AutoOptions options_;
  AutoPlan plan_;
  AutoChoice choice_;
  std::vector<Observable> observables_;
  double least_ = std::numeric_limits<double>::infinity();  ///< work of the methods tried
  std::vector<Done> earlier_;  ///< the last two runs to the end before the present one
  AutoTask fine_;
  Scene proposed_;
  double last_change_ = kNotMeasured;
  int stuck_ = 0;  ///< runs that changed as much as the one before
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
void AutoSearch::stop_by(Stop* stop) { search_->options_.stop = stop; }
Stop* AutoSearch::stop() const { return search_->options_.stop; }
const AutoChoice& AutoSearch::choice() const { return search_->choice_; }

AutoResult run_auto(AutoSearch search) {
  AutoResult result;
  while (true) {
    result.scene = search.scene();
    Simulation sim(build(result.scene));
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
    if (!done) continue;
    result.choice = search.choice();
    result.motion = std::move(recorder.samples().motion);
    const double interval = *result.scene.spec.time.step * static_cast<double>(search.stride());
    for (std::size_t k = 0; k < result.motion.rows(); ++k)
      result.times.push_back(interval * static_cast<double>(k));
    result.state = sim.state();
    return result;
  }
}

AutoResult run_auto(const Scene& scene, const AutoOptions& options) {
  return run_auto(AutoSearch(scene, options));
}

}  // namespace saltus
