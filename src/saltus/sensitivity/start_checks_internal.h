// Starts of runs at which a derivative is one-sided at best. All throw Refusal.
#pragma once
#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {

/// A start that leaves what is closed, or the joints, would make a jump. s: dx/dp there.
void check_start(ParameterDifferences& differences, const Run& run,
                 const std::vector<Direction>& s);
/// Where a contact of the start is on a limit of its law, a parameter that is a little lower gives
/// it another mode than one that is a little higher. And a slip that begins there follows the
/// acceleration: where that turns, differences of steps, which begin with the direction of the run,
/// do not.
void check_limits(ParameterDifferences& differences, const Run& run,
                  const std::vector<Direction>& s);

}  // namespace saltus::sensitivity
