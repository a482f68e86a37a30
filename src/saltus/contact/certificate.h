// What a solution of a contact problem must satisfy in addition to its residual: velocities that
// keep bodies apart, and impulses that are not so large that round-off hides the velocities.
//
// The natural map is relative to the impulses. If no solution exists, impulses can grow without
// limit along a direction in the null space of W, until any defect is small relative to them; a
// large friction coefficient or mass ratio shrinks a defect in the same way. Velocities are not
// affected.
#pragma once
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// V is the largest of -b_N and |b_T| over the contacts and of |b| over other rows: the velocity
/// that impulses must correct in the step [m/s].
struct Certificate {
  static constexpr double kClosing = 1e-6, kLoose = 0.1;  ///< smallest and largest allowed()
  static constexpr double kLight = 30.0;
  /// Allowed `growth`: u = W p + b is then accurate to 1e-7 V.
  static constexpr double kGrowth = 1e9;

  double speed = 0.0;    ///< V [m/s]
  double closing = 0.0;  ///< largest remaining -u_N, relative to V [1]
  double growth = 0.0;   ///< largest W_NN p_N, relative to V [1]

  std::size_t contacts = 1;  ///< in the problem

  /// Allowed closing velocity relative to V. The tolerance bounds a norm over all contacts, to
  /// which a single contact contributes only a part, least where light bodies lie among heavy ones.
  /// With n contacts the limit is tolerance sqrt(n) min(sqrt(n), kLight), at least kClosing.
  double allowed(double tolerance) const {
    const double part = std::sqrt(static_cast<double>(contacts));
    const double loose = tolerance * part * (part < kLight ? part : kLight);
    return loose < kClosing ? kClosing : loose > kLoose ? kLoose : loose;
  }
  bool holds(double tolerance) const { return closing <= allowed(tolerance) && growth <= kGrowth; }
};

/// For any p. All 0 if V is 0.
Certificate certify(const ContactProblem& problem, View p);
/// The same for given u = W p + b.
Certificate certify(const ContactProblem& problem, View p, const double* u);

/// Whether contacts close no faster than limits.closing.
bool keeps_apart(const ContactProblem& problem, Limits limits, View p);

/// Solves a problem, which counts as converged only if the certificate holds. If the tolerance is
/// met but the certificate does not hold, the problem is solved again with a smaller tolerance, a
/// few times.
SolveReport solve_certified(const ContactSolver& solver, const ContactProblem& problem,
                            Limits limits, SolverMemory& memory, Out p);
/// A solver that applies solve_certified() to `solver`.
std::unique_ptr<ContactSolver> make_certified(std::shared_ptr<const ContactSolver> solver);

/// Contacts that close whatever the impulses are, as indices of the laws; empty if there is a
/// solution without friction, or if this cannot be decided. Compares the solutions of
///     u_N = (W_NN + s diag(W_NN)) p_N + b_N,   0 <= u_N perp p_N >= 0
/// for two small s: the remaining closing velocity s W_ii p_i decreases with s if some motion
/// satisfies the contacts, and does not if none does. Friction cannot help then. For use after
/// failures: forms W as a matrix. Empty if `stop` is requested.
std::vector<int> contradicting_contacts(const ContactSolver& solver, const ContactProblem& problem,
                                        Stop* stop = nullptr);

}  // namespace saltus
