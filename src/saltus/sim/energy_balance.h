// The energy balance of time steps:
//
//     E1 - E0 = work of the sources + projection + friction + impact + scheme + unexplained
//
// The entries are those of Model::accounts(), and their sums lie in State::ledger.
#pragma once
#include <vector>

#include "saltus/assembly/stored_energy.h"
#include "saltus/sim/step_in_work.h"

namespace saltus {

class EnergyBalance {
 public:
  /// joints: all of the model.
  EnergyBalance(const Model& model, JointSystem& joints, const State& state);

  /// Steps start from another state.
  void start(const State& state);
  /// Energy and balance at the end of a finished step, from the work of all its impulses, which the
  /// report gets too.
  void balance(const StepInWork& step, StepReport& report);
  /// Of a step whose energy is not computed: as at its start.
  void skip(const State& state);
  /// Work on the velocities of the finished step by joints [J]; drives: by prescribed rates that
  /// jump.
  void add_joint_work(double work, bool drives);
  /// A change of the finished step by projection: energies of the bodies, and what springs store
  /// there.
  void add_projection(const StepInWork& step, const Energy& change);
  /// The finished step is the state.
  void commit(State& state);

  const StoredEnergy& stored() const { return stored_; }  ///< of springs at its start [J]

 private:
  /// What is explained of the change of energy, and parts of the work of impulses [J].
  struct Sums {
    double explained = 0.0, damping = 0.0, stops = 0.0;
  };
  void add_group(const StepInWork& step, std::size_t g, StepReport& report, Sums& sums);
  void add_impulses(const StepInWork& step, std::size_t g, StepReport& report, Sums& sums);
  void add_drift_work(const StepInWork& step, StepReport& report, Sums& sums);
  double prescribed_work(const StepInWork& step, std::size_t g, Energy& E) const;
  double& entry(int account) { return ledger_[static_cast<std::size_t>(account)]; }

  const Model& model_;
  JointSystem& joints_;
  Springs springs_;
  std::vector<std::vector<double>> by_source_;  ///< work of the step, a group
  std::vector<std::vector<int>> source_;        ///< entry of each source, -1: potential
  /// Entries; -1: none.
  int friction_ = -1, projection_ = -1, prescribed_ = -1, of_joints_ = -1, damping_ = -1;
  std::vector<double> ledger_;  ///< with the step in work
  Energy energy_;
  StoredEnergy stored_,
      stored_end_;  ///< of the springs in the state, and at the end of the step [J]
  Vector w_, r_;    ///< velocity and impulse of a group
};

}  // namespace saltus
