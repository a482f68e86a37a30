// Input of a SurfaceDetector: boundary surfaces in their initial positions, and excluded pairs in
// its own numbering.
#pragma once
#include "saltus/detection/surface_detector.h"
#include "saltus/model/model.h"

namespace saltus {

/// A boundary surface with its vertices at their positions at t = 0.
DeformingShape shape_at_start(const Surfaces::DeformingBoundary& boundary, const Dynamics& body,
                              const GroupState& start);

/// The pairs of Surfaces::excluded that contain a boundary surface, in the numbering of the
/// detector: colliders, then boundary surfaces. colliders: those of the detector; frame_number: for
/// each frame of the model, its number in `colliders`, -1: none; boundaries: indices of the
/// boundary surfaces of the model, in the order of the detector.
std::vector<std::array<int, 2>> excluded_boundaries(const Surfaces& surfaces,
                                                    std::span<const Collider> colliders,
                                                    std::span<const int> frame_number,
                                                    std::span<const int> boundaries);

}  // namespace saltus
