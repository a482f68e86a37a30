// Impulses that are not unique: selects the solution with the most even load distribution.
#pragma once
#include <vector>

#include "saltus/contact/contact_groups.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/solvers/group_newton.h"

namespace saltus {

/// For rigid bodies with more contacts than necessary, the load distribution among the contacts is
/// not unique. If some contacts slide, friction makes the motion of the bodies depend on it: for
/// example a car whose driven wheels slip. If all contacts are slightly compliant,
///     u = (W + alpha D) p + b,   alpha -> 0,   D = diag(W_NN)                                  (1)
/// the distribution is unique and has the smallest |p|. It depends neither on the order of the
/// contacts nor on the start of a solver, and preserves the symmetry of the bodies.
class EvenLoad {
 public:
  enum class Shared { determined, evenly, no };
  /// Replaces p, which solves the problem, by the solution of (1) if contacts slide, using Newton's
  /// method from p. determined: p was that solution already; no: the method failed and p is
  /// unchanged. Adds the steps and the residual to the report.
  Shared share(const ContactProblem& problem, Limits limits, SolveReport& report, Out p);

 private:
  bool slides() const;
  bool share_group();
  bool settle(double alpha);
  void centre(bool at_p);

  ContactGroups groups_;
  GroupNewton newton_;
  Vector next_;
  int iterations_ = 0;
  Stop* stop_ = nullptr;
};

}  // namespace saltus
