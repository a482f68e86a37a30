// Whoever wants to see the contact problems of a run: dumps, statistics, tests.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// The last contact problem that an island solved in a step, and what its solver made of it. Valid
/// during the call.
struct SolvedContact {
  int island;
  double t0, h;                    ///< of the step, which a failed one does not finish [s]
  const ContactProblem& problem;   ///< of the last pass
  View p;                          ///< impulses as the solver left them [N s]
  const SolveReport& report;       ///< of the last pass
  const Limits* limits = nullptr;  ///< of the last pass, ...
  const Vector* start = nullptr;   ///< ... and p from which it began [N s]; null: not kept
};

class ContactObserver {
 public:
  virtual ~ContactObserver() = default;
  /// After every attempt at a step, failed ones and halves too, once an island that had contacts.
  virtual void solved(const SolvedContact& contact) = 0;
};

}  // namespace saltus
