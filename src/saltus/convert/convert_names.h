// Names of the files that `saltus convert` writes.
#pragma once
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// <stem>.<part><suffix>. Names of probes and bodies can be parts: HDF5 names contain no '/'.
std::string file_name(const std::string& stem, const std::string& part, const std::string& suffix);

/// Rejects a format for which the file contains no data: "contains `nothing`; it contains bodies of
/// kind lagrangian (2); available: --to csv".
[[noreturn]] void nothing_for(const ResultsReader& results, const std::string& nothing);

/// Throws SceneError if `path` is the results file itself or has already been written.
void require_other(const ResultsReader& results, const std::string& path,
                   const std::vector<std::string>& written);

}  // namespace saltus
