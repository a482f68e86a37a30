// Impulses that bodies do not determine: of all that solve a problem those that are shared most
// evenly.
#pragma once
#include <vector>

#include "saltus/contact/contact_groups.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/solvers/group_newton.h"

namespace saltus {

/// Rigid bodies on more contacts than they need leave open how these share the load, and where some
/// slide, friction turns the bodies by how they do: a car whose driven wheels slip. Contacts that
/// all give way a little,
///     u = (W + alpha D) p + b,   alpha -> 0,   D = diag(W_NN)                                  (1)
/// share it in one way, that of least |p|. It depends neither on the order of the contacts nor on
/// where a solver began, and keeps the symmetry of the bodies.
class EvenLoad {
 public:
  enum class Shared { determined, evenly, no };
  /// p, which solves the problem, becomes the solution of (1) where contacts slide, by Newton's
  /// method from p. determined: it is that already; no: that leads nowhere; p is as it was. The
  /// report gets the steps, and the residual.
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
