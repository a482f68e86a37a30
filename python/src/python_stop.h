// Ctrl-C while the engine is inside a step or a solve.
#pragma once
#include <exception>

#include "bind.h"
#include "saltus/base/stop.h"

namespace saltus::python {

/// Made with the GIL, asked without it by the loops of the engine. Some twenty times a second the thread that made it lets
/// Python run the handlers of signals that came, if it is the one that Python runs them in; one that raises requests the stop.
class PythonStop final : public Stop {
 public:
  PythonStop();
  /// What requested the stop, null: nothing did.
  std::exception_ptr take() { return std::exchange(error_, nullptr); }
  /// The same, thrown.
  void rethrow();

 private:
  bool look() noexcept override;

  unsigned long maker_;
  bool handles_signals_;
  long due_;  ///< [ms]
  std::exception_ptr error_;
};

}  // namespace saltus::python
