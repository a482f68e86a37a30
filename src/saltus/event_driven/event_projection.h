// Constraint projection: takes the drift of joints and closed contacts out of positions and
// velocities.
//
//     w = -M^-1 B^T (B M^-1 B^T)^-1 g(q),     then     dv = -M^-1 B^T (B M^-1 B^T)^-1 (B v + d)
//
// g: gaps of joints and contacts, B: their rows; Newton's method until round-off.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

class EventProjection {
 public:
  explicit EventProjection(ConstrainedMotion& motion) : motion_(motion) {}

  /// Projects velocities at t, and before them positions where asked. Velocities stay, and it is
  /// false, where that would change more kinetic energy than drift does (allow()): the modes do not
  /// hold there.
  bool project(double t, std::vector<GroupState>& groups, std::span<const ContactMode> modes,
               bool positions);
  static constexpr std::string_view kNotHeld =
      "velocities miss what contacts that are held ask for by more than the error of a step";
  /// What project() may change of the kinetic energy is a part of that in play, of what bodies get
  /// that fall freely for an interval, and of the work of forces over a distance that does not
  /// count [J]. All 0: any change.
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
