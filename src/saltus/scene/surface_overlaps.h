// Warnings about deformable surfaces that overlap other bodies at the start.
#pragma once
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// Adds a warning with the deepest overlapping pair that includes a boundary surface, its depth and
/// place, and the number of further pairs. Overlaps that no impulse can change do not count, as of
/// fixed nodes in a fixed body. bodies: bodies of the scene, whose boundary surfaces are those of
/// `parts`.
void warn_of_boundary_overlaps(std::span<const BuiltBody> bodies, const RigidAssembly& rigid,
                               ModelParts& parts);

}  // namespace saltus
