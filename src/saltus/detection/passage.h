// Detects whether a shape passes through another one between two poses; contact detection itself
// examines only single poses.
#pragma once
#include "saltus/detection/narrow_phase.h"

namespace saltus {

/// A shape in a frame that moves from one pose to another, with constant velocity and angular
/// velocity.
struct MovingShape {
  MovingShape(const Shape& shape, const Pose& local, const Pose& start, const Pose& end);
  const Shape* shape;
  Pose local, start;                ///< pose of the shape in its frame; initial pose of the frame
  Vector3 shift = Vector3::Zero();  ///< of the frame [m]
  Vector3 turn = Vector3::Zero();   ///< rotation vector of the frame, in its own axes [rad]
  double reach = 0.0;  ///< farthest point of the shape from the origin of the frame [m]

  /// Pose of the shape at a fraction of the motion.
  Pose at(double fraction) const;
};

/// Upper bound of the motion of any point of a relative to b [m].
double relative_motion(const MovingShape& a, const MovingShape& b);

enum class Passage {
  none,     ///< they remain apart, or a ends inside b on the side that it came from
  through,  ///< a enters b and ends outside, possibly beside what it entered
  beyond    ///< a enters b and ends on the far side: outside there, or nearer to it
};
/// Whether a passes through b; a passage is at least a hundredth of `size` [m] deep, where `size`
/// is the thickness of the thinner shape. Planes have no far side. `points` is work space.
Passage passage(const MovingShape& a, const MovingShape& b, double size,
                std::vector<ContactPoint>& points);

}  // namespace saltus
