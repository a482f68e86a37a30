// Builds pairs of points and their laws from ContactSpec.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// Adds contact `index` of the scene to the pairs and laws of `parts`, which must contain the
/// groups and initial states.
void add_contact(const Scene& scene, std::span<const BuiltBody> bodies, std::size_t index,
                 ModelParts& parts);

}  // namespace saltus
