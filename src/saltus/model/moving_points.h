// Whether an impulse can move a point.
#pragma once
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// The largest |n . dx/dv| over the velocities of a body, where x is point i of its rows.
double motion_along(const PointRows& J, std::size_t i, const Vector3& n);
/// Below this value no impulse along n moves the point.
inline constexpr double kStillAlong = 1e-12;

}  // namespace saltus
