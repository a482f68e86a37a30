// An interval in one step, or in parts: the halves of a step that failed, and the parts before,
// during and after an impact that a step would miss.
#pragma once
#include <span>

#include "saltus/sim/interval_forces.h"
#include "saltus/sim/step_driver.h"

namespace saltus {

class StepParts {
 public:
  explicit StepParts(StepDriver& steps);

  /// Covers h [s] up to t1, or changes nothing. The report is that of all parts, or of the one that
  /// failed.
  void advance(double h, double t1, StepReport& report);
  /// Means over the last interval, if it was made in parts; else null.
  const IntervalForces* forces() const { return in_parts_ ? &forces_ : nullptr; }

 private:
  bool kept(const StepReport& report) const;
  void attempt(double h, double t1, StepReport& report);
  void halve(double h, double t1, StepReport& report);
  void divide(double h, double t1, std::span<const double> ends, StepReport& report);
  void divide_at(const MissedImpact& missed, double h, double t1, StepReport& report);

  StepDriver& steps_;
  bool divides_ = true;    ///< every scheme can change its step
  double interval_ = 0.0;  ///< [s]
  bool in_parts_ = false;
  /// Divisions within each other, halvings within each other, and impacts at which the interval was
  /// divided.
  int nested_ = 0, halvings_ = 0, impacts_ = 0;
  IntervalForces forces_;
};

}  // namespace saltus
