#include "saltus/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"
#include "saltus/study/auto_check.h"
#include "saltus/study/scheme_runs.h"
#include "saltus/study/study_error.h"
#include "saltus/study/study_plan.h"
#include "saltus/study/study_schemes.h"
#include "saltus/study/study_verdict.h"

namespace saltus {
namespace {

/// An error is measurable if it exceeds that of the reference by this factor.
constexpr double kAbove = 4.0;
/// Smaller errors are round-off.
constexpr double kErrorRoundOff = 1e-12;
/// A run is unstable if its error exceeds the motion by this factor.
constexpr double kUnstable = 10.0;

double largest_magnitude(std::span<const double> values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// The most accurate run; null: none reached its end.
const StudyRun* best_run(std::span<const StudyScheme> schemes) {
  const StudyRun* best = nullptr;
  for (const StudyScheme& scheme : schemes)
    for (const StudyRun& run : scheme.runs)
      if (run.status == StudyStatus::ok && (!best || run.error < best->error)) best = &run;
  return best;
}

/// Determines which errors are measurable, which are within the tolerance, and the resulting
/// orders.
void finish_errors(StudyResult& result) {
  const auto above = [](double error, const StudyReference& reference) {
    return error > std::max(kAbove * reference.own_error, kErrorRoundOff);
  };
  for (StudyScheme& scheme : result.schemes) {
    for (StudyRun& run : scheme.runs) {
      const bool ok = run.status == StudyStatus::ok;
      run.measurable = ok && above(run.error, result.reference);
      run.smooth_measurable = ok && above(run.smooth_error, result.smooth_reference);
      run.accurate = ok && run.error + result.reference.own_error <= result.tolerance;
    }
    scheme.smooth = scheme_order(scheme, true);
    if (!result.no_smooth.empty()) scheme.smooth.why = result.no_smooth;
    scheme.impacts = scheme_order(scheme, false);
  }
}

class Study {
 public:
  /// `automatic`: the tolerance of `time.scheme: auto`, if the scene uses it.
  Study(const Scene& scene, const StudyOptions& options, const StudyWatch& watch,
        std::optional<double> automatic)
      : scene_(scene),
        automatic_(automatic),
        model_(build_run(scene)),
        plan_(checked_plan(scene, model_, options)),
        pacer_(watch, 0, options.stop),
        runs_(scene, model_, plan_, pacer_) {
    result_.scene = scene.file;
    result_.title = scene.spec.title;
    result_.scene_step = scene.spec.time.h();
    result_.tolerance = options.tolerance;
    result_.contacts = !model_.pairs().empty();
    result_.steps = plan_.steps;
    result_.notes = plan_.notes;
    result_.end = plan_.samples.time(plan_.samples.count);
    for (std::uint64_t k = 0; k <= plan_.samples.count; ++k)
      result_.times.push_back(plan_.samples.time(k));
    for (NamedScheme& named : study_schemes(options.schemes, model_)) {
      StudyScheme scheme;
      scheme.label = std::move(named.label);
      scheme.choice = named.choice;
      result_.schemes.push_back(std::move(scheme));
    }
  }

  StudyResult operator()() {
    if (measure())
      result_.verdict = study_verdict(result_);
    else
      result_.stopped = true;
    return std::move(result_);
  }

 private:
  static StudyPlan checked_plan(const Scene& scene, const Model& model,
                                const StudyOptions& options) {
    if (!(options.tolerance > 0.0)) throw SceneError("--tolerance", "must be > 0");
    return study_plan(scene, model, options);
  }

  /// Makes all runs; false if the watch stops it.
  bool measure() {
    std::uint64_t planned =
        plan_.exact ? 0 : ReferenceRuns::steps(plan_.steps_of(plan_.steps.back()));
    for (const double h : plan_.steps) planned += result_.schemes.size() * plan_.steps_of(h);
    pacer_.plan(planned);
    for (StudyScheme& scheme : result_.schemes) {
      motions_.emplace_back(plan_.steps.size());
      runs_.run(scheme, motions_.back());
      if (pacer_.stopped()) return false;
    }
    if (!refer()) return false;
    find_smooth();
    if (result_.smooth_times > 0 && !refer_smooth()) return false;
    finish_errors(result_);
    if (automatic_ && !scales_.empty())
      result_.choice = check_choice(
          scene_, *automatic_, {plan_.samples.interval(), plan_.samples.count}, plan_.observables,
          {reference_, plan_.rows, scales_, result_.reference}, pacer_.asked());
    return !pacer_.stopped();
  }

  ReferenceRuns references() const { return {runs_, plan_, result_.schemes, motions_}; }

  /// Calls use(run, motion) for every run that reached its end.
  template <class Use>
  void for_each_run(const Use& use) {
    for (std::size_t s = 0; s < result_.schemes.size(); ++s)
      for (std::size_t i = 0; i < result_.schemes[s].runs.size(); ++i)
        if (StudyRun& run = result_.schemes[s].runs[i]; run.status == StudyStatus::ok)
          use(run, motions_[s][i]);
  }

  /// Computes the reference of the whole run and the errors against it; false if the watch stops
  /// it.
  bool refer() {
    if (plan_.exact) {
      reference_ = plan_.exact_motion;
      result_.reference.file = plan_.exact->file;
      result_.reference.own_error = 0.0;
    } else {
      std::optional<OwnReference> own = references().make(plan_.rows, plan_.samples, {});
      if (pacer_.stopped()) return false;
      if (!own) {
        result_.notes.emplace_back("no scheme completed a reference run: errors are not measured");
        return true;
      }
      reference_ = std::move(own->motion);
      result_.reference = own->description;
      result_.first_impact = own->run.first_contact;
      result_.energy_scale = largest_magnitude(own->run.energy);
    }
    find_scales();
    for_each_run([&](StudyRun& run, const Motion& motion) {
      run.error = motion_error(motion, reference_, plan_.rows, scales_, plan_.observables);
      if (std::isfinite(run.error) && run.error <= kUnstable) return;
      run.status = StudyStatus::unstable;
      run.reason = fmt::format("the error is {:.2g} times the size of the motion", run.error);
    });
    if (!plan_.exact) {
      compare_limits();
    } else if (const StudyRun* best = best_run(result_.schemes)) {
      result_.first_impact = best->first_contact;
      result_.energy_scale = largest_magnitude(best->energy);
    }
    return true;
  }

  void find_scales() {
    scales_ = motion_scales(reference_, reference_start(), plan_.rows, plan_.observables);
    for (std::size_t o = 0; o < plan_.observables.size(); ++o)
      result_.observables.push_back(
          {plan_.observables[o].name, plan_.observables[o].unit, scales_[o]});
    if (std::ranges::all_of(scales_, [](double s) { return s == 0.0; })) {
      result_.notes.emplace_back("no observable moves: errors are absolute");
      scales_.assign(scales_.size(), 1.0);
    }
  }

  /// Row 0: a table of exact values need not contain t = 0, and all runs start from the same state.
  const Motion& reference_start() const {
    for (const auto& motions : motions_)
      for (const Motion& motion : motions)
        if (motion.rows() > 0) return motion;
    return reference_;
  }

  /// Checks whether the other schemes converge to the motion of the reference. They do if their
  /// distance is less than three times the change of their last halving of the step, as for any
  /// scheme of order 1 or more close to its limit.
  void compare_limits() {
    StudyReference& reference = result_.reference;
    const ReferenceRuns limits = references();
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < result_.schemes.size(); ++s) {
      const StudyScheme& scheme = result_.schemes[s];
      if (scheme.label == reference.scheme || !scheme.theory || scheme.runs.empty() ||
          scheme.runs.back().status != StudyStatus::ok)
        continue;
      const double error = scheme.runs.back().error, change = limits.last_change(s, plan_.rows);
      if (!std::isfinite(change)) continue;
      ++reference.others;
      reference.agree +=
          error <= std::max({3.0 * change, 10.0 * reference.own_error, kErrorRoundOff});
      if (error < nearest) {
        nearest = error;
        reference.closest = scheme.label;
      }
    }
    if (reference.others > 0 && reference.agree == 0)
      reference.own_error = std::max(reference.own_error, nearest);
  }

  /// Finds how many common times are before the first impact, by a margin of the largest step.
  void find_smooth() {
    if (scales_.empty()) {
      result_.no_smooth = "there is no reference";
      return;
    }
    const double last = result_.first_impact - result_.steps[0];
    for (const std::size_t k : plan_.rows)
      if (plan_.samples.time(k) <= last) smooth_rows_.push_back(k);
    const std::size_t least = plan_.exact ? 4 : static_cast<std::size_t>(kLeastStudyTimes);
    if (smooth_rows_.size() < least) {
      result_.no_smooth =
          smooth_rows_.empty()
              ? "contact begins at the start"
              : fmt::format("only {} common times are before the first impact at {:.4g} s",
                            smooth_rows_.size(), result_.first_impact);
      smooth_rows_.clear();
    }
    result_.smooth_times = static_cast<int>(smooth_rows_.size());
  }

  /// Reference of the smooth motion: another scheme may be more accurate there by orders of
  /// magnitude.
  bool refer_smooth() {
    std::optional<OwnReference> own;
    result_.smooth_reference = result_.reference;
    if (!plan_.exact && smooth_rows_.size() < plan_.rows.size()) {
      SamplePlan stretch = plan_.samples;
      stretch.count = smooth_rows_.size();
      pacer_.plan(ReferenceRuns::steps(stretch.count * stretch.stride(plan_.steps.back())));
      own = references().make(smooth_rows_, stretch, scales_);
      if (pacer_.stopped()) return false;
      if (own) result_.smooth_reference = own->description;
    }
    const Motion& smooth = own ? own->motion : reference_;
    for_each_run([&](StudyRun& run, const Motion& motion) {
      if (run.first_contact >= plan_.samples.time(smooth_rows_.back()))
        run.smooth_error = motion_error(motion, smooth, smooth_rows_, scales_, plan_.observables);
    });
    return true;
  }

  const Scene& scene_;
  const std::optional<double> automatic_;
  const Model model_;
  const StudyPlan plan_;
  StudyPacer pacer_;
  const SchemeRuns runs_;
  StudyResult result_;
  std::vector<std::vector<Motion>> motions_;  ///< of each scheme and step
  Motion reference_;
  std::vector<double> scales_;            ///< of the observables; empty: no reference
  std::vector<std::size_t> smooth_rows_;  ///< rows of the plan before the first impact
};

}  // namespace

std::string_view name_of(StudyStatus status) {
  switch (status) {
    case StudyStatus::ok:
      return "ok";
    case StudyStatus::unstable:
      return "unstable";
    default:
      return "failed";
  }
}

StudyResult run_study(const Scene& scene, const StudyOptions& options, const StudyWatch& watch) {
  Scene plain = scene;
  // a step that fails is a result, which its halves would hide
  if (!plain.spec.on_failure) plain.spec.on_failure = OnFailure::stop;
  if (!scene.spec.time.automatic()) return Study(plain, options, watch, std::nullopt)();
  TimeSpec& time = plain.spec.time;
  time.step = time.h();
  time.rate.reset();
  time.scheme = TimeScheme::bodies;
  const double tolerance = time.tolerance.value_or(options.tolerance);
  time.tolerance.reset();
  plain.spec.events.reset();
  return Study(plain, options, watch, tolerance)();
}

}  // namespace saltus
