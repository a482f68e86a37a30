// The text of `saltus info` about a results file.
#pragma once
#include <string>

#include "saltus/results/results_reader.h"

namespace saltus {

/// Title, bodies, steps, rate, end time, energy table, largest residual and penetration, probes,
/// finished or not.
std::string info_text(const ResultsReader& results);
/// The same content as one JSON object.
std::string info_json(const ResultsReader& results);

}  // namespace saltus
