// `saltus convert --to fclib`: contact problems of one step of a stored run, for `saltus solve`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// Results do not store the matrix W of a step. The scene in the file is therefore run again, from
/// the last checkpoint before `step` or from the start, and the problems of `step` are written as
/// <stem>-step<k>.hdf5 (one per island, as `run --dump-contact every:N` does). `notes` receives a
/// warning if the new run differs from the stored one in any bit. Throws SceneError: no such step,
/// data files missing or changed, a step without contacts; RunError.
std::vector<std::string> convert_fclib(const ResultsReader& results, const std::string& stem,
                                       std::uint64_t step, std::vector<std::string>& notes);

}  // namespace saltus
