// Event-driven integration: smooth motion by high-order integrators, stopped at events.
//
//   step      integrate the present modes up to the earliest event (event_driven/event_step.h)
//   endings   determine the modes that end there (event_driven/mode_endings.h)
//   respond   impacts, Zeno sequences, and the new modes (event_driven/event_response.h)
//
// The state at the end of an interval comes from the dense output; the step may end later. Data
// carried from interval to interval is in State::event_state, so that a state resumes bit for bit.
// Source: standard design of event-driven integration, E. Hairer, G. Wanner, Solving Ordinary
// Differential Equations II (1996) VII; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth
// Dynamical Systems (2008) ch. 8.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "saltus/assembly/joint_angles.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/event_response.h"
#include "saltus/event_driven/event_search.h"
#include "saltus/event_driven/event_step.h"
#include "saltus/event_driven/event_trace.h"
#include "saltus/event_driven/joint_impulses.h"
#include "saltus/event_driven/mode_endings.h"
#include "saltus/event_driven/work_terms.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

class EventIntegrator {
 public:
  explicit EventIntegrator(const Model& model);

  /// advance() ends early if `stop`, which must outlive this object, is requested; the caller has
  /// to check it.
  void stop_by(Stop* stop);

  /// Takes over a state whose groups have physical q and v.
  void enter(State& state);
  /// Covers [state.t, t1]. `busy`: more events than EventOptions::limit, more closed contacts than
  /// EventOptions::closed, or hundreds of steps below a thousandth of the interval because of slips
  /// near zero. The state is then that of the last event or step, report.failure contains the
  /// cause, and time stepping should continue. `failed`: report.converged is false and
  /// report.failure is set; the state is the last one reached. Adds to the report.
  enum class End { reached, busy, failed };
  static constexpr std::string_view kManyEvents =
      "an interval contained more events than `events.limit`";
  static constexpr std::string_view kManyClosed =
      "more contacts were closed or nearly closed than `events.closed` allows";
  static constexpr std::string_view kCrawls =
      "slips near zero change direction too fast for the integrator, as at the friction limit";
  End advance(State& state, double t1, StepReport& report, std::vector<Event>& events);
  /// Ends event-driven integration of the state.
  void leave(State& state);

  /// Call this if the state was changed since the last call.
  void reset() { step_.reset(); }
  /// Forces or positions of the state were changed at its time: its current step ends there, and
  /// the modes of its contacts are determined again.
  void restart(State& state);

  /// Whether the order of simultaneous impacts affected the result of one of them in the last
  /// advance(), and the contacts of the first such impact as text.
  bool order_decided() const { return order_decided_; }
  const std::string& tied() const { return tied_; }

  /// The first joint angle whose number of turns was ambiguous in the last advance(); null: none.
  const JointAngle* ambiguous_angle() const { return ambiguous_angle_; }

  /// The law of a closed contact whose axis of friction is along the normal at the state; -1: there
  /// is none.
  int undirected(const State& state);

  /// Describes the contacts at the state, with their impulses since begin_means().
  void describe(const State& state, std::vector<SeenContact>& contacts);
  /// Impulses of a joint since begin_means(), as Simulation::joint_load [N s], [N m s].
  std::array<Vector3, 2> joint_impulse(int joint) { return joint_impulses_.of(joint); }
  /// Stores the contacts that carried an impulse since begin_means(), sorted by key.
  void store_impulses(std::vector<ContactMemory>& contacts) const;
  /// Resets the sums of impulses.
  void begin_means();
  /// Records steps and events; nullptr stops recording.
  void trace(EventTrace* trace);
  EventTrace* trace() const { return trace_; }

 private:
  /// The interval of the current advance().
  struct Interval {
    State& state;
    double t1, limit;  ///< time to be reached, and time that no step may exceed [s]
    StepReport& report;
    std::vector<Event>& events;
    std::size_t before;  ///< number of events of earlier intervals
    int at_once = 0;     ///< events without time between them
    bool held = true;    ///< the modes are satisfied by the state
  };
  End start(Interval& now);
  End advance_once(Interval& now);
  End make_step(Interval& now, bool& made);
  bool move_to(Interval& now, double theta);
  End end_step(Interval& now, bool moved);
  bool respond(Interval& now, bool jump = false);
  void record(Interval& now, const InstantReport& instant, std::size_t before);
  void count_crowded(const Interval& now, std::size_t before, bool jump);
  End busy(Interval& now, std::string_view why);
  End endless(Interval& now);
  bool many_near(const State& state);
  void add_inactive_energy(double t, State& state, double sign);
  void balance_energy(State& state, const std::vector<double>& ledger, double start_energy);
  void measure(const State& state, StepReport& report);
  double speed_in_play(const State& state);

  const Model model_;
  WorkTerms terms_;
  ConstrainedMotion motion_;
  EventResponse response_;
  EventSearch search_;
  EventStep step_;
  ModeEndings endings_;
  Springs springs_;
  bool yields_ = false;  ///< the damping of some law may cancel its force
  EventTrace* trace_ = nullptr;
  Stop* stop_ = nullptr;
  std::map<std::uint64_t, Vector3> impulses_;  ///< of contacts since begin_means()
  JointImpulses joint_impulses_;
  JointAngles angles_;
  const JointAngle* ambiguous_angle_ = nullptr;  ///< in the current interval
  bool order_decided_ = false;                   ///< in the current interval
  std::string tied_;  ///< the first two contacts whose order affected the result, as text
};

}  // namespace saltus
