// The contact solvers. registry.h lists them by name.
#pragma once
#include <memory>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Linear complementarity, W symmetric positive semidefinite. Block principal pivoting with a
/// factor kept from step to step. p >= 0 exactly on unilateral rows. If pivoting misses the
/// tolerance, Lemke's method is run, the better p is returned, and the pivots of both are counted;
/// `converged` depends only on residual(). The result depends on the problem, p and memory.active,
/// .factor and .changes, and on nothing else.
/// J. J. Judice, F. M. Pires, Computers & Operations Research 21 (1994) 587-596.
std::unique_ptr<ContactSolver> make_principal_pivoting();

/// Linear complementarity, any W for which Lemke's method finds a solution: semidefinite (also
/// unsymmetric), P, copositive-plus. Dense: O(n^2) per pivot, n^2 doubles of scratch memory. No
/// warm start, but the initial p is kept if nothing better is found.
/// C. E. Lemke, Management Science 11 (1965) 681-689.
std::unique_ptr<ContactSolver> make_lemke();

/// All laws, any W, by Gauss-Seidel in the order of the contacts, each solved exactly, including
/// rolling contacts. Slow but simple: a check for the other solvers. C. W. Cryer, SIAM J. Control 9
/// (1971) 385-392; friction after M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257.
std::unique_ptr<ContactSolver> make_gauss_seidel();

/// Equality, unilateral and Coulomb laws by a primal-dual interior point method that ends with
/// Newton's method on the statuses found. Any W; W stored by bodies (body_delassus.h) is factorised
/// in body velocities, not contact by contact. Cold start, unless the initial p is so close to a
/// solution that Newton's method finds it. For problems whose impulses are not unique. V. Acary, P.
/// Armand, H. M. Nguyen, M. Shpakovych, Optim. Methods Softw. 39 (2024).
std::unique_ptr<ContactSolver> make_interior_point();

/// interior-point for contacts that constrain bodies redundantly and are inconsistent by round-off:
/// treats W as if joints connected the bodies, which interior-point detects by itself. Not in the
/// registry; part of auto.
std::unique_ptr<ContactSolver> make_redundant_interior();

/// Large piles: gauss-seidel for W stored by bodies (body_delassus.h), in body velocities, without
/// forming W. Colours of contacts without a common body are solved on the threads of the caller's
/// tbb::task_arena, with the same bits for any number of threads; sweeps are extrapolated where
/// that helps. Any other W is passed to gauss-seidel.
std::unique_ptr<ContactSolver> make_body_gauss_seidel();

/// body-gauss-seidel that gives up if 1000 sweeps gain nothing. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_stalling_sweeps();

/// body-gauss-seidel that gives up as soon as the rate of its residual shows that the allowed
/// iterations will not suffice. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_first_sweeps();

/// All laws, any W: a few sweeps of Gauss-Seidel, then a proximal point method around Newton's
/// method on the equations of Alart and Curnier, separately for each group of coupled contacts.
/// Reaches 1e-12 even if W is singular. P. Alart, A. Curnier, Comput. Methods Appl. Mech. Engrg. 92
/// (1991) 353-375; V. Acary, M. Bremond, O. Huber, in: Advanced Topics in Nonsmooth Dynamics (2018)
/// 375-457.
std::unique_ptr<ContactSolver> make_proximal_newton();

/// Largest number of contacts in a group that proximal-newton restarts from other points.
constexpr int kStartedAgain = 500;
/// proximal-newton that gives up if its first start fails. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_first_newton();

/// Equality, unilateral, box and Coulomb laws for W stored by velocities (velocity_delassus.h): the
/// method of multipliers around Newton's method in body velocities, with conjugate gradients. Any
/// other W: UsageError. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_velocity_newton();

/// Applies `inner` to problems whose friction grows from 0 in steps, each from the solution of the
/// previous one: a fallback if `inner` fails by itself. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_continuation(std::unique_ptr<ContactSolver> inner);

/// Applies `inner` to slightly compliant contacts, by a proximal point method from p = 0: a
/// fallback if contacts are redundant and inconsistent. Not in the registry; part of auto.
std::unique_ptr<ContactSolver> make_yielding(std::unique_ptr<ContactSolver> inner);

/// Applies `inner` separately to each group of coupled contacts that p does not solve yet, so that
/// one hard group among thousands does not require solving all of them again. Not in the registry;
/// part of auto.
std::unique_ptr<ContactSolver> make_by_groups(std::unique_ptr<ContactSolver> inner);

/// Selects a suitable solver. Without friction and boxes: principal pivoting (with Lemke as
/// fallback), or Lemke if W is unsymmetric. Otherwise, in this order: a few sweeps for a few
/// contacts; for W stored by bodies, body-gauss-seidel with more than 20 000 contacts and, while it
/// makes progress, with fewer; interior-point if the contacts form faces; body-gauss-seidel until
/// it stalls if they do not and are many or the tolerance is loose, in the latter case also without
/// friction; proximal-newton for the rest. If the tolerance is missed, other solvers continue from
/// the best p: see SolveReport::attempts.
std::unique_ptr<ContactSolver> make_automatic();

}  // namespace saltus
