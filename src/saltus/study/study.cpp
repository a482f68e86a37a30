#include "saltus/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/scene/build.h"
#include "saltus/schemes/registry.h"
#include "saltus/study/auto_check.h"
#include "saltus/study/study_error.h"
#include "saltus/study/study_reference.h"
#include "saltus/study/study_run.h"
#include "saltus/study/study_schemes.h"
#include "saltus/study/study_verdict.h"

namespace saltus {
namespace {

/// The reference runs with a step this much finer than the ladder; the ratio of 16 keeps its share of a first-order
/// error below 7 % of that of the finest run.
constexpr int kRefine = 16;
/// An error is measured where it is this many times the error of the reference.
constexpr double kAbove = 4.0;
/// Errors below are round-off.
constexpr double kEnergyRoundOff = 1e-12;
/// A run that is further off than this many times its own motion is unstable.
constexpr double kUnstable = 10.0;
/// Common times: at least, to be an error over time; at most, in numbers kept of one run.
constexpr std::uint64_t kLeastTimes = 8, kMostTimes = 4000, kMostNumbers = 200000;

/// A reference by a run of the study itself.
struct OwnReference {
  bool found = false;
  Motion motion;
  StudyRun run;
  StudyReference told;
};

std::vector<std::size_t> first_rows(std::uint64_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{1});
  return rows;
}

class Study {
 public:
  /// `automatic`: the tolerance of `time.scheme: auto`, where the scene had it.
  Study(const Scene& scene, const StudyOptions& options, const StudyWatch& watch,
        std::optional<double> automatic)
      : scene_(scene),
        automatic_(automatic),
        options_(options),
        model_(build(scene)),
        pacer_(watch, 0, options.stop) {
    result_.scene = scene.file;
    result_.title = scene.spec.title;
    result_.scene_step = scene.spec.time.h();
    result_.tolerance = options.tolerance;
    result_.contacts = !model_.pairs().empty();
    if (!(options.tolerance > 0.0)) throw SceneError("--tolerance", "must be > 0");
    ladder();
    observe();
    plan();
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
  void ladder() {
    std::vector<double>& steps = result_.steps;
    steps = options_.steps;
    const double h = result_.scene_step;
    if (steps.empty()) {
      if (options_.levels < 1 || options_.levels > 20)
        throw SceneError("--levels", fmt::format("{} is out of range", options_.levels),
                         "allowed: 1 to 20");
      for (int i = 0; i < options_.levels; ++i) steps.push_back(4.0 * h * std::pow(0.5, i));
    }
    for (const double step : steps)
      if (!(step > 0.0) || !std::isfinite(step))
        throw SceneError("--steps", fmt::format("{:g} s is not a step", step), "must be > 0");
    std::ranges::sort(steps, std::greater<>());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    for (const double step : steps) {
      const double ratio = steps[0] / step, whole = std::round(ratio);
      if (std::abs(ratio - whole) > 1e-6 * ratio)
        throw SceneError(
            "--steps",
            fmt::format("{:.9g} s is no whole part of the largest, {:.9g} s", step, steps[0]),
            fmt::format("for example {:.9g} s, so that runs share instants",
                        steps[0] / std::max(whole, 1.0)));
    }
    for (double& step : steps) step = steps[0] / std::round(steps[0] / step);
  }

  /// Probes that can be compared at an instant, or the positions of all bodies.
  void observe() {
    std::vector<std::string_view> names;
    for (const Probe& probe : model_.probes()) names.emplace_back(probe.name);
    if (!options_.probe.empty() &&
        std::ranges::find(names, std::string_view(options_.probe)) == names.end())
      throw SceneError("--probe", "there is no output '" + options_.probe + "' in the scene",
                       names.empty() ? "the scene has none" : did_you_mean(options_.probe, names));
    if (scene_.spec.reference) exact_ = read_reference(scene_, model_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Probe& probe = model_.probes()[i];
      if (!options_.probe.empty() && names[i] != options_.probe) continue;
      if (probe.quantity == Probe::Quantity::reaction) {
        result_.notes.push_back("'" + probe.name + "' is a mean over a step and not compared");
        continue;
      }
      if (exact_ &&
          std::ranges::find(exact_->probes, static_cast<int>(i)) == exact_->probes.end()) {
        result_.notes.push_back("'" + probe.name + "' is not in " + exact_->file +
                                " and not compared");
        continue;
      }
      observables_.push_back({probe.name, std::string(unit_of(probe, model_.joints())), probe.group,
                              static_cast<int>(i), 1});
    }
    if (observables_.empty() && exact_)
      throw SceneError("", "none of its columns is compared", "a column for an output of the scene")
          .at(exact_->file, 0, 0);
    if (observables_.empty() && !options_.probe.empty())
      throw SceneError("--probe", "'" + options_.probe + "' is a reaction, a mean over a step",
                       "a displacement or a velocity");
    if (observables_.empty())
      for (std::size_t g = 0; g < model_.groups().size(); ++g)
        observables_.push_back({"positions of " + model_.groups()[g].name, "", static_cast<int>(g),
                                -1, model_.groups()[g].dynamics->positions()});
  }

  void plan() {
    const double end = options_.until.value_or(scene_.spec.time.end), h_max = result_.steps[0];
    const double whole = std::floor(end / h_max * (1.0 + 1e-9) + 1e-6);
    if (!(whole >= static_cast<double>(kLeastTimes)))
      throw SceneError(
          options_.steps.empty() ? "--levels" : "--steps",
          fmt::format("the largest step, {:.6g} s, fits {:.0f} times into {:.6g} s", h_max,
                      std::max(whole, 0.0), end),
          fmt::format("at least {} times: shorter steps or a later --until", kLeastTimes));
    std::uint64_t width = 0;
    for (const Observable& observable : observables_)
      width += static_cast<std::uint64_t>(observable.width);
    const auto all = static_cast<std::uint64_t>(whole);
    const std::uint64_t most =
        std::clamp(kMostNumbers / std::max<std::uint64_t>(width, 1), kLeastTimes, kMostTimes);
    plan_.h_max = h_max;
    plan_.every = exact_ ? 1 : (all + most - 1) / most;
    plan_.count = all / plan_.every;
    result_.end = plan_.time(plan_.count);
    for (std::uint64_t k = 0; k <= plan_.count; ++k) result_.times.push_back(plan_.time(k));
    if (exact_)
      exact_motion_ = reference_motion(*exact_, observables_, plan_, rows_);
    else
      rows_ = first_rows(plan_.count);
  }

  std::uint64_t steps_of(double h) const { return plan_.stride(h) * plan_.count; }

  Model model_of(const SchemeChoice& choice, double h, const SamplePlan& plan,
                 std::vector<std::string>* kept = nullptr) const {
    return build(study_scene(scene_, model_, choice, h, plan.time(plan.count), kept));
  }

  /// Steps that a reference takes, from those of the finest run.
  static std::uint64_t reference_steps(std::uint64_t finest) {
    return finest * (kRefine + kRefine / 2 + kRefine / 4);
  }

  /// Everything that takes time; false where the watch stopped it.
  bool measure() {
    std::uint64_t planned = exact_ ? 0 : reference_steps(steps_of(result_.steps.back()));
    for (const double h : result_.steps) planned += result_.schemes.size() * steps_of(h);
    pacer_.plan(planned);
    for (StudyScheme& scheme : result_.schemes) {
      motions_.emplace_back(result_.steps.size());
      run_scheme(scheme, motions_.back());
      if (pacer_.stopped()) return false;
    }
    if (!refer()) return false;
    find_smooth();
    if (result_.smooth_times > 0 && !refer_smooth()) return false;
    finish_errors();
    if (automatic_ && !scales_.empty())
      result_.choice =
          check_choice(scene_, *automatic_, {plan_.interval(), plan_.count}, observables_,
                       {reference_, rows_, scales_, result_.reference}, pacer_.asked());
    return !pacer_.stopped();
  }

  void run_scheme(StudyScheme& scheme, std::vector<Motion>& motions) {
    try {
      model_of(scheme.choice, result_.steps.back(), plan_, &scheme.kept);
    } catch (const SceneError& error) {
      scheme.refused = error.message() + (error.hint().empty() ? "" : "; " + error.hint());
      for (const double h : result_.steps) pacer_.skip(steps_of(h));
      return;
    }
    bool velocity_forces = false;
    for (std::size_t i = 0; i < result_.steps.size() && !pacer_.stopped(); ++i) {
      const Model model = model_of(scheme.choice, result_.steps[i], plan_);
      for (const Group& group : model.groups())
        velocity_forces = velocity_forces || has_velocity_forces(*group.dynamics);
      scheme.runs.push_back(study_run(model, plan_, observables_, true, pacer_, motions[i]));
    }
    scheme.theory = theory(scheme, velocity_forces);
  }

  static bool has_velocity_forces(const Dynamics& body) {
    if (!has(body.traits(), Trait::constant_mass)) return true;
    // modal bodies keep an account of damping whether they have damping or not
    if (const ModalData* modal = body.modal()) return modal->sigma.cwiseAbs().maxCoeff() > 0.0;
    return std::ranges::any_of(body.sources(),
                               [](const Source& source) { return source.name == "damping"; });
  }

  /// The lowest of the orders of all bodies.
  std::optional<double> theory(const StudyScheme& scheme, bool velocity_forces) const {
    const Scene changed = study_scene(scene_, model_, scheme.choice, result_.steps[0], result_.end);
    double lowest = std::numeric_limits<double>::infinity();
    for (const BodySpec& body : changed.spec.bodies) {
      if (!body.integrated()) continue;
      const std::optional<double> order = smooth_order(body.chosen_scheme(), velocity_forces);
      if (!order) return std::nullopt;
      lowest = std::min(lowest, *order);
    }
    return lowest;
  }

  /// What halving the step still changes of a scheme, over these rows: the last change, or half of that before it where
  /// this is more. An impact at the same place of both its steps can make one change vanish by chance, not both.
  double last_change(std::size_t s, std::span<const std::size_t> rows) const {
    const std::vector<StudyRun>& runs = result_.schemes[s].runs;
    const std::vector<Motion>& motions = motions_[s];
    const std::size_t n = runs.size();
    if (n < 2 || runs[n - 1].status != StudyStatus::ok || runs[n - 2].status != StudyStatus::ok)
      return kNotMeasured;
    const auto scales = motion_scales(motions[n - 1], motions[n - 1], rows_, observables_);
    const double last = motion_error(motions[n - 2], motions[n - 1], rows, scales, observables_);
    if (n < 3 || runs[n - 3].status != StudyStatus::ok) return last;
    return std::max(last,
                    0.5 * motion_error(motions[n - 3], motions[n - 2], rows, scales, observables_));
  }

  /// Schemes in the order in which they are asked to make the reference: those that change least when their step is
  /// halved, forms of comparison last.
  std::vector<std::size_t> candidates(std::span<const std::size_t> rows) const {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t s = 0; s < result_.schemes.size(); ++s) {
      const StudyScheme& scheme = result_.schemes[s];
      if (scheme.runs.empty() || scheme.runs.back().status != StudyStatus::ok) continue;
      double rank = last_change(s, rows);
      if (!std::isfinite(rank)) rank = 1e3 / std::max(scheme.theory.value_or(0.0), 0.1);
      if (!scheme.theory || !scheme.kept.empty()) rank += 1e6;
      ranked.emplace_back(rank, s);
    }
    std::ranges::stable_sort(ranked);
    std::vector<std::size_t> order;
    order.reserve(ranked.size());
    for (const auto& [rank, s] : ranked) order.push_back(s);
    return order;
  }

  /// A run of the first candidate that comes to its end. Its error, of the whole motion once that is known, is what
  /// halving its step changed; with impacts, where the error is C h, a third of what two halvings changed if more.
  OwnReference own_reference(const std::vector<std::size_t>& candidates, const SamplePlan& plan) {
    OwnReference own;
    const double h = result_.steps.back() / kRefine;
    for (const std::size_t s : candidates) {
      const StudyScheme& scheme = result_.schemes[s];
      std::array<Motion, 3> motions;  // of h, 2 h, 4 h
      std::array<StudyRun, 3> runs;
      bool good = true;
      for (std::size_t i = 0; i < 3 && good; ++i) {
        runs[i] = study_run(model_of(scheme.choice, h * static_cast<double>(1u << i), plan), plan,
                            observables_, false, pacer_, motions[i]);
        if (pacer_.stopped()) return own;
        good = runs[i].status == StudyStatus::ok;
      }
      if (!good) continue;
      const auto rows = scales_.empty() ? rows_ : first_rows(plan.count);
      const auto scales =
          scales_.empty() ? motion_scales(motions[0], motions[0], rows, observables_) : scales_;
      const double once = motion_error(motions[1], motions[0], rows, scales, observables_),
                   twice = motion_error(motions[2], motions[0], rows, scales, observables_);
      own.found = true;
      own.run = runs[0];
      own.motion = std::move(motions[0]);
      own.told.scheme = scheme.label;
      own.told.h = h;
      own.told.own_error = std::max(once, 0.1 * kEnergyRoundOff);
      if (own.run.contact_steps > 0) own.told.own_error = std::max(own.told.own_error, twice / 3.0);
      return own;
    }
    return own;
  }

  /// The reference of the whole run, and the errors against it; false where the watch stopped it.
  bool refer() {
    if (exact_) {
      reference_ = std::move(exact_motion_);
      result_.reference.file = exact_->file;
      result_.reference.own_error = 0.0;
    } else {
      OwnReference own = own_reference(candidates(rows_), plan_);
      if (pacer_.stopped()) return false;
      if (!own.found) {
        result_.notes.emplace_back("no scheme finished a reference run: errors are not measured");
        return true;
      }
      reference_ = std::move(own.motion);
      result_.reference = own.told;
      result_.first_impact = own.run.first_contact;
      result_.energy_scale = largest(own.run.energy);
    }
    const Motion& start = reference_start();
    scales_ = motion_scales(reference_, start, rows_, observables_);
    for (std::size_t o = 0; o < observables_.size(); ++o)
      result_.observables.push_back({observables_[o].name, observables_[o].unit, scales_[o]});
    if (std::ranges::all_of(scales_, [](double s) { return s == 0.0; })) {
      result_.notes.emplace_back("nothing that is observed moves: errors are absolute");
      scales_.assign(scales_.size(), 1.0);
    }
    for (std::size_t s = 0; s < result_.schemes.size(); ++s)
      for (std::size_t i = 0; i < result_.schemes[s].runs.size(); ++i) {
        StudyRun& run = result_.schemes[s].runs[i];
        if (run.status != StudyStatus::ok) continue;
        run.error = motion_error(motions_[s][i], reference_, rows_, scales_, observables_);
        if (std::isfinite(run.error) && run.error <= kUnstable) continue;
        run.status = StudyStatus::unstable;
        run.reason = fmt::format("it is off by {:.2g} times the size of the motion", run.error);
      }
    if (exact_)
      take_from_best();
    else
      compare_limits();
    return true;
  }

  /// Row 0: a table of exact values need not have t = 0, and all runs begin alike.
  const Motion& reference_start() const {
    for (const auto& motions : motions_)
      for (const Motion& motion : motions)
        if (motion.rows() > 0) return motion;
    return reference_;
  }

  static double largest(std::span<const double> values) {
    double most = 0.0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  }

  /// With an exact reference the first impact and the energy are those of the most accurate run.
  void take_from_best() {
    const StudyRun* best = nullptr;
    for (const StudyScheme& scheme : result_.schemes)
      for (const StudyRun& run : scheme.runs)
        if (run.status == StudyStatus::ok && (!best || run.error < best->error)) best = &run;
    if (!best) return;
    result_.first_impact = best->first_contact;
    result_.energy_scale = largest(best->energy);
  }

  /// Whether the other schemes go to the motion of the reference: they do if they are nearer to it than three times
  /// what their last halving of the step changed, as any scheme of order 1 or more is to its limit.
  void compare_limits() {
    StudyReference& told = result_.reference;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < result_.schemes.size(); ++s) {
      const StudyScheme& scheme = result_.schemes[s];
      if (scheme.label == told.scheme || !scheme.theory || scheme.runs.empty() ||
          scheme.runs.back().status != StudyStatus::ok)
        continue;
      const double error = scheme.runs.back().error, change = last_change(s, rows_);
      if (!std::isfinite(change)) continue;
      ++told.others;
      told.agree += error <= std::max({3.0 * change, 10.0 * told.own_error, kEnergyRoundOff});
      if (error < nearest) {
        nearest = error;
        told.closest = scheme.label;
      }
    }
    if (told.others > 0 && told.agree == 0) told.own_error = std::max(told.own_error, nearest);
  }

  /// How many of the common times lie before the first impact, a largest step apart from it.
  void find_smooth() {
    if (scales_.empty()) {
      result_.no_smooth = "there is no reference";
      return;
    }
    const double last = result_.first_impact - result_.steps[0];
    for (const std::size_t k : rows_)
      if (plan_.time(k) <= last) smooth_rows_.push_back(k);
    const std::size_t least = exact_ ? 4 : static_cast<std::size_t>(kLeastTimes);
    if (smooth_rows_.size() < least) {
      result_.no_smooth =
          smooth_rows_.empty()
              ? "contact begins with the motion"
              : fmt::format("only {} common times lie before the first impact at {:.4g} s",
                            smooth_rows_.size(), result_.first_impact);
      smooth_rows_.clear();
    }
    result_.smooth_times = static_cast<int>(smooth_rows_.size());
  }

  /// The same of the smooth stretch: there another scheme may be more accurate by orders.
  bool refer_smooth() {
    Motion own_motion;
    const Motion* smooth = &reference_;
    result_.smooth_reference = result_.reference;
    if (!exact_ && smooth_rows_.size() < rows_.size()) {
      SamplePlan stretch = plan_;
      stretch.count = smooth_rows_.size();
      pacer_.plan(reference_steps(stretch.count * plan_.stride(result_.steps.back())));
      OwnReference own = own_reference(candidates(smooth_rows_), stretch);
      if (pacer_.stopped()) return false;
      if (own.found) {
        own_motion = std::move(own.motion);
        smooth = &own_motion;
        result_.smooth_reference = own.told;
      }
    }
    for (std::size_t s = 0; s < result_.schemes.size(); ++s)
      for (std::size_t i = 0; i < result_.schemes[s].runs.size(); ++i) {
        StudyRun& run = result_.schemes[s].runs[i];
        if (run.status != StudyStatus::ok || run.first_contact < plan_.time(smooth_rows_.back()))
          continue;
        run.smooth_error =
            motion_error(motions_[s][i], *smooth, smooth_rows_, scales_, observables_);
      }
    return true;
  }

  void finish_errors() {
    const auto above = [](double error, const StudyReference& reference) {
      return error > std::max(kAbove * reference.own_error, kEnergyRoundOff);
    };
    for (StudyScheme& scheme : result_.schemes) {
      for (StudyRun& run : scheme.runs) {
        run.measurable = run.status == StudyStatus::ok && above(run.error, result_.reference);
        run.smooth_measurable =
            run.status == StudyStatus::ok && above(run.smooth_error, result_.smooth_reference);
        run.accurate = run.status == StudyStatus::ok &&
                       run.error + result_.reference.own_error <= result_.tolerance;
      }
      scheme.smooth = scheme_order(scheme, true);
      if (!result_.no_smooth.empty()) scheme.smooth.why = result_.no_smooth;
      scheme.impacts = scheme_order(scheme, false);
    }
  }

  const Scene& scene_;
  const std::optional<double> automatic_;
  const StudyOptions& options_;
  const Model model_;
  StudyPacer pacer_;
  StudyResult result_;
  std::vector<Observable> observables_;
  std::optional<ExactReference> exact_;
  SamplePlan plan_;
  std::vector<std::size_t> rows_, smooth_rows_;  ///< k > 0 of the times compared
  std::vector<std::vector<Motion>> motions_;     ///< of each scheme and step
  Motion exact_motion_, reference_;
  std::vector<double> scales_;
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
  if (!scene.spec.time.automatic()) return Study(scene, options, watch, std::nullopt)();
  Scene plain = scene;
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
