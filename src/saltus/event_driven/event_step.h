// One step of event-driven integration: smooth motion with the present modes from a state to the
// next event, or as far as the estimated error allows.
//
//   length      from the error of the last step, bounded by slips, springs, rotations and the paths
//               of surfaces
//   integrate   until the estimated error is below the tolerance
//   search      the earliest event on the dense output (event_driven/event_search.h)
//   locate      its time on the dense output, or by repeating the step, until its function vanishes
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
  /// make() ends if `stop` is requested.
  void stop_by(Stop* stop) { stop_ = stop; }
  /// Records every step; nullptr stops recording.
  void trace(EventTrace* trace) { trace_ = trace; }

  /// Makes the next step from the state, up to `limit`: sets State::event_state, ready(),
  /// balance(). slips_end: the step cannot follow some slips to their end, and take_stops() returns
  /// them. nothing: the step failed and the report contains the reason, or a stop was requested.
  enum class Made { step, slips_end, nothing };
  Made make(State& state, double limit, StepReport& report);
  std::vector<EventEnding> take_stops() { return std::exchange(stops_, {}); }
  /// Repeats the step of State::event_state. False: the state is not on this step.
  bool resume(State& state);
  /// The step of State::event_state is stored here.
  bool ready() const { return ready_; }
  void reset() { ready_ = false; }
  /// Discards the current step.
  void end(EventState& event_state);

  /// q, v of the step at theta (>= 1: its end), with drift of joints and closed contacts removed.
  /// False: the deviation is larger than drift.
  bool place(double t, double theta, const EventState& event_state,
             std::vector<GroupState>& groups);
  double end_time(const EventState& event_state) const;
  double done() const { return done_; }  ///< fraction of the step that the state has covered
  void set_done(double theta) { done_ = theta; }
  const OdeStep& ode() const { return step_; }
  StepBalance& balance() { return balance_; }

  /// True if prescribed motions jump at t.
  bool jumps_at(double t) const;
  /// Consecutive steps that are kept short by friction at slips near zero; crawls() is true if
  /// there are too many.
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
  std::vector<double> ends_;        ///< times that no step crosses [s], increasing
  std::vector<double> jumps_;       ///< of prescribed motions, a subset of `ends_`
  std::vector<int> turned_groups_;  ///< with joint angles and only prescribed motion
  Stop* stop_ = nullptr;
  EventTrace* trace_ = nullptr;
  OdeStep step_;
  bool ready_ = false;
  double done_ = 0.0;
  double error_ = 0.0;              ///< of the step, relative to the tolerance
  std::vector<EventEnding> stops_;  ///< slips that a step cannot follow to their end
  int crawls_ = 0;
  Vector w_, v_, dw_;
  Vector driving_, driven_;  ///< applied forces with those of motors, and their acceleration
  Vector pull_;              ///< acceleration by only the applied forces, at the start of the step
};

}  // namespace saltus
