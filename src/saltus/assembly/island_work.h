// Which impulses of an island do the work of which account of the ledger.
#pragma once
#include <optional>

#include "saltus/assembly/island_problem.h"

namespace saltus {

class IslandWork {
 public:
  IslandWork(const ContactList& list, const IslandJoints& joints, const IslandProblem& problem)
      : list_(list), joints_(joints), problem_(problem) {}

  /// A step begins: other impulses.
  void begin() { made_.reset(); }
  /// As Island::impulse().
  bool impulse(ImpulseOf part, int group, Out r) const;
  /// P . (d0 + d1)/2 with the velocities d of the points by themselves, and of the surface that
  /// rubs along a normal.
  DriftWork drift_work() const;

 private:
  double normal(ImpulseOf part, std::size_t i) const;

  const ContactList& list_;
  const IslandJoints& joints_;
  const IslandProblem& problem_;
  // an island belongs to one simulation
  mutable Vector p_;  ///< of part made_, the same for every group
  mutable std::optional<ImpulseOf> made_;
};

}  // namespace saltus
