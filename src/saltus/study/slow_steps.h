// Detects steps that take much longer than comparable ones, to inform users who are waiting.
#pragma once
#include <array>
#include <string>

#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// Compares the time of each step with the mean of the earlier steps with about as many contacts or
/// more. The result depends on the machine: show it on the screen, never store it in results.
class SlowSteps {
 public:
  /// `seconds`: the wall time of the step that ended at t. Returns "" except for the first step of
  /// the run that took more than 5 s and 20 times the mean of at least ten steps; then a message
  /// with the step, the solver, the cause and the remedy.
  std::string look(const Model& model, const StepReport& report, double t, double seconds);

 private:
  struct Class {
    double seconds = 0.0;
    int steps = 0;
  };
  std::array<Class, 32> of_;  ///< steps with 2^k - 1 to 2^(k + 1) - 2 contacts
  bool told_ = false;
};

}  // namespace saltus
