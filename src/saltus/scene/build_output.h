// Builds probes from OutputSpec.
#pragma once
#include <span>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// The probe of output `index` of the scene. bodies: all built bodies; initial: states of the
/// groups; joints: of the model, in the order of the scene; fixed_names:
/// Surfaces::fixed_names.
Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies,
               std::span<const GroupState> initial, std::span<const Joint> joints,
               std::span<const std::string> fixed_names, std::size_t index);

}  // namespace saltus
