// Contacts that almost close: a small change of the run would cause another event.
#pragma once
#include <optional>

#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {

/// Finds a gap with a minimum within the stretch that is smaller than the tolerance resolves.
/// before: the previous stretch, null at the start.
std::optional<Refusal> near_miss(ParameterDifferences& differences, const Stretch& stretch,
                                 const Stretch* before);

}  // namespace saltus::sensitivity
