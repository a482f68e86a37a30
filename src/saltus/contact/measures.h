// Other yardsticks for a solution of a contact problem, for comparison and for people.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Of u = W p + b on the contacts of the problem. Rows of equalities and boxes count in `siconos`
/// and `fclib` only.
struct ContactMeasures {
  double residual = 0.0;     ///< residual(problem, p), the one that solvers stop on [1]
  double siconos = 0.0;      ///< |F|/max(|b|, |p|, |u|) with rho = 1, of mixed units
  double fclib = 0.0;        ///< |F|/(1 + sqrt |b|) with rho = 1 (MERIT_1), of mixed units
  double penetration = 0.0;  ///< max(-u_N, 0) [m/s]
  double cone = 0.0;   ///< largest excess of |p_T|, |p_R|, |p_S|, -p_N over the cone [N s; N m s]
  double angle = 0.0;  ///< largest angle between -u_T and p_T of a contact that slides [rad]
  double gap = 0.0;    ///< |sum p . u^|, the duality gap [J]
  /// Unilateral, coulomb and rolling laws. open: p_N <= rho u_N. sliding: rho |u_T| above 1e-8
  /// max(|p|, |rho b|) of the problem, less is round-off; without tangents a closed contact slides.
  int open = 0, sticking = 0, sliding = 0;
};

ContactMeasures measure(const ContactProblem& problem, View p);

}  // namespace saltus
