// Ctrl-C and SIGTERM set a flag that the step loop and the solvers within a step check
// (base/stop.h).
#pragma once
#include "saltus/base/stop.h"

namespace saltus::app {

/// During its lifetime the first SIGINT or SIGTERM only sets the flag; a second one ends the
/// program as usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal received, 0 if none.
  int signal() const;
  /// Requested when a signal arrives.
  static Stop& stop();
};

}  // namespace saltus::app
