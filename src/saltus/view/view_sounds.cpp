#include "saltus/view/view_sounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/exchange/wav.h"

namespace saltus {
namespace {

constexpr double kLeastRate = 8000.0, kMostRate = 48'000.0;  // [Hz]
constexpr double kLongest = 10.0, kShortest = 0.1;           // [s]

int divisor_of(double rate) { return static_cast<int>(std::ceil(rate / kMostRate - 1e-9)); }

ViewSound sound_of(const ResultsReader& results, const ProbeColumn& probe, double seconds) {
  ViewSound sound;
  sound.name = probe.name;
  sound.quantity = probe.quantity;
  sound.unit = probe.unit;
  const h5::Group bodies = results.hdf5().group("bodies");
  for (std::size_t b = results.bodies().size(); b-- > 0 && !probe.body.empty();)
    if (bodies.group(results.bodies()[b].name).text("name") == probe.body)
      sound.body = static_cast<int>(b);
  const auto wanted = static_cast<std::size_t>(seconds * probe.rate);
  const std::size_t count = std::min(results.rows(), wanted);
  std::vector<double> samples = results.hdf5().dataset("probes/" + probe.name).reals(0, count);
  if (count < results.rows())
    sound.note =
        fmt::format("the first {:.3g} s of {:.3g} s", static_cast<double>(count) / probe.rate,
                    static_cast<double>(results.rows()) / probe.rate);
  if (count) sound.start = results.hdf5().dataset("step/time").reals(0, 1)[0] - probe.delay;
  const int divide = divisor_of(probe.rate);
  sound.rate = probe.rate / divide;
  for (double& x : samples)
    if (!std::isfinite(x)) x = 0.0;
  if (divide > 1) {
    samples = decimated(samples, divide);
    sound.note += fmt::format("{}{:g} of {:g} samples a second", sound.note.empty() ? "" : "; ",
                              sound.rate, probe.rate);
  }
  double sum = 0.0;
  for (double x : samples) sum += x;
  sound.mean = samples.empty() ? 0.0 : sum / static_cast<double>(samples.size());
  for (double x : samples) sound.peak = std::max(sound.peak, std::abs(x - sound.mean));
  for (double x : samples)
    sound.data.push_back(static_cast<std::int16_t>(
        sound.peak > 0.0 ? std::lround((x - sound.mean) / sound.peak * 32767.0) : 0));
  return sound;
}

}  // namespace

std::vector<ViewSound> view_sounds(const ResultsReader& results, std::size_t most_bytes) {
  std::vector<const ProbeColumn*> heard;
  double bytes_a_second = 0.0;
  for (const ProbeColumn& probe : results.probes())
    if (probe.rate >= kLeastRate && static_cast<double>(results.rows()) >= kShortest * probe.rate) {
      heard.push_back(&probe);
      bytes_a_second += 2.0 * probe.rate / divisor_of(probe.rate);
    }
  std::vector<ViewSound> sounds;
  if (heard.empty()) return sounds;
  const double seconds = std::min(kLongest, static_cast<double>(most_bytes) / bytes_a_second);
  if (seconds < kShortest) return sounds;
  for (const ProbeColumn* probe : heard) sounds.push_back(sound_of(results, *probe, seconds));
  return sounds;
}

}  // namespace saltus
