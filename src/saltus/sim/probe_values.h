// Values of the outputs of a model at a state.
#pragma once
#include <array>
#include <vector>

#include "saltus/sim/step_in_work.h"
#include "saltus/state/notices.h"

namespace saltus {

class ProbeValues {
 public:
  /// joints: all joints of the model.
  ProbeValues(const Model& model, JointSystem& joints, const State& state);

  /// Displacement S q [m], velocity S v [m/s], reaction [N], or a joint coordinate or its rate.
  double value(const Probe& probe, const State& state, PreparedSchemes prepared,
               const std::vector<Vector>& reactions);
  /// Coordinate of a joint [m], [rad], and its rate.
  std::array<double, 2> joint_coordinate(int joint, int coordinate, const State& state,
                                         PreparedSchemes prepared);
  /// Reports outputs of angles that jumped from pi to -pi, or back, since the last state.
  void notice_wraps(const State& state, Notices& notices);

 private:
  double point(const Probe& probe, double t, const GroupState& at);
  void measure_angles(const State& state);

  const Model& model_;
  JointSystem& joints_;
  /// Outputs that are joint angles: their indices, joint and coordinate of each, and their values
  /// in the state [rad].
  std::vector<int> angle_probes_;
  std::vector<std::array<int, 2>> angle_of_;
  Vector angles_, angles_before_;
  PointScratch scratch_;
  PointRows rows_;
  GroupRows row_;
  Vector v_;
};

}  // namespace saltus
