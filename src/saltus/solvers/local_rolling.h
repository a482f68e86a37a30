// One contact with Coulomb, rolling and spinning friction, solved exactly.
#pragma once

namespace saltus {

/// Solves  u = W p + b  for p on the 3 to 6 rows of a rolling contact (Law in contact_solver.h), W
/// row by row, W_NN > 0, mu [1], mu_R [m], sigma [m]:
///     u_N >= 0, p = 0,   or
///     u_N = 0, |p_T| <= mu p_N, |p_R| <= mu_R p_N, |p_S| <= sigma p_N, with -u_T along p_T,
///     -u_R along p_R, -u_S along p_S where equality holds.
/// W may be unsymmetric and singular. Sticking is tried before sliding and turning. If the law has
/// no solution, some p in the cone is returned; the residual of the problem shows it.
void solve_rolling(int rows, const double* W, const double* b, double mu, double mu_R, double sigma,
                   double* p);

}  // namespace saltus
