// Whether a shape passes through another on its way between two places: contacts are looked for in
// places only.
#pragma once
#include "saltus/detection/narrow_phase.h"

namespace saltus {

/// A shape in a frame that goes straight and turns evenly from one pose to another.
struct MovingShape {
  MovingShape(const Shape& shape, const Pose& local, const Pose& start, const Pose& end);
  const Shape* shape;
  Pose local, start;                ///< of the shape in its frame, and of the frame
  Vector3 shift = Vector3::Zero();  ///< of the frame [m]
  Vector3 turn = Vector3::Zero();   ///< rotation vector of the frame, in its own axes [rad]
  double reach = 0.0;  ///< farthest point of the shape from the origin of the frame [m]

  /// Of the shape, at a fraction of the way.
  Pose at(double fraction) const;
};

/// No point of a moves by more relative to b [m].
double relative_motion(const MovingShape& a, const MovingShape& b);

enum class Passage {
  none,     ///< they stay apart, or a ends up in b on the side that it came from
  through,  ///< a enters b and ends up outside, though perhaps beside what it entered
  beyond    ///< a enters b and ends up on the far side: outside there, or nearer to it
};
/// Whether a passes b, from a hundredth of `size` [m], the thickness of the thinner of the two,
/// deep on. Planes have no far side. `points` is scratch.
Passage passage(const MovingShape& a, const MovingShape& b, double size,
                std::vector<ContactPoint>& points);

}  // namespace saltus
