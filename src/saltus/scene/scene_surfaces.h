// All surfaces of a scene: shapes of rigid bodies and surfaces that deform, the laws between them,
// and what has none.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// ModelParts::surfaces, their laws, the pairs that never touch, and warnings about surfaces that
/// start inside each other.
/// Groups and initial states of `parts` are known. Throws SceneError.
void add_surfaces(const Scene& scene, std::span<const BuiltBody> bodies, RigidAssembly& rigid,
                  ModelParts& parts);

/// contact.correct_positions acts between surfaces alone. Throws SceneError where points touch and
/// there is no surface.
void expect_surfaces_to_correct(const SceneSpec& spec, ModelParts& parts);

}  // namespace saltus
