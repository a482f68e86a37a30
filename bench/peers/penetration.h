// How deep the balls of the heap lie in each other and in the box: one code for all engines. The drivers in C++ include it,
// siconos.py calls it as libpenetration.so.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "scenes.h"

namespace peers {

/// Largest of 2r - |a - b| over pairs of balls and of r - distance over balls and planes [m], < 0: no contact.
/// `centres`: x, y, z of each of n balls [m]. +inf if one is not finite.
inline double deepest_penetration(const double* centres, int n) {
  using namespace scenes::heap;
  // Cells as wide as a ball: balls in contact lie in the same or in adjacent cells, also if positions outside the box
  // are assigned to the outermost cells.
  constexpr int kWide = 16, kHigh = 32;
  const auto cell = [](double x, double first, int count) {
    return static_cast<int>(std::clamp(std::floor((x - first) / (2.0 * radius)), 0.0, count - 1.0));
  };
  static std::vector<int> newest,
      older;  // last ball inserted in each cell; for each ball the previous one in its cell
  newest.assign(kWide * kWide * kHigh, -1);
  older.assign(static_cast<std::size_t>(n), -1);
  double deepest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < n; ++k) {
    const double x = centres[3 * k], y = centres[3 * k + 1], z = centres[3 * k + 2];
    if (!std::isfinite(x + y + z)) return std::numeric_limits<double>::infinity();
    deepest =
        std::max({deepest, radius - z, radius + std::abs(x) - half, radius + std::abs(y) - half});
    const int i = cell(x, -half, kWide), j = cell(y, -half, kWide), l = cell(z, 0.0, kHigh);
    for (int c = std::max(l - 1, 0); c <= std::min(l + 1, kHigh - 1); ++c)
      for (int b = std::max(j - 1, 0); b <= std::min(j + 1, kWide - 1); ++b)
        for (int a = std::max(i - 1, 0); a <= std::min(i + 1, kWide - 1); ++a)
          for (int other = newest[static_cast<std::size_t>((c * kWide + b) * kWide + a)];
               other >= 0; other = older[static_cast<std::size_t>(other)]) {
            const double dx = x - centres[3 * other], dy = y - centres[3 * other + 1],
                         dz = z - centres[3 * other + 2];
            deepest = std::max(deepest, 2.0 * radius - std::sqrt(dx * dx + dy * dy + dz * dz));
          }
    int& last = newest[static_cast<std::size_t>((l * kWide + j) * kWide + i)];
    older[static_cast<std::size_t>(k)] = last;
    last = k;
  }
  return deepest;
}

/// Measures of a heap after each step, not included in the CPU time.
class HeapLook {
 public:
  void at(const std::vector<double>& centres) {
    last_ = deepest_penetration(centres.data(), static_cast<int>(centres.size() / 3));
    deepest_ = std::max(deepest_, last_);
    height_ = 0.0;
    for (std::size_t k = 2; k < centres.size(); k += 3)
      height_ += 3.0 * centres[k] / static_cast<double>(centres.size());
  }
  /// Deepest penetration of the run and at its end, mean height of the centres at the end [m]
  std::vector<double> values() const { return {deepest_, last_, height_}; }

 private:
  double deepest_ = 0.0, last_ = 0.0, height_ = 0.0;
};

}  // namespace peers
