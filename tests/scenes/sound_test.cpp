// What one hears: the WAV files of the main example and of the same string without its frets.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "command.h"

using namespace saltus_test;

namespace {

/// Samples of a mono 24 bit WAV file in [-1, 1), its rate; read by hand, so that the writer is not its own witness.
struct Sound {
  int rate = 0;
  std::vector<double> x;
};

Sound read_wav(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.good());
  const std::string data{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(data.at(i)));
  };
  const auto word = [&](std::size_t i) {
    return byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
  };
  REQUIRE(data.substr(0, 4) == "RIFF");
  REQUIRE(data.substr(8, 4) == "WAVE");
  Sound sound;
  for (std::size_t at = 12; at + 8 <= data.size(); at += 8 + word(at + 4) + word(at + 4) % 2) {
    const std::string id = data.substr(at, 4);
    if (id == "fmt ") {
      CHECK((byte(at + 10) | byte(at + 11) << 8) == 1);   // one channel
      CHECK((byte(at + 22) | byte(at + 23) << 8) == 24);  // bits
      sound.rate = static_cast<int>(word(at + 12));
    }
    if (id == "data")
      for (std::size_t i = at + 8; i + 3 <= at + 8 + word(at + 4); i += 3) {
        const auto value =
            static_cast<std::int32_t>((byte(i) << 8 | byte(i + 1) << 16 | byte(i + 2) << 24));
        sound.x.push_back(static_cast<double>(value / 256) / 8388608.0);
      }
  }
  REQUIRE(!sound.x.empty());
  return sound;
}

/// |sum w x exp(-2 pi i f t)| / sum w with a Hann window.
double amplitude(const Sound& s, double f) {
  std::complex<double> sum = 0.0;
  double weight = 0.0;
  const auto n = static_cast<double>(s.x.size());
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    const double t = static_cast<double>(k),
                 w = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * t / n);
    sum += w * s.x[k] * std::polar(1.0, -2.0 * std::numbers::pi * f * t / s.rate);
    weight += w;
  }
  return 2.0 * std::abs(sum) / weight;
}

/// Frequency of the largest amplitude in [low, high], by golden section on a single peak.
double peak(const Sound& s, double low, double high) {
  const double g = 0.5 * (std::sqrt(5.0) - 1.0);
  while (high - low > 1e-4) {
    const double a = high - g * (high - low), b = low + g * (high - low);
    (amplitude(s, a) > amplitude(s, b) ? high : low) = amplitude(s, a) > amplitude(s, b) ? b : a;
  }
  return 0.5 * (low + high);
}

double decibel(double x) { return 20.0 * std::log10(x); }

Sound sound_of(const Folder& folder, const std::vector<std::string>& set) {
  std::vector<std::string> words{"run", std::string(SALTUS_EXAMPLES) + "/bass_on_frets.yaml",
                                 "--quiet", "-o", "bass.h5"};
  for (const std::string& s : set) {
    words.push_back("--set");
    words.push_back(s);
  }
  REQUIRE(saltus_command(folder, words).code == 0);
  return read_wav(folder / "bass_on_frets.wav");
}

}  // namespace

TEST_CASE("the free bass sounds its first partial, and the frets change its spectrum") {
  const Folder with, without;
  const Sound frets = sound_of(with, {}), free = sound_of(without, {"contacts=[]"});
  for (const Sound* s : {&frets, &free}) {
    CHECK(s->rate == 44100);
    CHECK(s->x.size() == 22051);
    double largest = 0.0;
    for (double x : s->x) largest = std::max(largest, std::abs(x));
    CHECK(decibel(largest) >= -3.0);
    CHECK(decibel(largest) <= -0.1);
  }
  const double f1 = peak(free, 92.0, 104.0);
  MESSAGE("first partial " << f1 << " Hz, " << 1200.0 * std::log2(f1 / 97.97)
                           << " cents from 97.97 Hz");
  CHECK(std::abs(1200.0 * std::log2(f1 / 97.97)) <= 1.0);
  // partials 8 to 40 against the fundamental: the frets throw energy up
  double up_frets = 0.0, up_free = 0.0;
  for (int j = 8; j <= 40; ++j) {
    up_frets = std::max(up_frets, amplitude(frets, j * f1) / amplitude(frets, f1));
    up_free = std::max(up_free, amplitude(free, j * f1) / amplitude(free, f1));
  }
  MESSAGE("strongest of partials 8 to 40 against the first: "
          << decibel(up_frets) << " dB with frets, " << decibel(up_free) << " dB without");
  double differ = 0.0;
  for (int j = 1; j <= 20; ++j)
    differ =
        std::max(differ, std::abs(decibel(amplitude(frets, j * f1) / amplitude(free, j * f1))));
  MESSAGE("largest difference of partials 1 to 20: " << differ << " dB");
  CHECK(differ > 6.0);
}
