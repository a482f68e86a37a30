// Bounds of the speeds of surfaces in a step: no contact closes faster.
#pragma once
#include <vector>

#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

class SurfaceSpeeds {
 public:
  SurfaceSpeeds(const Model& model, const ConstrainedMotion& motion);

  /// Reads rows of boundary surfaces and, if planes move, the span of the surfaces at the state of
  /// the motion.
  void read(double t);
  /// Upper bound of the rate of any gap on [from, to] of the step [m/s]: the two fastest surfaces
  /// moving against each other.
  double closing(const OdeStep& step, double from, double to);
  /// The largest speed of a surface by its prescribed motion in [from, to] [m/s].
  double fastest_drift(double from, double to) const;

 private:
  /// A body with shapes (body -1: all of the group, which has prescribed motion), or the vertices
  /// of a boundary surface.
  struct Surface {
    int group = 0, body = -1, first = 0;
    double reach = 0.0;  ///< largest distance of its shapes from its frame [m]; infinite: planes
    int boundary = -1;   ///< index into Surfaces::boundaries
    PointRows rows;      ///< of its vertices, at the start of the step
  };
  void take_part(const OdeStep& step, double from, double to, Eigen::Index first,
                 Eigen::Index count);
  double speed(const Surface& one, const OdeStep& step, double from, double to, double reach);

  const Model& model_;
  const ConstrainedMotion& motion_;
  std::vector<Surface> surfaces_;
  /// Upper bound of the distance between the frame of a plane and any surface at the start of the
  /// step [m].
  double span_ = 0.0;
  Matrix part_;  ///< v of a part of the step, in Bernstein form
};

}  // namespace saltus
