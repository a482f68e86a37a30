// Point tables built from point rows with a few entries each.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Row i is direction[i] times the three rows of point i of J, which do not depend on q; rest [m]
/// has one entry per row.
std::unique_ptr<PointTable> row_table(int velocities, const PointRows& J,
                                      std::span<const Vector3> direction, Vector rest);
/// Row i is scale[i] q_column[i].
std::unique_ptr<PointTable> pick_table(int velocities, std::vector<int> column, Vector scale,
                                       Vector rest);

}  // namespace saltus
