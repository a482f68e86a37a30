// Conflicts between the stops of a mesh and its other contacts with the same planes.
#pragma once
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// Throws SceneError with both entries if a node of `stops` also has a contact with the plane of
/// its stop, through `contacts` or its surface: two laws would act on one gap, and energy would be
/// gained. Warns if other nodes of the surface may be in contact with that plane. Requires pairs
/// and surfaces of `parts`.
void expect_single_stops(const Scene& scene, std::span<const BuiltBody> bodies,
                         const RigidAssembly& rigid, ModelParts& parts);

}  // namespace saltus
