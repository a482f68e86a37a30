// Intervals of a model with event-driven integration, and the hand-over of the state between it and
// the schemes. Event-driven integration uses physical q and v; each scheme starts from them and
// returns them. Changes of the energy measure at a hand-over count as work of the scheme.
#pragma once
#include <string_view>
#include <vector>

#include "saltus/event_driven/event_integrator.h"
#include "saltus/sim/step_parts.h"

namespace saltus {

class EventDriver {
 public:
  /// parts: of the same steps.
  EventDriver(StepDriver& steps, StepParts& parts)
      : steps_(steps), parts_(parts), integrator_(steps.model()) {}

  /// Covers one interval to t1: event-driven, or by time stepping while there are too many events.
  /// The number of intervals covered by time stepping doubles each time the next event-driven
  /// interval fails too early.
  void advance(double t1, StepReport& report);
  EventIntegrator& integrator() { return integrator_; }
  const std::vector<Event>& events() const { return events_; }  ///< of the last advance()

 private:
  void step_schemes(double t1, StepReport& report);
  void report_notices(const State& state);
  void update_reactions(double t1, std::vector<GroupState>& start);
  void add_impulses();
  void add_impulse(int group, const PointRef& at, const Vector3& impulse);
  bool may_hand_over(StepReport& report) const;
  bool schemes_fit() const;
  void hand_over(EventIntegrator::End end, double t1, StepReport& report);
  void report_hand_over(EventIntegrator::End end, std::string_view reason);
  void to_schemes();
  void to_events();
  void measure_energy();

  StepDriver& steps_;
  StepParts& parts_;
  EventIntegrator integrator_;
  std::vector<Event> events_;
  std::vector<ContactMemory> impulses_;  ///< of contacts in the interval
  std::vector<SeenContact> contacts_;
};

}  // namespace saltus
