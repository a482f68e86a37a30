// One contact with Coulomb friction, solved exactly.
#pragma once

namespace saltus {

/// p of  u = W p + b  with the law of Coulomb on 1 to 3 rows (N, T1, T2), W row by row, W_NN > 0:
///     u_N >= 0, p = 0,   or   u_N = 0, |p_T| <= mu p_N, and -u_T along p_T where |p_T| = mu p_N.
/// Sticking is looked for first, then the slowest slip. Where the law has no solution (W_NN <= mu |W_NT| and the like)
/// some p in the cone comes back; the residual of the problem tells.
void solve_coulomb(int rows, const double* W, const double* b, double mu, double* p);

}  // namespace saltus
