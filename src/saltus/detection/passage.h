// Detects whether a shape passes through another one between two poses; contact detection itself
// examines only single poses.
#pragma once
#include "saltus/detection/narrow_phase.h"

namespace saltus {

/// A shape in a frame that moves from one pose to another, with constant velocity and angular
/// velocity.
struct MovingShape {
  /// spin: rotation vector of the frame in its own axes, known only roughly; the turn is the
  /// rotation from start to end that is nearest to it.
  MovingShape(const Shape& shape, const Pose& local, const Pose& start, const Pose& end,
              const Vector3& spin = Vector3::Zero());
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

struct Passage {
  enum class How {
    none,     ///< they remain apart, or touch
    inside,   ///< a ends in b on the side that it came from, deeper than a quarter of the size
    through,  ///< a enters b and ends outside, possibly beside what it entered
    beyond    ///< a enters b and ends on the far side: outside there, or nearer to it
  };
  How how = How::none;
  /// Fraction of the motion before a comes within kNearShare of b, or of where it gets deeper.
  double start = 0.0;
};
/// Fractions of `size` [m]: by which they get deeper before this counts as Passage::How::inside;
/// and of a gap that belongs to the impact.
inline constexpr double kInsideShare = 0.25, kNearShare = 0.02;
/// Whether a passes through b or ends deep in it; a passage is at least a hundredth of `size` [m]
/// deep, where `size` is the thickness of the thinner shape. Nothing passes through planes.
/// `points` is work space.
Passage passage(const MovingShape& a, const MovingShape& b, double size,
                std::vector<ContactPoint>& points);

}  // namespace saltus
