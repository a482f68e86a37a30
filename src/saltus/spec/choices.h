// Choices a scene makes for the whole run.
#pragma once
#include <array>
#include <cstdint>

#include "saltus/base/options.h"

namespace saltus {

/// Where gaps, normals and arms of a step are taken.
enum class ContactInstant { end, middle, start };
constexpr auto names_of(ContactInstant) {
  using enum ContactInstant;
  return std::array{NamedValue{end, "end"}, NamedValue{middle, "middle"},
                    NamedValue{start, "start"}};
}

/// What to do when the contact problem or the passes of a step do not converge.
enum class OnFailure { stop, halve, accept };
constexpr auto names_of(OnFailure) {
  using enum OnFailure;
  return std::array{NamedValue{stop, "stop"}, NamedValue{halve, "halve"},
                    NamedValue{accept, "accept"}};
}

/// What joints restrict at the end of a step.
/// position: g(q1) = 0, where the impulse acts at mid-step; needs a scheme of gain > 0.
/// velocity: G v alone, which lets g drift in O(h^2).   both: position, then G v1 = 0 by a last
/// impulse on v1.
enum class JointLevel { position, velocity, both };
/// At level velocity: mid_zero  G (v0 + v1) = 0, which does no work; end_zero  G v1 = 0.
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

/// Who carries the state from one end of an interval to the other.
/// stepping: the schemes of the bodies, in steps that know nothing of what happens inside them.
/// events:   integrators of high order between events, which are located
/// (event_driven/event_integrator.h).
enum class TimeMode { stepping, events };
constexpr auto names_of(TimeMode) {
  using enum TimeMode;
  return std::array{NamedValue{stepping, "stepping"}, NamedValue{events, "events"}};
}

/// Integrator of event-driven integration. automatic: by tolerance, and by how stiff the forces
/// are.
enum class OdeKind { automatic, dormand_prince_5, dormand_prince_8, esdirk };
constexpr auto names_of(OdeKind) {
  using enum OdeKind;
  return std::array{NamedValue{automatic, "auto"}, NamedValue{dormand_prince_5, "dormand-prince-5"},
                    NamedValue{dormand_prince_8, "dormand-prince-8"}, NamedValue{esdirk, "esdirk"}};
}

/// How contacts that touch at one instant share an impact.
/// simultaneous: the law of every contact holds on the velocities behind the impact.
/// sequential:   one contact at a time, the one that closes fastest first, until none closes.
/// energetic:    the impulses grow together, each contact gives back e^2 of the work it took in.
enum class ImpactOrder { simultaneous, sequential, energetic };
constexpr auto names_of(ImpactOrder) {
  using enum ImpactOrder;
  return std::array{NamedValue{simultaneous, "simultaneous"}, NamedValue{sequential, "sequential"},
                    NamedValue{energetic, "energetic"}};
}

/// Event-driven integration.
struct EventOptions {
  OdeKind method = OdeKind::automatic;
  double tolerance = 1e-9;  ///< of a step, relative to what moves in it [1]
  ImpactOrder impacts = ImpactOrder::simultaneous;
  /// Bounces lower than this are summed up to the end of their Zeno sequence [m]; 0: never.
  double zeno = 1e-9;
  int limit = 50;   ///< most events in an interval StepOptions::h
  int closed = 20;  ///< most contacts that stick or slide
  /// Beyond `limit` or `closed` the schemes of the bodies step until it is quieter; false: the run
  /// fails.
  bool hand_over = true;

  bool operator==(const EventOptions&) const = default;
};

}  // namespace saltus
