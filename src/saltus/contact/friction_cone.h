// The cone of one contact with friction and its moments.
#pragma once
#include <algorithm>
#include <cmath>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// K = {|p_k| <= radius_k p_N, k = T, R, S} on the rows N, T, R, S of a coulomb or rolling law: discs of 2 rows, intervals
/// of 1, or none. With moments read as impulses p/L and spins as velocities L u the radii of R and S are mu_R/L, sigma/L.
struct FrictionCone {
  static constexpr int kParts = 3;
  int rows[kParts] = {};  ///< of T, R, S
  double radius[kParts] = {};

  FrictionCone() = default;
  explicit FrictionCone(const Law& law, double L = 1.0)
      : rows{law.tangents(), law.rollings(), law.spinnings()},
        radius{law.friction, law.rolling / L, law.spinning / L} {}

  int size() const { return 1 + rows[0] + rows[1] + rows[2]; }
  static double length(const double* x, int n) {
    return n == 0 ? 0.0 : n == 1 ? std::abs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
  }

  /// start + sum radius_k |u_k|: u^_N of the law in the form of De Saxce, from start = u_N.
  double raised(double start, const double* u) const {
    for (int k = 0, first = 1; k < kParts; first += rows[k++])
      start += radius[k] * length(u + first, rows[k]);
    return start;
  }

  /// y = Proj_K(x), y may be x: y_k = min(1, radius_k N/|x_k|) x_k, and N >= 0 is the root of
  ///     f(N) = N - x_N - sum radius_k max(|x_k| - radius_k N, 0),   or 0 where f(0) > 0.
  /// f is increasing and concave: Newton's method from 0 climbs to the root in at most a step a part.
  void project(const double* x, double* y) const {
    double size[kParts];
    for (int k = 0, first = 1; k < kParts; first += rows[k++]) size[k] = length(x + first, rows[k]);
    double N = 0.0;
    for (bool climbs = true; climbs;) {
      double slope = 1.0, sum = x[0];
      for (int k = 0; k < kParts; ++k)
        if (size[k] > radius[k] * N) {
          slope += radius[k] * radius[k];
          sum += radius[k] * size[k];
        }
      const double next = sum / slope;
      climbs = next > N;
      N = std::max(next, N);  // max(NaN, .) is NaN
    }
    y[0] = N;
    for (int k = 0, i = 1; k < kParts; ++k) {
      const double scale = size[k] <= radius[k] * N ? 1.0 : radius[k] * N / size[k];
      for (const int end = i + rows[k]; i < end; ++i) y[i] = scale * x[i];
    }
  }
};

}  // namespace saltus
