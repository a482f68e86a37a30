// Three different moments I1 < I2 < I3 (C. G. J. Jacobi 1849, in the notation of NIST, chapter 22).
// With L along the principal axes, L1' = -(1/I2 - 1/I3) L2 L3 and so on; L1^2 + (r/s) L2^2 = A1^2
// and L3^2 + (p/s) L2^2 = A3^2 are constant, where
//
//     p = 1/I1 - 1/I2,    r = 1/I2 - 1/I3,    s = p + r
//
// If p A1^2 <= r A3^2, the momentum rotates about axis 3; otherwise it rotates about axis 1, and
// the roles of 1 and 3, p and r are exchanged:
//
//     L1 = A1 cn u,   L2 = A1 sqrt(s/r) sn u,   L3 = +-A3 dn u,   u' = +-A3 sqrt(r s),
//         k^2 = p A1^2/(r A3^2)        (1)
//
// The initial u is not needed: L gives sn, cn, dn there, and the addition theorem gives those of
// the sum.
//
// Attitude: B(m), the smallest rotation that takes m = L/|L| to the axis e (axis 3 or 1, with the
// sign of L), is smooth at all times, and R B^-1 rotates about a fixed direction,
//
//     R1 = R0 B0^-1 exp(psi e) B1,
//         psi' = (2 T/|L| + Omega.e)/(1 + m.e) = |L|/I_e + (2 T/|L| - |L|/I_e)/(1 + m.e)  (2)
//
// 1/(1 + m.e) is integrated by Gauss's rule: its nearest pole is at least pi/2 away from real u, so
// that ten points per unit of u are accurate to round-off.
#include "saltus/math/free_rotation.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/math/dense.h"

namespace saltus {
namespace {

constexpr double kStill = 1e-100;  ///< smaller angles [rad] count as zero
constexpr double kMostRadians = 1e6;
/// of u: below this, four points of Gauss's rule and a series for sn
constexpr double kShort = 0.0625;

struct GaussRule {
  int points;
  std::array<double, 10> at, weight;  ///< on [0, 1]
};

template <std::size_t N>
constexpr GaussRule gauss_rule(const std::array<std::pair<double, double>, N>& half) {
  GaussRule rule{2 * static_cast<int>(N), {}, {}};
  for (std::size_t i = 0; i < N; ++i) {
    rule.at[2 * i] = 0.5 - 0.5 * half[i].first;
    rule.at[2 * i + 1] = 0.5 + 0.5 * half[i].first;
    rule.weight[2 * i] = rule.weight[2 * i + 1] = 0.5 * half[i].second;
  }
  return rule;
}

using Pair = std::pair<double, double>;
constexpr GaussRule kGauss4 =
    gauss_rule(std::array{Pair{0.3399810435848562648, 0.6521451548625461426},
                          Pair{0.8611363115940525752, 0.3478548451374538574}});
constexpr GaussRule kGauss10 =
    gauss_rule(std::array{Pair{0.1488743389816312109, 0.2955242247147528702},
                          Pair{0.4333953941292471908, 0.2692667193099963551},
                          Pair{0.6794095682990244062, 0.2190863625159820440},
                          Pair{0.8650633666889845107, 0.1494513491505805931},
                          Pair{0.9739065285171717201, 0.0666713443086881376}});

/// sn, cn, dn, and the differences of the last two from 1, so that small changes keep all digits.
struct Jacobi {
  double sn = 0.0, cn = 1.0, dn = 1.0, cn_1 = 0.0, dn_1 = 0.0;
};

/// sn, cn, dn of one modulus, for |u| <= 1.
class JacobiFunctions {
 public:
  /// k^2 and 1 - k^2: near the middle axis the second one holds the significant digits.
  JacobiFunctions(double k2, double rest) : k2_(k2), rest_(rest) {}

  Jacobi operator()(double u) {
    const double sn = std::abs(u) <= kShort ? series(u) : by_means(u), square = sn * sn;
    const double cn = std::sqrt(1.0 - square), dn = std::sqrt(1.0 - k2_ * square);
    return {sn, cn, dn, -square / (1.0 + cn), -k2_ * square / (1.0 + dn)};
  }

  /// Values at x + y minus those at x, where y is a result of operator() (NIST 22.8).
  Jacobi change(const Jacobi& x, const Jacobi& y) const {
    const double rest = k2_ * x.sn * x.sn * y.sn * y.sn, share = 1.0 / (1.0 - rest);
    const double both = y.cn_1 + y.dn_1 + y.cn_1 * y.dn_1;  // cn dn - 1
    return {share * (y.sn * x.cn * x.dn + x.sn * (both + rest)),
            share * (x.cn * (y.cn_1 + rest) - x.sn * y.sn * x.dn * y.dn),
            share * (x.dn * (y.dn_1 + rest) - k2_ * x.sn * y.sn * x.cn * y.cn)};
  }

 private:
  static constexpr int kMost = 12;

  /// sn by its series up to u^13 (NIST 22.10.1 and further terms); the next term is 1e-19 of it.
  double series(double u) const {
    const double m = k2_, x = u * u;
    const double c3 = 1.0 + m, c5 = 1.0 + m * (14.0 + m), c7 = 1.0 + m * (135.0 + m * (135.0 + m));
    const double c9 = 1.0 + m * (1228.0 + m * (5478.0 + m * (1228.0 + m)));
    const double c11 = 1.0 + m * (11069.0 + m * (165826.0 + m * (165826.0 + m * (11069.0 + m))));
    const double c13 =
        1.0 +
        m * (99642.0 + m * (4494351.0 + m * (13180268.0 + m * (4494351.0 + m * (99642.0 + m)))));
    const double tail = c9 / 362880.0 - x * (c11 / 39916800.0 - x * (c13 / 6227020800.0));
    return u - u * x * (c3 / 6.0 - x * (c5 / 120.0 - x * (c7 / 5040.0 - x * tail)));
  }

  /// sn by arithmetic-geometric means (NIST 22.20 (ii)), which are computed once.
  double by_means(double u) {
    if (count_ < 0) {
      count_ = 0;
      double a = 1.0, b = std::max(std::sqrt(rest_), 1e-30), c = std::sqrt(k2_);
      while (c > 1e-17 && count_ < kMost) {
        const double next = 0.5 * (a + b);
        c = 0.5 * (a - b);
        b = std::sqrt(a * b);
        a = next;
        ratio_[static_cast<std::size_t>(count_++)] = c / a;
      }
      scale_ = std::ldexp(a, count_);
    }
    double phi = scale_ * u;
    for (int n = count_; n-- > 0;)
      phi = 0.5 * (phi + std::asin(ratio_[static_cast<std::size_t>(n)] * std::sin(phi)));
    return std::sin(phi);
  }

  double k2_, rest_, scale_ = 1.0;
  int count_ = -1;
  std::array<double, kMost> ratio_{};
};

/// The smallest rotation that takes the unit vector m to the unit vector e, m.e > -1.
Quaternion least_rotation(const Vector3& m, const Vector3& e) {
  const Vector3 along = m.cross(e);
  return Quaternion(1.0 + m.dot(e), along.x(), along.y(), along.z()).normalized();
}

Quaternion about(const Vector3& unit, double angle) {
  const double half = 0.5 * angle, s = std::sin(half), c = std::cos(half);
  return {c, s * unit.x(), s * unit.y(), s * unit.z()};
}

/// As exp_rotation(), without its treatment of angles whose squares underflow: those give no
/// rotation.
Quaternion turn_by(const Vector3& w) {
  const double angle = w.norm(), half = 0.5 * angle, s = std::sin(half), c = std::cos(half);
  const double share = angle > kStill ? s / angle : 0.5;
  return {c, share * w.x(), share * w.y(), share * w.z()};
}

/// First-order normalisation of Q: sufficient for deviations of |Q|^2 from 1 by round-off.
void normalise(Quaternion& Q) { Q.coeffs() *= 1.5 - 0.5 * Q.squaredNorm(); }

}  // namespace

FreeRotation::FreeRotation(const Matrix3& J) {
  const SymmetricPairs pairs = symmetric_pairs(Matrix(J));
  moment_ = pairs.values;
  principal_ = pairs.vectors;
  if (principal_.determinant() < 0.0) principal_.col(0) *= -1.0;
  const double round_off = 4.0 * std::numeric_limits<double>::epsilon() * moment_[2];
  const bool low = moment_[1] - moment_[0] <= round_off,
             high = moment_[2] - moment_[1] <= round_off;
  kind_ = low && high ? Kind::sphere : low || high ? Kind::symmetric : Kind::triaxial;
  if (kind_ != Kind::symmetric) return;
  axis_ = principal_.col(low ? 2 : 0);
  polar_ = moment_[low ? 2 : 0];
  equatorial_ = moment_[1];
}

void FreeRotation::advance(double h, Quaternion& Q, Vector3& Omega) const {
  switch (kind_) {
    case Kind::sphere:
      Q = Q * turn_by(h * Omega);
      break;
    // L is constant in space, and the body also rotates about its axis:
    //     R1 = R0 exp(h L/I) exp(-b a),   b = (I_a/I - 1) h Omega.a
    case Kind::symmetric: {
      const double spin = axis_.dot(Omega), slip = polar_ / equatorial_ - 1.0;
      const Vector3 turn = h * (Omega + (slip * spin) * axis_);
      const double b = slip * spin * h, s = std::sin(0.5 * b), c = std::cos(0.5 * b);
      Q = Q * turn_by(turn) * Quaternion(c, -s * axis_.x(), -s * axis_.y(), -s * axis_.z());
      const Vector3 across = axis_.cross(Omega);  // Omega1 = exp(b a) Omega
      Omega += (2.0 * s * c) * across + (2.0 * s * s) * axis_.cross(across);
      break;
    }
    case Kind::triaxial:
      turn_triaxial(h, Q, Omega);
      break;
  }
  normalise(Q);
}

void FreeRotation::turn_triaxial(double h, Quaternion& Q, Vector3& Omega) const {
  const Vector3 W = principal_.transpose() * Omega;
  const Vector3 L = moment_.cwiseProduct(W);
  const double G = L.norm();
  if (!(std::abs(h) * W.norm() > kStill)) return;
  const double p = (moment_[1] - moment_[0]) / (moment_[0] * moment_[1]),
               r = (moment_[2] - moment_[1]) / (moment_[1] * moment_[2]), s = p + r;
  double A_o = std::sqrt(L[0] * L[0] + (r / s) * L[1] * L[1]),
         A_e = std::sqrt(L[2] * L[2] + (p / s) * L[1] * L[1]), near = r;
  int o = 0, e = 2;                                 // L.e keeps its sign, L.o changes sign
  double rest = r * L[2] * L[2] - p * L[0] * L[0];  // = r A3^2 - p A1^2
  if (rest < 0.0) {
    std::swap(A_o, A_e);
    near = p;
    std::swap(o, e);
    rest = -rest;
  }
  const double sign = L[e] < 0.0 ? -1.0 : 1.0, middle = A_o * std::sqrt(s / near);
  const double rest_of_1 = std::min(rest / (near * A_e * A_e), 1.0), k2 = 1.0 - rest_of_1;
  const double length = sign * A_e * std::sqrt(near * s) * h;
  if (!(std::abs(length) <= kMostRadians)) {
    Omega.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  JacobiFunctions jacobi(k2, rest_of_1);
  Jacobi at;
  if (A_o > 0.0) at = {L[1] / middle, L[o] / A_o, std::abs(L[e]) / A_e};

  const int parts = std::max(1, static_cast<int>(std::ceil(std::abs(length))));
  const double part = length / parts, along = A_e / G;
  const GaussRule& gauss = std::abs(part) <= kShort ? kGauss4 : kGauss10;
  std::array<Jacobi, 10> inside;
  for (int i = 0; i < gauss.points; ++i)
    inside[static_cast<std::size_t>(i)] = jacobi(gauss.at[static_cast<std::size_t>(i)] * part);
  const Jacobi whole = jacobi(part);
  double mean = 0.0;  // of 1/(1 + m.e)
  Vector3 L1 = L;
  for (int n = 0; n < parts; ++n) {
    for (int i = 0; i < gauss.points; ++i) {
      const auto g = static_cast<std::size_t>(i);
      mean += gauss.weight[g] / (1.0 + along * (at.dn + jacobi.change(at, inside[g]).dn));
    }
    const Jacobi change = jacobi.change(at, whole);
    L1[o] += A_o * change.cn;
    L1[1] += middle * change.sn;
    L1[e] += sign * A_e * change.dn;
    if (n + 1 == parts) break;
    // near the middle axis the round-off in sn^2 + cn^2 - 1 would grow during the motion
    const double length_at = std::hypot(L1[1] / middle, L1[o] / A_o);
    at.sn = A_o > 0.0 ? L1[1] / middle / length_at : 0.0;
    at.cn = A_o > 0.0 ? L1[o] / A_o / length_at : 1.0;
    at.dn = std::sqrt(rest_of_1 + k2 * at.cn * at.cn);
    L1[o] = A_o * at.cn;
    L1[1] = middle * at.sn;
    L1[e] = sign * A_e * at.dn;
  }
  mean /= parts;

  const double psi = h * (G / moment_[e] + (L.dot(W) / G - G / moment_[e]) * mean);
  Vector3 axis = Vector3::Zero();
  axis[e] = sign;
  const Quaternion turn = least_rotation(L / G, axis).conjugate() * about(axis, psi) *
                          least_rotation(L1 / L1.norm(), axis);
  const Vector3 body = principal_ * turn.vec();
  Q = Q * Quaternion(turn.w(), body.x(), body.y(), body.z());
  Omega += principal_ * (L1 - L).cwiseQuotient(moment_);
}

}  // namespace saltus
