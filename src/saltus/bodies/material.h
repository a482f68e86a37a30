// Elastic materials by their stored energy W(F) per unit of reference volume,  P = dW/dF,
// F = dx/dX.
#pragma once
#include <string>
#include <string_view>

#include "saltus/math/rotation.h"

namespace saltus {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

/// With E = (F^T F - I)/2, e = sym(F - I), J = det F, C = F^T F, R the rotation of F = R U and the
/// Lame constants lambda and mu:
/// linear:               mu e:e + lambda/2 tr(e)^2, small rotations only
/// st_venant_kirchhoff:  mu E:E + lambda/2 tr(E)^2
/// neo_hooke:            mu/2 (tr C - 3) - mu ln J + lambda/2 (ln J)^2
/// mooney_rivlin:        c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3) + kappa/2 (J - 1)^2
/// corotated:            mu |F - R|^2 + lambda/2 tr(R^T F - I)^2
/// All but linear are objective, W(Q F) = W(F); all reduce to the linear law for small F - I.
enum class MaterialLaw { linear, st_venant_kirchhoff, neo_hooke, mooney_rivlin, corotated };
std::string_view name_of(MaterialLaw law);

struct Material {
  MaterialLaw law = MaterialLaw::st_venant_kirchhoff;
  double young = 1.0, poisson = 0.3;        ///< [Pa], in (-1, 0.5); for all laws but mooney_rivlin
  double c10 = 0.0, c01 = 0.0, bulk = 0.0;  ///< for mooney_rivlin [Pa]
  double density = 1.0;                     ///< in the reference configuration [kg/m^3]

  /// For small strains; mooney_rivlin: mu = 2 (c10 + c01), lambda = kappa - 2/3 mu [Pa].
  double lambda() const {
    return law == MaterialLaw::mooney_rivlin
               ? bulk - 4.0 / 3.0 * (c10 + c01)
               : young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
  }
  double mu() const {
    return law == MaterialLaw::mooney_rivlin ? 2.0 * (c10 + c01) : young / (2.0 * (1.0 + poisson));
  }
  /// Speed of pressure waves in the undeformed material [m/s].
  double wave_speed() const;
};

/// Description of the first invalid value; empty if there is none. Moduli and density must be > 0
/// and finite (for mooney_rivlin c10 + c01 and bulk), poisson in (-1, 0.5).
std::string fault(const Material& material);
void check(const Material& material);  ///< throws UsageError(fault())

/// neo_hooke and mooney_rivlin: not finite where J <= 0. The other laws remain finite there; only
/// corotated drives the material back to J > 0.
double stored_energy(const Material& material, const Matrix3& F);  ///< [J/m^3]
Matrix3 first_piola(const Material& material, const Matrix3& F);   ///< P [Pa]
/// dP_iJ/dF_kL at row 3 i + J, column 3 k + L [Pa]; bitwise symmetric. corotated: of order
/// mu/(s2 + s3) with the two smallest singular values of F (s3 < 0 where J < 0), not finite where
/// s2 + s3 = 0, where R and P jump.
void stress_tangent(const Material& material, const Matrix3& F, Matrix9& A);
Matrix3 cauchy(const Matrix3& P, const Matrix3& F);  ///< P F^T / J [Pa]
double von_mises(const Matrix3& sigma);              ///< [Pa]

/// The rotation R that minimises |F - R|, to round-off: that of F = R U with U positive definite if
/// J > 0. If J < 0, U has one negative eigenvalue, the one of smallest magnitude.
Matrix3 rotation_of(const Matrix3& F);

/// Damping proportional to stiffness, eta [s].
/// current_tangent:  P_v = eta (dP/dF) F', as in Solfec; also damps rigid rotations.
/// strain_rate:      P_v = F S_v,  S_v = eta (2 mu E' + lambda tr(E') I),  E' = sym(F^T F');
///                   objective.
enum class Viscosity { current_tangent, strain_rate };

}  // namespace saltus
