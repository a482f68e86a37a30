#include "saltus/math/rotation.h"

#include <array>
#include <cmath>

namespace saltus {
namespace {

// Below this the square of an angle underflows, and a series of one term is exact.
constexpr double kTiny = 1e-150;

/// sum_k c_k x^k
template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = c[N - 1];
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// sin(a/2)/a
double half_sinc(double a) { return a > kTiny ? std::sin(0.5 * a) / a : 0.5; }

// (1 - cos a)/a^2 = 2 (sin(a/2)/a)^2
double second(double a) {
  const double s = half_sinc(a);
  return 2.0 * s * s;
}

// (a - sin a)/a^3 = 1/3! - a^2/5! + a^4/7! - ...
double third(double a) {
  static constexpr std::array<double, 9> kSeries{1.0 / 6.0,
                                                 -1.0 / 120.0,
                                                 1.0 / 5040.0,
                                                 -1.0 / 362880.0,
                                                 1.0 / 39916800.0,
                                                 -1.0 / 6227020800.0,
                                                 1.0 / 1307674368000.0,
                                                 -1.0 / 355687428096000.0,
                                                 1.0 / 121645100408832000.0};
  return a < 1.0 ? polynomial(kSeries, a * a) : (a - std::sin(a)) / (a * a * a);
}

// 2 pi - |w| without cancellation: (4 pi^2 - w.w)/(2 pi + |w|), both squares as sums of two
// numbers.
double missing_to_full_turn(const Vector3& w, double a) {
  constexpr double kHigh = 0x1.3bd3cc9be45dep+5, kLow = 0x1.692b71366cc04p-49;  // 4 pi^2
  constexpr double kTurn = 0x1.921fb54442d18p+2;                                // 2 pi
  double high = kHigh, low = kLow;
  for (int i = 0; i < 3; ++i) {
    const double square = w[i] * w[i], error = std::fma(w[i], w[i], -square);
    const double sum = high - square, part = sum - high;  // sum + rest = high - square exactly
    low += (high - (sum - part)) - (square + part) - error;
    high = sum;
  }
  return (high + low) / (kTurn + a);
}

// (1 - (a/2) cot(a/2))/a^2. With x = a/2
//     small x:  (sin x - x cos x)/x^3 x/(4 sin x),  the first factor 1/3 - x^2/30 + x^4/840 - ...
//     a > pi:   cot x = -cot(pi - x)
double inverse_second(const Vector3& w, double a) {
  static constexpr std::array<double, 9> kSeries{1.0 / 3.0,
                                                 -1.0 / 30.0,
                                                 1.0 / 840.0,
                                                 -1.0 / 45360.0,
                                                 1.0 / 3991680.0,
                                                 -1.0 / 518918400.0,
                                                 1.0 / 93405312000.0,
                                                 -1.0 / 22230464256000.0,
                                                 1.0 / 6758061133824000.0};
  const double x = 0.5 * a;
  if (a <= 2.0) return polynomial(kSeries, x * x) / (8.0 * half_sinc(a));
  if (a <= 3.0) return (1.0 - x / std::tan(x)) / (a * a);
  return (1.0 + x / std::tan(0.5 * missing_to_full_turn(w, a))) / (a * a);
}

}  // namespace

Matrix3 skew(const Vector3& a) {
  Matrix3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

Quaternion exp_rotation(const Vector3& w) {
  const double a = w.norm(), s = half_sinc(a);
  return {std::cos(0.5 * a), s * w.x(), s * w.y(), s * w.z()};
}

// a = 2 atan2(|v|, |Q_w|): exact for any norm of Q, and gives the shorter rotation.
Vector3 log_rotation(const Quaternion& Q) {
  const double n = Q.vec().norm();
  if (n <= kTiny) return (2.0 / Q.w()) * Q.vec();
  const double a = 2.0 * std::atan2(n, std::abs(Q.w()));
  return std::copysign(a / n, Q.w()) * Q.vec();
}

Vector3 rotate(const Vector3& w, const Vector3& x) {
  const double a = w.norm();
  const Vector3 once = w.cross(x);
  return x + (a > kTiny ? std::sin(a) / a : 1.0) * once + second(a) * w.cross(once);
}

Vector3 dexp_inverse(const Vector3& w, const Vector3& Omega) {
  const Vector3 once = w.cross(Omega);
  return Omega + 0.5 * once + inverse_second(w, w.norm()) * w.cross(once);
}

// dexp(w) = I - (1 - cos a)/a^2 w^ + (a - sin a)/a^3 w^ w^
Matrix3 dexp(const Vector3& w) {
  const double a = w.norm();
  const Matrix3 hat = skew(w);
  return Matrix3::Identity() - second(a) * hat + third(a) * (hat * hat);
}

Quaternion cay_rotation(const Vector3& w) {
  const double s = 1.0 / std::sqrt(1.0 + 0.25 * w.squaredNorm()), half = 0.5 * s;
  return {s, half * w.x(), half * w.y(), half * w.z()};
}

}  // namespace saltus
