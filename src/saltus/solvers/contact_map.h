// Contact laws as one equation Phi(p, u) = 0 after Alart and Curnier, with its derivative.
#pragma once
#include "saltus/contact/contact_groups.h"

namespace saltus {

/// Phi of one contact [N s], with one rho [kg] per row:
///     Phi_N = p_N - max(0, x_N),             x = p - rho u
///     Phi_T = p_T - Proj(x_T),  onto the disc of radius mu max(0, x_N); R and S likewise
///     equality: Phi = rho u.  unilateral: as N.  box: p - Proj(x) onto [-bound, bound].
/// Returns sum Phi_i^2/rho_i [N^2 s^2/kg].
double contact_map(const GroupedContact& c, const double* rho, const double* u, const double* p,
                   double* Phi);

/// |p - Proj_K(p - rho u^)|^2, the contact's part of the natural map, with one rho per contact.
/// residual() computes the same value with different round-off; solvers choose their steps with
/// this function, so replacing it would change their results bit by bit.
double natural_map2(const Cone& K, double rho, const double* u, const double* p);

/// Linearisation of one contact for Newton's method: dp = d + C y with  R (u + du) + E y = 0  on
/// the kept rows:
///     open: dp = -p.   sticking: dp = y, u + du = 0.
///     sliding, e = x_T/|x_T|, k = mu x_N/|x_T|:
///         p_T + dp_T = mu (p_N + dp_N) e + (p_perp + y_perp) e_perp,
///         u_N + du_N = 0,   (u + du)_perp + (1 - k)/(k rho) y_perp = u_perp - u_perp/k
/// Rows of R and columns of C: N (with mu e), then the kept tangents.
struct ContactSlope {
  int kept = 0;        ///< size of y
  bool whole = false;  ///< C = R = 1
  double d[kContactRows] = {};
  double C[kContactRows * kContactRows];  ///< row i, column a at kContactRows i + a
  double R[kContactRows * kContactRows];  ///< kept x size
  double E[kContactRows];
  double right[kContactRows];  ///< R du + E y = right
};
void contact_slope(const GroupedContact& c, const double* rho, const double* u, const double* p,
                   ContactSlope& out);

}  // namespace saltus
