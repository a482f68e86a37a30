// Interface for observers of the contact problems of a run: dumps, statistics, tests.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// The last contact problem that an island solved in a step, and the result of its solver. Valid
/// only during the call.
struct SolvedContact {
  int island;
  double t0, h;                    ///< of the step, which may have failed [s]
  const ContactProblem& problem;   ///< of the last pass
  View p;                          ///< impulses returned by the solver [N s]
  const SolveReport& report;       ///< of the last pass
  const Limits* limits = nullptr;  ///< of the last pass; null: not stored
  const Vector* start = nullptr;   ///< initial p of that solution [N s]; null: not stored
};

class ContactObserver {
 public:
  virtual ~ContactObserver() = default;
  /// Called after every attempt at a step, including failed ones and halves, once per island that
  /// had contacts.
  virtual void solved(const SolvedContact& contact) = 0;
};

}  // namespace saltus
