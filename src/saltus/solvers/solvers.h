// The contact solvers of this room. registry.h lists them by name.
#pragma once
#include <memory>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Linear complementarity, W symmetric positive semidefinite. Block principal pivoting with a
/// factor kept from step to step. p >= 0 exactly on unilateral rows. Where pivoting misses the
/// tolerance Lemke is asked, the better p returned, and the pivots of both counted; `converged`
/// rests on residual() alone. The result depends on the problem, p and memory.active, .factor and
/// .changes, on nothing else.
/// J. J. Judice, F. M. Pires, Computers & Operations Research 21 (1994) 587-596.
std::unique_ptr<ContactSolver> make_principal_pivoting();

/// Linear complementarity, any W for which Lemke ends in a solution: semidefinite (also
/// unsymmetric), P, copositive-plus. Dense: O(n^2) a pivot, n^2 doubles of scratch. No warm start,
/// but p on entry is kept if nothing better is found.
/// C. E. Lemke, Management Science 11 (1965) 681-689.
std::unique_ptr<ContactSolver> make_lemke();

/// Equality, unilateral, box and Coulomb laws by Gauss-Seidel in the order of the rows, each contact
/// with friction solved exactly. Slow but simple: a check on the others. C. W. Cryer, SIAM J. Control 9
/// (1971) 385-392; friction after M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257.
std::unique_ptr<ContactSolver> make_gauss_seidel();

/// The one that fits: Gauss-Seidel if there are box rows or friction, Lemke if W is unsymmetric, else principal
/// pivoting (with its resort to Lemke).
std::unique_ptr<ContactSolver> make_automatic();

}  // namespace saltus
