// What a study compares, with which steps and at which times.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saltus/study/study.h"
#include "saltus/study/study_reference.h"
#include "saltus/study/study_run.h"

namespace saltus {

/// Smallest number of common times for an error over time.
constexpr std::uint64_t kLeastStudyTimes = 8;

struct StudyPlan {
  std::vector<double> steps;  ///< [s], largest first; each divides the largest
  std::vector<Observable> observables;
  std::optional<ExactReference> exact;  ///< if the scene names one
  Motion exact_motion;                  ///< of `exact`, at `rows`
  SamplePlan samples;                   ///< times common to all runs
  std::vector<std::size_t> rows;        ///< numbers k > 0 of the times that are compared
  std::vector<std::string> notes;       ///< what is not compared, and why

  std::uint64_t steps_of(double h) const { return samples.stride(h) * samples.count; }
};

/// Throws SceneError: steps that do not fit, an unknown output, nothing to compare.
StudyPlan study_plan(const Scene& scene, const Model& model, const StudyOptions& options);

/// Rows 1 .. count.
std::vector<std::size_t> first_rows(std::uint64_t count);

}  // namespace saltus
