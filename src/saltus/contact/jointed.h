// Bodies with joint reactions as forces, so that joints act inside the stages of a scheme.
//
//     M v' = F + G^T L,   S L = -(G M^-1 F + gamma),   S = G M^-1 G^T,
//         gamma = (G v + d)' at v' = 0
//
// The constraints are differentiated twice (index 1): g'' = 0 holds exactly in every stage, and g
// and g' keep their values. An explicit scheme keeps its order; the drift of g is of the order of
// the scheme's error and is removed at the end of the step.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/contact/joint_system.h"
#include "saltus/dynamics/forwarding.h"

namespace saltus {

/// A group and its body: the group that is integrated, or one with prescribed motion, which has no
/// velocities.
struct JointedGroup {
  int group = 0;
  std::shared_ptr<const Dynamics> body;
};

class Jointed final : public ForwardingDynamics {
 public:
  /// Uses joints and couplings whose sides all belong to `group`, `moved` or the world; the others
  /// are ignored. drift_time [s] > 0: accelerations of bodies with prescribed motion are
  /// differences over it, so it should be well below the step. Throws UsageError if a body that
  /// joints constrain is neither rigid nor has points fixed in q, or has prescribed degrees of
  /// freedom.
  Jointed(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
          JointedGroup group, std::vector<JointedGroup> moved, double drift_time);
  ~Jointed() override;

  /// The body without the joints.
  const Dynamics& body() const { return *body_; }
  /// Number of joint rows; 0: the body is unchanged.
  int rows() const { return rows_; }
  /// Adds weight times force [N] and torque [N m] of each joint on its b at (t, q, v), in space,
  /// torques about the point of b: one entry per joint given to the constructor; entries of ignored
  /// joints do not change.
  void add_loads(double t, View q, View v, double weight,
                 std::span<std::array<Vector3, 2>> loads) const;

  /// Traits of the body except tangents, affine, modal and separable: C and K would be full and are
  /// not provided. multiply() and factorise() are those of the body without the joints.
  unsigned traits() const override;
  void force(double t, View q, View v, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  const RigidData* rigid() const override { return has_rigid_ ? &rigid_ : nullptr; }
  const ModalData* modal() const override { return rows_ == 0 ? body_->modal() : nullptr; }

  /// Sources of the body, then "joints" and, if rows are driven or lead to a body with prescribed
  /// motion, "prescribed".
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
