// Whole states as files: `saltus convert --to state`, and the entry `start` of scenes.
#pragma once
#include <optional>
#include <string>

#include "saltus/phases/whole_state.h"
#include "saltus/results/results_reader.h"

namespace saltus {

/// Which frame of results: by its number, negative ones from the end, or by its time [s].
struct FrameChoice {
  std::optional<int> frame;
  std::optional<double> time;
};

/// The whole state in a frame; the last one without a choice. `path`: prefix of the entries that
/// faults name, "start." or "--". Throws SceneError: no such frame, frames without what is needed.
WholeState state_in(const ResultsReader& results, const FrameChoice& which,
                    const std::string& path);

/// Writes it as an HDF5 file (docs/reference/results.md). `from`: name of the results. Throws
/// RunError.
void write_state(const std::string& file, const WholeState& state, const std::string& from);

/// Reads results or a state file. Throws SceneError as state_in(), for a file that is neither, and
/// for a choice where there is none.
WholeState read_state(const std::string& file, const FrameChoice& which, const std::string& path);

}  // namespace saltus
