// The table of a sweep as CSV (RFC 4180): one row per run, names and units in the header.
//
// Columns: run, the paths that were set, status, reason, warnings, then numbers with 17 significant
// digits, so that reading them restores every bit. Cells are empty if a run has no such number:
// invalid runs have none. The columns of work terms and probes are those of all runs, in the order
// of their first occurrence.
#pragma once
#include <span>
#include <string>

#include "saltus/results/output_file.h"
#include "saltus/study/sweep_plan.h"
#include "saltus/study/sweep_run.h"

namespace saltus {

/// A CSV cell: quoted if it contains a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

/// Writes the rows; `rows[k]` is run k. Rows with status none are skipped. `times`: adds a column
/// of wall times, which differ between sweeps. Throws RunError like OutputFile::write.
void write_sweep(OutputFile& file, const SweepPlan& plan, std::span<const SweepRow> rows,
                 bool times);

}  // namespace saltus
