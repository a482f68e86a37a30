// The runs of a study: every scheme with every step, and a finer reference run.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/study/study_plan.h"

namespace saltus {

/// Runs schemes with the steps of a plan.
class SchemeRuns {
 public:
  SchemeRuns(const Scene& scene, const Model& model, const StudyPlan& plan, StudyPacer& pacer)
      : scene_(scene), model_(model), plan_(plan), pacer_(pacer) {}

  /// Runs all steps of a scheme, one motion per step, and sets its theoretical order, or the reason
  /// why the scheme is refused. Ends early if the watch stops it.
  void run(StudyScheme& scheme, std::vector<Motion>& motions) const;
  /// The model with this scheme and step, run to the end of `samples`. `kept`: receives bodies that
  /// the scheme does not support.
  Model model_of(const SchemeChoice& choice, double h, const SamplePlan& samples,
                 std::vector<std::string>* kept = nullptr) const;
  StudyPacer& pacer() const { return pacer_; }

 private:
  std::optional<double> theory(const StudyScheme& scheme, bool velocity_forces) const;

  const Scene& scene_;
  const Model& model_;
  const StudyPlan& plan_;
  StudyPacer& pacer_;
};

/// A reference computed by the study itself.
struct OwnReference {
  Motion motion;
  StudyRun run;
  StudyReference description;
};

/// Computes a reference with the scheme whose runs have converged best.
class ReferenceRuns {
 public:
  /// From all runs of `schemes` with their motions, one per step.
  ReferenceRuns(const SchemeRuns& runs, const StudyPlan& plan, std::span<const StudyScheme> schemes,
                std::span<const std::vector<Motion>> motions)
      : runs_(runs), plan_(plan), schemes_(schemes), motions_(motions) {}

  double last_change(std::size_t scheme, std::span<const std::size_t> rows) const;
  /// Returns nothing if no scheme reaches the end of `samples` or the watch stops it. Uses the
  /// scheme that changes least over `rows`. `scales`: of the observables; empty while unknown, then
  /// those of the reference itself are used.
  std::optional<OwnReference> make(std::span<const std::size_t> rows, const SamplePlan& samples,
                                   std::span<const double> scales) const;
  /// Number of steps of the reference, from that of the finest run.
  static std::uint64_t steps(std::uint64_t finest);

 private:
  std::vector<std::size_t> candidates(std::span<const std::size_t> rows) const;

  const SchemeRuns& runs_;
  const StudyPlan& plan_;
  std::span<const StudyScheme> schemes_;
  std::span<const std::vector<Motion>> motions_;
};

}  // namespace saltus
