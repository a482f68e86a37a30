// Newton's method on the law of one rolling contact, from an impulse that is nearly right.
#pragma once

namespace saltus {

/// How far p is from solving the problem of solve_rolling() (local_rolling.h): natural map of one
/// contact over max(|p|, rho |b|), moments read as impulses by the ratio of the diagonals of W [1].
double rolling_defect(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, const double* p);

/// Improves p until its defect is round-off, in at most so many rounds of a step of Newton's method
/// or, where that does not lower the defect, of twenty steps of the projected fixed point; the
/// defect of what is left in p.
double refine_rolling(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, double* p, int rounds = 40);

}  // namespace saltus
