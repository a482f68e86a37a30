// Probes as 16-bit sounds for a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// Sample n represents mean + peak n/32767.
struct ViewSound {
  std::string name, quantity, unit,
      note;                       ///< note: what was left out of the probe, may be empty
  int body = -1;                  ///< index of the body, -1 for a joint
  double rate = 0.0;              ///< [Hz]
  double start = 0.0;             ///< time of the first sample [s]
  double mean = 0.0, peak = 0.0;  ///< [unit]; peak: largest deviation from the mean
  std::vector<std::int16_t> data;
};

/// Sounds of probes with at least 8000 samples per second and a length of at least a tenth of a
/// second. Above 48 kHz they are low-pass filtered and decimated by an integer. All are cut to the
/// same length if they would need more than `most_bytes` or exceed 10 s; none is made if that
/// leaves less than a tenth of a second.
std::vector<ViewSound> view_sounds(const ResultsReader& results, std::size_t most_bytes);

}  // namespace saltus
