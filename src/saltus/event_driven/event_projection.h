// Constraint projection: removes the drift of joints and closed contacts from positions and
// velocities.
//
//     w = -M^-1 B^T (B M^-1 B^T)^-1 g(q),     then     dv = -M^-1 B^T (B M^-1 B^T)^-1 (B v + d)
//
// g: gaps of joints and contacts, B: their rows. Newton's method is iterated to round-off.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

class EventProjection {
 public:
  explicit EventProjection(ConstrainedMotion& motion) : motion_(motion) {}

  /// Projects velocities at t, and first positions if requested. If this would change more kinetic
  /// energy than drift does (allow()), it keeps the velocities and returns false: the modes are not
  /// satisfied.
  bool project(double t, std::vector<GroupState>& groups, std::span<const ContactMode> modes,
               bool positions);
  static constexpr std::string_view kNotHeld =
      "velocities violate closed contacts by more than the error of a step";
  /// Sets the scale of the kinetic energy that project() may change: the energy scale, the energy
  /// that bodies gain in free fall during an interval, and the work of forces over a negligible
  /// distance [J]. All 0: no limit.
  void allow(double in_play) { in_play_ = in_play; }
  void allow(double of_fall, double of_distance) {
    of_fall_ = of_fall;
    of_distance_ = of_distance;
  }

 private:
  ConstrainedMotion& motion_;
  double in_play_ = 0.0, of_fall_ = 0.0, of_distance_ = 0.0;
};

}  // namespace saltus
