// Path of a joint coordinate in a step relative to its mean rate, for springs that act on it.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// A step h [s] of a law on a coordinate: its gaps y [m], [rad] and their rates u at both ends.
struct CoordinateStep {
  double h, y0, y1, u0, u1;
};

/// s = (y1 - y0)/(h (u0 + u1)/2), if it differs from 1 by more than round-off: K s (y0 + y1)/2 then
/// does exactly the work on the velocities of the step that the spring stores, also under schemes
/// whose path is not h times the mean rate. For a length, s follows from the configuration in which
/// the rows are made: for point masses e . (d1 - d0) = (l1 - l0) (l0 + l1)/(2 l).
///
/// joints: rows at mid-step; scheme: that of a body of the joint.
double path_ratio(const Model& model, const JointSystem& joints, const JointLaw& on,
                  const Scheme& scheme, const CoordinateStep& step);

}  // namespace saltus
