// Actuators on joint coordinates: functions of time that drive them, which a run may replace.
#pragma once
#include <array>
#include <limits>
#include <span>

#include "saltus/bodies/signal.h"

namespace saltus {

/// What drives the law of a coordinate c:
///     motor:   keeps the rate of c at velocity(t) within the bound of its law
///     servo:   stiffness (target(t) - c) + damping (target'(t) - c') within a bound
///     effort:  the given torque or force effort(t)
/// A servo with `held` computes its force at the start of each interval of a run; its law is then
/// that of a given effort.
struct Actuator {
  enum class Kind { motor, servo, effort };
  Kind kind = Kind::effort;
  Signal target{};    ///< [rad], [m]
  Signal velocity{};  ///< of a motor [rad/s], [m/s]
  Signal effort{};    ///< [N m], [N]
  bool held = false;
  double stiffness = 0.0;                                  ///< of a held servo [N m/rad], [N/m]
  double damping = 0.0;                                    ///< likewise [N m s/rad], [N s/m]
  double bound = std::numeric_limits<double>::infinity();  ///< likewise [N m], [N]
};

/// Where states store the set-points of an actuator: from entry `slot` of GroupState::set_points of
/// `group` on, which is the group of side b of its joint, or of side a if b is the world.
struct ActuatorPlace {
  int group = 0, slot = 0;
};

/// Values that replace the functions of an actuator; NaN: not set.
struct SetPoint {
  static constexpr int kSize = 3;  ///< numbers per actuator in GroupState::set_points
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double target = kNone;    ///< [rad], [m]
  double velocity = kNone;  ///< of a motor, or the rate of the target of a servo
  double effort = kNone;    ///< [N m], [N]

  static SetPoint of(std::span<const double> set_points, const ActuatorPlace& place) {
    if (set_points.empty()) return {};
    const auto x = set_points.subspan(static_cast<std::size_t>(place.slot), kSize);
    return {x[0], x[1], x[2]};
  }
  static bool given(double value) { return value == value; }
};

/// An actuator with its present set-point.
struct DrivenActuator {
  const Actuator* of = nullptr;
  SetPoint set{};

  /// Target of a servo at t; 0 for others.
  double target(double t) const {
    return SetPoint::given(set.target) ? set.target : of->target.value(t);
  }
  /// Rate that a motor or the damper of a servo follows; a target that was set stands still.
  double velocity(double t) const {
    if (SetPoint::given(set.velocity)) return set.velocity;
    if (of->kind == Actuator::Kind::motor) return of->velocity.value(t);
    return SetPoint::given(set.target) ? 0.0 : of->target.rate(t);
  }
  /// velocity() at the ends of a step; of a servo its mean in the step, so that a target with
  /// corners is followed to the order of the scheme.
  std::array<double, 2> velocities(double t0, double t1) const {
    if (of->kind != Actuator::Kind::servo || t0 == t1 || SetPoint::given(set.velocity))
      return {velocity(t0), velocity(t1)};
    const double mean = (target(t1) - target(t0)) / (t1 - t0);
    return {mean, mean};
  }
  /// d/dt of velocity().
  double velocity_rate(double t) const {
    if (SetPoint::given(set.velocity)) return 0.0;
    if (of->kind == Actuator::Kind::motor) return of->velocity.rate(t);
    return SetPoint::given(set.target) ? 0.0 : of->target.second(t);
  }
  /// Given force, mean over [from, to].
  double effort(double from, double to) const {
    return SetPoint::given(set.effort) ? set.effort : of->effort.mean(from, to);
  }
};

}  // namespace saltus
