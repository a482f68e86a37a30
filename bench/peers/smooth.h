// Right sides for the libraries that integrate what the user writes down: odeint and SUNDIALS.
#pragma once
#include <cmath>
#include <vector>

#include "peer.h"

namespace peers {

/// y = (quaternion w x y z, angular velocity in the body): a top about its fixed point.
inline void top_rate(const double* y, double* f) {
  using namespace scenes::top;
  const double w = y[0], x = y[1], q = y[2], z = y[3], a = y[4], b = y[5], c = y[6];
  const double weight = mass * scenes::kGravity * arm;
  const double up[2] = {2.0 * (x * z - w * q),
                        2.0 * (q * z + w * x)};  // e_z along the axes x, y of the body
  f[0] = 0.5 * (-x * a - q * b - z * c);
  f[1] = 0.5 * (w * a + q * c - z * b);
  f[2] = 0.5 * (w * b + z * a - x * c);
  f[3] = 0.5 * (w * c + x * b - q * a);
  f[4] = (weight * up[1] - (inertia[2] - inertia[1]) * b * c) / inertia[0];
  f[5] = (-weight * up[0] - (inertia[0] - inertia[2]) * c * a) / inertia[1];
  f[6] = -(inertia[1] - inertia[0]) * a * b / inertia[2];
}
inline std::vector<double> top_start() {
  using namespace scenes::top;
  return {std::cos(0.5 * tilt), std::sin(0.5 * tilt), 0.0, 0.0, 0.0, 0.0, spin};
}

/// Rods on hinges by their angles below the horizontal: M(a) a'' = f(a, a'), M factored by Cholesky. y = (a, a').
class Chain {
 public:
  static constexpr int n = scenes::chain::links;
  Chain() {
    using namespace scenes::chain;
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) {
        const double c = arm(k, i);
        sum += c;
        for (int j = 0; j < n; ++j) product_[i][j] += mass * c * arm(k, j);
      }
      load_[i] = mass * scenes::kGravity * sum;
    }
  }
  void rate(const double* y, double* f) const {
    using namespace scenes::chain;
    const double own = mass * (rod * rod + width * width) / 12.0;
    double c[n], s[n], L[n][n];
    for (int i = 0; i < n; ++i) c[i] = std::cos(y[i]), s[i] = std::sin(y[i]);
    for (int i = 0; i < n; ++i) {
      f[i] = y[n + i];
      double b = load_[i] * c[i];
      for (int j = 0; j < n; ++j) {
        b -= product_[i][j] * (s[i] * c[j] - c[i] * s[j]) * y[n + j] * y[n + j];
        L[i][j] = product_[i][j] * (c[i] * c[j] + s[i] * s[j]);
      }
      L[i][i] += own;
      f[n + i] = b;
    }
    double* const x = f + n;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) L[j][j] -= L[j][k] * L[j][k];
      L[j][j] = std::sqrt(L[j][j]);
      for (int i = j + 1; i < n; ++i) {
        for (int k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[j][k];
        L[i][j] /= L[j][j];
      }
      for (int k = 0; k < j; ++k) x[j] -= L[j][k] * x[k];
      x[j] /= L[j][j];
    }
    for (int j = n - 1; j >= 0; --j) {
      for (int k = j + 1; k < n; ++k) x[j] -= L[k][j] * x[k];
      x[j] /= L[j][j];
    }
  }
  static void places(const double* a, std::vector<double>& values) {
    for (int i = 0; i < n; ++i) {
      double x = 0.0, z = 0.0;
      for (int k = 0; k <= i; ++k) x += arm(i, k) * std::cos(a[k]), z -= arm(i, k) * std::sin(a[k]);
      values.push_back(x);
      values.push_back(z);
    }
  }

 private:
  /// Of link k in the mass centre of link i: its whole rod below, half of its own.
  static double arm(int i, int k) {
    return k < i ? scenes::chain::rod : k == i ? 0.5 * scenes::chain::rod : 0.0;
  }
  double product_[n][n] = {}, load_[n] = {};
};

/// y = (x, v) of the driven oscillator, without its stop.
inline void impact_rate(double t, const double* y, double* f) {
  using namespace scenes::impact;
  f[0] = y[1];
  f[1] = force * std::cos(angular_frequency * (t + phase)) - damping * y[1] - y[0];
}

/// y = (q, v) of masses between springs.
inline void linear_rate(const double* y, double* f) {
  using namespace scenes::linear;
  const double* const q = y;
  for (int i = 0; i < masses; ++i) {
    f[i] = y[masses + i];
    f[masses + i] =
        stiffness / mass * ((i ? q[i - 1] : 0.0) - 2.0 * q[i] + (i + 1 < masses ? q[i + 1] : 0.0));
  }
}
inline std::vector<double> linear_start() {
  std::vector<double> y(2 * scenes::linear::masses, 0.0);
  y[scenes::linear::plucked] = scenes::linear::start;
  return y;
}

}  // namespace peers
