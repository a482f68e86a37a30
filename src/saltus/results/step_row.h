// A row of /step in memory: numbers in the order of layout::kStep and layout::kSubsteps.
#pragma once
#include <span>

#include "saltus/results/statistics.h"
#include "saltus/state/state.h"

namespace saltus {

/// Writes data of the step and the state after it; returns the position after the row. substeps:
/// layout::has_substeps().
double* put_step(const StepReport& report, const State& state, bool substeps, double* row);

/// Adds one row, with as many numbers as /step has columns.
void add_step(std::span<const double> row, RunStatistics& statistics);

}  // namespace saltus
