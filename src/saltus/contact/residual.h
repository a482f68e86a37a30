// The one yardstick for every contact solver and test.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Scale-invariant natural-map residual [1] of (1) in contact_solver.h:
///     F_c = p_c - Proj_K(p_c - rho_c u_c),  rho_c = (rows of c)/tr W_cc,   |F| / max(|p|, |rho b|)
/// (|F| alone when the denominator is 0). Unchanged when the units of length, mass or time change.
/// Where W_cc = 0, rho_c is rows/tr W of all contacts, and 1 kg where W = 0.
///
/// A rolling contact has rows of two units. Its moments p_R, p_S are read as impulses p_R/L_c, its
/// u_R, u_S as velocities L_c u_R,
///     L_c^2 = (mean diagonal of W over N, T)/(mean diagonal of W over R, S),
/// by which both kinds of rows have the same mean diagonal and the rho_c above becomes 1/(mean
/// diagonal over N, T); u_c is u^_c = u_c + (mu |u_T| + mu_R |u_R| + sigma |u_S|) n. A mean over R,
/// S that is 0 is replaced by that over all rolling contacts, and where that is 0 as well L_c is
/// the first of mu_R, sigma and 1 m that is not 0.
double residual(const ContactProblem& problem, View p);
/// The same, and u = W p + b until this thread asks for the next one.
double residual(const ContactProblem& problem, View p, const double*& u);

/// The same with u = W p + b given, e.g. measured on the finished step; rho [kg] one a row, all
/// alike in a contact with friction, except that the moments of a rolling one have their own, rho_R
/// = L_c^2 rho [kg m^2], which gives L_c. The denominator is not taken below `floor` [N s]: a
/// problem that consists of the round-off of larger numbers has no relative residual.
double natural_map(std::span<const Law> laws, View rho, View u, View b, View p, double floor = 0.0);

}  // namespace saltus
