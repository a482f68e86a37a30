// All surfaces of a scene: shapes of rigid bodies and deformable surfaces, the laws between them,
// and checks of bodies without surface.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// Sets ModelParts::surfaces, their laws and the excluded pairs, and warns of surfaces that overlap
/// at the start. Requires the groups and initial states of `parts`. Throws SceneError.
void add_surfaces(const Scene& scene, std::span<const BuiltBody> bodies, RigidAssembly& rigid,
                  ModelParts& parts);

/// contact.correct_positions acts only between surfaces. Throws SceneError if there are contacts of
/// points and no surface.
void expect_surfaces_to_correct(const SceneSpec& spec, ModelParts& parts);

}  // namespace saltus
