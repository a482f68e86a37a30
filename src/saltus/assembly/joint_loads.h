// What the joints of an island carry in a step: loads for output, and tensions that break joints.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/contact/joint_system.h"

namespace saltus {

/// Joints of the model that break if their mean tension exceeds their strength.
class BreakableJoints {
 public:
  /// The joints of `model` that have a strength, and rows in `system`.
  BreakableJoints(const Model& model, const JointSystem& system);
  /// Sets the joints that broke before a step. Returns whether the joints to leave out have
  /// changed, see left_out().
  bool set_broken(std::span<const BrokenJoint> broken);
  /// One per joint of the model, not 0 if it is broken. Empty if no joint of these groups can
  /// break.
  std::span<const char> left_out() const { return left_out_; }

  void clear();  ///< resets the tensions for a new step
  /// Impulses L of the rows over a step h [s]; positive ones push the ends apart.
  void add(const JointSystem& system, const Vector& L, double h);
  /// Call it if the step counts and ends at t: appends the joints whose mean tension exceeded their
  /// strength, by increasing joint.
  void append_broken(double t, std::vector<BrokenJoint>& broken) const;

 private:
  const Model& model_;
  std::vector<int> joint_;      ///< joints with a strength, as indices in the model; increasing
  std::vector<double> pull_;    ///< mean tension of the last step [N], one per joint_
  std::vector<char> left_out_;  ///< see left_out()
  std::vector<int> broken_;     ///< joints of the last set_broken()
};

/// Mean force [N] and torque [N m] of each joint of the model on its side b over a step, in space,
/// the torque about the point of b.
class JointLoads {
 public:
  /// prescribed: some group of the island has prescribed degrees of freedom.
  JointLoads(const Model& model, bool prescribed) : model_(model), prescribed_(prescribed) {}

  /// If the island has joints: allocates loads of all joints of the model, before the first
  /// clear().
  void reserve();
  void clear();  ///< resets the loads for a new step
  /// Adds impulses L on the present rows of `system`, over a step h [s].
  void add(const JointSystem& system, const Vector& L, double h);
  /// Adds loads of joints that one group eliminates itself, as the mean of both ends of a step.
  void add_jointed(const Group& group, const Trial& trial, double h);
  /// One per joint of the model; zero for joints of other groups.
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
