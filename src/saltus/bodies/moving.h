// Bodies that follow a prescribed motion: drums, shakers, conveyors, walls. They have no degrees of
// freedom; forces do not affect them.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// The frame of a body at time t:
///
///     x(t) = position(t) + velocity t,   R(t) = exp(axis (angle(t) + spin t)) rotation
///
/// The direction of the axis is fixed in space, and the axis passes through x. A point fixed in the
/// frame, at x + r, has the velocity x'(t) + axis (angle'(t) + spin) x r.
struct PrescribedMotion {
  std::array<Signal, 3> position;           ///< in space [m]
  Vector3 velocity = Vector3::Zero();       ///< a constant velocity added to it [m/s]
  Quaternion rotation{1.0, 0.0, 0.0, 0.0};  ///< rotation at angle + spin t = 0
  Vector3 axis = Vector3::UnitZ();          ///< direction in space, of any length but 0
  Signal angle;                             ///< [rad]
  double spin = 0.0;                        ///< a constant angular velocity added to it [rad/s]

  bool rests() const;  ///< true if the frame does not move
};

/// A group without degrees of freedom: positions() = velocities() = 0. One frame per body, in which
/// PointRef::local is given.
class Moving final : public Dynamics {
 public:
  /// Throws UsageError that names the body if an axis has length 0, a rotation is the zero
  /// quaternion or a number is not finite.
  explicit Moving(std::vector<PrescribedMotion> motions);
  ~Moving() override;
  const std::vector<PrescribedMotion>& motions() const { return motions_; }

  int bodies() const override { return static_cast<int>(motions_.size()); }
  int positions() const override { return 0; }
  int velocities() const override { return 0; }
  /// No forces move these bodies: the traits hold trivially.
  unsigned traits() const override;

  void force(double, View, View, Out) const override {}
  void potential_force(double, View, Out) const override {}
  void multiply(Combination, double, View, View, View, Out) const override {}
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  void frames(double t, View q, std::span<Pose> out) const override;

  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  /// Rows without entries.
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  double fastest_drift(double from, double to, double reach) const override;
  double fastest_spin_drift(double from, double to) const override;
  void breaks(Breaks& out) const override;
  void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const override;

  /// "prescribed" if something moves: the work that contacts take from the drive.
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double, View, View) const override { return {}; }
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  std::vector<PrescribedMotion> motions_;
  std::vector<Source> sources_;
};

}  // namespace saltus
