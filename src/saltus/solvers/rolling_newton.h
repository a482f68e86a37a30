// Newton's method on the law of one rolling contact, from an impulse close to the solution.
#pragma once

namespace saltus {

/// Residual of p in the problem of solve_rolling() (local_rolling.h): natural map of one contact
/// over max(|p|, rho |b|), moments converted to impulses by the ratio of the diagonals of W [1].
double rolling_defect(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, const double* p);

/// Improves p until its defect is round-off, in at most `rounds` rounds. Each is a step of Newton's
/// method or, if that does not reduce the defect, twenty steps of the projected fixed point
/// iteration. Returns the defect of the final p.
double refine_rolling(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, double* p, int rounds = 40);

}  // namespace saltus
