// Light bodies squeezed between heavy ones.
#pragma once
#include <optional>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// For p that meets the tolerance although some contacts close (Limits::closing): those of light
/// bodies between heavy ones, which contribute little to the norm and which sweeps, contact by
/// contact, load slowly. Each round solves the contacts of these bodies together, with the impulses
/// of all other contacts fixed, followed by some sweeps over all contacts.
class SqueezedBodies {
 public:
  /// `by`: solver for their contacts; `sweeps`: solver for all contacts, with its memory. Needs W
  /// by bodies. True: the tolerance is met and no contact closes any more; otherwise p is
  /// unchanged.
  bool part(const ContactProblem& problem, const Limits& limits, const ContactSolver& by,
            const ContactSolver& sweeps, SolverMemory& memory, Out p, SolveReport& report);

 private:
  static constexpr int kRounds = 10, kSweeps = 100;
  static constexpr std::size_t kMost = 200;    ///< contacts to be solved separately
  static constexpr int kSteps = 100;           ///< iterations of their solver
  static constexpr double kTolerance = 1e-10;  ///< its tolerance, unless `closing` ends it earlier

  bool find(const ContactProblem& problem, double most, const Vector& u);
  void take(const ContactProblem& problem, const Vector& u, View p);
  void solve(const Limits& limits, double most, const ContactSolver& by, SolveReport& report);

  std::vector<char> squeezed_;   ///< flag of each body
  std::vector<int> contacts_;    ///< contacts of these bodies, increasing
  std::vector<int> number_;      ///< index of each body among those of contacts_, -1: none
  std::vector<int> rows_, ids_;  ///< of contacts_, in the whole problem and in their own
  std::vector<Law> laws_;
  Vector u_, next_, b_, x_;
  std::optional<BodyDelassus> W_;
  SolverMemory memory_;
};

}  // namespace saltus
