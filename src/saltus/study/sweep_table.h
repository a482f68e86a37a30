// The table of a sweep as CSV (RFC 4180): a row a run, names and units in the header.
//
// run, the paths that were set, status, reason, then numbers with 17 significant digits, so that
// they come back bit for bit. Cells are empty where a run has no such number: invalid runs have
// none, and accounts and probes are those of all runs together, in the order in which they appear
// first.
#pragma once
#include <span>
#include <string>

#include "saltus/results/output_file.h"
#include "saltus/study/sweep_plan.h"
#include "saltus/study/sweep_run.h"

namespace saltus {

/// A cell as it stands between commas: in quotes where it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

/// Writes the rows; `rows[k]` is run k, those of status none are left out. `times`: with a column
/// of wall times, which differ from sweep to sweep. Throws RunError as OutputFile::write.
void write_sweep(OutputFile& file, const SweepPlan& plan, std::span<const SweepRow> rows,
                 bool times);

}  // namespace saltus
