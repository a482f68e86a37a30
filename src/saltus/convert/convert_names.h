// Names of the files that `saltus convert` writes.
#pragma once
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// <stem>.<part><suffix>. The names of probes and bodies become parts: HDF5 names hold no '/'.
std::string file_name(const std::string& stem, const std::string& part, const std::string& suffix);

/// Refuses a format that the file has nothing for: "holds `nothing`; it holds bodies of kind
/// lagrangian (2); what fits: --to csv".
[[noreturn]] void nothing_for(const ResultsReader& results, const std::string& nothing);

/// Throws SceneError where `path` is the results file itself or was written already.
void require_other(const ResultsReader& results, const std::string& path,
                   const std::vector<std::string>& written);

}  // namespace saltus
