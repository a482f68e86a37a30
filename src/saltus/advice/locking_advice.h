// Warning of `check` and `run` about linear elements that are too stiff.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "saltus/fem/fem.h"

namespace saltus {

/// Reports a slender body that is more than a twentieth too stiff in bending (0.3 for a body
/// without supports or loads, which hardly bends), or one with poisson above 0.4 and elements that
/// lock volumetrically; nothing for others.
std::optional<std::string> locking_advice(const Mesh& mesh, std::span<const FemMaterial> materials,
                                          const std::string& body, bool free);

}  // namespace saltus
