// Equations of motion of a mechanism in its joint coordinates, projected from those of its bodies:
//
//     M(c) c'' + b(c, c') = tau                                                             (1)
//
// With M_b the masses of all bodies, C the rows of the coordinates, c' = C v, and P the projection
// that removes what joints do not allow:  X = P M_b^-1 C^T,  M = (C X)^-1,  v = X M c'.
#pragma once
#include <memory>

#include "saltus/state/state.h"

namespace saltus {

/// The coordinates are those of all joints, by joint, then by coordinate [rad], [m].
struct JointDynamics {
  Matrix mass;        ///< M
  Vector bias;        ///< b: gravity, loads, gyroscopic forces, without laws on coordinates
  Matrix velocities;  ///< X M: velocities of all groups in order, for unit rates of coordinates
  /// A part of velocities that joints allow and coordinates do not determine: 0 for the bodies of a
  /// mechanism that is connected with the world.
  Vector undetermined;
};

class Mechanism {
 public:
  explicit Mechanism(const Model& model);
  ~Mechanism();

  /// Whether it is that of this model or of a copy.
  bool is_of(const Model& model) const;
  /// groups: physical positions and velocities at t. UsageError if the coordinates depend on each
  /// other, as in loops, if a joint or a coupling is driven, or if a joint holds a body that is not
  /// rigid. A body that joints do not connect with the world moves freely: (1) then holds with its
  /// motion as it follows from tau, and `velocities` are those without its own motion.
  JointDynamics at(double t, std::span<const GroupState> groups);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace saltus
