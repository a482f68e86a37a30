// The one yardstick for every contact solver and test.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Scale-invariant natural-map residual [1] of (1) in contact_solver.h:
///     F_c = p_c - Proj_K(p_c - rho_c u_c),  rho_c = (rows of c)/tr W_cc,   |F| / max(|p|, |rho b|)
/// (|F| alone when the denominator is 0). Unchanged when the units of length, mass or time change.
double residual(const ContactProblem& problem, View p);

/// The same with u = W p + b given, e.g. measured on the finished step; rho [kg] one a row. The denominator is not
/// taken below `floor` [N s]: a problem that consists of the round-off of larger numbers has no relative residual.
double natural_map(std::span<const Law> laws, View rho, View u, View b, View p, double floor = 0.0);

}  // namespace saltus
