// Impacts of contacts that are active at one instant: impulses of zero duration.
//
//     u+ = W P + u-,     W = H M^-1 H^T, joints eliminated
//
// The laws describe the state after the impact or its course; friction is always Coulomb's.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "saltus/contact/contact_solver.h"
#include "saltus/contact/laws/contact_law.h"
#include "saltus/spec/choices.h"

namespace saltus {

/// One active contact whose law has impulses; dry friction with a given bound has none in zero
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
  View u;           ///< u-, including the motion of the obstacles [m/s]
  std::span<const ImpactContact> contacts;
  std::span<const int> ids;  ///< stable identifier of each row, increasing
};

struct ImpactReport {
  bool converged = true;
  int iterations = 0;        ///< of the solver, over all phases
  int phases = 1;            ///< number of problems solved
  double residual = 0.0;     ///< largest of the problems [1]
  bool certified = true;     ///< SolveReport::certified of all problems
  std::string_view failure;  ///< reason of a failure, a string with static lifetime
  /// Two contacts, as indices into ImpactProblem::contacts, that were equally due although one
  /// affects the other, and whose order affected the result (ImpactOrder::sequential); -1: no such
  /// contacts.
  std::array<int, 2> tied{-1, -1};
};

/// Computes P of the impact [N s]. The caller computes u+ = W P + u-.
ImpactReport solve_impact(const ImpactProblem& problem, ImpactOrder order,
                          const ContactSolver& solver, Limits limits, Out P);

}  // namespace saltus
