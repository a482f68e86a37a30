// A run as stretches of smooth motion between its events.
#pragma once
#include <optional>
#include <vector>

#include "saltus/sensitivity/sensitivity_internal.h"

namespace saltus::sensitivity {

/// A step of the trace, up to the start of the next one.
struct Stretch {
  const EventTrace::Step* step = nullptr;
  double dt = 0.0;                         ///< [s]
  double e = 0.0;                          ///< ConstrainedMotion::set_time
  Groups end;                              ///< states at its end, before the events
  std::vector<Event> events;               ///< at its end
  const EventTrace::Step* next = nullptr;  ///< null: the run ends here
};

struct Run {
  Groups start;
  std::vector<Stretch> stretches;
  std::vector<Event> at_start;  ///< events at the start of the run
  /// ends of Zeno sequences, which close at the time of their first impact
  std::vector<Event> rests;
};

/// Splits the run up to `end` [s]. The trace must outlive the result. UsageError: the trace is of
/// another model or does not reach the end.
Run run_of(const Model& model, const EventTrace& trace, double end);

/// The mode with this key; null: none.
const ContactMode* mode_of(std::span<const ContactMode> modes, std::uint64_t key);

}  // namespace saltus::sensitivity
