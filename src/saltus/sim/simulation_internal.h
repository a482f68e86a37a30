// Members of Simulation: the step driver, the drivers of the other modes, and views of the state.
#pragma once
#include <tbb/task_arena.h>

#include <memory>
#include <vector>

#include "saltus/sim/adaptive_driver.h"
#include "saltus/sim/event_driver.h"
#include "saltus/sim/probe_values.h"
#include "saltus/sim/simulation.h"
#include "saltus/sim/static_driver.h"
#include "saltus/sim/step_parts.h"

namespace saltus {

struct Simulation::Drivers {
  Drivers(Model model, State state);
  /// obeys_applied: the model obeys applied forces even if the state has none.
  static std::unique_ptr<Drivers> of(const Model& model, State state, bool obeys_applied);

  /// Covers an interval of h in the mode of the model, and keeps or discards the result.
  StepReport interval(double h);
  /// Forces or the configuration of the state have changed.
  void restart();
  /// Length of the interval to which the measurements of contacts and joints belong [s]: the last
  /// step in time stepping, in event-driven integration the interval; 0: there is none.
  double measured() const {
    const State& state = steps.state();
    return state.event_state.active ? state.t - interval_start : state.h;
  }
  /// Mean acceleration over the last interval, of a probe of one.
  double acceleration(std::size_t probe);
  std::vector<GroupState> physical() const;
  void place(std::vector<GroupState> placed);
  /// The forces on group g, with physical velocity v, are now those of `body`.
  void start_again(std::size_t g, View v, const Dynamics& body);
  /// Writes the set-point of an actuator into the state.
  void set(int actuator, const SetPoint& values);

  /// Copies the applied forces of the state into the lists of the model.
  void use_applied();

  /// Lists of the groups of steps.model(), if it obeys applied forces; else empty.
  std::vector<std::shared_ptr<std::vector<AppliedForce>>> applied;
  StepDriver steps;
  StepParts parts{steps};
  ProbeValues probes;
  std::unique_ptr<EventDriver> events;       ///< null: the model uses another mode
  std::unique_ptr<StaticDriver> statics;     ///< null: the model uses another mode
  std::unique_ptr<AdaptiveDriver> adaptive;  ///< null: every interval is one step
  std::unique_ptr<tbb::task_arena> arena;    ///< null: the arena of the caller
  std::vector<SeenContact> contacts;
  std::vector<ContactView> views;
  std::vector<std::size_t> first_coordinate;      ///< of each joint, for hold_servos()
  std::vector<double> joint_values, joint_rates;  ///< of joint coordinates, for hold_servos()
  // the same for Simulation::contact_force(), and the interval to which they belong
  std::vector<SeenContact> force_contacts;
  std::vector<ContactView> force_views;
  std::uint64_t intervals = 1, force_interval = 0;
  /// of probes of accelerations, at the start of the last interval, and its time
  std::vector<double> velocities;
  double interval_start = steps.state().t;

  /// Laws on joints whose forces a support bears, with ProbeValues::push() at the start of the last
  /// interval.
  std::vector<std::pair<std::size_t, Vector3>> pushes;
  Vector3 push(std::size_t law);

  /// Means over the last interval, if it consisted of several steps of the schemes; else null.
  const IntervalForces* interval_forces() const {
    if (steps.state().event_state.active) return nullptr;
    return adaptive ? &adaptive->forces() : parts.forces();
  }
  /// Finds force_contacts and force_views of the last interval.
  void find_forces();
  /// The contacts of the last step, as Simulation::contacts().
  void find_contacts(double most, std::vector<SeenContact>& seen, std::vector<ContactView>& placed);

 private:
  void hold_servos();
  void measure_velocities();
  double velocity_of(std::size_t probe);
  void cover(double h, double t1, StepReport& report);
  void put_back(const State& before);
  void recover(const State* before);
};

}  // namespace saltus
