// Bodies with the reactions of their joints as forces, so that joints act inside the stages of a
// scheme.
//
//     M v' = F + G^T L,   S L = -(G M^-1 F + gamma),   S = G M^-1 G^T,
//         gamma = (G v + d)' at v' = 0
//
// The constraints twice differentiated (index 1): g'' = 0, exact in every stage, while g and g'
// keep what they have. An explicit scheme keeps its order; what g gathers is of the error of the
// scheme, and is taken out at the end of the step.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/contact/joint_system.h"
#include "saltus/dynamics/forwarding.h"

namespace saltus {

/// A group, and those it is joined to that are moved. `body` is the group's, the others have no
/// velocities.
struct JointedGroup {
  int group = 0;
  std::shared_ptr<const Dynamics> body;
};

class Jointed final : public ForwardingDynamics {
 public:
  /// Joints and couplings of which all sides are of `group`, `moved` or the world; the others are
  /// left out. drift_time [s] > 0: accelerations of what moves by itself are differences over it,
  /// so it is to be well below the step. Throws UsageError: a body that joints hold in place that
  /// is neither rigid nor has points fixed in q, or has prescribed degrees of freedom.
  Jointed(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
          JointedGroup group, std::vector<JointedGroup> moved, double drift_time);
  ~Jointed() override;

  /// Without the joints.
  const Dynamics& body() const { return *body_; }
  /// Rows that the joints here have; 0: the body is as it was.
  int rows() const { return rows_; }
  /// Adds weight times force [N] and torque [N m] of each joint on its b at (t, q, v), in space,
  /// torques about the point of b: one entry a joint of the constructor's span, those left out
  /// unchanged.
  void add_loads(double t, View q, View v, double weight,
                 std::span<std::array<Vector3, 2>> loads) const;

  /// Those of the body without tangents, affine and modal: C and K would be full, and are not
  /// given. multiply() and factorise() are those of the body without the joints.
  unsigned traits() const override;
  void force(double t, View q, View v, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  const RigidData* rigid() const override { return has_rigid_ ? &rigid_ : nullptr; }
  const ModalData* modal() const override { return rows_ == 0 ? body_->modal() : nullptr; }

  /// Of the body, then "joints" and, where rows are driven or lead to what is moved, "prescribed".
  std::span<const Source> sources() const override { return sources_; }
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Place;
  struct Room;
  const Place& reaction(Room& room, double t, View q, View v) const;
  const Dynamics& inner() const override { return *body_; }

  std::vector<Joint> joints_;
  std::vector<JointCoupling> couplings_;
  std::shared_ptr<const Dynamics> body_;
  std::vector<std::shared_ptr<const Dynamics>> moved_;
  std::vector<JointMember> members_;
  double drift_time_;
  int rows_ = 0, driven_ = 0;
  std::vector<char> driven_row_;
  std::vector<Source> sources_;
  RigidData rigid_;
  bool has_rigid_ = false;
  std::unique_ptr<WorkPool<Room>> rooms_;
};

}  // namespace saltus
