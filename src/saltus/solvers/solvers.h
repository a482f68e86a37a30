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

/// All laws, any W, by Gauss-Seidel in the order of the contacts, each solved exactly, rolling ones
/// too. Slow but simple: a check on the others. C. W. Cryer, SIAM J. Control 9 (1971) 385-392;
/// friction after M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257.
std::unique_ptr<ContactSolver> make_gauss_seidel();

/// Equality, unilateral and Coulomb laws by a primal-dual interior point, ended by Newton's method
/// on the statuses it finds; any W, one that bodies hold (body_delassus.h) by a factor as large as
/// the bodies, not the contacts. Cold, but for a p on entry so near to a solution that Newton's
/// method gets there. For problems whose impulses are not unique. V. Acary, P. Armand, H. M.
/// Nguyen, M. Shpakovych, Optim. Methods Softw. 39 (2024).
std::unique_ptr<ContactSolver> make_interior_point();

/// interior-point for contacts that hold bodies many times over and contradict each other by
/// round-off: takes W as one where joints hold the bodies too, which interior-point sees by itself.
/// Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_redundant_interior();

/// Large piles: gauss-seidel for W held by bodies (body_delassus.h), in the velocities of the
/// bodies, W never formed. Colours of contacts that share no body are solved on the threads of the
/// caller's tbb::task_arena, same bits for any number of them; sweeps are extrapolated where that
/// helps. Another W goes to gauss-seidel.
std::unique_ptr<ContactSolver> make_body_gauss_seidel();

/// body-gauss-seidel that gives up where a thousand sweeps gain nothing. Not in the registry; part
/// of auto.
std::unique_ptr<ContactSolver> make_stalling_sweeps();

/// body-gauss-seidel that gives up as soon as the rate of its residual says that the iterations
/// allowed will not do. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_first_sweeps();

/// All laws, any W: a few sweeps of Gauss-Seidel, then a proximal point method around Newton's on
/// the equations of Alart and Curnier, for each group of coupled contacts by itself. Holds 1e-12
/// also where W is singular. P. Alart, A. Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991)
/// 353-375; V. Acary, M. Bremond, O. Huber, in: Advanced Topics in Nonsmooth Dynamics (2018)
/// 375-457.
std::unique_ptr<ContactSolver> make_proximal_newton();

/// Contacts of a group that proximal-newton starts again, at most.
constexpr int kStartedAgain = 500;
/// proximal-newton that gives up where its first start leads nowhere. Not in the registry; part of
/// auto.
std::unique_ptr<ContactSolver> make_first_newton();

/// Equality, unilateral, box and Coulomb laws where W is held by velocities (velocity_delassus.h):
/// the method of multipliers around Newton's in the velocities of the bodies, by conjugate
/// gradients. Another W: UsageError. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_velocity_newton();

/// `inner` on problems whose friction grows from 0 in steps, each from the solution of the last: a
/// resort where `inner` fails by itself. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_continuation(std::unique_ptr<ContactSolver> inner);

/// `inner` on contacts that give way a little, by a proximal point method from p = 0: a resort
/// where contacts are redundant and contradict each other. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_yielding(std::unique_ptr<ContactSolver> inner);

/// `inner`, asked for each group of coupled contacts that p does not solve yet, by itself. Not in
/// the registry; part of
/// auto: one hard group among thousands is no reason to solve all of them again.
std::unique_ptr<ContactSolver> make_by_groups(std::unique_ptr<ContactSolver> inner);

/// The one that fits. Without friction and boxes principal pivoting (with its resort to Lemke), or
/// Lemke if W is unsymmetric; else a few sweeps for a few contacts, body-gauss-seidel for W held by
/// bodies with more than 20 000 contacts and, as long as it gets on, with fewer, then
/// interior-point where they are faces, body-gauss-seidel until it stalls where they are not and
/// are many or the tolerance is loose, there without friction too; and proximal-newton for the
/// rest. Where the tolerance is missed others go on from the best p: see SolveReport::attempts.
std::unique_ptr<ContactSolver> make_automatic();

}  // namespace saltus
