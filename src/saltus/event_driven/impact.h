// Impacts of contacts that are active at one instant: impulses of no duration.
//
//     u+ = W P + u-,     W = H M^-1 H^T, joints eliminated
//
// The laws say what holds after the impact or in the course of it; friction is Coulomb's
// throughout.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "saltus/contact/contact_solver.h"
#include "saltus/contact/laws/contact_law.h"
#include "saltus/spec/choices.h"

namespace saltus {

/// One active contact, of a law that impulses obey: dry friction of a given bound has none in no
/// time. Rows first .. first + tangents: normal, then tangents.
struct ImpactContact {
  ImpactForm form = ImpactForm::newton;  ///< with velocity 0: the caller subtracts it
  int first = 0, tangents = 0;
  double restitution = 0.0;  ///< e
  double tangential = 0.0;   ///< e_T: friction opposes u+_T + e_T u-_T
  double friction = 0.0;     ///< mu
};

struct ImpactProblem {
  const Matrix& W;  ///< symmetric, positive semidefinite [1/kg]
  View u;           ///< u-, motion of the obstacles included [m/s]
  std::span<const ImpactContact> contacts;
  std::span<const int> ids;  ///< stable name of each row, increasing
};

struct ImpactReport {
  bool converged = true;
  int iterations = 0;        ///< of the solver, of all phases
  int phases = 1;            ///< problems that were solved
  double residual = 0.0;     ///< largest of the problems [1]
  bool certified = true;     ///< SolveReport::certified of all problems
  std::string_view failure;  ///< why it failed, in words of static life
  /// Two contacts, as indices of ImpactProblem::contacts, that were equally due although one
  /// changes the other, and whose order decided what the impact did (ImpactOrder::sequential); -1:
  /// no such contacts.
  std::array<int, 2> tied{-1, -1};
};

/// P of the impact [N s]. u+ = W P + u- is left to the caller.
ImpactReport solve_impact(const ImpactProblem& problem, ImpactOrder order,
                          const ContactSolver& solver, Limits limits, Out P);

}  // namespace saltus
