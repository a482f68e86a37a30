// Writes probes as sound files: mono, 24 bit, mean removed, one factor for the whole file.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Rate of a WAV file, and the integer that divides the rate of the run.
struct WavRate {
  int rate = 0;    ///< [Hz], 8 000 .. 192 000
  int divide = 1;  ///< 1: every sample is kept
};

/// The rate of a file for a run with `run_rate` [Hz]: the same rate from 8 to 192 kHz, otherwise
/// the rate divided by the smallest integer that gives an integer in that range. Throws SceneError
/// if there is none. Also call it before the run, to detect this early.
WavRate wav_rate(double run_rate);

struct WavReport {
  std::string path;
  double factor = 0.0;  ///< written value per unit of the samples; 0 if the probe is silent
  double peak = 0.0;    ///< largest magnitude after removal of the mean, in the unit of the samples
  double mean = 0.0;    ///< removed mean, in the unit of the samples
  WavRate rate;
};

/// Writes `<path>` through a `.part` file. gain 0: the peak is scaled to -1 dBFS; otherwise a fixed
/// factor [1 / unit of samples]. Throws SceneError for the rate or a path that cannot be created;
/// RunError if the gain clips (which depends on the samples), if samples are not finite, and for
/// disk errors.
WavReport write_wav(const std::string& path, std::span<const double> samples, double run_rate,
                    double gain = 0.0);

/// Whether the first bytes of a file are those of a sound written by write_wav(), which names
/// Saltus as the software.
bool is_own_wav(std::string_view head);

/// The filter of write_wav before scaling: low-pass and every `divide`-th sample, without delay.
/// Flat to 0.45 of the new rate, below -100 dB from 0.5 of the new rate on. Beyond its ends the
/// signal is extended by its end values.
std::vector<double> decimated(std::span<const double> samples, int divide);

}  // namespace saltus
