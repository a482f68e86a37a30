// Builds probes from OutputSpec.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// The probe of output `index` of the scene. bodies: all built bodies; parts: complete except for
/// the probes.
Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies, const ModelParts& parts,
               std::size_t index);

}  // namespace saltus
