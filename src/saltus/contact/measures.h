// Other measures of a contact solution, for comparisons and reports.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Measures of u = W p + b at the contacts of the problem. Rows of equalities and boxes count only
/// in `siconos` and `fclib`.
struct ContactMeasures {
  double residual = 0.0;     ///< residual(problem, p), the stopping criterion of the solvers [1]
  double siconos = 0.0;      ///< |F|/max(|b|, |p|, |u|) with rho = 1, in mixed units
  double fclib = 0.0;        ///< |F|/(1 + sqrt |b|) with rho = 1 (MERIT_1), in mixed units
  double penetration = 0.0;  ///< max(-u_N, 0) [m/s]
  double cone = 0.0;   ///< largest excess of |p_T|, |p_R|, |p_S|, -p_N over the cone [N s; N m s]
  double angle = 0.0;  ///< largest angle between -u_T and p_T of a sliding contact [rad]
  double gap = 0.0;    ///< |sum p . u^|, the duality gap [J]
  /// Unilateral, coulomb and rolling laws. open: p_N <= rho u_N. sliding: rho |u_T| above 1e-8
  /// max(|p|, |rho b|) of the problem, below which it is round-off; a closed contact without
  /// tangents counts as sliding.
  int open = 0, sticking = 0, sliding = 0;
};

ContactMeasures measure(const ContactProblem& problem, View p);

}  // namespace saltus
