// Which impulses of an island do the work of which account of the ledger.
#pragma once
#include "saltus/sim/island_problem.h"

namespace saltus {

class IslandWork {
 public:
  IslandWork(const ContactList& list, const IslandJoints& joints, const IslandProblem& problem)
      : list_(list), joints_(joints), problem_(problem) {}

  /// As Island::impulse().
  bool impulse(ImpulseOf part, int group, Out r) const;
  /// P . (d0 + d1)/2 with the velocities d of the points by themselves, and of the surface that rubs along a normal.
  DriftWork drift_work() const;

 private:
  double normal(ImpulseOf part, std::size_t i) const;

  const ContactList& list_;
  const IslandJoints& joints_;
  const IslandProblem& problem_;
  mutable Vector p_;  // written before it is read; an island belongs to one simulation
};

}  // namespace saltus
