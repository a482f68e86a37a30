// The event lane: smooth motion by integrators of high order, stopped where something happens.
//
//   step    integrate the present modes until the estimated error says how far, make the dense output
//   watch   the earliest event on it, certain with respect to the polynomials (event_driven/event_search.h)
//   locate  its place on the dense output, else by the step again, until its function vanishes to round-off
//   touch   impacts, hops, and the modes from here on (event_driven/event_response.h)
//
// The state at the end of an interval comes from the dense output; the step may end behind it. What the lane remembers is
// State::lane, so that a state goes on bit for bit. Source: shared design of event-driven integration, E. Hairer, G. Wanner,
// Solving Ordinary Differential Equations II (1996) VII; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical
// Systems (2008) ch. 8.
#pragma once
#include <memory>
#include <string>

#include "saltus/event_driven/event_trace.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/state.h"

namespace saltus {

class EventIntegrator {
 public:
  explicit EventIntegrator(const Model& model);
  ~EventIntegrator();

  /// advance() ends somewhere on its way where `stop`, which must outlive this, is requested; the caller has to look.
  void stop_by(Stop* stop);

  /// Takes over a state whose groups hold physical q and v.
  void enter(State& state);
  /// Covers [state.t, t1]. `busy`: more events than EventOptions::limit, more contacts closed than EventOptions::closed, or
  /// hundreds of steps below a thousandth of the interval because of slips near zero. The state is then that of the last event or
  /// step, report.failure says which, and the schemes should go on. `failed`: false in report.converged, with report.failure; the
  /// state is as far as it came. Adds to the report.
  enum class End { reached, busy, failed };
  static constexpr std::string_view kManyEvents =
      "an interval held more events than `events.limit`";
  static constexpr std::string_view kManyClosed =
      "more contacts were closed, or close to it, than `events.closed` allows";
  static constexpr std::string_view kCrawls =
      "slips near zero turn too fast for the integrator, as at the limit of friction";
  End advance(State& state, double t1, StepReport& report, std::vector<Event>& events);
  /// The state is no longer the lane's.
  void leave(State& state);

  /// The state is another one than the last call left.
  void forget();

  /// Whether the order of simultaneous impacts decided what one of them did in the last advance(); which contacts the first
  /// did, in words.
  bool order_decided() const;
  const std::string& tied() const;

  /// The law of a closed contact whose axis of friction stands along the normal at the state; -1: there is none.
  int undirected(const State& state);

  /// Contacts known at the state, with their impulses since begin_means().
  void see(const State& state, std::vector<SeenContact>& contacts);
  /// Impulses of a joint since begin_means(), as Simulation::joint_load [N s], [N m s].
  std::array<Vector3, 2> joint_impulse(int joint) const;
  /// Contacts that carried an impulse since begin_means(), by key.
  void remember(std::vector<ContactMemory>& contacts) const;
  /// Begins the sums that see() and joint_impulse() give.
  void begin_means();
  /// Keeps what is done; nullptr: no more.
  void trace(EventTrace* trace);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace saltus
