// Simulation of a model: steps of schemes, bodies and contact, or event-driven integration.
#pragma once
#include <array>
#include <memory>

#include "saltus/event_driven/event_trace.h"
#include "saltus/model/model.h"
#include "saltus/state/contact_observer.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/notices.h"
#include "saltus/state/state.h"

namespace saltus {

/// Advances a State of a Model. Physics never throws: check the report. What a scheme, a body or a
/// solver of the user's throws leaves advance() with the state as it was before the step.
///
/// One thread at a time; simulations of one Model may run concurrently, with the bits of each one
/// alone (use_threads()).
class Simulation {
 public:
  explicit Simulation(Model model);  ///< from initial_state(model)
  Simulation(Model model,
             State state);  ///< resumed; the state must be of this model (UsageError otherwise)
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  const Model& model() const;
  const State& state() const;
  /// The state of a group whose q and v from now on stay where they are in memory, at the price of
  /// a copy of them in each step: for views that outlive a step. They hold while this lives,
  /// wherever it is moved to.
  const GroupState& hold(int group);

  /// One step of h [s] (default Model::options().h). Under OnFailure::stop a failed step leaves the
  /// state as it was; `halve` retries it as two halves, up to ten times over; `accept` keeps it.
  /// The report says what happened.
  StepReport advance();
  StepReport advance(double h);

  /// From here on the loops of a step run on so many threads of its own: 1 where several
  /// simulations have a thread each. 0, as at first: those of the caller's tbb::task_arena. No more
  /// than the machine has, or a tbb::global_control allows. No bit depends on it. Not from inside a
  /// step.
  void use_threads(int count);

  /// A step in work when `stop` is requested is dropped: advance() returns at once, leaves the
  /// state as it was and reports kStopRequested (base/stop.h) as its failure. After that, with the
  /// request taken back, steps continue with the bits they would have had. `stop` must outlive this
  /// or be replaced; nullptr, as at first: none.
  void stop_by(Stop* stop);

  /// Passes every contact problem to `observer`, which must outlive this or be replaced; nullptr:
  /// to none, as at first.
  void observe(ContactObserver* observer);

  /// Records the steps and events of event-driven integration in `trace`, which must outlive this
  /// or be replaced; nullptr: no more. UsageError in another mode.
  void trace(EventTrace* trace);

  /// Physical velocity of a group at the state's own time.
  void velocity(int group, Out v) const;
  /// Forces that held the prescribed degrees of freedom of a group, mean over the last step,
  /// contacts included [N, N m]; size Dynamics::prescribed(). Before the first step those of the
  /// motion without contact.
  const Vector& reactions(int group) const;
  /// Mean force [N] and torque [N m] of a joint on its b over the last step, in space, the torque
  /// about the joint's point of b; zero before a step, and of a joint that broke before the last
  /// step. Event-driven integration computes it at the first call: not by two threads at once.
  std::array<Vector3, 2> joint_load(int joint) const;
  /// Coordinate of a joint in the present state [m], [rad], and its rate.
  std::array<double, 2> joint_coordinate(int joint, int coordinate) const;
  /// All contacts that are known in the last step, by increasing key, on the present state; of a
  /// step that was cut in two those of its second half, of an interval that event-driven
  /// integration handed over those of the step of the schemes. Made by this call, valid until the
  /// next call or step. None before a step and after one that failed. Open ones with a gap above
  /// `most` [m] may be left out.
  std::span<const ContactView> contacts(double most = kAllContacts) const;
  /// Of the contacts of the last call of contacts(), in their order: what their rows were made of.
  /// Valid as long as those.
  std::span<const SeenContact> seen_contacts() const;
  /// The events located in the last advance(), by time; valid until the next.
  std::span<const Event> events() const;
  /// Notices of the steps so far for the user of the run, each once: limits of a method that a step
  /// reached although it counts. At most Notices::kMost of a kind.
  std::vector<Notice> notices() const;
  /// Value of a probe now: displacement S q [m] or velocity S v [m/s], v as the scheme holds it.
  double probe(int index) const;

 private:
  struct Drivers;
  std::unique_ptr<Drivers> drivers_;
};

}  // namespace saltus
