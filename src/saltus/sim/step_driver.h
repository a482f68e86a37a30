// Time stepping of all groups of a model: one step from the predictors to the energy balance, which
// takes effect with commit(), and halves of a step that failed. The state changes only in commit()
// and where a step of another length begins (use()).
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/joint_angles.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/sim/energy_balance.h"
#include "saltus/sim/interval_forces.h"
#include "saltus/sim/reaction_forces.h"
#include "saltus/sim/step_in_work.h"
#include "saltus/sim/step_tables.h"
#include "saltus/state/contact_observer.h"
#include "saltus/state/notices.h"
#include "saltus/time_stepping/step_control.h"

namespace saltus {

class StepDriver {
 public:
  StepDriver(Model model, State state);

  const Model& model() const { return model_; }
  State& state() { return state_; }
  const State& state() const { return state_; }
  JointSystem& joints() { return joints_; }  ///< of all groups
  Notices& notices() { return notices_; }
  ReactionForces& reactions() { return reactions_; }
  /// Mean force and torque of a joint on its body b over the last step, as Simulation::joint_load.
  std::array<Vector3, 2> joint_load(std::size_t joint) const;
  PreparedSchemes prepared() const { return tables_.prepared(); }
  Islands islands() const { return tables_.islands(); }
  std::vector<GroupState>& ends() { return ends_; }  ///< of the current step
  std::span<const Trial> trials() { return tables_.trials(); }
  /// Continues in place of `other`: its observer, stop, addresses of q and v, and notices.
  void take_over(StepDriver& other, bool keep_notices);
  /// Energy measures of schemes have changed by themselves: that counts as their work.
  void measure_energy_again();
  /// The q and v of a group keep their address in memory (Simulation::hold).
  void pin(std::size_t group) { pinned_[group] = 1; }
  void stop_by(Stop* stop) { stop_ = stop; }
  Stop* stop() const { return stop_; }
  void observe(ContactObserver* observer) { observer_ = observer; }
  /// True if the islands have the contacts of the state, or of a state integrated without contacts.
  bool contacts_known() const { return contacts_known_; }
  void set_contacts_known(bool known) { contacts_known_ = known; }

  /// Steps of several lengths are compared by `estimator`, which must outlive this object: their
  /// tables are stored, and contacts with an impulse in the current step are listed.
  void estimate_by(StepEstimator* estimator);
  const std::vector<Touch>& touches() const { return touches_; }
  /// A step that is only used for an estimate has no energy balance and is not observed.
  enum class Purpose { counts, estimate };
  void set_purpose(Purpose purpose) { purpose_ = purpose; }

  /// Recomputes everything that depends on the step length for h; the state has to be that of the
  /// schemes for h.
  void set_step(double h);
  /// Changes the step length to h and hands the physical velocities over to the schemes.
  void use(double h);
  /// Makes one step without changing the state.
  void step(double h, StepReport& report);
  /// The end of the current step becomes the state, at t1.
  void commit(double t1);
  /// Whether impacts that a step misses are reported (StepReport::missed), because the caller will
  /// make the step in other parts. Otherwise the run tells which bodies passed each other.
  void report_missed(bool on) { reports_missed_ = on; }
  /// Adds the forces of the last step, which is a fraction of an interval.
  void add_forces(double fraction, IntervalForces& sum);
  /// True if the program was asked to end during the current step: the step does not count, because
  /// its solvers may have ended early. Whether it is complete is not checked, since the result
  /// would then depend on the moment of the request.
  bool dropped(StepReport& report) const;
  /// After a failed step: the groups keep their state, and solvers and islands discard what they
  /// stored during the step.
  void reset();
  /// Restores an earlier state at the same memory address.
  void put_back(const State& before);
  /// Recovers after an exception during a step. `before`: the earlier state if it may have changed,
  /// else null.
  void recover(const State* before);
  /// False: an exception occurred while the state was being restored.
  bool usable() const { return usable_; }
  /// Data that solvers carry from step to step and that cannot be recomputed, for the steps that
  /// count.
  void store_solvers();
  void restore_solvers();
  void clear_solvers();

 private:
  void begin(double h);
  bool failed(StepReport& report);
  IslandStep of_island(std::size_t i);
  StepInWork in_work();
  void finish(double h);
  void check(StepReport& report);
  void balance(StepReport& report);
  void check_spins(double h);
  bool aligns(std::size_t island) const;
  void align(StepReport& report);
  void project(StepReport& report);
  Energy energy_of_ends() const;
  void find_lost_group(StepReport& report) const;

  Model model_;
  State state_;
  JointSystem joints_;
  StepTables tables_;
  EnergyBalance balance_;
  ReactionForces reactions_;
  JointAngles angles_;
  Notices notices_;
  std::vector<GroupState> ends_;
  std::vector<char> pinned_;             ///< of each group
  std::vector<ContactMemory> contacts_;  ///< of the current step
  std::vector<SolverMemory> solvers_before_;
  /// Whether the scheme of each group can follow rotations by more than half a turn.
  enum class FollowsSpin : char { unknown, yes, no };
  std::vector<FollowsSpin> follows_;
  StepEstimator* estimator_ = nullptr;
  Purpose purpose_ = Purpose::counts;
  std::vector<Touch> touches_;
  ContactObserver* observer_ = nullptr;
  Stop* stop_ = nullptr;
  bool contacts_known_ = false;
  bool usable_ = true;
  bool reports_missed_ = false;
  std::vector<SeenContact> seen_;  ///< work space of add_forces()
  std::vector<ContactView> views_;
};

}  // namespace saltus
