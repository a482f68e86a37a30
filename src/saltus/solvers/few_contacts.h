// Problems with a few contacts, solved without allocation.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Whether solve_few() may be used: at most 32 contacts, 96 rows, no rolling, W by blocks or dense.
bool are_few(const ContactProblem& problem);

/// Initial impulses for new contacts with friction, only if are_few(): if two or more have zero
/// impulse and close, each of n gets 1/n of the impulse it would have by itself. The corners of a
/// face then share its load; sweeps, which process one corner after the other, would leave it to
/// the first, and a body may turn about that corner although friction could prevent it.
void share_load(const ContactProblem& problem, Out p);

/// Gauss-Seidel with the exact solution of each contact, while it converges fast: one sweep if
/// contacts have no body in common. If it fails, p is unchanged, see the report. Allocates nothing.
SolveReport solve_few(const ContactProblem& problem, Limits limits, Out p);

}  // namespace saltus
