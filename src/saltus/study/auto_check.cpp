#include "saltus/study/auto_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"
#include "saltus/study/study_error.h"

namespace saltus {
namespace {

/// Tolerances of event-driven integration for the reference, and for the run that estimates its
/// error.
constexpr double kReferenceTolerance = 1e-12, kSecondTolerance = 1e-10;

/// The columns of a motion of the automatic choice that a study compares; no rows if the choice
/// compares other observables.
Motion columns_of(const Motion& motion, std::span<const Observable> all,
                  std::span<const Observable> some) {
  Motion out;
  for (const Observable& one : some) out.width += static_cast<std::size_t>(one.width);
  for (std::size_t k = 0; k < motion.rows(); ++k)
    for (const Observable& one : some) {
      std::size_t column = 0, i = 0;
      for (; i < all.size(); ++i) {
        if (all[i].probe == one.probe && all[i].group == one.group) break;
        column += static_cast<std::size_t>(all[i].width);
      }
      if (i == all.size()) return {};
      const auto from = motion.row(k).subspan(column, static_cast<std::size_t>(one.width));
      out.values.insert(out.values.end(), from.begin(), from.end());
    }
  return out;
}

/// A run in event-driven integration; no rows if the scene does not support it or the run fails.
Motion event_motion(const Scene& scene, const AutoPlan& plan, double tolerance, Stop* stop) {
  AutoMethod event_state;
  event_state.label = "events";
  event_state.events = true;
  try {
    std::string failure;
    AutoSamples samples =
        auto_run(auto_scene(scene, event_state, plan, {.x = tolerance, .count = plan.count}), 1,
                 plan.count, AutoOptions{}.work, event_state, stop, failure);
    if (failure.empty() && !samples.handed_over) return std::move(samples.motion);
  } catch (const SceneError&) {  // the scene does not support it: use the reference of the study
  }
  return {};
}

}  // namespace

StudyChoice check_choice(const Scene& scene, double tolerance, const AutoPlan& plan,
                         std::span<const Observable> observables, const CheckReference& reference,
                         Stop* stop) {
  StudyChoice choice;
  choice.tolerance = tolerance;
  Scene asked = scene;
  asked.spec.time.step = plan.interval;
  asked.spec.time.end = plan.end();
  AutoResult result;
  try {
    result = run_auto(asked, AutoOptions{.tolerance = tolerance, .stop = stop});
  } catch (const RunError&) {
    if (!stop_requested(stop)) throw;
    return choice;
  } catch (const SceneError& error) {
    choice.unmet = error.message();
    return choice;
  }
  choice.method = result.choice.method().label;
  choice.events = result.choice.method().events;
  choice.x = result.choice.runs.back().x;
  choice.estimate = result.choice.estimate;
  choice.unmet = result.choice.unmet;
  choice.work = result.choice.work();
  const std::vector<Observable> all = auto_observables(build_run(result.scene));
  const Motion motion = columns_of(result.motion, all, observables);
  if (motion.rows() == 0) {
    choice.holds = true;
    choice.unmet =
        "error not measured: the study compares outputs, but the automatic choice compares "
        "positions";
    return choice;
  }
  const auto error_to = [&](const Motion& x, const Motion& r) {
    return motion_error(x, r, reference.rows, reference.scales, observables);
  };
  choice.known = reference.told.own_error;
  choice.error = error_to(motion, reference.motion);
  choice.reference = "the reference of the study";
  if (reference.told.file.empty()) {
    const Motion fine = columns_of(event_motion(asked, plan, kReferenceTolerance, stop), all,
                                   observables),
                 second = columns_of(event_motion(asked, plan, kSecondTolerance, stop), all,
                                     observables);
    const double known = error_to(second, fine);
    if (std::isfinite(known) && known < choice.known) {
      choice.known = known;
      choice.error = error_to(motion, fine);
      choice.reference = "event-driven integration at 1e-12";
    }
  }
  // without an estimate there is nothing to check
  choice.holds =
      !std::isfinite(choice.estimate) || choice.error <= 2.0 * choice.estimate + choice.known;
  return choice;
}

}  // namespace saltus
