#include "saltus/bodies/material.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/bodies/material_internal.h"

namespace saltus {
namespace {

double square(double x) { return x * x; }

/// J = det F, not a number where the material is inverted.
double volume_ratio(const Matrix3& F) {
  const double J = F.determinant();
  return J > 0.0 ? J : std::numeric_limits<double>::quiet_NaN();
}

/// J - 1 - tr H
double volume_rest(const Matrix3& H) {
  return (H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0)) + (H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0)) +
         (H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1)) + H.determinant();
}

/// J - 1, not a number where the material is inverted.
double positive_volume(const Matrix3& H) {
  const double x = H.trace() + volume_rest(H);
  return x > -1.0 ? x : std::numeric_limits<double>::quiet_NaN();
}

/// (H + H^T + H^T H)/2, and its linear part
Matrix3 green_strain(const Matrix3& H) { return 0.5 * (H + H.transpose() + H.transpose() * H); }
Matrix3 small_strain(const Matrix3& H) { return 0.5 * (H + H.transpose()); }

/// U - I of F = R U: 2 E (U + I)^-1 for small H, which is as accurate as H; else R^T F - I.
Matrix3 stretch(const Matrix3& H, Matrix3& R) {
  const Matrix3 F = Matrix3::Identity() + H;
  R = rotation_of(F);
  const Matrix3 RF = R.transpose() * F, U = 0.5 * (RF + RF.transpose());
  if (!(H.squaredNorm() < kSmallGradient)) return U - Matrix3::Identity();
  const Matrix3 e = 2.0 * green_strain(H) * (U + Matrix3::Identity()).inverse();
  return 0.5 * (e + e.transpose());
}

/// S = 2 mu E + lambda tr(E) I
Matrix3 hooke(const Material& m, const Matrix3& E) {
  return 2.0 * m.mu() * E + m.lambda() * E.trace() * Matrix3::Identity();
}

/// E, C = I + 2 E, I1 and I2 with their differences from 3, and T = I1 F - F C = (dI2/dF)/2
struct Invariants {
  Matrix3 E, C, T;
  double I1, I1_3, I2_3, I2;
  explicit Invariants(const Matrix3& H) : E(green_strain(H)) {
    const Matrix3 F = Matrix3::Identity() + H;
    C = F.transpose() * F;
    I1_3 = 2.0 * E.trace();
    I2_3 = 2.0 * I1_3 + 0.5 * square(I1_3) - 2.0 * E.squaredNorm();
    I1 = 3.0 + I1_3;
    I2 = 3.0 + I2_3;
    T = I1 * F - F * C;
  }
};

double delta(int i, int j) { return i == j ? 1.0 : 0.0; }

/// Fills A from entry(i, J, k, L), which is symmetric in (iJ, kL).
template <class Entry>
void fill(Matrix9& A, Entry&& entry) {
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column <= row; ++column)
      A(row, column) = A(column, row) = entry(row / 3, row % 3, column / 3, column % 3);
}

std::string modulus_fault(const char* name, double value) {
  if (value > 0.0 && std::isfinite(value)) return "";
  return fmt::format("{} = {}: it must be positive and finite", name, value);
}

}  // namespace

std::string_view name_of(MaterialLaw law) {
  static constexpr std::array<std::string_view, 5> kNames{
      "linear", "st_venant_kirchhoff", "neo_hooke", "mooney_rivlin", "corotated"};
  return kNames[static_cast<std::size_t>(law)];
}

double Material::wave_speed() const { return std::sqrt((lambda() + 2.0 * mu()) / density); }

std::string fault(const Material& m) {
  if (std::string text = modulus_fault("density", m.density); !text.empty()) return text;
  if (m.law == MaterialLaw::mooney_rivlin) {
    if (!std::isfinite(m.c10) || !std::isfinite(m.c01) || !(m.c10 + m.c01 > 0.0))
      return fmt::format("c10 = {}, c01 = {}: both must be finite, their sum positive", m.c10,
                         m.c01);
    return modulus_fault("bulk", m.bulk);
  }
  if (std::string text = modulus_fault("young", m.young); !text.empty()) return text;
  if (!(m.poisson > -1.0 && m.poisson < 0.5))
    return fmt::format(
        "poisson = {}: it must be above -1 and below 0.5 (at 0.5 the volume is fixed and the "
        "pressure is not a function of F)",
        m.poisson);
  return "";
}

void check(const Material& material) {
  const std::string text = fault(material);
  expects(text.empty(), text);
}

// Near 0, the series -x^2/2 + x^3/3 - ... avoids cancellation.
double logarithm_rest(double x) {
  if (std::abs(x) > 0.01) return std::log1p(x) - x;
  double sum = 0.0;
  for (int k = 9; k >= 2; --k) sum = x * sum + (k % 2 == 0 ? -1.0 : 1.0) / k;
  return x * x * sum;
}

double stored_energy(const Material& m, const Matrix3& F) {
  return stored_energy_at(m, F - Matrix3::Identity());
}
Matrix3 first_piola(const Material& m, const Matrix3& F) {
  return first_piola_at(m, F - Matrix3::Identity());
}

// With E = (H + H^T + H^T H)/2 and x = J - 1:
// neo_hooke:      W = mu (tr E - ln J) + lambda/2 (ln J)^2,
//                 tr E - ln J = |H|^2/2 - (x - tr H) - (ln(1 + x) - x)
// mooney_rivlin:  I1 - 3 = 2 tr E,  I2 - 3 = 4 tr E + 2 (tr E)^2 - 2 |E|^2
// corotated:      W = mu |U - I|^2 + lambda/2 (tr (U - I))^2
double stored_energy_at(const Material& m, const Matrix3& H) {
  const double mu = m.mu(), lambda = m.lambda();
  switch (m.law) {
    case MaterialLaw::linear: {
      const Matrix3 e = small_strain(H);
      return mu * e.squaredNorm() + 0.5 * lambda * square(e.trace());
    }
    case MaterialLaw::st_venant_kirchhoff: {
      const Matrix3 E = green_strain(H);
      return mu * E.squaredNorm() + 0.5 * lambda * square(E.trace());
    }
    case MaterialLaw::neo_hooke: {
      const double x = positive_volume(H), ln_J = std::log1p(x);
      return mu * (0.5 * H.squaredNorm() - volume_rest(H) - logarithm_rest(x)) +
             0.5 * lambda * square(ln_J);
    }
    case MaterialLaw::mooney_rivlin: {
      const Invariants I(H);
      const double x = positive_volume(H), part = std::expm1(-2.0 / 3.0 * std::log1p(x)),
                   a = 1.0 + part;  // J^-2/3
      return m.c10 * (a * I.I1_3 + 3.0 * part) + m.c01 * (a * a * I.I2_3 + 3.0 * part * (1.0 + a)) +
             0.5 * m.bulk * square(x);
    }
    case MaterialLaw::corotated: {
      Matrix3 R;
      const Matrix3 e = stretch(H, R);
      return mu * e.squaredNorm() + 0.5 * lambda * square(e.trace());
    }
  }
  return 0.0;
}

// With G = F^-T, so that I - G = G H^T:
// neo_hooke:      P = mu (F - G) + lambda ln J G
// mooney_rivlin:  P = 2 c10 J^-2/3 [F - G - (I1 - 3)/3 G]
//                     + 2 c01 J^-4/3 [2 (F - G) + F ((I1 - 3) I - 2 E) - 2/3 (I2 - 3) G]
//                     + kappa (J - 1) J G
// corotated:      P = R [2 mu (U - I) + lambda tr(U - I) I]          (the change of R does no work)
Matrix3 first_piola_at(const Material& m, const Matrix3& H) {
  const double mu = m.mu(), lambda = m.lambda();
  const Matrix3 F = Matrix3::Identity() + H;
  switch (m.law) {
    case MaterialLaw::linear:
      return hooke(m, small_strain(H));
    case MaterialLaw::st_venant_kirchhoff:
      return F * hooke(m, green_strain(H));
    case MaterialLaw::neo_hooke: {
      const Matrix3 G = F.inverse().transpose();
      return mu * (H + G * H.transpose()) + lambda * std::log1p(positive_volume(H)) * G;
    }
    case MaterialLaw::mooney_rivlin: {
      const Invariants I(H);
      const Matrix3 G = F.inverse().transpose(), F_G = H + G * H.transpose();
      const double x = positive_volume(H), a = 1.0 / square(std::cbrt(1.0 + x));
      return 2.0 * m.c10 * a * (F_G - I.I1_3 / 3.0 * G) +
             2.0 * m.c01 * a * a *
                 (2.0 * F_G + F * (I.I1_3 * Matrix3::Identity() - 2.0 * I.E) -
                  2.0 / 3.0 * I.I2_3 * G) +
             m.bulk * x * (1.0 + x) * G;
    }
    case MaterialLaw::corotated: {
      Matrix3 R;
      const Matrix3 e = stretch(H, R);
      return R * hooke(m, e);
    }
  }
  return Matrix3::Zero();
}

// With G = F^-T, dG_iJ = -G_iL G_kJ dF_kL, B = F F^T:
//     st_venant_kirchhoff  delta_ik S_JL + lambda F_iJ F_kL + mu (B_ik delta_JL + F_iL F_kJ)
//     neo_hooke            mu delta_ik delta_JL + lambda G_iJ G_kL + (mu - lambda ln J) G_iL G_kJ
// corotated, dR = R w^ with (tr(U) I - U) w = e_L x r_k for dF = e_k e_L^T, r_k = R^T e_k:
//     dR_iJ/dF_kL = c_iJ . (tr(U) I - U)^-1 c_kL,     c_iJ = e_J x r_i
void stress_tangent(const Material& m, const Matrix3& F, Matrix9& A) {
  const double mu = m.mu(), lambda = m.lambda();
  switch (m.law) {
    case MaterialLaw::linear:
      return fill(A, [&](int i, int J, int k, int L) {
        return lambda * delta(i, J) * delta(k, L) +
               mu * (delta(i, k) * delta(J, L) + delta(i, L) * delta(k, J));
      });
    case MaterialLaw::st_venant_kirchhoff: {
      const Matrix3 S = hooke(m, green_strain(F - Matrix3::Identity())), B = F * F.transpose();
      return fill(A, [&](int i, int J, int k, int L) {
        return delta(i, k) * S(J, L) + lambda * F(i, J) * F(k, L) +
               mu * (B(i, k) * delta(J, L) + F(i, L) * F(k, J));
      });
    }
    case MaterialLaw::neo_hooke: {
      const Matrix3 G = F.inverse().transpose();
      const double turned = mu - lambda * std::log(volume_ratio(F));
      return fill(A, [&](int i, int J, int k, int L) {
        return mu * delta(i, k) * delta(J, L) + lambda * G(i, J) * G(k, L) +
               turned * G(i, L) * G(k, J);
      });
    }
    case MaterialLaw::mooney_rivlin: {
      const Invariants I(F - Matrix3::Identity());
      const Matrix3 G = F.inverse().transpose(), B = F * F.transpose();
      const double V = volume_ratio(F), a = 1.0 / square(std::cbrt(V));
      const double of_I1 = 2.0 * m.c10 * a, of_I2 = 2.0 * m.c01 * a * a, kappa = m.bulk;
      return fill(A, [&](int i, int J, int k, int L) {
        const double GG = G(i, J) * G(k, L), turned = G(i, L) * G(k, J);
        const double FG = F(i, J) * G(k, L) + G(i, J) * F(k, L);
        const double TG = I.T(i, J) * G(k, L) + G(i, J) * I.T(k, L);
        const double dT = 2.0 * F(i, J) * F(k, L) + delta(i, k) * (I.I1 * delta(J, L) - I.C(L, J)) -
                          F(i, L) * F(k, J) - B(i, k) * delta(J, L);
        return of_I1 * (delta(i, k) * delta(J, L) - 2.0 / 3.0 * FG +
                        I.I1 / 3.0 * (2.0 / 3.0 * GG + turned)) +
               of_I2 * (dT - 4.0 / 3.0 * TG + 2.0 / 3.0 * I.I2 * (4.0 / 3.0 * GG + turned)) +
               kappa * V * ((2.0 * V - 1.0) * GG - (V - 1.0) * turned);
      });
    }
    case MaterialLaw::corotated: {
      const Matrix3 R = rotation_of(F);
      const Matrix3 RF = R.transpose() * F, U = 0.5 * (RF + RF.transpose());
      const Matrix3 D = (U.trace() * Matrix3::Identity() - U).inverse();
      Eigen::Matrix<double, 3, 9> c;
      for (int i = 0; i < 3; ++i)
        for (int J = 0; J < 3; ++J)
          c.col(3 * i + J) = Vector3::Unit(J).cross(Vector3(R.row(i).transpose()));
      const Eigen::Matrix<double, 3, 9> w = D * c;
      const double turning = lambda * (U.trace() - 3.0) - 2.0 * mu;
      return fill(A, [&](int i, int J, int k, int L) {
        return 2.0 * mu * delta(i, k) * delta(J, L) + lambda * R(i, J) * R(k, L) +
               turning * c.col(3 * i + J).dot(w.col(3 * k + L));
      });
    }
  }
}

Matrix3 cauchy(const Matrix3& P, const Matrix3& F) { return P * F.transpose() / F.determinant(); }

// sqrt(3/2 s:s),  s = sigma - tr(sigma)/3 I
double von_mises(const Matrix3& sigma) {
  const Matrix3 s = sigma - sigma.trace() / 3.0 * Matrix3::Identity();
  return std::sqrt(1.5) * s.norm();
}

// Newton's iteration X <- (g X + X^-T/g)/2, scaled by g = sqrt(|X^-T|/|X|): it converges
// quadratically and is ten times as fast as a singular value decomposition, which is used where F
// is nearly singular or inverted:
//     F = L S N^T,  R = L diag(1, 1, det(L N)) N^T.
Matrix3 rotation_of(const Matrix3& F) {
  const double size = F.norm();
  if (F.determinant() > 1e-4 * size * size * size) {
    Matrix3 X = F / size;
    for (int pass = 0; pass < 20; ++pass) {
      const Matrix3 Y = X.inverse().transpose();
      const double g = std::sqrt(Y.norm() / X.norm());
      const Matrix3 next = 0.5 * (g * X + Y / g);
      const double change = (next - X).norm();
      X = next;
      if (change <= 1e-8) break;  // the next change would be 1e-16
    }
    return X;
  }
  const Eigen::JacobiSVD<Matrix3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3 L = svd.matrixU();
  const Matrix3& N = svd.matrixV();
  if (L.determinant() * N.determinant() < 0.0) L.col(2) = -L.col(2);
  return L * N.transpose();
}

}  // namespace saltus
