// Checks of starts at which a derivative is at best one-sided. All throw Refusal.
#pragma once
#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {

/// Refuses parameters that move the start off closed contacts or joints, which would cause a jump.
/// s: dx/dp at the start.
void check_start(ParameterDifferences& differences, const Run& run,
                 const std::vector<Direction>& s);
/// Refuses starts on a limit of a contact law, where a slightly lower parameter gives the contact
/// another mode than a slightly higher one. Also refuses parameters that turn a slip that begins
/// there: the slip follows the acceleration, but differences of steps use the direction of the run.
void check_limits(ParameterDifferences& differences, const Run& run,
                  const std::vector<Direction>& s);

}  // namespace saltus::sensitivity
