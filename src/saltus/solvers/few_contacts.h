// Problems with a few contacts, solved without allocation.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Whether solve_few() may be used: at most 32 contacts, 96 rows, no rolling, W by blocks or dense.
bool are_few(const ContactProblem& problem);

/// Initial impulses for new contacts with friction, only if are_few(): if n >= 2 contacts have zero
/// impulse and close, each gets 1/n of the impulse that it would have as the only contact. The load
/// of a face is then distributed over its corners; sweeps, which process one corner after another,
/// would assign it to the first corner, about which a body may turn although friction could prevent
/// it.
void share_load(const ContactProblem& problem, Out p);

/// Gauss-Seidel with the exact solution of each contact, while it converges fast: one sweep if
/// contacts have no body in common. If it fails, p is unchanged, see the report. Allocates nothing.
SolveReport solve_few(const ContactProblem& problem, Limits limits, Out p);

}  // namespace saltus
