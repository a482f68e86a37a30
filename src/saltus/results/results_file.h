// The parts of a results file that are written once, when it is created or resumed.
#pragma once
#include <string>
#include <string_view>

#include "saltus/results/results.h"
#include "saltus/results/rows.h"

namespace saltus {

/// Everything of an empty results file except its frames: format, scene, provenance, pairs, /step,
/// /ledger, /probes, /timing, /drawing.
void create_layout(const h5::File& file, const Model& model, std::string_view scene,
                   std::string_view resolved, const ResultsOptions& options);
/// The columns of /step, /ledger, /probes and /timing, in this order. Throws h5::Error.
RowTable open_rows(const h5::File& file);
/// Statistics of the first `rows` rows and `events` events on disk.
RunStatistics read_statistics(const h5::File& file, std::size_t rows, std::size_t events);
/// Whether two resolved scenes are the same but for the times of their checkpoints.
bool same_scene(std::string_view a, std::string_view b);
/// Throws SceneError unless `resolved` is the scene of the file; the times of checkpoints may
/// differ, and time.end [s], which must not be before `t`.
void check_same_scene(const h5::File& file, const std::string& path, std::string_view resolved,
                      double t);
/// Throws SceneError unless the data files are those from which the file was made. Files without a
/// list of them are accepted.
void check_same_inputs(const h5::File& file, const std::string& path,
                       std::span<const InputFile> inputs);
/// Text of /summary. work: of the accounts [J].
std::string summary_json(const RunStatistics& statistics, const State& last,
                         std::span<const std::string> accounts, std::span<const double> work,
                         const Model& model, const RunSummary& summary);

}  // namespace saltus
