// Time stepping of all groups of a model: one step from the predictors to the energy balance, which
// counts from commit() on, and halves of a step that failed. The state changes in commit() and
// nowhere else but where a step of another length begins (use()).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/sim/energy_balance.h"
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
  /// Mean force and torque of a joint on its b over the last step, as Simulation::joint_load.
  std::array<Vector3, 2> joint_load(std::size_t joint) const;
  PreparedSchemes prepared() const { return tables_.prepared(); }
  Islands islands() const { return tables_.islands(); }
  std::vector<GroupState>& ends() { return ends_; }  ///< of the step in work
  /// The q and v of a group stay where they are in memory (Simulation::hold).
  void pin(std::size_t group) { pinned_[group] = 1; }
  void stop_by(Stop* stop) { stop_ = stop; }
  Stop* stop() const { return stop_; }
  void observe(ContactObserver* observer) { observer_ = observer; }
  /// The islands have the contacts of the state, or of a state integrated without them.
  bool contacts_known() const { return contacts_known_; }
  void set_contacts_known(bool known) { contacts_known_ = known; }

  /// Steps of some lengths are compared by `estimator`, which must outlive this: their tables are
  /// stored, and contacts with an impulse in the step in work are listed.
  void estimate_by(StepEstimator* estimator);
  const std::vector<Touch>& touches() const { return touches_; }
  /// A step for an estimate alone has no energy balance and is not observed.
  enum class Purpose { counts, estimate };
  void set_purpose(Purpose purpose) { purpose_ = purpose; }

  /// Makes everything that depends on the step for h; the state has to be that of the schemes with
  /// h.
  void set_step(double h);
  /// The same, and hands the physical velocities over to the schemes as they are with the new step.
  void use(double h);
  /// One step. The state stays.
  void step(double h, StepReport& report);
  /// The step in work becomes the state, at t1.
  void commit(double t1);
  /// A step of h [s] to t1, or by its halves.
  void advance(double h, double t1, int depth, StepReport& report);
  /// The step in work when the program was asked to end does not count: its solvers may have ended
  /// early. Whether it is done is not checked, or what is kept would depend on the moment.
  bool dropped(StepReport& report) const;
  /// A step that failed leaves the groups as they were; what solvers and islands stored of it is
  /// dropped.
  void reset();
  /// The state as it was, in the same memory.
  void put_back(const State& before);
  /// After an exception out of a step. `before` where the state may have changed, else null.
  void recover(const State* before);
  /// False: an exception came while the state was put back.
  bool usable() const { return usable_; }
  /// What solvers carry from step to step, which cannot be computed again: that of the steps that
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
  void halve(double h, double t1, int depth, StepReport& report);

  Model model_;
  State state_;
  JointSystem joints_;
  StepTables tables_;
  EnergyBalance balance_;
  ReactionForces reactions_;
  Notices notices_;
  std::vector<GroupState> ends_;
  std::vector<char> pinned_;             ///< of each group
  std::vector<ContactMemory> contacts_;  ///< of the step in work
  std::vector<SolverMemory> solvers_before_;
  /// Of each group: whether its scheme follows rotations by more than half a turn.
  enum class FollowsSpin : char { unknown, yes, no };
  std::vector<FollowsSpin> follows_;
  StepEstimator* estimator_ = nullptr;
  Purpose purpose_ = Purpose::counts;
  std::vector<Touch> touches_;
  ContactObserver* observer_ = nullptr;
  Stop* stop_ = nullptr;
  bool contacts_known_ = false;
  bool usable_ = true;
};

}  // namespace saltus
