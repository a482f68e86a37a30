#include "saltus/math/compositions.h"

#include <cmath>

namespace saltus {
namespace {

/// Trace of the product of drift (1, a z; 0, 1) and kick (1, 0; -b z, 1).
double trace(const Composition& method, double z) {
  double sum = 0.0;
  for (int column = 0; column < 2; ++column) {
    double q = column == 0 ? 1.0 : 0.0, v = 1.0 - q;
    for (std::size_t i = 0; i < method.kicks; ++i) {
      q += method.drift[i] * z * v;
      v -= method.kick[i] * z * q;
    }
    q += method.drift[method.kicks] * z * v;
    sum += column == 0 ? q : v;
  }
  return sum;
}

}  // namespace

double stability_limit(const Composition& method) {
  constexpr double kPace = 2e-4, kOver = 1e-12;
  const auto stable = [&](double z) { return std::abs(trace(method, z)) <= 2.0 + kOver; };
  double z = 0.0;
  while (stable(z + kPace)) z += kPace;  // terminates because the trace is a polynomial
  double low = z, high = z + kPace;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace saltus
