// Laws of materials in H = F - I, the gradient of displacements: small strains are as exact as H
// is.
#pragma once
#include "saltus/bodies/material.h"

namespace saltus {

/// stored_energy(F) and first_piola(F)
double stored_energy_at(const Material& material, const Matrix3& H);
Matrix3 first_piola_at(const Material& material, const Matrix3& H);

/// |H|^2 below which I + H is far from singular, and strains are computed as differences from none.
inline constexpr double kSmallGradient = 0.25;
double logarithm_rest(double x);  ///< ln(1 + x) - x

}  // namespace saltus
