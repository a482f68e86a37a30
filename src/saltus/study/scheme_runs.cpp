#include "saltus/study/scheme_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"
#include "saltus/schemes/registry.h"
#include "saltus/study/study_error.h"
#include "saltus/study/study_schemes.h"

namespace saltus {
namespace {

/// The step of the reference is finer than the ladder by this factor: 1/16 of a first-order error
/// is 7 % of that of the finest run.
constexpr int kRefine = 16;
/// Smallest error that is stated for a reference, because of round-off.
constexpr double kReferenceRoundOff = 1e-13;

bool has_velocity_forces(const Dynamics& body) {
  if (!has(body.traits(), Trait::constant_mass)) return true;
  // modal bodies have a work term for damping even if they have no damping
  if (const ModalData* modal = body.modal()) return modal->sigma.cwiseAbs().maxCoeff() > 0.0;
  return std::ranges::any_of(body.sources(),
                             [](const Source& source) { return source.name == "damping"; });
}

}  // namespace

Model SchemeRuns::model_of(const SchemeChoice& choice, double h, const SamplePlan& samples,
                           std::vector<std::string>* kept) const {
  return build_run(study_scene(scene_, model_, choice, h, samples.time(samples.count), kept));
}

void SchemeRuns::run(StudyScheme& scheme, std::vector<Motion>& motions) const {
  try {
    model_of(scheme.choice, plan_.steps.back(), plan_.samples, &scheme.kept);
  } catch (const SceneError& error) {
    scheme.refused = error.message() + (error.hint().empty() ? "" : "; " + error.hint());
    for (const double h : plan_.steps) pacer_.skip(plan_.steps_of(h));
    return;
  }
  bool velocity_forces = false;
  for (std::size_t i = 0; i < plan_.steps.size() && !pacer_.stopped(); ++i) {
    const Model model = model_of(scheme.choice, plan_.steps[i], plan_.samples);
    for (const Group& group : model.groups())
      velocity_forces = velocity_forces || has_velocity_forces(*group.dynamics);
    scheme.runs.push_back(
        study_run(model, plan_.samples, plan_.observables, true, pacer_, motions[i]));
  }
  scheme.theory = theory(scheme, velocity_forces);
}

/// The lowest order of all bodies.
std::optional<double> SchemeRuns::theory(const StudyScheme& scheme, bool velocity_forces) const {
  const Scene changed = study_scene(scene_, model_, scheme.choice, plan_.steps[0],
                                    plan_.samples.time(plan_.samples.count));
  double lowest = std::numeric_limits<double>::infinity();
  for (const BodySpec& body : changed.spec.bodies) {
    if (!body.integrated()) continue;
    const std::optional<double> order = smooth_order(body.chosen_scheme(), velocity_forces);
    if (!order) return std::nullopt;
    lowest = std::min(lowest, *order);
  }
  return lowest;
}

/// The effect of halving the step of a scheme, over these rows: the last change, or half of the
/// previous change if that is larger. One change may vanish by chance if an impact has the same
/// position in both steps, but not both.
double ReferenceRuns::last_change(std::size_t s, std::span<const std::size_t> rows) const {
  const std::vector<StudyRun>& runs = schemes_[s].runs;
  const std::vector<Motion>& motions = motions_[s];
  const std::size_t n = runs.size();
  if (n < 2 || runs[n - 1].status != StudyStatus::ok || runs[n - 2].status != StudyStatus::ok)
    return kNotMeasured;
  const auto scales = motion_scales(motions[n - 1], motions[n - 1], plan_.rows, plan_.observables);
  const double last = motion_error(motions[n - 2], motions[n - 1], rows, scales, plan_.observables);
  if (n < 3 || runs[n - 3].status != StudyStatus::ok) return last;
  return std::max(
      last, 0.5 * motion_error(motions[n - 3], motions[n - 2], rows, scales, plan_.observables));
}

/// Schemes in the order in which they are tried for the reference: those that change least when the
/// step is halved first, comparison forms last.
std::vector<std::size_t> ReferenceRuns::candidates(std::span<const std::size_t> rows) const {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t s = 0; s < schemes_.size(); ++s) {
    const StudyScheme& scheme = schemes_[s];
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

/// Runs the first candidate that reaches the end. The error is the change when its step is halved,
/// over the whole motion once its scale is known; with impacts, where the error is C h, at least a
/// third of the change over two halvings.
std::optional<OwnReference> ReferenceRuns::make(std::span<const std::size_t> rows,
                                                const SamplePlan& samples,
                                                std::span<const double> known_scales) const {
  const double h = plan_.steps.back() / kRefine;
  for (const std::size_t s : candidates(rows)) {
    const StudyScheme& scheme = schemes_[s];
    std::array<Motion, 3> motions;  // with h, 2 h, 4 h
    std::array<StudyRun, 3> runs;
    bool good = true;
    for (std::size_t i = 0; i < 3 && good; ++i) {
      runs[i] = study_run(runs_.model_of(scheme.choice, h * static_cast<double>(1u << i), samples),
                          samples, plan_.observables, false, runs_.pacer(), motions[i]);
      if (runs_.pacer().stopped()) return std::nullopt;
      good = runs[i].status == StudyStatus::ok;
    }
    if (!good) continue;
    const bool known = !known_scales.empty();
    const auto compared = known ? first_rows(samples.count) : plan_.rows;
    const auto scales = known ? std::vector<double>(known_scales.begin(), known_scales.end())
                              : motion_scales(motions[0], motions[0], compared, plan_.observables);
    const auto change = [&](const Motion& motion) {
      return motion_error(motion, motions[0], compared, scales, plan_.observables);
    };
    OwnReference own;
    StudyReference& description = own.description;
    description.scheme = scheme.label;
    description.h = h;
    description.own_error = std::max(change(motions[1]), kReferenceRoundOff);
    if (runs[0].contact_steps > 0)
      description.own_error = std::max(description.own_error, change(motions[2]) / 3.0);
    own.run = std::move(runs[0]);
    own.motion = std::move(motions[0]);
    return own;
  }
  return std::nullopt;
}

std::uint64_t ReferenceRuns::steps(std::uint64_t finest) {
  return finest * (kRefine + kRefine / 2 + kRefine / 4);
}

}  // namespace saltus
