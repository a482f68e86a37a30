// Probes as sounds of 16 bits for a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// Sample n stands for mean + peak n/32767.
struct ViewSound {
  std::string name, quantity, unit,
      note;                       ///< note: in what it is less than the probe, may be empty
  int body = -1;                  ///< index, -1: it hears a joint
  double rate = 0.0;              ///< [Hz]
  double start = 0.0;             ///< time of the first sample [s]
  double mean = 0.0, peak = 0.0;  ///< [unit]; peak: largest distance from the mean
  std::vector<std::int16_t> data;
};

/// Of probes with 8000 samples a second or more and a tenth of a second or more. Above 48 kHz they
/// are low-passed and divided by a whole number. All are cut to the same length where they would
/// take more than `most_bytes`, or 10 s each; none is made where that is less than a tenth of a
/// second.
std::vector<ViewSound> view_sounds(const ResultsReader& results, std::size_t most_bytes);

}  // namespace saltus
