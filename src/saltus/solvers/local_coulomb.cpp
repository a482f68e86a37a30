#include "saltus/solvers/local_coulomb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

/// A contact that slides by  lambda p_T = -u_T,  lambda >= 0 [1/kg]: with p_N eliminated by u_N = 0,
///     (S + lambda 1) p_T = -c,    S = W_TT - W_TN W_NT/W_NN,    c = b_T - W_TN b_N/W_NN,
///     p_N = -(b_N + W_NT p_T)/W_NN.
/// A symmetric S is taken in its principal axes: where it is singular but for round-off, each axis keeps its digits.
struct Slip {
  double S[2][2] = {}, c[2] = {};
  double W_NN, b_N, W_NT[2] = {};
  double noise = 0.0;           ///< twice the round-off in S [1/kg]
  double noise_c = 0.0;         ///< round-off in c [m/s]
  double axis[2] = {1.0, 0.0};  ///< first principal axis of S
  bool principal = false;
  int tangents;

  Slip(int rows, const double* W, const double* b) : W_NN(W[0]), b_N(b[0]), tangents(rows - 1) {
    constexpr double kRound = std::numeric_limits<double>::epsilon();
    for (int i = 0; i < tangents; ++i) {
      const double W_TN = W[(1 + i) * rows], carried = W_TN * b_N / W_NN;
      W_NT[i] = W[1 + i];
      c[i] = b[1 + i] - carried;
      noise_c = std::max(noise_c, 16.0 * kRound * (std::abs(b[1 + i]) + std::abs(carried)));
      for (int j = 0; j < tangents; ++j) {
        const double W_TT = W[(1 + i) * rows + 1 + j], coupled = W_TN * W[1 + j] / W_NN;
        S[i][j] = W_TT - coupled;
        noise = std::max(noise, std::abs(W_TT) + std::abs(coupled));
      }
    }
    noise = std::max(8.0 * kRound * noise, std::numeric_limits<double>::min());
    principal = tangents == 2 && std::abs(S[0][1] - S[1][0]) <= noise;
    if (principal) turn();
    drop_noise();
  }

  void turn() {
    const double m = 0.5 * (S[0][1] + S[1][0]),
                 angle = 0.5 * std::atan2(2.0 * m, S[0][0] - S[1][1]);
    const double x = std::cos(angle), y = std::sin(angle);
    axis[0] = x, axis[1] = y;
    const double first = S[0][0] * x * x + 2.0 * m * x * y + S[1][1] * y * y;
    S[1][1] = S[0][0] * y * y - 2.0 * m * x * y + S[1][1] * x * x;
    S[0][0] = first;  // along the axes from here on, like c and W_NT
    S[0][1] = S[1][0] = 0.0;
    for (double* pair : {c, W_NT}) {
      const double along = x * pair[0] + y * pair[1];
      pair[1] = -y * pair[0] + x * pair[1];
      pair[0] = along;
    }
  }

  /// An axis along which nothing can be moved is one exactly; what hardly slips there is taken not to slip.
  void drop_noise() {
    if (tangents == 2 && !principal) return;
    for (int i = 0; i < tangents; ++i) {
      if (S[i][i] > noise) continue;
      S[i][i] = 0.0;
      if (std::abs(c[i]) <= noise_c) c[i] = 0.0;
    }
  }

  /// Impulse at lambda > 0, its tangents along the axes; without them lambda >= noise.
  void impulse(double lambda, double* p) const {
    p[1] = p[2] = 0.0;
    if (tangents == 1 || principal) {
      for (int i = 0; i < tangents; ++i) p[1 + i] = -c[i] / (S[i][i] + lambda);
    } else {
      const double a = S[0][0] + lambda, d = S[1][1] + lambda;
      const double determinant = a * d - S[0][1] * S[1][0];
      p[1] = -(d * c[0] - S[0][1] * c[1]) / determinant;
      p[2] = -(a * c[1] - S[1][0] * c[0]) / determinant;
    }
    press(p);
  }
  /// p_N of u_N = 0.
  void press(double* p) const { p[0] = -(b_N + W_NT[0] * p[1] + W_NT[1] * p[2]) / W_NN; }
  static bool in_cone(double mu, const double* p) {
    return p[0] >= 0.0 && std::hypot(p[1], p[2]) <= mu * p[0];
  }
  /// Impulse at lambda, and whether it lies in the cone.
  bool holds(double lambda, double mu, double* p) const {
    impulse(lambda, p);
    return in_cone(mu, p);
  }
  /// The impulse that leaves no slip, with p_N; false: there is none.
  bool stick(double* p) const {
    p[1] = p[2] = 0.0;
    if (tangents == 1 || principal) {
      for (int i = 0; i < tangents; ++i) {
        if (c[i] == 0.0) continue;
        if (S[i][i] <= noise) return false;
        p[1 + i] = -c[i] / S[i][i];
      }
    } else {
      const double determinant = S[0][0] * S[1][1] - S[0][1] * S[1][0];
      if (!(determinant > noise * (std::abs(S[0][0]) + std::abs(S[1][1])))) return false;
      p[1] = -(S[1][1] * c[0] - S[0][1] * c[1]) / determinant;
      p[2] = -(S[0][0] * c[1] - S[1][0] * c[0]) / determinant;
    }
    press(p);
    return true;
  }
  /// From the axes to the rows.
  void turn_back(double* p) const {
    if (!principal) return;
    const double first = p[1], second = p[2];
    p[1] = axis[0] * first - axis[1] * second;
    p[2] = axis[1] * first + axis[0] * second;
  }
};

}  // namespace

void solve_coulomb(int rows, const double* W, const double* b, double mu, double* p) {
  double x[3] = {0.0, 0.0, 0.0};
  const auto take = [&](double scale_T) {
    p[0] = std::max(x[0], 0.0);
    for (int t = 1; t < rows; ++t) p[t] = scale_T * x[t];
  };
  if (b[0] >= 0.0) return take(0.0);  // opens by itself
  if (rows == 1 || mu == 0.0) {
    x[0] = -b[0] / W[0];
    return take(0.0);
  }
  const Slip slip(rows, W, b);
  const bool can_stick = slip.stick(x);
  if (can_stick && Slip::in_cone(mu, x)) {
    slip.turn_back(x);
    return take(1.0);
  }
  if (rows == 2) {  // slides: p_T = s mu p_N against c
    const double s = slip.c[0] > 0.0 ? -1.0 : 1.0, W_s = slip.W_NN + s * mu * slip.W_NT[0];
    if (W_s > 0.0) {
      x[0] = -slip.b_N / W_s;
      x[1] = s * mu * x[0];
      return take(1.0);
    }
  }
  // Slides. lambda = infinity leaves p_T = 0 < mu p_N: where the impulse is outside the cone it enters it somewhere, the
  // first time between two of these; then bisection, by the exponent while they are far apart, down to neighbouring
  // numbers. An impulse that is never outside, but slips, has no solution to go to: the contact jams.
  constexpr double kStep = 16.0, kLargest = 1e12;
  const double end = kLargest * (slip.W_NN + std::abs(slip.S[0][0]) + std::abs(slip.S[1][1]));
  double low = slip.principal ? 1e-10 * slip.noise : slip.noise, high = low;
  bool outside = can_stick || !slip.holds(high, mu, x), entered = false;
  while (!entered && high < end) {
    low = high;
    high *= kStep;
    const bool inside = slip.holds(high, mu, x);
    entered = outside && inside;
    outside = !inside;
  }
  if (!entered) {  // some p; the residual tells
    slip.impulse(slip.W_NN, x);
    slip.turn_back(x);
    return take(0.0);
  }
  for (int i = 0; i < 100; ++i) {
    const double middle = high > 2.0 * low ? std::sqrt(low) * std::sqrt(high) : 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (slip.holds(middle, mu, x) ? high : low) = middle;
  }
  slip.impulse(high, x);
  const double p_T = std::hypot(x[1], x[2]);
  slip.turn_back(x);
  take(p_T > 0.0 ? mu * std::max(x[0], 0.0) / p_T : 0.0);  // on the cone itself
}

}  // namespace saltus
