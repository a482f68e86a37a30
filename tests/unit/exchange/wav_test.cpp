// Sound files: level, rate, and what the low-pass keeps and takes away.
#include "saltus/exchange/wav.h"

#include <doctest/doctest.h>
#include <sndfile.h>

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::exists;
using io_test::Folder;
using io_test::message;

namespace {

std::vector<double> sine(double frequency, double rate, std::size_t count, double amplitude = 1.0) {
  std::vector<double> samples(count);
  for (std::size_t i = 0; i < count; ++i)
    samples[i] = amplitude *
                 std::sin(2.0 * std::numbers::pi * frequency * static_cast<double>(i) / rate + 0.3);
  return samples;
}

struct Sound {
  SF_INFO info{};
  std::vector<int> samples;  ///< 24 bit
};

Sound read(const std::string& path) {
  Sound sound;
  SNDFILE* file = sf_open(path.c_str(), SFM_READ, &sound.info);
  REQUIRE(file != nullptr);
  sound.samples.resize(static_cast<std::size_t>(sound.info.frames));
  CHECK(sf_read_int(file, sound.samples.data(), sound.info.frames) == sound.info.frames);
  sf_close(file);
  for (int& sample : sound.samples) sample /= 256;
  return sound;
}

double peak(std::span<const double> samples) {
  double largest = 0.0;
  for (const double x : samples) largest = std::max(largest, std::abs(x));
  return largest;
}

std::span<const double> middle(const std::vector<double>& samples) {
  return std::span(samples).subspan(samples.size() / 4, samples.size() / 2);
}

}  // namespace

TEST_CASE("wav_file is mono, 24 bit, without mean, with its peak at -1 dBFS") {
  const Folder folder;
  std::vector<double> samples = sine(440.0, 44'100.0, 44'100, 3e-5);
  for (double& x : samples) x += 7.0;
  const WavReport report = write_wav(folder / "a.wav", samples, 44'100.0);
  const Sound sound = read(folder / "a.wav");
  CHECK(sound.info.channels == 1);
  CHECK(sound.info.samplerate == 44'100);
  CHECK(sound.info.format == (SF_FORMAT_WAV | SF_FORMAT_PCM_24));
  REQUIRE(sound.samples.size() == samples.size());
  int highest = 0;
  double sum = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    highest = std::max(highest, std::abs(sound.samples[i]));
    sum += sound.samples[i];
    worst = std::max(worst, std::abs(sound.samples[i] -
                                     report.factor * (samples[i] - report.mean) * 8'388'607.0));
  }
  CHECK(std::abs(highest - std::pow(10.0, -1.0 / 20.0) * 8'388'607.0) <= 1.0);
  CHECK(std::abs(sum / static_cast<double>(samples.size())) < 0.1);
  CHECK(worst <= 0.5 + 1e-6);
  CHECK(report.mean == doctest::Approx(7.0).epsilon(1e-9));
  CHECK(report.factor * report.peak == doctest::Approx(std::pow(10.0, -1.0 / 20.0)));
}

TEST_CASE("wav_fixed gain is taken as it is and refused where it clips") {
  const Folder folder;
  const std::vector<double> samples = sine(440.0, 44'100.0, 4'410, 0.5);  // whole periods: no mean
  CHECK(write_wav(folder / "a.wav", samples, 44'100.0, 0.1).factor == 0.1);
  int highest = 0;
  for (const int x : read(folder / "a.wav").samples) highest = std::max(highest, std::abs(x));
  CHECK(std::abs(highest - 0.05 * 8'388'607.0) < 200.0);
  const std::string text =
      message<RunError>([&] { write_wav(folder / "b.wav", samples, 44'100.0, 2.5); });
  CHECK(text.find("gain 2.5 clips: the peak 0.4999") != std::string::npos);
  const std::size_t most = text.find("at most 2.000");
  REQUIRE(most != std::string::npos);
  const double largest = std::stod(text.substr(most + 8));
  CHECK(write_wav(folder / "c.wav", samples, 44'100.0, largest).factor == largest);
  CHECK_FALSE(exists(folder / "b.wav"));
}

TEST_CASE("wav_of a silent probe is silence, of numbers that are not finite an error") {
  const Folder folder;
  std::vector<double> samples(1000, 4.0);
  const WavReport report = write_wav(folder / "a.wav", samples, 8'000.0);
  CHECK(report.factor == 0.0);
  for (const int x : read(folder / "a.wav").samples) REQUIRE(x == 0);
  CHECK(write_wav(folder / "empty.wav", {}, 8'000.0).factor == 0.0);
  CHECK(read(folder / "empty.wav").samples.empty());
  samples[17] = std::nan("");
  CHECK(message<RunError>([&] {
          write_wav(folder / "b.wav", samples, 8'000.0);
        }).find("sample 17 is not a finite") != std::string::npos);
  CHECK_FALSE(exists(folder / "b.wav"));
}

TEST_CASE("wav_rate is that of the run from 8 to 192 kHz, else divided to a whole number") {
  CHECK(wav_rate(8'000.0).rate == 8'000);
  CHECK(wav_rate(44'100.0).divide == 1);
  CHECK(wav_rate(1.0 / (1.0 / 44'100.0)).rate == 44'100);  // a rate made from a step
  CHECK(wav_rate(192'000.0).divide == 1);
  CHECK(wav_rate(250'880.0).rate == 125'440);
  CHECK(wav_rate(250'880.0).divide == 2);
  CHECK(wav_rate(1e6).rate == 125'000);  // a sixth and a seventh are no whole numbers
  CHECK(message<SceneError>([] { wav_rate(5'000.0); }).find("5000 Hz is too low for a WAV file") !=
        std::string::npos);
  CHECK(message<SceneError>([] { wav_rate(31'415.93); }).find("no integer number of hertz") !=
        std::string::npos);
  CHECK(message<SceneError>([] { wav_rate(0.0); }).find("positive rate") != std::string::npos);
}

TEST_CASE("wav_low-pass keeps sines below 0.45 of the new rate and silences those above its half") {
  for (const int divide : {2, 3, 6}) {
    const double rate = 44'100.0 * divide;
    CAPTURE(divide);
    for (const double part : {0.001, 0.1, 0.3, 0.44, 0.45}) {
      const auto wanted = sine(part * 44'100.0, 44'100.0, 4'000);
      const auto kept =
          decimated(sine(part * 44'100.0, rate, 4'000 * static_cast<std::size_t>(divide)), divide);
      REQUIRE(kept.size() == wanted.size());
      double worst = 0.0;  // no delay: the samples themselves are those of the sine
      for (std::size_t i = 1'000; i < 3'000; ++i)
        worst = std::max(worst, std::abs(kept[i] - wanted[i]));
      CAPTURE(part);
      CHECK(worst < 1.2e-5);
    }
    for (const double part : {0.5, 0.55, 0.7, 0.95}) {
      const auto gone =
          decimated(sine(part * 44'100.0, rate, 4'000 * static_cast<std::size_t>(divide)), divide);
      CAPTURE(part);
      CHECK(peak(middle(gone)) < 1e-5);  // -100 dB
    }
  }
}

TEST_CASE("wav_low-pass holds a constant exactly up to the ends of the signal") {
  for (const double x : decimated(std::vector<double>(1'001, 0.25), 4))
    REQUIRE(x == doctest::Approx(0.25).epsilon(1e-12));
  CHECK(decimated(std::vector<double>(1'001, 0.25), 4).size() == 251);
  CHECK(decimated({}, 4).empty());
}

TEST_CASE("wav_file of a fast run has the lower rate and its length in seconds") {
  const Folder folder;
  const WavReport report = write_wav(folder / "a.wav", sine(1'000.0, 250'880.0, 25'088), 250'880.0);
  const Sound sound = read(folder / "a.wav");
  CHECK(report.rate.divide == 2);
  CHECK(sound.info.samplerate == 125'440);
  CHECK(sound.samples.size() == 12'544);
}

TEST_CASE("wav_on a full disk fails and leaves no file") {
  const Folder folder;
  const int result = io_test::with_file_size_limit(20'000, [&] {
    const std::string text = message<RunError>(
        [&] { write_wav(folder / "a.wav", sine(440.0, 44'100.0, 44'100), 44'100.0); });
    return text.find("write failed: File too large") != std::string::npos ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK_FALSE(exists(folder / "a.wav"));
  CHECK_FALSE(exists(folder / "a.wav.part"));
}
