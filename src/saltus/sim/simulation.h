// Simulation of a model: time stepping with schemes, bodies and contact, or event-driven
// integration.
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

/// Advances a State of a Model. Physics never throws: check the report. If a user-defined scheme,
/// body or solver throws, advance() passes the exception on and leaves the state as it was before
/// the step.
///
/// Use one object from one thread at a time. Several simulations of one Model may run concurrently,
/// with the same bits as each alone (use_threads()).
class Simulation {
 public:
  explicit Simulation(Model model);  ///< from initial_state(model)
  /// resumes from a state, which must be of this model (UsageError otherwise)
  Simulation(Model model, State state);
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  const Model& model() const;
  const State& state() const;
  /// Returns the state of a group, whose q and v keep their address in memory from now on, at the
  /// cost of a copy in each step: for views that outlive a step. The address is valid as long as
  /// this object or the object it is moved to exists.
  const GroupState& hold(int group);

  /// Makes one step of h [s] (default Model::options().h). A failed step leaves the state unchanged
  /// under OnFailure::stop; `halve` retries it as two halves, up to ten times recursively; `accept`
  /// keeps its result. The report contains the outcome.
  StepReport advance();
  StepReport advance(double h);

  // -- during a run, between two steps. What is set is part of the state.

  /// From the next step on, values that are given (not NaN) replace the functions of time of an
  /// actuator of Model::actuators(); the others follow them again. UsageError for an actuator that
  /// does not exist, a value that its kind does not use or that is not finite, and the effort of a
  /// servo, which it computes itself.
  void set(int actuator, const SetPoint& values);
  /// set() for all actuators; if one value is wrong, nothing changes.
  void set_all(std::span<const SetPoint> values);
  /// Throws as set_all() would, and sets nothing.
  void expect_set_all(std::span<const SetPoint> values) const;
  SetPoint set_point(int actuator) const;
  /// Mean force of an actuator along its coordinate in the last step [N m], [N]; 0 before the first
  /// step.
  double actuator_force(int actuator) const;

  /// From the next step on, these forces act on a body instead of those of the last call for it;
  /// none: no force. Their work is in the account "load", which the model has from the next step
  /// on: the first step with forces ends references and spans obtained from this object, except
  /// addresses of hold().
  /// UsageError for a body that does not exist or does not move, numbers that are not finite, and
  /// torques on bodies without frames.
  void apply(int group, int body, std::span<const AppliedForce> forces);
  std::span<const AppliedForce> applied(int group) const;
  /// model() with the applied forces of the state, also before the first step with them.
  Model acting_model() const;

  /// Physical positions and velocities of a group.
  struct Placement {
    int group = 0;
    Vector q, v;
  };
  /// Sets the physical positions and velocities of groups; quaternions are normalised. Joints must
  /// stay closed: UsageError that names one that would be open, and for sizes that differ or
  /// numbers that are not finite; the state is then unchanged. Rates of joints are not checked: the
  /// next step makes them agree, as an impact would. The change of energy is added to
  /// State::energy_start, so that the energy balance counts from there.
  void place(std::span<const Placement> placements);
  /// Continues from another state of this model. Ends references like the first apply().
  void reset(State state);

  /// From now on, loops of a step run on `count` threads of their own; use 1 if several simulations
  /// have one thread each. 0 (default): the threads of the caller's tbb::task_arena. The count is
  /// limited by the machine and by tbb::global_control. It does not affect a single bit of the
  /// results. Do not call this during a step.
  void use_threads(int count);

  /// If `stop` is requested during a step, the step is discarded: advance() returns at once, leaves
  /// the state unchanged and reports kStopRequested (base/stop.h) as the failure. Once the request
  /// is withdrawn, further steps have the bits they would have had without it. `stop` must outlive
  /// this object or be replaced; nullptr (default): none.
  void stop_by(Stop* stop);

  /// Passes every contact problem to `observer`, which must outlive this object or be replaced;
  /// nullptr (default): none.
  void observe(ContactObserver* observer);

  /// Records the steps and events of event-driven integration in `trace`, which must outlive this
  /// object or be replaced; nullptr stops recording. UsageError in another mode.
  void trace(EventTrace* trace);

  /// Physical velocity of a group at the time of the state.
  void velocity(int group, Out v) const;
  /// Forces that acted on the prescribed degrees of freedom of a group, mean over the last step,
  /// including contacts [N, N m]; size Dynamics::prescribed(). Before the first step they are those
  /// of the motion without contact.
  const Vector& reactions(int group) const;
  /// Mean force [N] and torque [N m] of a joint on its body b over the last step, in space, with
  /// the torque about the joint's point of b; zero before the first step and for a joint that broke
  /// before the last step. Event-driven integration computes it at the first call, so two threads
  /// must not call this concurrently.
  std::array<Vector3, 2> joint_load(int joint) const;
  /// All coordinates of joints in the present state and their rates, by joint, then by coordinate.
  void joint_coordinates(std::vector<double>& values, std::vector<double>& rates) const;
  /// Coordinate of a joint in the present state [m], [rad], and its rate.
  std::array<double, 2> joint_coordinate(int joint, int coordinate) const;
  /// All contacts detected in the last step, sorted by key, evaluated on the present state. For a
  /// step that was made in parts they are those of the last one; for an interval that event-driven
  /// integration handed over, those of time stepping. The result is valid until the next call or
  /// step, and empty before the first step and after a step that failed. Open contacts with a gap
  /// above `most` [m] may be omitted.
  std::span<const ContactView> contacts(double most = kAllContacts) const;
  /// Sum of the contact forces on the body of a probe, Quantity::contact_force [N].
  Vector3 contact_force(const Probe& probe) const;
  /// The force that holds or moves the body of a probe against contacts and joints,
  /// Quantity::support [N].
  Vector3 support(const Probe& probe) const;
  /// Data from which the rows of the contacts were computed, in the order of the last call of
  /// contacts() and valid as long as its result.
  std::span<const SeenContact> seen_contacts() const;
  /// The events located in the last advance(), sorted by time; valid until the next call of it.
  std::span<const Event> events() const;
  /// Notices for the user about the steps so far, each listed once: limits of a method that a step
  /// reached although it counts. At most Notices::kMost per kind.
  std::vector<Notice> notices() const;
  /// Present value of a probe: displacement S q [m] or velocity S v [m/s], with v as the scheme
  /// stores it.
  double probe(int index) const;

 private:
  struct Drivers;
  double law_force(const JointLaw& law) const;
  void adopt(std::unique_ptr<Drivers> made, bool keep_notices);
  void obey_applied();
  void expect_set(int actuator, const SetPoint& values) const;
  std::unique_ptr<Drivers> drivers_;
};

}  // namespace saltus
