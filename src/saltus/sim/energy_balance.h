// The energy balance of time steps:
//
//     E1 - E0 = work of the sources + projection + friction + actuators + impact + scheme
//               + unexplained
//
// The entries are those of Model::accounts(); their sums are stored in State::ledger.
#pragma once
#include <vector>

#include "saltus/assembly/stored_energy.h"
#include "saltus/sim/step_in_work.h"

namespace saltus {

class EnergyBalance {
 public:
  /// joints: all joints of the model.
  EnergyBalance(const Model& model, JointSystem& joints, const State& state);

  /// Further steps start from another state.
  void start(const State& state);
  /// Computes energy and balance at the end of a finished step from the work of all its impulses,
  /// and writes the work to the report too.
  void balance(const StepInWork& step, StepReport& report);
  /// For a step whose energy is not computed: keeps the values of its start.
  void skip(const State& state);
  /// Adds the work [J] of joints on the velocities of the finished step; drives: the work is done
  /// by prescribed rates that jump.
  void add_joint_work(double work, bool drives);
  /// Adds the energy change of the finished step by projection. `change` is that of the bodies;
  /// that of the springs is computed here.
  void add_projection(const StepInWork& step, const Energy& change);
  /// The end of the finished step becomes the state.
  void commit(State& state);

  const StoredEnergy& stored() const { return stored_; }  ///< of springs at its start [J]

 private:
  /// The explained part of the energy change, and parts of the work of impulses [J].
  struct Sums {
    double explained = 0.0, damping = 0.0, stops = 0.0, actuators = 0.0;
  };
  void add_group(const StepInWork& step, std::size_t g, StepReport& report, Sums& sums);
  void add_impulses(const StepInWork& step, std::size_t g, StepReport& report, Sums& sums);
  void add_drift_work(const StepInWork& step, StepReport& report, Sums& sums);
  double prescribed_work(const StepInWork& step, std::size_t g, Energy& E) const;
  double& entry(int account) { return ledger_[static_cast<std::size_t>(account)]; }

  const Model& model_;
  JointSystem& joints_;
  Springs springs_;
  std::vector<std::vector<double>> by_source_;  ///< work of the step, per group
  std::vector<std::vector<int>> source_;        ///< entry of each source, -1: potential
  /// Indices of entries; -1: none.
  int friction_ = -1, projection_ = -1, prescribed_ = -1, of_joints_ = -1, damping_ = -1,
      actuators_ = -1;
  std::vector<double> ledger_;  ///< including the current step
  Energy energy_;
  /// of the springs in the state, and at the end of the step [J]
  StoredEnergy stored_, stored_end_;
  Vector w_, r_;  ///< velocity and impulse of a group
};

}  // namespace saltus
