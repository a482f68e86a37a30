// The path of a coordinate of a joint in a step against its mean rate, for springs that act on it.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// A step h [s] of a law on a coordinate: its gaps y [m], [rad] and their rates u at both ends.
struct CoordinateStep {
  double h, y0, y1, u0, u1;
};

/// s = (y1 - y0)/(h (u0 + u1)/2), where it differs from 1 by more than round-off: K s (y0 + y1)/2
/// then works on the velocities of the step what the spring stores, under schemes whose path is not
/// h times the mean rate. A length has it from the place of the rows between: for point masses e .
/// (d1 - d0) = (l1 - l0) (l0 + l1)/(2 l).
/// joints: rows at mid-step; scheme: of a body of the joint.
double path_ratio(const Model& model, const JointSystem& joints, const JointLaw& on,
                  const Scheme& scheme, const CoordinateStep& step);

}  // namespace saltus
