// `saltus convert`: writes results in another format.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

struct ConvertRequest {
  std::string to;          ///< wav, csv, vtu, vtp, xdmf, fclib, state
  std::string output;      ///< stem of the output files; "": that of the results
  std::string probe;       ///< wav: only this probe
  std::string nodes;       ///< csv: motion of these nodes, comma-separated numbers or a node set
  std::uint64_t step = 0;  ///< fclib: the step whose contact problem is written
  /// state: the frame, negative numbers from the end, or its time [s]; neither: the last
  std::optional<int> frame{};
  std::optional<double> time{};
};

/// Returns the names of the files. `notes` receives warnings, one line each. Throws SceneError with
/// the command-line option as its path: unknown format, options that do not apply or are missing,
/// nothing to convert; RunError.
std::vector<std::string> convert_results(const ResultsReader& results,
                                         const ConvertRequest& request,
                                         std::vector<std::string>& notes);

/// Checks the request before the file is opened. Throws SceneError.
void check_request(const ConvertRequest& request);

}  // namespace saltus
