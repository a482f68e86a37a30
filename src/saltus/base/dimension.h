// Physical dimensions as exponents, and ranges of allowed numbers.
//
// Radians, cycles and plain numbers are distinguished although the SI unit of all three is 1: an
// angular frequency [rad/s], a frequency [Hz] and a decay rate [1/s] differ by factors of 2 pi,
// which a reader of the file must not have to guess.
#pragma once
#include <cmath>
#include <limits>
#include <string>

namespace saltus {

struct Dimension {
  int m = 0, kg = 0, s = 0, rad = 0, cycle = 0;

  bool operator==(const Dimension&) const = default;
  constexpr Dimension operator*(Dimension b) const {
    return {m + b.m, kg + b.kg, s + b.s, rad + b.rad, cycle + b.cycle};
  }
  constexpr Dimension power(int n) const { return {n * m, n * kg, n * s, n * rad, n * cycle}; }
  constexpr Dimension operator/(Dimension b) const { return *this * b.power(-1); }
};

/// The dimensions of options, named after their SI unit.
namespace unit {
inline constexpr Dimension one{};
inline constexpr Dimension m{1, 0, 0, 0, 0};
inline constexpr Dimension kg{0, 1, 0, 0, 0};
inline constexpr Dimension s{0, 0, 1, 0, 0};
inline constexpr Dimension rad{0, 0, 0, 1, 0};
inline constexpr Dimension Hz{0, 0, -1, 0, 1};
inline constexpr Dimension m2 = m.power(2);
inline constexpr Dimension m4 = m.power(4);
inline constexpr Dimension per_s = s.power(-1);
inline constexpr Dimension rad_per_s = rad / s;
inline constexpr Dimension m_per_s = m / s;
inline constexpr Dimension N = kg * m / s.power(2);
inline constexpr Dimension Pa = N / m2;
inline constexpr Dimension Pa_s = Pa * s;
inline constexpr Dimension m_per_s2 = m / s.power(2);
inline constexpr Dimension N_per_m = N / m;
inline constexpr Dimension N_per_m3 = N / m.power(3);
inline constexpr Dimension N_s_per_m = N * s / m;
inline constexpr Dimension N_m = N * m;
inline constexpr Dimension N_m_s = N * m * s;
inline constexpr Dimension N_m_per_rad = N * m / rad;
inline constexpr Dimension N_m_s_per_rad = N * m * s / rad;
inline constexpr Dimension kg_m2 = kg * m2;
inline constexpr Dimension m3_per_s2 = m.power(3) / s.power(2);
inline constexpr Dimension kg_per_m = kg / m;
inline constexpr Dimension kg_per_m3 = kg / m.power(3);
}  // namespace unit

/// Bounds of a number. In addition, every number must be finite.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  constexpr bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  constexpr bool bounded() const { return std::isfinite(low) || std::isfinite(high); }
};

constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .low_open = true}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }
inline constexpr Range kAnyNumber{};
inline constexpr Range kPositive = above(0.0);
inline constexpr Range kNotNegative = at_least(0.0);

/// "[0, 1]", "> 0", ">= 1"; "" if there are no bounds.
std::string describe(const Range& range);

}  // namespace saltus
