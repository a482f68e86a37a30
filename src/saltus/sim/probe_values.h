// Values of the outputs of a model at a state.
#pragma once
#include <array>
#include <vector>

#include "saltus/contact/rows.h"
#include "saltus/sim/step_in_work.h"

namespace saltus {

class ProbeValues {
 public:
  /// joints: all joints of the model.
  ProbeValues(const Model& model, JointSystem& joints) : model_(model), joints_(joints) {}

  /// Displacement S q [m], velocity S v [m/s], reaction [N], a joint coordinate or its rate, energy
  /// [J], stress [Pa] or strain.
  double value(const Probe& probe, const State& state, PreparedSchemes prepared,
               const std::vector<Vector>& reactions) {
    return value(probe, probe.quantity, state, prepared, reactions);
  }
  /// As if this were the quantity of the probe.
  double value(const Probe& probe, Probe::Quantity quantity, const State& state,
               PreparedSchemes prepared, const std::vector<Vector>& reactions);
  /// Coordinate of a joint [m], or over any number of turns [rad], and its rate.
  std::array<double, 2> joint_coordinate(int joint, int coordinate, const State& state,
                                         PreparedSchemes prepared);
  /// All of them, by joint, then by coordinate.
  void joint_coordinates(const State& state, PreparedSchemes prepared, std::vector<double>& values,
                         std::vector<double>& rates);
  /// Force on the second body for a unit force on the coordinate of the law; zero for a torque.
  Vector3 push(const JointLaw& law, const State& state);

 private:
  void measure_velocities(const State& state, PreparedSchemes prepared);
  std::array<double, 2> coordinate(int joint, int coordinate, const State& state);
  double point(const Probe& probe, Probe::Quantity quantity, double t, const GroupState& at);
  Energy energy(const Probe& probe, const State& state, PreparedSchemes prepared);

  const Model& model_;
  JointSystem& joints_;
  PointScratch scratch_;
  PointRows rows_;
  GroupRows row_;
  std::vector<std::array<int, 2>> all_;  ///< joint and index of every coordinate
  std::vector<Vector> v_;                ///< physical velocities of the groups
};

}  // namespace saltus
