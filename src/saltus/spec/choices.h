// Choices of a scene that apply to the whole run.
#pragma once
#include <array>
#include <cstdint>

#include "saltus/base/options.h"

namespace saltus {

/// Instant of the step at which gaps, normals and lever arms are evaluated.
enum class ContactInstant { end, middle, start };
constexpr auto names_of(ContactInstant) {
  using enum ContactInstant;
  return std::array{NamedValue{end, "end"}, NamedValue{middle, "middle"},
                    NamedValue{start, "start"}};
}

/// What to do when the contact problem or the fixed-point iteration of a step does not converge.
enum class OnFailure { stop, halve, accept };
constexpr auto names_of(OnFailure) {
  using enum OnFailure;
  return std::array{NamedValue{stop, "stop"}, NamedValue{halve, "halve"},
                    NamedValue{accept, "accept"}};
}

/// What joints constrain at the end of a step.
/// position: g(q1) = 0, where the impulse acts at mid-step; needs a scheme of gain > 0.
/// velocity: only G v, so that g drifts in O(h^2).
/// both:     position, then G v1 = 0 by a last impulse on v1.
enum class JointLevel { position, velocity, both };
/// At level velocity:
/// mid_zero: G (v0 + v1) = 0, which does no work;
/// end_zero: G v1 = 0.
enum class Bilateral { mid_zero, end_zero };
constexpr auto names_of(JointLevel) {
  using enum JointLevel;
  return std::array{NamedValue{position, "position"}, NamedValue{velocity, "velocity"},
                    NamedValue{both, "both"}};
}
constexpr auto names_of(Bilateral) {
  using enum Bilateral;
  return std::array{NamedValue{mid_zero, "mid_zero"}, NamedValue{end_zero, "end_zero"}};
}

/// How the state is advanced over an interval.
/// stepping: by the schemes of the bodies, in steps that do not locate events inside them.
/// events:   by high-order integrators between events, which are located
///           (event_driven/event_integrator.h).
/// statics:  by equilibria, without inertia and damping; time is the parameter of the loads
///           (statics/equilibrium.h).
enum class TimeMode { stepping, events, statics };
constexpr auto names_of(TimeMode) {
  using enum TimeMode;
  return std::array{NamedValue{stepping, "stepping"}, NamedValue{events, "events"},
                    NamedValue{statics, "static"}};
}

/// Integrator of event-driven integration. automatic: chosen by tolerance and by the stiffness of
/// the forces.
enum class OdeKind { automatic, dormand_prince_5, dormand_prince_8, esdirk };
constexpr auto names_of(OdeKind) {
  using enum OdeKind;
  return std::array{NamedValue{automatic, "auto"}, NamedValue{dormand_prince_5, "dormand-prince-5"},
                    NamedValue{dormand_prince_8, "dormand-prince-8"}, NamedValue{esdirk, "esdirk"}};
}

/// Treatment of simultaneous impacts.
/// simultaneous: the law of every contact holds for the velocities after the impact.
/// sequential:   one contact at a time, the fastest closing one first, until none closes.
/// energetic:    the impulses grow together, each contact returns e^2 of the work it absorbed.
enum class ImpactOrder { simultaneous, sequential, energetic };
constexpr auto names_of(ImpactOrder) {
  using enum ImpactOrder;
  return std::array{NamedValue{simultaneous, "simultaneous"}, NamedValue{sequential, "sequential"},
                    NamedValue{energetic, "energetic"}};
}

/// Event-driven integration.
struct EventOptions {
  OdeKind method = OdeKind::automatic;
  double tolerance = 1e-9;  ///< error per step, relative to the magnitude of the motion [1]
  ImpactOrder impacts = ImpactOrder::simultaneous;
  /// Bounces lower than this are replaced by the closed sum of their Zeno sequence [m]; 0: never.
  double zeno = 1e-9;
  int limit = 50;   ///< largest number of events in an interval StepOptions::h
  int closed = 20;  ///< largest number of sticking or sliding contacts
  /// Beyond `limit` or `closed` the schemes of the bodies step until events are rare again; false:
  /// the run fails.
  bool hand_over = true;

  bool operator==(const EventOptions&) const = default;
};

}  // namespace saltus
