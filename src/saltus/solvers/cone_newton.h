// Newton's method on the statuses of contacts: open, sticking, sliding.
#pragma once
#include <vector>

#include "saltus/solvers/cone_system.h"

namespace saltus {

/// One step on the function of Alart and Curnier, v = W~ x + b~ (mu = 1 in these units),
/// rho_N = 1/W~_NN, rho_T = 2/tr W~_TT:
///     n = x_N - rho_N v_N,  s = x_T - rho_T v_T
///     open   n <= 0:      dx = -x
///     stick  |s| <= n:    W~ dx = -v
///     slip   otherwise:   (W~ dx)_N = -v_N
///                         dx_T - e dn - (n/|s|) (I - e e^T) ds = n e - x_T,   e = s/|s|
/// with W~ + alpha I in place of W~ on the left, which makes a singular W~ harmless: the steps
/// converge to the same point as without it. P. Alart, A. Curnier, Comput. Methods Appl. Mech.
/// Engrg. 92 (1991) 353-375.
class ConeNewton {
 public:
  /// Uses K, begun with `problem`, for the matrix. sharp: factor of both rho; if it is large, the
  /// statuses depend on small v, as for an x from the interior. False, x unchanged: K is singular.
  bool step(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x, double sharp = 1.0);
  /// A step with the statuses of x itself, independent of v: open if x = 0, slip along x_T on the
  /// surface of the cone, stick inside. For impulses of the previous step, whose v reflects how the
  /// load has changed and not the statuses.
  bool hold(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x);

 private:
  template <class Rows>
  bool solve(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x, const Rows& rows);
  std::vector<ConeRows> rows_;
  Vector v_, change_;
};

}  // namespace saltus
