// Stops of a mesh and other contacts of it with the same planes.
#pragma once
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// SceneError naming both entries where a node of `stops` is in contact with the plane of its stop
/// a second time, by `contacts` or by its surface: two laws would act on one gap, and energy is
/// gained. A warning where other nodes of the surface may be in contact with that plane.
/// Pairs and surfaces of `parts` are known.
void expect_single_stops(const Scene& scene, std::span<const BuiltBody> bodies,
                         const RigidAssembly& rigid, ModelParts& parts);

}  // namespace saltus
