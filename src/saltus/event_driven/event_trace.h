// The steps and events of an event-driven run: sufficient to repeat its steps
// (sensitivity/sensitivity.h).
#pragma once
#include <vector>

#include "saltus/state/state.h"

namespace saltus {

/// The accepted steps of the integrator and the events between them, both sorted by time.
struct EventTrace {
  /// One step of `method` from t0 over h with these contacts closed. The state at the start of the
  /// next step is that of this step at the next t0 <= t0 + h, after the events at that time: an
  /// event ends a step early.
  struct Step {
    double t0 = 0.0, h = 0.0;        ///< [s]
    std::vector<GroupState> start;   ///< q, v at t0, after all events there
    std::vector<ContactMode> modes;  ///< sorted by key
    OdeKind method = OdeKind::dormand_prince_8;
  };
  std::vector<Step> steps;
  std::vector<Event> events;  ///< Event::t is the t0 of the following step
};

}  // namespace saltus
