// Data for drawing rigid and pseudo-rigid bodies, chains and bars of a linear system, and the fixed
// world: /drawing of a results file.
#pragma once
#include "saltus/model/model.h"
#include "saltus/results/hdf5.h"

namespace saltus {

/// Creates /drawing. Identical surfaces are written once. Throws h5::Error.
void write_drawing(const h5::File& file, const Model& model);

}  // namespace saltus
