// Event-driven integration: smooth motion by integrators of high order, stopped where something
// happens.
//
//   step      integrate the present modes up to the earliest event (event_driven/event_step.h)
//   endings   which modes end there (event_driven/mode_endings.h)
//   respond   impacts, Zeno sequences, and the modes from here on (event_driven/event_response.h)
//
// The state at the end of an interval comes from the dense output; the step may end after it. What
// must last from interval to interval is State::event_state, so that a state resumes bit for bit.
// Source: shared design of event-driven integration, E. Hairer, G. Wanner, Solving Ordinary
// Differential Equations II (1996) VII; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth
// Dynamical
// Systems (2008) ch. 8.
#pragma once
#include <map>
#include <string>
#include <vector>

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

  /// advance() ends early where `stop`, which must outlive this, is requested; the caller has to
  /// check it.
  void stop_by(Stop* stop);

  /// Takes over a state whose groups hold physical q and v.
  void enter(State& state);
  /// Covers [state.t, t1]. `busy`: more events than EventOptions::limit, more contacts closed than
  /// EventOptions::closed, or hundreds of steps below a thousandth of the interval because of slips
  /// near zero. The state is then that of the last event or step, report.failure says which, and
  /// the schemes should continue. `failed`: false in report.converged, with report.failure; the
  /// state is as far as it came. Adds to the report.
  enum class End { reached, busy, failed };
  static constexpr std::string_view kManyEvents =
      "an interval held more events than `events.limit`";
  static constexpr std::string_view kManyClosed =
      "more contacts were closed, or close to it, than `events.closed` allows";
  static constexpr std::string_view kCrawls =
      "slips near zero turn too fast for the integrator, as at the limit of friction";
  End advance(State& state, double t1, StepReport& report, std::vector<Event>& events);
  /// The state is no longer integrated here.
  void leave(State& state);

  /// The state is another one than the last call left.
  void reset() { step_.reset(); }

  /// Whether the order of simultaneous impacts decided what one of them did in the last advance();
  /// which contacts the first did, in words.
  bool order_decided() const { return order_decided_; }
  const std::string& tied() const { return tied_; }

  /// The law of a closed contact whose axis of friction stands along the normal at the state; -1:
  /// there is none.
  int undirected(const State& state);

  /// Describes the contacts at the state, with their impulses since begin_means().
  void describe(const State& state, std::vector<SeenContact>& contacts);
  /// Impulses of a joint since begin_means(), as Simulation::joint_load [N s], [N m s].
  std::array<Vector3, 2> joint_impulse(int joint) { return joint_impulses_.of(joint); }
  /// Stores the contacts that carried an impulse since begin_means(), by key.
  void store_impulses(std::vector<ContactMemory>& contacts) const;
  /// Begins the sums of impulses.
  void begin_means();
  /// Records what is done; nullptr: no more.
  void trace(EventTrace* trace);

 private:
  /// What one advance() has in work.
  struct Interval {
    State& state;
    double t1, limit;  ///< to be reached, and what no step passes [s]
    StepReport& report;
    std::vector<Event>& events;
    std::size_t before;  ///< events of earlier intervals
    int at_once = 0;     ///< events without time between them
    bool held = true;    ///< the modes hold where the state is
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
  bool counts_angles(Interval& now);
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
  bool yields_ = false;  ///< the damping of some law may take its force
  EventTrace* trace_ = nullptr;
  Stop* stop_ = nullptr;
  std::map<std::uint64_t, Vector3> impulses_;  ///< of contacts since begin_means()
  JointImpulses joint_impulses_;
  bool order_decided_ = false;  ///< in the interval in work
  std::string tied_;            ///< the two contacts whose order decided first, in words
};

}  // namespace saltus
