// Handles Ctrl-C while the engine is inside a step or a solve.
#pragma once
#include <exception>

#include "bind.h"
#include "saltus/base/stop.h"

namespace saltus::python {

/// Constructed with the GIL, checked without it by the loops of the engine. About twenty times a
/// second the thread that created it lets Python run pending signal handlers, if it is the thread
/// in which Python runs them; a handler that raises requests the stop.
class PythonStop final : public Stop {
 public:
  PythonStop();
  /// The exception that requested the stop; null if there is none.
  std::exception_ptr take() { return std::exchange(error_, nullptr); }
  /// Throws that exception.
  void rethrow();

 private:
  bool look() noexcept override;

  unsigned long maker_;
  bool handles_signals_;
  long due_;  ///< [ms]
  std::exception_ptr error_;
};

}  // namespace saltus::python
