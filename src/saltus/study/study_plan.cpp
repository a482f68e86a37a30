#include "saltus/study/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus {
namespace {

/// Largest number of common times, and of numbers stored for one run.
constexpr std::uint64_t kMostTimes = 4000, kMostNumbers = 200000;

/// The steps of the options, or halvings starting at 4 h; largest first, each divides the largest
/// [s].
std::vector<double> ladder(const StudyOptions& options, double h) {
  std::vector<double> steps = options.steps;
  if (steps.empty()) {
    if (options.levels < 1 || options.levels > 20)
      throw SceneError("--levels", fmt::format("{} is out of range", options.levels),
                       "allowed: 1 to 20");
    for (int i = 0; i < options.levels; ++i) steps.push_back(4.0 * h * std::pow(0.5, i));
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
          fmt::format("{:.9g} s does not divide the largest step, {:.9g} s", step, steps[0]),
          fmt::format("for example {:.9g} s, so that runs have common times",
                      steps[0] / std::max(whole, 1.0)));
  }
  for (double& step : steps) step = steps[0] / std::round(steps[0] / step);
  return steps;
}

/// Selects the probes that can be compared at an instant, or the positions of all bodies.
void observe(const Scene& scene, const Model& model, const StudyOptions& options, StudyPlan& to) {
  std::vector<std::string_view> names;
  for (const Probe& probe : model.probes()) names.emplace_back(probe.name);
  if (!options.probe.empty() &&
      std::ranges::find(names, std::string_view(options.probe)) == names.end())
    throw SceneError("--probe", "there is no output '" + options.probe + "' in the scene",
                     names.empty() ? "the scene has none" : did_you_mean(options.probe, names));
  if (scene.spec.reference) to.exact = read_reference(scene, model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Probe& probe = model.probes()[i];
    if (!options.probe.empty() && names[i] != options.probe) continue;
    if (is_mean(probe.quantity)) {
      to.notes.push_back("'" + probe.name + "' is a mean over a step and is not compared");
      continue;
    }
    if (to.exact &&
        std::ranges::find(to.exact->probes, static_cast<int>(i)) == to.exact->probes.end()) {
      to.notes.push_back("'" + probe.name + "' is not in " + to.exact->file +
                         " and is not compared");
      continue;
    }
    to.observables.push_back({probe.name, std::string(unit_of(probe, model.joints())), probe.group,
                              static_cast<int>(i), 1});
  }
  if (to.observables.empty() && to.exact)
    throw SceneError("", "none of its columns can be compared",
                     "add a column for an output of the scene")
        .at(to.exact->file, 0, 0);
  if (to.observables.empty() && !options.probe.empty())
    throw SceneError("--probe",
                     "'" + options.probe + "' is a reaction, which is a mean over a step",
                     "use a displacement or a velocity");
  if (to.observables.empty())
    for (std::size_t g = 0; g < model.groups().size(); ++g)
      to.observables.push_back({"positions of " + model.groups()[g].name, "", static_cast<int>(g),
                                -1, model.groups()[g].dynamics->positions()});
}

/// Chooses the times common to all runs, as many as a run may store.
void plan_times(const StudyOptions& options, double scene_end, StudyPlan& to) {
  const double end = options.until.value_or(scene_end), h_max = to.steps[0];
  const double whole = std::floor(end / h_max * (1.0 + 1e-9) + 1e-6);
  if (!(whole >= static_cast<double>(kLeastStudyTimes)))
    throw SceneError(
        options.steps.empty() ? "--levels" : "--steps",
        fmt::format("the largest step, {:.6g} s, fits only {:.0f} times into {:.6g} s", h_max,
                    std::max(whole, 0.0), end),
        fmt::format("at least {} times are required: use shorter steps or a later --until",
                    kLeastStudyTimes));
  std::uint64_t width = 0;
  for (const Observable& observable : to.observables)
    width += static_cast<std::uint64_t>(observable.width);
  const auto all = static_cast<std::uint64_t>(whole);
  const std::uint64_t most =
      std::clamp(kMostNumbers / std::max<std::uint64_t>(width, 1), kLeastStudyTimes, kMostTimes);
  to.samples.h_max = h_max;
  to.samples.every = to.exact ? 1 : (all + most - 1) / most;
  to.samples.count = all / to.samples.every;
  if (to.exact)
    to.exact_motion = reference_motion(*to.exact, to.observables, to.samples, to.rows);
  else
    to.rows = first_rows(to.samples.count);
}

}  // namespace

StudyPlan study_plan(const Scene& scene, const Model& model, const StudyOptions& options) {
  StudyPlan plan;
  plan.steps = ladder(options, scene.spec.time.h());
  observe(scene, model, options, plan);
  plan_times(options, scene.spec.time.end, plan);
  return plan;
}

std::vector<std::size_t> first_rows(std::uint64_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{1});
  return rows;
}

}  // namespace saltus
