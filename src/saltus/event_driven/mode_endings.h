// Effect of the event at the end of a step on the modes: which of them end, and which follow.
#pragma once
#include <optional>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/event_response.h"
#include "saltus/event_driven/event_search.h"

namespace saltus {

class ModeEndings {
 public:
  ModeEndings(const Model& model, ConstrainedMotion& motion, EventSearch& search,
              EventResponse& response)
      : model_(model), motion_(motion), search_(search), response_(response) {}

  /// Adds the endings at the end of the step of State::event_state, and may mark its modes as
  /// redundant. time: approximate length of the next step [s]. False: nothing ends, because other
  /// forces give the same accelerations.
  bool add(State& state, double time, std::vector<EventEnding>& endings);

 private:
  bool mark_redundant(EventState& event_state);
  void point_slips(const State& state, std::vector<EventEnding>& endings);
  EventEnding ending_of(const EventState& event_state) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  EventSearch& search_;
  EventResponse& response_;
};

}  // namespace saltus
