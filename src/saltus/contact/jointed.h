// Bodies with the reactions of their joints as forces, so that joints act inside the stages of a scheme.
//
//     M v' = F + G^T L,   S L = -(G M^-1 F + gamma),   S = G M^-1 G^T,   gamma = (G v + d)' at v' = 0
//
// The constraints twice differentiated (index 1): g'' = 0, exact in every stage, while g and g' keep what they have. An
// explicit scheme keeps its order; what g gathers is of the error of the scheme, and is taken out at the end of the step.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "saltus/contact/joint_system.h"

namespace saltus {

/// A group, and those it is joined to that are moved. `body` is the group's, the others have no velocities.
struct JointedGroup {
  int group = 0;
  std::shared_ptr<const Dynamics> body;
};

class Jointed final : public Dynamics {
 public:
  /// Joints and couplings of which all sides are of `group`, `moved` or the world; the others are left out. drift_time [s] > 0:
  /// accelerations of what moves by itself are differences over it, so it is to be well below the step. Throws UsageError: a
  /// body that joints hold in place that is neither rigid nor has points fixed in q, or has prescribed degrees of freedom.
  Jointed(std::span<const Joint> joints, std::span<const JointCoupling> couplings,
          JointedGroup group, std::vector<JointedGroup> moved, double drift_time);
  ~Jointed() override;

  /// Without the joints.
  const Dynamics& body() const { return *body_; }
  /// Rows that the joints here have; 0: the body is as it was.
  int rows() const { return rows_; }
  /// Adds weight times force [N] and torque [N m] of each joint on its b at (t, q, v), in space, torques about the point of b:
  /// one entry a joint of the constructor's span, those left out unchanged.
  void add_loads(double t, View q, View v, double weight,
                 std::span<std::array<Vector3, 2>> loads) const;

  int bodies() const override { return body_->bodies(); }
  int positions() const override { return body_->positions(); }
  int velocities() const override { return body_->velocities(); }
  /// Those of the body without tangents, affine and modal: C and K would be full, and are not given.
  unsigned traits() const override;

  void retract(View q, View w, Out out) const override { body_->retract(q, w, out); }
  void increment_rate(View w, View v, Out rate) const override {
    body_->increment_rate(w, v, rate);
  }
  void force(double t, View q, View v, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override { body_->potential_force(t, q, f); }
  /// M, C and K of the body without the joints.
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override {
    body_->multiply(s, t, q, v, x, y);
  }
  void factorise(Combination s, double t, View q, View v, Factor& A) const override {
    body_->factorise(s, t, q, v, A);
  }
  const RigidData* rigid() const override { return has_rigid_ ? &rigid_ : nullptr; }
  Rayleigh rayleigh() const override { return body_->rayleigh(); }

  void points(double t, View q, std::span<const PointRef> at, Out x) const override {
    body_->points(t, q, at, x);
  }
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override {
    body_->point_rows(q, axes, at, J);
  }
  void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override {
    body_->spin_rows(q, axes, at, J);
  }
  void frames(double t, View q, std::span<Pose> out) const override { body_->frames(t, q, out); }
  void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const override {
    body_->spin_drift(t, q, at, d);
  }
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override {
    body_->point_drift(t, q, at, d);
  }
  double fastest_drift(double from, double to, double reach) const override {
    return body_->fastest_drift(from, to, reach);
  }
  double offset() const override { return body_->offset(); }
  void breaks(Breaks& out) const override { body_->breaks(out); }
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override {
    return body_->table(at, direction);
  }

  /// Of the body, then "joints" and, where rows are driven or lead to what is moved, "prescribed".
  std::span<const Source> sources() const override { return sources_; }
  bool stand(std::optional<double> t) const override { return body_->stand(t); }
  Energy energy(double t, View q, View v) const override { return body_->energy(t, q, v); }
  void power(double t, View q, View v, View w, std::span<double> by_source) const override;

 private:
  struct Place;
  struct Room;
  struct Rooms;
  const Place& reaction(Room& room, double t, View q, View v) const;

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
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace saltus
