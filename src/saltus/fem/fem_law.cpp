// The constitutive response at a point where an element does not determine all of F.
//
// Plane stress: F_33 = s with P_33(s) = 0, dP/dF condensed,  A - A_33 A_33^T / A_3333.
// Bar: F a = l n. With F = diag(l, s, s) in its axes, P_22(s) = 0:
//
//     N(l) = P_11,   N' = A_1111 - 2 A_1122^2 / (A_2222 + A_2233),    P = N n a^T,
//     dP/dF = [N' n n^T + (N/l)(I - n n^T)] a a^T
//
// Two laws have closed forms, which remain valid where the unresolved strains have no real
// solution. In plane stress they are the plane laws with lambda* = 2 lambda mu/(lambda + 2 mu),
// E_33 = -lambda*/(2 mu) tr E; in a bar N = E l (l^2 - 1)/2 (St Venant-Kirchhoff) and P = E (a.F a
// - 1) a a^T (linear).
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/fem/fem_internal.h"

namespace saltus::fem {
namespace {

constexpr int kIterations = 40;

/// The stretch e + 1 after a change of -d, limited to at least half of it: the laws are not defined
/// at 0.
double stretched(double e, double d) {
  return 1.0 + e - d > 0.5 * (1.0 + e) ? e - d : 0.5 * (e - 1.0);
}

// H_33 = s - 1 with P_33 = 0, by Newton's method starting at the linear law; A belongs to the
// previous iterate of F. The last correction is applied, so that H_33 is as exact as the in-plane
// strains. NaN if the iteration fails.
void close_thickness(const Constitution& c, Matrix3& H, Matrix9& A) {
  double e = std::max(-0.9, -0.5 * c.lambda / c.mu * (H(0, 0) + H(1, 1)));
  for (int k = 0; k < kIterations; ++k) {
    H(2, 2) = e;
    stress_tangent(c.material, Matrix3::Identity() + H, A);
    const double change = first_piola_at(c.material, H)(2, 2) / A(8, 8);
    H(2, 2) = e = stretched(e, change);
    if (std::abs(change) <= (k > 6 ? 1e-14 : 4e-16) * (1.0 + e)) return;
  }
  H(2, 2) = std::numeric_limits<double>::quiet_NaN();
  A.setConstant(H(2, 2));
}

// Linear and St Venant-Kirchhoff in plane stress
bool closed_plane(const Constitution& c) {
  return c.state == StressState::plane_stress &&
         (c.linear() || c.material.law == MaterialLaw::st_venant_kirchhoff);
}

// In-plane E, with E_33 = 0
Matrix3 plane_strain_of(const Constitution& c, const Matrix3& H) {
  if (c.linear()) return 0.5 * (H + H.transpose());
  return 0.5 * (H + H.transpose() + H.transpose() * H);
}

// S with S_33 = 0
Matrix3 plane_stress_of(const Constitution& c, const Matrix3& E) {
  Matrix3 S = 2.0 * c.mu * E + c.lambda * E.trace() * Matrix3::Identity();
  S(2, 2) = 0.0;
  return S;
}

// A_iJkL += scale [ mu (B_ik delta_JL + F_iL F_kJ) + lambda F_iJ F_kL ],  B = F F^T
void add_hooke(const Constitution& c, const Matrix3& F, double scale, Matrix9& A) {
  const Matrix3 B = F * F.transpose();
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J)
      for (int k = 0; k < 3; ++k)
        for (int L = 0; L < 3; ++L)
          A(3 * i + J, 3 * k + L) +=
              scale * (c.mu * ((J == L ? B(i, k) : 0.0) + F(i, L) * F(k, J)) +
                       c.lambda * (F(i, J) * F(k, L)));
}

// Force, tangent and energy of a bar per unit area and length, and its lateral stretch.
struct Bar {
  double N, slope, W, across;
};

/// l - 1 of f = a + g,  |a| = 1
double lengthening(const Vector3& a, const Vector3& g) {
  return g.dot(2.0 * a + g) / (1.0 + (a + g).norm());
}

// x = l - 1
Bar bar(const Constitution& c, double x) {
  const Material& m = c.material;
  const double l = 1.0 + x;
  if (m.law == MaterialLaw::st_venant_kirchhoff) {
    const double G = x * (1.0 + 0.5 * x);
    return {m.young * l * G, m.young * (G + l * l), 0.5 * m.young * G * G,
            std::sqrt(1.0 - 2.0 * m.poisson * G)};
  }
  const double nu = 0.5 * m.lambda() / (m.lambda() + m.mu());
  double e = std::max(-0.9, -nu * x);
  Matrix9 A;
  Matrix3 H = Matrix3::Zero();
  for (int k = 0; k < kIterations; ++k) {
    H.diagonal() = Vector3(x, e, e);
    stress_tangent(m, Matrix3::Identity() + H, A);
    const double stiff = A(4, 4) + A(4, 8), change = first_piola_at(m, H)(1, 1) / stiff;
    e = stretched(e, change);
    if (std::abs(change) <= (k > 6 ? 1e-14 : 4e-16) * (1.0 + e)) {
      H.diagonal() = Vector3(x, e, e);
      return {first_piola_at(m, H)(0, 0), A(0, 0) - 2.0 * A(0, 4) * A(0, 4) / stiff,
              stored_energy_at(m, H), 1.0 + e};
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan, nan};
}

// Tangent of the law; with `warped`, of P = R [2 mu sym(R^T F - I) + lambda tr(R^T F - I) I] at
// constant R:
// A_iJkL = mu (delta_ik delta_JL + R_iL R_kJ) + lambda R_iJ R_kL
void law_tangent(const Constitution& c, const Matrix3& F, Matrix9& A) {
  if (!c.warped || c.material.law != MaterialLaw::corotated)
    return stress_tangent(c.material, F, A);
  const Matrix3 R = rotation_of(F);
  const double lambda = c.material.lambda(), mu = c.material.mu();
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J)
      for (int k = 0; k < 3; ++k)
        for (int L = 0; L < 3; ++L)
          A(3 * i + J, 3 * k + L) = mu * ((i == k && J == L ? 1.0 : 0.0) + R(i, L) * R(k, J)) +
                                    lambda * (R(i, J) * R(k, L));
}

void put(const Matrix3& along, const Vector3& a, double scale, Matrix9& A) {
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J)
      for (int k = 0; k < 3; ++k)
        for (int L = 0; L < 3; ++L) A(3 * i + J, 3 * k + L) += scale * along(i, k) * (a[J] * a[L]);
}

}  // namespace

Constitution::Constitution(const FemMaterial& given, int dimension, double rate)
    : material(given.material),
      state(dimension == 3                      ? StressState::solid
            : dimension == 1                    ? StressState::uniaxial
            : given.plane == PlaneState::strain ? StressState::plane_strain
                                                : StressState::plane_stress),
      viscosity(rate),
      lambda(material.lambda()),
      mu(material.mu()) {
  if (state == StressState::plane_stress) lambda = 2.0 * lambda * mu / (lambda + 2.0 * mu);
  if (state == StressState::uniaxial) {
    mu = 0.5 * mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);  // E/2
    lambda = 0.0;
  }
}

double energy(const Constitution& c, const Matrix3& H, const Vector3& a) {
  if (closed_plane(c)) {
    const Matrix3 E = plane_strain_of(c, H);
    return c.mu * E.squaredNorm() + 0.5 * c.lambda * E.trace() * E.trace();
  }
  if (c.state == StressState::plane_stress) {
    Matrix3 closed = H;
    Matrix9 A;
    close_thickness(c, closed, A);
    return stored_energy_at(c.material, closed);
  }
  if (c.state == StressState::uniaxial) {
    const Vector3 g = H * a;
    if (c.linear()) return c.mu * a.dot(g) * a.dot(g);
    return bar(c, lengthening(a, g)).W;
  }
  return stored_energy_at(c.material, H);
}

Matrix3 stress(const Constitution& c, const Matrix3& H, const Vector3& a) {
  if (closed_plane(c)) {
    const Matrix3 S = plane_stress_of(c, plane_strain_of(c, H));
    return c.linear() ? S : Matrix3(S + H * S);
  }
  if (c.state == StressState::plane_stress) {
    Matrix3 closed = H;
    Matrix9 A;
    close_thickness(c, closed, A);
    return first_piola_at(c.material, closed);
  }
  if (c.state == StressState::uniaxial) {
    const Vector3 g = H * a;
    if (c.linear()) return 2.0 * c.mu * a.dot(g) * a * a.transpose();
    const double x = lengthening(a, g);
    return bar(c, x).N / (1.0 + x) * (a + g) * a.transpose();
  }
  return first_piola_at(c.material, H);
}

void tangent(const Constitution& c, const Matrix3& F, const Vector3& a, Matrix9& A) {
  if (closed_plane(c)) {
    A.setZero();
    if (c.linear()) return add_hooke(c, Matrix3::Identity(), 1.0, A);
    const Matrix3 S = plane_stress_of(c, plane_strain_of(c, F - Matrix3::Identity()));
    for (int i = 0; i < 3; ++i) A.block<3, 3>(3 * i, 3 * i) += S;  // delta_ik S_JL
    return add_hooke(c, F, 1.0, A);
  }
  if (c.state == StressState::plane_stress) {
    Matrix3 closed = F - Matrix3::Identity();
    close_thickness(c, closed, A);
    if (c.warped) law_tangent(c, Matrix3::Identity() + closed, A);
    const Eigen::Matrix<double, 9, 1> column = A.col(8);
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j) A(i, j) -= column[i] * column[j] / column[8];
    return;
  }
  if (c.state == StressState::uniaxial) {
    A.setZero();
    const Vector3 f = F * a;
    if (c.linear()) return put(a * a.transpose(), a, 2.0 * c.mu, A);
    const double l = f.norm();
    const Bar b = bar(c, l - 1.0);
    const Vector3 n = f / l;
    const Matrix3 along = n * n.transpose();
    return put(b.slope * along + b.N / l * (Matrix3::Identity() - along), a, 1.0, A);
  }
  law_tangent(c, F, A);
}

void combined_tangent(const Constitution& law, const Matrix3& F, const Vector3& axis, double k,
                      double c, Matrix9& A) {
  if (k != 0.0) {
    tangent(law, F, axis, A);
    A *= k;
  } else {
    A.setZero();
  }
  if (c != 0.0) add_viscous_tangent(law, F, axis, c, A);
}

Matrix3 cauchy(const Constitution& c, const Matrix3& H, const Vector3& a) {
  if (c.linear()) return stress(c, H, a);
  Matrix3 closed = H;
  if (closed_plane(c)) {
    closed(2, 2) = std::sqrt(1.0 - c.lambda / c.mu * plane_strain_of(c, H).trace()) - 1.0;
    return saltus::cauchy(stress(c, H, a), Matrix3::Identity() + closed);
  }
  Matrix9 A;
  if (c.state == StressState::uniaxial) {  // N l n n^T on the area s^2 of the length l
    const Vector3 g = H * a, f = a + g;
    const double x = lengthening(a, g), l = 1.0 + x;
    const Bar b = bar(c, x);
    return b.N / (b.across * b.across * l * l) * f * f.transpose();
  }
  if (c.state == StressState::plane_stress) close_thickness(c, closed, A);
  return saltus::cauchy(first_piola_at(c.material, closed), Matrix3::Identity() + closed);
}

// S_v = r_K (2 mu E' + lambda tr(E') I), E' = sym(F^T F'); for a bar r_K E (f.f') a a^T
Matrix3 viscous_stress(const Constitution& c, const Matrix3& F, const Vector3& a,
                       const Matrix3& rate) {
  if (c.state == StressState::uniaxial) {
    const Vector3 f = F * a;
    return 2.0 * c.viscosity * c.mu * f.dot(rate * a) * f * a.transpose();
  }
  const Matrix3 strain = 0.5 * (F.transpose() * rate + rate.transpose() * F);
  return c.viscosity * F * (2.0 * c.mu * strain + c.lambda * strain.trace() * Matrix3::Identity());
}

void add_viscous_tangent(const Constitution& c, const Matrix3& F, const Vector3& a, double scale,
                         Matrix9& A) {
  if (c.state != StressState::uniaxial) return add_hooke(c, F, scale * c.viscosity, A);
  const Vector3 f = F * a;
  put(f * f.transpose(), a, 2.0 * scale * c.viscosity * c.mu, A);
}

}  // namespace saltus::fem
