// One step of event-driven integration: smooth motion with the present modes from a state to the
// next event, or as far as the estimated error allows.
//
//   length      by the error of the last step, bounded by slips, springs, rotations and the paths
//               of surfaces
//   integrate   until the estimated error is below the tolerance
//   search      the earliest event on the dense output (event_driven/event_search.h)
//   locate      its place on the dense output, else by the step again, until its function vanishes
//               to round-off
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/error_scale.h"
#include "saltus/event_driven/event_projection.h"
#include "saltus/event_driven/event_search.h"
#include "saltus/event_driven/event_trace.h"
#include "saltus/event_driven/instant.h"
#include "saltus/event_driven/step_balance.h"

namespace saltus {

class EventStep {
 public:
  EventStep(const Model& model, ConstrainedMotion& motion, EventProjection& projection,
            EventSearch& search);
  /// make() ends where `stop` is requested.
  void stop_by(Stop* stop) { stop_ = stop; }
  /// Records every step; nullptr: no more.
  void trace(EventTrace* trace) { trace_ = trace; }

  /// The next step from the state, to `limit` at most: State::event_state, ready(), balance().
  /// slips_end: it cannot follow slips to their end, and take_stops() says which. nothing: it
  /// failed, and the report says why, or a stop was requested.
  enum class Made { step, slips_end, nothing };
  Made make(State& state, double limit, StepReport& report);
  std::vector<EventEnding> take_stops() { return std::exchange(stops_, {}); }
  /// Makes the step of State::event_state again. False: the state is not where this step led it.
  bool resume(State& state);
  /// The step of State::event_state is the one here.
  bool ready() const { return ready_; }
  void reset() { ready_ = false; }
  /// No step is in work.
  void end(EventState& event_state);

  /// q, v of the step at theta (>= 1: its end), joints and closed contacts without drift. False: it
  /// is no drift.
  bool place(double t, double theta, const EventState& event_state,
             std::vector<GroupState>& groups);
  double end_time(const EventState& event_state) const;
  double done() const { return done_; }  ///< fraction of it that the state has gone
  void set_done(double theta) { done_ = theta; }
  const OdeStep& ode() const { return step_; }
  StepBalance& balance() { return balance_; }

  /// Prescribed motions jump at t.
  bool jumps_at(double t) const;
  /// Steps in a row that friction at slips near zero keeps short, and whether they are too many.
  void begin_crawls() { crawls_ = 0; }
  bool crawls() const;

 private:
  void start(EventState& event_state, double h);
  void start_trial(EventState& event_state, double h);
  double next_end(double t) const;
  double longest(double t, double limit) const;
  double by_surfaces(const EventState& event_state, double h) const;
  void begin(EventState& event_state, double left);
  double trial_error(bool& whole);
  Made integrate(EventState& event_state, double t, double left, StepReport& report);
  void search(EventState& event_state);
  template <class At>
  std::optional<double> root(const EventSearch::Found& found, double from, double most,
                             const At& at);
  void locate(EventState& event_state, const EventSearch::Found& found);
  void record(const EventState& event_state) const;

  const Model& model_;
  ConstrainedMotion& motion_;
  EventProjection& projection_;
  EventSearch& search_;
  std::unique_ptr<OdeMethod> method_;
  ErrorScale scale_;
  StepBalance balance_;
  std::vector<double> ends_;   ///< times that no step passes [s], increasing
  std::vector<double> jumps_;  ///< of prescribed motions, among `ends_`
  Stop* stop_ = nullptr;
  EventTrace* trace_ = nullptr;
  OdeStep step_;
  bool ready_ = false;
  double done_ = 0.0;
  double error_ = 0.0;              ///< of the step, of the tolerance
  std::vector<EventEnding> stops_;  ///< slips that a step cannot follow to their end
  int crawls_ = 0;
  Vector w_, v_, dw_;
  Vector pull_;  ///< acceleration by the applied forces alone, at the start of the step
};

}  // namespace saltus
