// What a SurfaceDetector is made of: boundary surfaces where they start, and what never touches in
// its own numbers.
#pragma once
#include "saltus/detection/surface_detector.h"
#include "saltus/model/model.h"

namespace saltus {

/// A boundary surface with its vertices where they are at t = 0.
DeformingShape shape_at_start(const Surfaces::DeformingBoundary& boundary, const Dynamics& body,
                              const GroupState& start);

/// The pairs of Surfaces::excluded in which a boundary surface is, as numbers of the detector:
/// colliders, then boundary surfaces. colliders: those of the detector; frame_number: of each frame
/// of the model the frame in them, -1: none of them; boundary surfaces: of the model, in the order
/// of the detector.
std::vector<std::array<int, 2>> excluded_boundaries(const Surfaces& surfaces,
                                                    std::span<const Collider> colliders,
                                                    std::span<const int> frame_number,
                                                    std::span<const int> boundaries);

}  // namespace saltus
