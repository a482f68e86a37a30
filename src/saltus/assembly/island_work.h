// Which impulses of an island do the work of which term of the energy balance.
#pragma once
#include <optional>

#include "saltus/assembly/island_problem.h"

namespace saltus {

class IslandWork {
 public:
  IslandWork(const ContactList& list, const IslandJoints& joints, const IslandProblem& problem)
      : list_(list), joints_(joints), problem_(problem) {}

  /// A step begins: the impulses change.
  void begin() { made_.reset(); }
  /// See Island::impulse().
  bool impulse(ImpulseOf part, int group, Out r) const;
  /// P . (d0 + d1)/2 with the velocities d of prescribed motion of the points, and of the sliding
  /// surface along a normal; without actuators, whose work is that on the coordinate.
  DriftWork drift_work() const;

 private:
  double normal(ImpulseOf part, std::size_t i) const;

  const ContactList& list_;
  const IslandJoints& joints_;
  const IslandProblem& problem_;
  // caches: an island belongs to one simulation
  mutable Vector p_;  ///< of part made_, the same for every group
  mutable std::optional<ImpulseOf> made_;
};

}  // namespace saltus
