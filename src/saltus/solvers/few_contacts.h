// Problems of a few contacts, without any memory.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Whether solve_few() may be asked: at most 32 contacts and 96 rows, no rolling, W held by blocks
/// or as a matrix.
bool are_few(const ContactProblem& problem);

/// A start for contacts with friction that are new: where two or more of them carry nothing and
/// close, each of n takes 1/n of what it would take alone. The corners of a face then share its
/// load; sweeps, one corner after the other, leave it to the first, about which a body may turn
/// that its friction could hold. Only where are_few().
void share_load(const ContactProblem& problem, Out p);

/// Gauss-Seidel with the exact solution of each contact, as long as it converges fast: one sweep
/// where contacts do not touch the same bodies. Where it does not, p stays as it was and the report
/// says so. Takes nothing from the heap.
SolveReport solve_few(const ContactProblem& problem, Limits limits, Out p);

}  // namespace saltus
