// What linear elements do to the stiffness of a body, as a sentence for `check` and `run`.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "saltus/fem/fem.h"

namespace saltus {

/// A body that is slender and more than a twentieth too stiff in bending (0.3 of one that nothing
/// holds or loads, which hardly bends), or has poisson above 0.4 and elements that keep their
/// volume by being stiff; nothing of others.
std::optional<std::string> locking_advice(const Mesh& mesh, std::span<const FemMaterial> materials,
                                          const std::string& body, bool free);

}  // namespace saltus
