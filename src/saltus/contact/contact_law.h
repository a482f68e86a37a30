// A contact law with every default resolved: what one row of a contact obeys.
#pragma once

namespace saltus {

/// Which points a velocity-level law lets into the problem: those with  g + forecast h u <= threshold  at the contact
/// instant, g the gap [m], u = H v0 its rate at the start of the step [m/s].
struct Activation {
  double forecast = 0.0;            ///< w [1]; 1/2 at instant start (Siconos), 0 at middle and end
  double threshold = 0.0;           ///< [m]
  double velocity_threshold = 0.0;  ///< [m/s], read with closing_only
  bool closing_only = false;        ///< additionally u <= velocity_threshold
};

struct ContactLaw {
  /// signorini_position: 0 <= y1 perp P >= 0.
  /// newton_impact:      0 <= u1 + e u0 perp P >= 0 on the active points.
  /// schatzman_paoli:    0 <= y1 + e y_- perp P >= 0, y_- = gap one step before the start.
  /// equality:           u1 = 0.
  enum class Rule { signorini_position, newton_impact, schatzman_paoli, equality };
  Rule rule = Rule::signorini_position;
  double restitution = 0.0;  ///< e [1]
  Activation activation;

  /// True when the row restricts gaps: legal in a main stage between groups of gain 1 only.
  bool position_level() const {
    return rule == Rule::signorini_position || rule == Rule::schatzman_paoli;
  }
};

}  // namespace saltus
