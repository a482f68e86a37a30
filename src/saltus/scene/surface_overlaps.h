// Bodies whose surface deforms and that start inside others.
#pragma once
#include "saltus/scene/rigid_assembly.h"

namespace saltus {

/// Adds a warning that names the deepest pair of which one is a boundary surface, how deep and
/// where, and how many more there are. What no impulse can move does not count: held nodes in what
/// is fixed. bodies: of the scene, whose boundary surfaces are those of `parts`.
void warn_of_boundary_overlaps(std::span<const BuiltBody> bodies, const RigidAssembly& rigid,
                               ModelParts& parts);

}  // namespace saltus
