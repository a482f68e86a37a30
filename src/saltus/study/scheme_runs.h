// The runs of a study: every scheme with every step, and a finer run that serves as the reference.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/study/study_plan.h"

namespace saltus {

/// Makes the runs of schemes with the steps of a plan.
class SchemeRuns {
 public:
  SchemeRuns(const Scene& scene, const Model& model, const StudyPlan& plan, StudyPacer& pacer)
      : scene_(scene), model_(model), plan_(plan), pacer_(pacer) {}

  /// All steps of a scheme, a motion each, with its order in theory; or why it is refused. Ends
  /// early where the watch stops.
  void run(StudyScheme& scheme, std::vector<Motion>& motions) const;
  /// The scene with this scheme and step, to the end of `samples`. `kept`: bodies that the scheme
  /// does not take.
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

/// A reference by a run of the study itself.
struct OwnReference {
  Motion motion;
  StudyRun run;
  StudyReference description;
};

/// Makes a reference from the scheme whose runs come closest to a limit.
class ReferenceRuns {
 public:
  /// Of all runs of `schemes` with their motions, one a step.
  ReferenceRuns(const SchemeRuns& runs, const StudyPlan& plan, std::span<const StudyScheme> schemes,
                std::span<const std::vector<Motion>> motions)
      : runs_(runs), plan_(plan), schemes_(schemes), motions_(motions) {}

  double last_change(std::size_t scheme, std::span<const std::size_t> rows) const;
  /// Nothing where no scheme comes to the end of `samples`, or where the watch stopped it. The
  /// scheme is the one that changes least over `rows`. `scales`: of the observables, empty while
  /// they are not known: then those of the run itself.
  std::optional<OwnReference> make(std::span<const std::size_t> rows, const SamplePlan& samples,
                                   std::span<const double> scales) const;
  /// Steps of make(), from those of the finest run.
  static std::uint64_t steps(std::uint64_t finest);

 private:
  std::vector<std::size_t> candidates(std::span<const std::size_t> rows) const;

  const SchemeRuns& runs_;
  const StudyPlan& plan_;
  std::span<const StudyScheme> schemes_;
  std::span<const std::vector<Motion>> motions_;
};

}  // namespace saltus
