// A row of /step as it waits in memory: numbers in the order of layout::kStep and
// layout::kSubsteps.
#pragma once
#include <span>

#include "saltus/results/statistics.h"
#include "saltus/state/state.h"

namespace saltus {

/// What the step did and the state behind it; returns the place behind. substeps:
/// layout::has_substeps.
double* put_step(const StepReport& report, const State& state, bool substeps, double* row);

/// Takes one more row: as many numbers as /step has columns.
void add_step(std::span<const double> row, RunStatistics& statistics);

}  // namespace saltus
