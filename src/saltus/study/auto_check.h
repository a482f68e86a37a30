// Compares an automatic choice of mode, scheme and step with the reference of a study.
#pragma once
#include <span>
#include <vector>

#include "saltus/study/auto_trial.h"
#include "saltus/study/study.h"

namespace saltus {

/// The motion that errors are measured against, and the rows and scales of (1) of study.h.
struct CheckReference {
  const Motion& motion;
  const std::vector<std::size_t>& rows;
  const std::vector<double>& scales;
  const StudyReference& told;
};

/// Runs the automatic choice with the end time and the sampling times of the study. If event-driven
/// integration supports the scene and is more accurate than the reference of the study, it serves
/// as the reference instead. If no choice is possible, `unmet` states why. After `stop` is
/// requested the result is not valid.
StudyChoice check_choice(const Scene& scene, double tolerance, const AutoPlan& plan,
                         std::span<const Observable> observables, const CheckReference& reference,
                         Stop* stop);

}  // namespace saltus
