// The measure of accuracy for every contact solver and test.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Scale-invariant natural-map residual [1] of (1) in contact_solver.h:
///     F_c = p_c - Proj_K(p_c - rho_c u_c),  rho_c = (rows of c)/tr W_cc,   |F| / max(|p|, |rho b|)
/// (just |F| if the denominator is 0). It does not depend on the units of length, mass or time. If
/// W_cc = 0, rho_c is rows/tr W over all contacts, and 1 kg if W = 0.
///
/// The rows of a rolling contact have two different units. Its moments p_R, p_S are expressed as
/// impulses p_R/L_c, its u_R, u_S as velocities L_c u_R,
///     L_c^2 = (mean diagonal of W over N, T)/(mean diagonal of W over R, S),
/// so that both kinds of rows have the same mean diagonal and the rho_c above becomes 1/(mean
/// diagonal over N, T); u_c is u^_c = u_c + (mu |u_T| + mu_R |u_R| + sigma |u_S|) n. If the mean
/// over R, S is 0, the mean over all rolling contacts replaces it; if that is 0 as well, L_c is the
/// first nonzero value of mu_R, sigma and 1 m.
double residual(const ContactProblem& problem, View p);
/// Also returns u = W p + b, valid until the next call in this thread.
double residual(const ContactProblem& problem, View p, const double*& u);

/// The same for given u = W p + b, e.g. measured in the finished state. rho [kg] has one entry per
/// row, equal within a contact with friction, except that the moments of a rolling contact have
/// rho_R = L_c^2 rho [kg m^2], which defines L_c. The denominator is at least `floor` [N s]: a
/// problem that consists of the round-off of larger numbers has no relative residual.
double natural_map(std::span<const Law> laws, View rho, View u, View b, View p, double floor = 0.0);

}  // namespace saltus
