// From ContactSpec to pairs of points with their law.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// Adds contact `index` of the scene to the pairs and laws of `parts`, whose groups and initial
/// states are there already.
void add_contact(const Scene& scene, std::span<const BuiltBody> bodies, std::size_t index,
                 ModelParts& parts);

}  // namespace saltus
