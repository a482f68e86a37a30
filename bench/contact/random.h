// Random numbers that are the same with every standard library.
#pragma once
#include <cmath>
#include <cstdint>

namespace saltus_bench {

/// SplitMix64: number k of a seed is a function of seed + k.
/// G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453-472.
class Random {
 public:
  explicit Random(std::uint64_t seed)
      : state_(seed * 0x2545f4914f6cdd1dull + 0x632be59bd9b4e019ull) {}

  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< in [0, 1)
  double uniform(double a, double b) { return a + (b - a) * uniform(); }
  /// Logarithm uniform in [log a, log b).
  double log_uniform(double a, double b) { return a * std::pow(b / a, uniform()); }
  int integer(int a, int b) {  ///< in [a, b]
    return a + static_cast<int>(next() % static_cast<std::uint64_t>(b - a + 1));
  }
  bool chance(double probability) { return uniform() < probability; }
  /// Mean 0, variance 1, |x| <= 6, nearly normal: twelve uniform numbers, without a logarithm.
  double normal() {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
  template <class Choices>
  auto pick(const Choices& choices) {
    return *(std::begin(choices) + next() % static_cast<std::uint64_t>(std::size(choices)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace saltus_bench
