// Light bodies that heavy ones squeeze.
#pragma once
#include <optional>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Where p meets the tolerance and some contacts close all the same (Limits::closing): those of
/// light bodies between heavy ones, whose part of the norm is small and which sweeps, contact by
/// contact, load slowly. In each round the contacts of these bodies are solved together, the
/// impulses of all others held, and some sweeps over all follow.
class SqueezedBodies {
 public:
  /// `by`: the solver of their contacts; `sweeps`: of all, with its memory. W held by bodies. True
  /// when the tolerance is met and no contact closes any more; else p stays as it is.
  bool part(const ContactProblem& problem, const Limits& limits, const ContactSolver& by,
            const ContactSolver& sweeps, SolverMemory& memory, Out p, SolveReport& report);

 private:
  static constexpr int kRounds = 10, kSweeps = 100;
  static constexpr std::size_t kMost = 200;    ///< contacts to be solved by themselves
  static constexpr int kSteps = 100;           ///< of their solver
  static constexpr double kTolerance = 1e-10;  ///< of it, where closing does not end it before

  bool find(const ContactProblem& problem, double most, const Vector& u);
  void take(const ContactProblem& problem, const Vector& u, View p);
  void solve(const Limits& limits, double most, const ContactSolver& by, SolveReport& report);

  std::vector<char> squeezed_;   ///< of each body
  std::vector<int> contacts_;    ///< of these bodies, increasing
  std::vector<int> number_;      ///< of each body among those of contacts_, -1: none of them
  std::vector<int> rows_, ids_;  ///< of contacts_, in the problem and by themselves
  std::vector<Law> laws_;
  Vector u_, next_, b_, x_;
  std::optional<BodyDelassus> W_;
  SolverMemory memory_;
};

}  // namespace saltus
