#include "saltus/exchange/wav.h"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

constexpr int kLowest = 8'000, kHighest = 192'000;  // rates of a file [Hz]
constexpr double kFull = 8'388'607.0;               // largest 24-bit sample
const double kPeak = std::pow(10.0, -1.0 / 20.0);   // -1 dBFS

constexpr const char* kSoftware = "Saltus";

std::string sample_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", x);
  return text;
}

/// True for integers; a rate computed from a step in seconds is an integer up to rounding.
bool whole(double x) { return std::abs(x - std::round(x)) <= 1e-9 * x; }

bool allowed(double rate) {
  return whole(rate) && std::round(rate) >= kLowest && std::round(rate) <= kHighest;
}

// -- encoded in memory: libsndfile reports a full disk late, OutputFile does not

struct Memory {
  std::string bytes;
  std::size_t at = 0;
};

sf_count_t memory_length(void* data) {
  return static_cast<sf_count_t>(static_cast<Memory*>(data)->bytes.size());
}

sf_count_t memory_seek(sf_count_t offset, int whence, void* data) {
  Memory& m = *static_cast<Memory*>(data);
  const sf_count_t base = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? static_cast<sf_count_t>(m.at)
                                               : static_cast<sf_count_t>(m.bytes.size());
  m.at = static_cast<std::size_t>(std::max<sf_count_t>(base + offset, 0));
  return static_cast<sf_count_t>(m.at);
}

sf_count_t memory_read(void* out, sf_count_t count, void* data) {
  Memory& m = *static_cast<Memory*>(data);
  const std::size_t left = m.at < m.bytes.size() ? m.bytes.size() - m.at : 0;
  const std::size_t size = std::min(static_cast<std::size_t>(count), left);
  if (size) std::memcpy(out, m.bytes.data() + m.at, size);
  m.at += size;
  return static_cast<sf_count_t>(size);
}

sf_count_t memory_write(const void* in, sf_count_t count, void* data) {
  Memory& m = *static_cast<Memory*>(data);
  const std::size_t size = static_cast<std::size_t>(count);
  if (m.at + size > m.bytes.size()) m.bytes.resize(m.at + size);
  std::memcpy(m.bytes.data() + m.at, in, size);
  m.at += size;
  return count;
}

sf_count_t memory_tell(void* data) {
  return static_cast<sf_count_t>(static_cast<Memory*>(data)->at);
}

/// 24-bit samples in the upper bits of 32.
std::string encoded(const std::string& path, const std::vector<int>& samples, int rate) {
  Memory memory;
  SF_VIRTUAL_IO io{memory_length, memory_seek, memory_read, memory_write, memory_tell};
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = 1;
  info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_24;
  SNDFILE* file = sf_open_virtual(&io, SFM_WRITE, &info, &memory);
  if (!file) throw RunError(path + ": " + sf_strerror(nullptr));
  sf_set_string(file, SF_STR_SOFTWARE,
                kSoftware);  // set before the samples, since it is written in front of them
  const auto count = static_cast<sf_count_t>(samples.size());
  const bool good = sf_write_int(file, samples.data(), count) == count;
  if (sf_close(file) != 0 || !good) throw RunError(path + ": the sound could not be encoded");
  return std::move(memory.bytes);
}

// -- low-pass

/// I0(x) by its power series; 60 terms are enough for x < 20.
double bessel0(double x) {
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 60; ++k) {
    term *= (x / (2.0 * k)) * (x / (2.0 * k));
    sum += term;
  }
  return sum;
}

/// Windowed sinc with linear phase, odd length, sum 1. Kaiser (1974) for an attenuation of A = 105
/// dB: beta = 0.1102 (A - 8.7), length = (A - 7.95) / (14.36 df) + 1 with df the transition band
/// over the old rate: 0.45 .. 0.5 of the new rate.
std::vector<double> low_pass(int divide) {
  constexpr double attenuation = 105.0, beta = 0.1102 * (attenuation - 8.7);
  const double band = 0.05 / divide, cutoff = 0.475 / divide;
  const int half = static_cast<int>(std::ceil((attenuation - 7.95) / (14.36 * band) / 2.0));
  std::vector<double> taps(static_cast<std::size_t>(2 * half + 1));
  double sum = 0.0;
  for (int k = -half; k <= half; ++k) {
    const double x = std::numbers::pi * k;
    const double sinc = k == 0 ? 2.0 * cutoff : std::sin(2.0 * cutoff * x) / x;
    const double r = static_cast<double>(k) / half;
    const double tap = sinc * bessel0(beta * std::sqrt(std::max(0.0, 1.0 - r * r))) / bessel0(beta);
    taps[static_cast<std::size_t>(k + half)] = tap;
    sum += tap;
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

}  // namespace

WavRate wav_rate(double run_rate) {
  if (!(run_rate > 0.0) || !std::isfinite(run_rate))
    throw SceneError("time.rate", "a WAV file needs a positive rate",
                     "8 to 192 kHz, an integer number of hertz");
  if (run_rate < kLowest * (1.0 - 1e-9))
    throw SceneError("time.rate", sample_number(run_rate) + " Hz is too low for a WAV file",
                     "at least 8 kHz, or leave out 'wav' and use 'csv'");
  const double most = std::floor(run_rate / kLowest + 1e-9);
  for (int divide = 1; divide <= most; ++divide)
    if (allowed(run_rate / divide))
      return {static_cast<int>(std::lround(run_rate / divide)), divide};
  throw SceneError(
      "time.rate",
      sample_number(run_rate) +
          " Hz cannot be used for a WAV file: no integer number of hertz from 8 to 192 kHz",
      "a rate such as 44.1 kHz or 250.88 kHz, or leave out 'wav' and use 'csv'");
}

bool is_own_wav(std::string_view head) {
  const std::size_t at = head.find("ISFT");
  return head.starts_with("RIFF") &&
         head.substr(std::min<std::size_t>(8, head.size())).starts_with("WAVE") &&
         at != std::string_view::npos &&
         head.substr(std::min(at + 8, head.size())).starts_with(kSoftware);
}

std::vector<double> decimated(std::span<const double> samples, int divide) {
  expects(divide >= 1, "decimated: divide by at least 1");
  if (divide == 1) return {samples.begin(), samples.end()};
  const std::vector<double> taps = low_pass(divide);
  const auto half = static_cast<std::ptrdiff_t>(taps.size() / 2);
  const auto count = static_cast<std::ptrdiff_t>(samples.size());
  std::vector<double> result;
  result.reserve(samples.size() / static_cast<std::size_t>(divide) + 1);
  for (std::ptrdiff_t centre = 0; centre < count; centre += divide) {
    double sum = 0.0;
    for (std::ptrdiff_t k = -half; k <= half; ++k) {
      const std::ptrdiff_t from = std::clamp<std::ptrdiff_t>(centre + k, 0, count - 1);
      sum += taps[static_cast<std::size_t>(k + half)] * samples[static_cast<std::size_t>(from)];
    }
    result.push_back(sum);
  }
  return result;
}

WavReport write_wav(const std::string& path, std::span<const double> samples, double run_rate,
                    double gain) {
  WavReport report{.path = path, .rate = wav_rate(run_rate)};
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!std::isfinite(samples[i]))
      throw RunError(path + ": sample " + std::to_string(i) +
                     " is not a finite number; no sound was written");

  std::vector<double> sound = decimated(samples, report.rate.divide);
  double sum = 0.0;
  for (const double x : sound) sum += x;
  report.mean = sound.empty() ? 0.0 : sum / static_cast<double>(sound.size());
  for (double& x : sound) {
    x -= report.mean;
    report.peak = std::max(report.peak, std::abs(x));
  }
  const double fitting = report.peak > 0.0 ? kPeak / report.peak : 0.0;
  report.factor = gain != 0.0 ? gain : fitting;
  // A peak whose inverse overflows (below 1e-308) counts as silence.
  if (!std::isfinite(report.factor)) report.factor = 0.0;
  if (std::abs(report.factor) * report.peak > 1.0)
    throw RunError(
        path + ": gain " + sample_number(gain) + " clips: the peak " + sample_number(report.peak) +
        " becomes " + sample_number(std::abs(gain) * report.peak) +
        " of full scale, no sound was written; at most " +
        sample_number((1.0 - 1e-9) / report.peak) + ", or leave 'gain' out");  // rounded down

  std::vector<int> values(sound.size());
  for (std::size_t i = 0; i < sound.size(); ++i)
    values[i] = static_cast<int>(std::lround(report.factor * sound[i] * kFull)) * 256;
  OutputFile file(path);
  file.write(encoded(path, values, report.rate.rate));
  file.commit();
  return report;
}

}  // namespace saltus
