// Modes of a stiff lossy string from its physical data.
#pragma once
#include "saltus/base/base.h"

namespace saltus {

/// A string hinged at both ends.
struct StringData {
  double length = 0.0;          ///< L [m]
  double tension = 0.0;         ///< T [N]
  double linear_density = 0.0;  ///< mu_l [kg/m]
  double inharmonicity = 0.0;   ///< B [1]: EI = B T L^2/pi^2
  int modes = 0;
  bool first_order = false;  ///< nu_j = j f0 (1 + B j^2/2) instead of j f0 sqrt(1 + B j^2)
};

/// Losses of a string in air.
struct StringLosses {
  double diameter = 0.0;          ///< d [m]
  double air_viscosity = 1.8e-5;  ///< eta_a [kg/(m s)]
  double air_density = 1.2;       ///< rho_a [kg/m^3]
  double loss_angle = 0.0;        ///< delta [rad]
  double thermoelastic = 0.0;     ///< 1/Q due to dislocations and heat conduction [1]
  bool ideal_frequency = false;   ///< losses at f = j f0 instead of f = nu_j
};

/// nu_j [Hz], j = 1 .. modes.
Vector string_frequencies(const StringData& string);
/// sigma_j [1/s] = pi f/Q(f),
///     1/Q = Q_te^-1 + (eta_a + d sqrt(pi eta_a rho_a f))/(mu_l f) + delta B (f/f0)^2.
Vector string_damping(const StringData& string, const StringLosses& losses);

/// Modal coordinates of a triangular shape of height U at x_m, on the points x_i = i L/(N+1) of a
/// string with N modes; the tip is the point nearest to x_m: q = (L/(N+1)) S^T u.
Vector plucked(double length, int modes, double at, double height);

}  // namespace saltus
