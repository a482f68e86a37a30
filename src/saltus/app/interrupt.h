// Ctrl-C and SIGTERM as a flag that the step loop looks at, and the loops of solvers within a step
// (base/stop.h).
#pragma once
#include "saltus/base/stop.h"

namespace saltus::app {

/// While it lives the first SIGINT or SIGTERM only sets the flag; a second one ends the program as
/// usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, 0 for none.
  int signal() const;
  /// Requested by that signal.
  static Stop& stop();
};

}  // namespace saltus::app
