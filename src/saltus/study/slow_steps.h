// Steps that take much longer than their like: a line for whom it stops before his eyes.
#pragma once
#include <array>
#include <string>

#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// Compares the time of each step with the mean of those before it that had about as many contacts
/// or more. What it says depends on the machine: it belongs on the screen, and into no result.
class SlowSteps {
 public:
  /// The step that ended at t took so many seconds. "" unless it is the first one of the run that
  /// took more than 5 s and 20 times the mean of ten or more; else which it is, which solver
  /// worked, why, and what to write.
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
