// Material laws in terms of the displacement gradient H = F - I; small strains are as exact as H.
#pragma once
#include "saltus/bodies/material.h"

namespace saltus {

/// stored_energy(F) and first_piola(F) at F = I + H
double stored_energy_at(const Material& material, const Matrix3& H);
Matrix3 first_piola_at(const Material& material, const Matrix3& H);

/// Limit of |H|^2 below which I + H is far from singular and strains are computed from H.
inline constexpr double kSmallGradient = 0.25;
double logarithm_rest(double x);  ///< ln(1 + x) - x

}  // namespace saltus
