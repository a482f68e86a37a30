// What `saltus convert` does: a results file in another format.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

struct ConvertRequest {
  std::string to;          ///< wav, csv, vtu, vtp, xdmf, fclib
  std::string output;      ///< stem of the names written, "": that of the results
  std::string probe;       ///< wav: this one alone
  std::string nodes;       ///< csv: motion of these nodes, numbers parted by commas or a node set
  std::uint64_t step = 0;  ///< fclib: whose contact problem
};

/// Names of the files. What is doubtful goes to `notes`, one line each. Throws SceneError, with the
/// option of the command as its path: an unknown format, what a format does not take or misses, a
/// file that holds nothing of it; RunError.
std::vector<std::string> convert_results(const ResultsReader& results,
                                         const ConvertRequest& request,
                                         std::vector<std::string>& notes);

/// The faults of a request alone, before the file is opened. Throws SceneError.
void check_request(const ConvertRequest& request);

}  // namespace saltus
