// What a SkinDetector is made of: skins where they start, and what never touches in its own numbers.
#pragma once
#include "saltus/detection/surface_detector.h"
#include "saltus/model/model.h"

namespace saltus {

/// A skin with its vertices where they are at t = 0.
DeformingShape shape_at_start(const Surfaces::DeformingSkin& skin, const Dynamics& body,
                              const GroupState& start);

/// The pairs of Surfaces::excluded in which a skin is, as numbers of the detector: colliders, then skins. colliders: those of
/// the detector; frame_number: of each frame of the model the frame in them, -1: none of them; skins: of the model, in the
/// order of the detector.
std::vector<std::array<int, 2>> excluded_skins(const Surfaces& surfaces,
                                               std::span<const Collider> colliders,
                                               std::span<const int> frame_number,
                                               std::span<const int> skins);

}  // namespace saltus
