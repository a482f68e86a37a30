// What a solution of a contact problem has to show beside its residual: velocities that keep bodies
// apart, and impulses that round-off can tell from none.
//
// The natural map is relative to the impulses. Where nothing satisfies a problem they can grow
// without an end, along a direction that W does not see, until any defect is small beside them; and
// what friction coefficient or mass ratio multiplies shrinks a defect in the same way. Velocities
// do not.
#pragma once
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// V = the largest of -b_N and |b_T| over the contacts and of |b| over other rows: what the step
/// asks of them [m/s].
struct Certificate {
  static constexpr double kClosing = 1e-6, kLoose = 0.1;  ///< least and largest of allowed()
  static constexpr double kLight = 30.0;
  static constexpr double kGrowth = 1e9;  ///< allowed of `growth`: u = W p + b then holds 1e-7 V

  double speed = 0.0;    ///< V [m/s]
  double closing = 0.0;  ///< largest -u_N that is left, over V [1]
  double growth = 0.0;   ///< largest W_NN p_N, over V [1]

  std::size_t contacts = 1;  ///< of the problem

  /// Closing velocity over V that is allowed: the tolerance is one of the norm over all contacts,
  /// of which each has its part, those of light bodies among heavy ones the least: up to kLight
  /// times of it where contacts are many.
  double allowed(double tolerance) const {
    const double part = std::sqrt(static_cast<double>(contacts));
    const double loose = tolerance * part * (part < kLight ? part : kLight);
    return loose < kClosing ? kClosing : loose > kLoose ? kLoose : loose;
  }
  bool holds(double tolerance) const { return closing <= allowed(tolerance) && growth <= kGrowth; }
};

/// Of any p. All 0 where V is.
Certificate certify(const ContactProblem& problem, View p);
/// The same of u = W p + b.
Certificate certify(const ContactProblem& problem, View p, const double* u);

/// Whether contacts close by no more than limits.closing.
bool keeps_apart(const ContactProblem& problem, Limits limits, View p);

/// Solves a problem that counts as converged only with a certificate that holds. Where the
/// tolerance is met and the certificate does not hold, the problem is solved again to a closer one,
/// a few times.
SolveReport solve_certified(const ContactSolver& solver, const ContactProblem& problem,
                            Limits limits, SolverMemory& memory, Out p);
/// A solver that does so by `solver`.
std::unique_ptr<ContactSolver> make_certified(std::shared_ptr<const ContactSolver> solver);

/// The contacts that close whatever the impulses are, by index of the laws; none where there is a
/// solution without friction, or where none of this can be decided. Compares the solutions of
///     u_N = (W_NN + s diag(W_NN)) p_N + b_N,   0 <= u_N perp p_N >= 0
/// at two small s: the closing velocity s W_ii p_i that is left of them falls with s where a motion
/// satisfies the contacts, and does not where none does. Friction cannot help then. For failures:
/// makes W a matrix. None where `stop` is requested.
std::vector<int> contradicting_contacts(const ContactSolver& solver, const ContactProblem& problem,
                                        Stop* stop = nullptr);

}  // namespace saltus
