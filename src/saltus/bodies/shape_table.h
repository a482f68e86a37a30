// Point tables of modal bodies: a dense matrix, or the fast sine transform on a regular grid.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/mode_shapes.h"
#include "saltus/dynamics/point_table.h"

namespace saltus {

/// S has one row per point and one column per mode; rest [m] has one entry per row.
std::unique_ptr<PointTable> dense_table(const Matrix& S, Vector rest);

/// Row i is along[i] shapes(x[i]). Uses the sine transform if all x lie on the grid of the shapes
/// and there are enough of them for it to be cheaper.
std::unique_ptr<PointTable> shape_table(const ModeShapes& shapes, const std::vector<double>& x,
                                        const std::vector<double>& along, Vector rest);

}  // namespace saltus
