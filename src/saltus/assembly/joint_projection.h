// Constraint projection of the joints of an island at the end of a step (ConstraintProjection),
// with M of the end states:
//
//     positions:   q1 <- q1 (+) h M^-1 G^T L,   S L = -g(q1)/h     while |g| is above round-off
//     velocities:  v1 <- v1 + M^-1 G^T L,       S L = u - (G v1 + d1)
//
// u = 0 after a step of level `both`; after a projection of positions u is the value of G v1 + d1
// before that projection.
#pragma once
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/joint_loads.h"
#include "saltus/contact/constraint_projection.h"

namespace saltus {

class JointProjection {
 public:
  /// groups: the members of `joints`, in their order. Velocity corrections are added to the joint
  /// loads and to the tension of breakable joints.
  JointProjection(const Model& model, std::span<const int> groups, JointSystem& joints,
                  JointLoads& loads, BreakableJoints& breakable);

  bool empty() const { return joints_.empty(); }
  /// The largest |g| of the end states [m], [rad].
  double gap(IslandStep& step);
  /// After gap(), at level velocity, where nothing closes what steps leave open: a joint that is
  /// open by more than a tenth of the longer distance of its point from the centres of its bodies,
  /// or by 0.1 rad, fails the step.
  void find_open(StepReport& report) const;
  /// Round-off of gaps in the configuration of the last gap() [m], [rad].
  double round_off() const { return projection_.round_off(); }

  /// Before positions are corrected: G at the end states, S with trial.A, which is M there; stores
  /// G v1 + d1. Returns false if S is not finite.
  bool begin(IslandStep& step);
  /// Corrects the end states with the factors of begin() until the gaps of the joints are at
  /// round-off.
  void close(IslandStep& step);
  /// trial.r holds H^T p of a correction h M^-1 r of the end states: adds G^T L, which closes the
  /// gaps of the joints,
  ///     S L = -(g/h + G M^-1 r)
  void add_impulses(IslandStep& step);
  /// After the corrections, with M there in trial.A: gives the end states G v1 + d1 of begin()
  /// again, because G has rotated. Otherwise a scheme of gain 1/2 keeps the difference for ever,
  /// with alternating sign. Returns false if S is not finite.
  bool restore_rates(IslandStep& step);

  /// Projects the velocities of the end states onto G v1 + d1 = 0. Returns the energy that this
  /// adds [J], <= 0 except for drifts; NaN if the factors are not finite.
  double project_velocities(IslandStep& step);

 private:
  struct EndPositions;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Trial& trial(IslandStep& step, int m) const { return step.trials[at(group_[at(m)])]; }
  GroupState& end(IslandStep& step, int m) const { return step.ends[at(group_[at(m)])]; }
  const Dynamics& body(std::size_t m) const { return *model_.groups()[at(group_[m])].dynamics; }
  std::size_t members() const { return group_.size(); }
  void make_rows(IslandStep& step);
  bool factorise(IslandStep& step);
  void rates(IslandStep& step, Vector& u);
  void correct_velocities(IslandStep& step, const ConstraintProjection::Masses& M);
  bool solve_by_old_factor(const ConstraintProjection::Masses& M, const Vector& c);

  const Model& model_;
  std::vector<int> group_;  ///< group of each member
  JointSystem& joints_;
  JointLoads& loads_;
  BreakableJoints& breakable_;
  ConstraintProjection projection_;
  std::vector<Factor> mass_;  ///< M at the end state of each member
  Vector kept_rates_;         ///< G v1 + d1 of begin()
  Vector u_, c_, right_, rest_, q_, w_;
};

}  // namespace saltus
