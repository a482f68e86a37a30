// Contacts that almost close: a small change of the run would give it another event.
#pragma once
#include <optional>

#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {

/// A gap that turns from falling to rising in the stretch, open by less than the tolerance
/// resolves. before: the stretch before it, null at the start.
std::optional<Refusal> near_miss(ParameterDifferences& differences, const Stretch& stretch,
                                 const Stretch* before);

}  // namespace saltus::sensitivity
