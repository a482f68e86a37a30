// What an automatic choice is worth: its run against the reference of a study.
#pragma once
#include <span>
#include <vector>

#include "saltus/study/auto_trial.h"
#include "saltus/study/study.h"

namespace saltus {

/// The motion that a study measures errors against, and the rows and scales of (1) of study.h.
struct CheckReference {
  const Motion& motion;
  const std::vector<std::size_t>& rows;
  const std::vector<double>& scales;
  const StudyReference& told;
};

/// Runs the choice with the end and the instants of the study. Where event-driven integration takes
/// the scene and knows its motion better than the reference of the study, that is what counts. The
/// choice is told as unmet where there is none. What it returns once `stop` is requested does not
/// count.
StudyChoice check_choice(const Scene& scene, double tolerance, const AutoPlan& plan,
                         std::span<const Observable> observables, const CheckReference& reference,
                         Stop* stop);

}  // namespace saltus
