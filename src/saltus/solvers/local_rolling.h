// One contact with Coulomb and rolling friction, solved exactly.
#pragma once

namespace saltus {

/// p of  u = W p + b  on rows (N, T1, T2, R1, R2) or (N, T, R) of a rolling contact (contact_solver.h), W row by row,
/// W_NN > 0, mu [1], mu_R [m]:
///     u_N >= 0, p = 0,   or   u_N = 0, |p_T| <= mu p_N, |p_R| <= mu_R p_N, and -u_T along p_T, -u_R along p_R where
///     these are equations.
/// W may be unsymmetric and singular. Sticking is looked for before sliding and spinning. Where the law has no solution
/// some p in the cone comes back; the residual of the problem tells.
void solve_rolling(int rows, const double* W, const double* b, double mu, double mu_R, double* p);

}  // namespace saltus
