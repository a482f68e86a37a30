// Constraint projection of the finished positions of an island: overlapping shapes are moved apart,
// joints closed.
#pragma once
#include "saltus/assembly/island_problem.h"
#include "saltus/assembly/joint_projection.h"

namespace saltus {

/// Changes only positions, by Newton's method on the gaps, with A = M:
///     y + h W p >= 0 perp p >= 0,
///     q1 <- q1 (+) h M^-1 (H^T p + G^T L),   g + h G M^-1 (H^T p + G^T L) = 0.
class IslandProjection {
 public:
  IslandProjection(const Model& model, ContactList& list, JointProjection& joints,
                   IslandProblem& problem)
      : model_(model), list_(list), joints_(joints), problem_(problem) {}

  /// Closes the joints after a step in which rates jumped: it ends with the new rates, which its
  /// positions did not follow in part of the step. Returns false if nothing moved.
  bool close_joints(IslandStep& step, StepReport& report);
  /// Moves shapes apart; gap: the least gap between them, < 0.
  bool separate(IslandStep& step, StepReport& report, double gap);

 private:
  const Group& group(const ContactList::Member& m) const {
    return model_.groups()[static_cast<std::size_t>(m.group)];
  }
  static Trial& trial_of(IslandStep& step, const ContactList::Member& m) {
    return step.trials[static_cast<std::size_t>(m.group)];
  }
  static Vector& end_of(IslandStep& step, const ContactList::Member& m) {
    return step.ends[static_cast<std::size_t>(m.group)].q;
  }
  void masses(IslandStep& step);
  void move(IslandStep& step);
  void sync(IslandStep& step);
  bool gather(IslandStep& step, double t);
  void fail(StepReport& report) const;

  const Model& model_;
  ContactList& list_;
  JointProjection& joints_;
  IslandProblem& problem_;
};

}  // namespace saltus
