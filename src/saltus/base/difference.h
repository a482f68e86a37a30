// Numerical differentiation by finite differences.
#pragma once
#include <algorithm>
#include <array>
#include <limits>

namespace saltus {

/// f'(t) = sum_k weight(k) f(time(k)), of order 4 from four points around t,
///
///     f' = (8 (f(t+e) - f(t-e)) - (f(t+2e) - f(t-2e)))/(12 e).
///
/// Near an end of [since, until], beyond which f need not be smooth, the four points and their
/// midpoint c are shifted until all are inside (and moved closer together if the interval is
/// shorter), and f' is the derivative of the cubic through them, of order 3. For an interval of
/// zero length f' is 0.
class Difference {
 public:
  static constexpr std::size_t kPoints = 4;

  /// since <= t <= until, e > 0.
  Difference(double t, double e, double since = -std::numeric_limits<double>::infinity(),
             double until = std::numeric_limits<double>::infinity()) {
    e = std::min(e, 0.25 * (until - since));
    if (!(e > 0.0)) {  // interval of zero length: f' = 0
      time_.fill(t);
      return;
    }
    const double c = std::clamp(t, since + 2.0 * e, std::max(since + 2.0 * e, until - 2.0 * e));
    const double x = (t - c) / e;
    for (std::size_t k = 0; k < kPoints; ++k) {
      time_[k] = std::clamp(c + kPlace[k] * e, since, until);
      after_[k] = x == 0.0 ? kPlace[k] * e : time_[k] - t;
      weight_[k] = x == 0.0 ? kMiddle[k] / (12.0 * e) : slope(k, x) / e;
    }
  }

  double time(std::size_t k) const { return time_[k]; }
  double after(std::size_t k) const { return after_[k]; }  ///< time(k) - t
  double weight(std::size_t k) const { return weight_[k]; }

 private:
  static constexpr std::array<double, kPoints> kPlace{1.0, -1.0, 2.0, -2.0},
      kMiddle{8.0, -8.0, -1.0, 1.0};

  /// l_k'(x) of the cubic l_k that is 1 at point k and 0 at the others.
  static double slope(std::size_t k, double x) {
    double sum = 0.0;
    for (std::size_t j = 0; j < kPoints; ++j) {
      if (j == k) continue;
      double product = 1.0 / (kPlace[k] - kPlace[j]);
      for (std::size_t m = 0; m < kPoints; ++m)
        if (m != k && m != j) product *= (x - kPlace[m]) / (kPlace[k] - kPlace[m]);
      sum += product;
    }
    return sum;
  }

  std::array<double, kPoints> time_{}, after_{}, weight_{};
};

}  // namespace saltus
