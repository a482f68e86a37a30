// The steps and events of an event-driven run: enough to make its steps again
// (sensitivity/sensitivity.h).
#pragma once
#include <vector>

#include "saltus/state/state.h"

namespace saltus {

/// The accepted steps of the integrator and what happened between them, both by time.
struct EventTrace {
  /// One step of `method` from t0 over h with these contacts closed. The state at the start of the
  /// next step is that of this one at the next t0 <= t0 + h, events at that time included: a step
  /// is cut where an event is.
  struct Step {
    double t0 = 0.0, h = 0.0;        ///< [s]
    std::vector<GroupState> start;   ///< q, v at t0, after all events there
    std::vector<ContactMode> modes;  ///< by key
    OdeKind method = OdeKind::dormand_prince_8;
  };
  std::vector<Step> steps;
  std::vector<Event> events;  ///< Event::t is the t0 of the step after it
};

}  // namespace saltus
