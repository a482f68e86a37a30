// `saltus convert --to fclib`: the contact problem of one step of a stored run, for `saltus solve`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// Results hold what contacts did, not the matrix W of a step: the scene in the file is run again,
/// from its last checkpoint before `step` or from the start, and the problems of `step` are written
/// as <stem>-step<k>.hdf5 (one an island, as `run --dump-contact every:N` writes them). Lines of
/// warning go to `notes`: a run that is not the stored one bit for bit. Throws SceneError: no such
/// step, data files that are not there or have changed, a step without contacts; RunError.
std::vector<std::string> convert_fclib(const ResultsReader& results, const std::string& stem,
                                       std::uint64_t step, std::vector<std::string>& notes);

}  // namespace saltus
