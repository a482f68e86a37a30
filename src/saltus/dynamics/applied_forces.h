// A body with forces that a run applies to it (GroupState::applied).
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/dynamics/forwarding.h"

namespace saltus {

/// F = F of the body + sum_i J_i^T f_i,  with the forces f_i constant in space from one change of
/// their list to the next. The list must not change during an operation.
class AppliedForces final : public ForwardingDynamics {
 public:
  using List = std::vector<AppliedForce>;

  AppliedForces(std::shared_ptr<const Dynamics> body, std::shared_ptr<const List> forces);

  /// The body without the forces.
  const std::shared_ptr<const Dynamics>& body() const { return body_; }

  void force(double t, View q, View v, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  const RigidData* rigid() const override { return body_->rigid() ? &rigid_ : nullptr; }
  const ModalData* modal() const override { return body_->modal() ? &modal_ : nullptr; }

  /// Sources of the body, and "load" if it is none of them.
  std::span<const Source> sources() const override { return sources_; }
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Room {
    PointRows rows;
    std::vector<PointRef> at;
    Vector f, x;
  };
  const Dynamics& inner() const override { return *body_; }
  void add_forces(View q, Out f) const;

  std::shared_ptr<const Dynamics> body_;
  std::shared_ptr<const List> forces_;
  std::vector<Source> sources_;
  std::size_t load_ = 0;  ///< index of "load"
  RigidData rigid_;
  ModalData modal_;
  std::unique_ptr<WorkPool<Room>> rooms_;
};

}  // namespace saltus
