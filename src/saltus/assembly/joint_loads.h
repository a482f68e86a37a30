// What the joints of an island carry in a step: loads for outputs, pulls that break joints.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/contact/joint_system.h"

namespace saltus {

/// Joints of the model that a mean pull above their strength breaks.
class BreakableJoints {
 public:
  /// Those of `model` that have rows in `system`.
  BreakableJoints(const Model& model, const JointSystem& system);
  /// The joints that broke before a step. True: other joints of these than before are left out, see
  /// left_out().
  bool set_broken(std::span<const BrokenJoint> broken);
  /// One a joint of the model, not 0: it broke. Empty where no joint of these can break.
  std::span<const char> left_out() const { return left_out_; }

  void clear();  ///< pulls of a new step
  /// Impulses L of the rows over a step h [s]: they push the ends apart.
  void add(const JointSystem& system, const Vector& L, double h);
  /// The step counts, and ends at t: appends the joints whose mean pull was above their strength,
  /// by increasing joint.
  void append_broken(double t, std::vector<BrokenJoint>& broken) const;

 private:
  const Model& model_;
  std::vector<int> joint_;      ///< with a strength, of the model's; increasing
  std::vector<double> pull_;    ///< mean of the last step [N], one each
  std::vector<char> left_out_;  ///< see left_out()
  std::vector<int> broken_;     ///< of the last set_broken()
};

/// Mean force [N] and torque [N m] of each joint of the model on its b over a step, in space, the
/// torque about the point of b.
class JointLoads {
 public:
  /// prescribed: a group of the island has prescribed degrees of freedom.
  JointLoads(const Model& model, bool prescribed) : model_(model), prescribed_(prescribed) {}

  /// The island has joints: loads of all joints of the model, before the first clear().
  void reserve();
  void clear();  ///< of a new step
  /// Impulses L on the rows of `system` as they are, over a step h [s].
  void add(const JointSystem& system, const Vector& L, double h);
  /// Loads of joints within one group that it eliminates itself, mean of both ends of a step.
  void add_jointed(const Group& group, const Trial& trial, double h);
  /// One a joint of the model; zero where it is not one of these groups.
  std::span<const std::array<Vector3, 2>> mean() const { return load_; }
  /// The same impulses, and those of couplings, on points of groups with prescribed degrees of
  /// freedom.
  std::span<const PointImpulse> on_prescribed() const { return on_prescribed_; }

 private:
  const Model& model_;
  bool prescribed_;
  std::vector<std::array<Vector3, 2>> load_;
  std::vector<PointImpulse> on_prescribed_;
};

}  // namespace saltus
