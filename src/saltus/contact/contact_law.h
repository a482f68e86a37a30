// A contact law with every default resolved: what the rows of a contact obey.
#pragma once
#include <cmath>

namespace saltus {

/// Which points a velocity-level law lets into the problem: those with  g + forecast h u <= threshold  at the contact
/// instant, g the gap [m], u = H v0 its rate at the start of the step [m/s].
struct Activation {
  double forecast = 0.0;            ///< w [1]; 1/2 at instant start (Siconos), 0 at middle and end
  double threshold = 0.0;           ///< [m]
  double velocity_threshold = 0.0;  ///< [m/s], read with closing_only
  bool closing_only = false;        ///< additionally u <= velocity_threshold

  /// u is read with a forecast or closing_only only.
  bool admits(double gap, double u, double h) const {
    const double ahead = forecast != 0.0 ? gap + forecast * h * u : gap;
    return ahead <= threshold && (!closing_only || u <= velocity_threshold);
  }
};

/// Force of a compliant contact [N], y the gap and u its rate, d = max(-y, 0):
///     N = k d^p - c u >= 0,   c > 0 with p = 1, middle or end only
struct ContactSpring {
  /// middle: at (y0 + y1)/2 and (u0 + u1)/2. end: at y1 and u1. mean: of k d^p over the way from y0 to y1 (spring.h).
  enum class At { mean, middle, end };
  double stiffness = 0.0;  ///< k [N/m^p]
  double exponent = 1.0;   ///< p >= 1
  double damping = 0.0;    ///< c [N s/m]
  At at = At::mean;
  bool pulls =
      false;  ///< N of either sign, at any gap: a spring, not an obstacle; linear() ones only

  /// One complementarity row, exact in one pass.
  bool linear() const { return exponent == 1.0 && at != At::mean; }
};

/// Friction that falls with the slip s [m/s] from 1 to `ratio` of its strength at rest, along a hyperbola:
///     f(s) = ratio + (1 - ratio) speed/(speed + |s|)
struct FallingFriction {
  double ratio = 1.0;  ///< of fast slip to rest [1]; 1: the same at every slip
  double speed = 1.0;  ///< half of the fall is done here [m/s]

  bool falls() const { return ratio != 1.0; }
  double share(double slip) const {
    return ratio + (1.0 - ratio) * speed / (speed + std::abs(slip));
  }
  double slope(double slip) const {  ///< df/d|s| [s/m]
    const double x = speed + std::abs(slip);
    return -(1.0 - ratio) * speed / (x * x);
  }
};

/// On the normal row, y the gap and u its rate, 0 and 1 the ends of the step:
struct ContactLaw {
  /// signorini_position: 0 <= y1 perp P >= 0.
  /// newton_impact:      0 <= u1 + e u0 perp P >= 0 on the active points (Fremond's law too).
  /// poisson_impact:     P = (1 + e) P_c + P_x: 0 <= u_c perp P_c >= 0 without P_x, then 0 <= u1 perp P_x >= 0.
  /// stewart_trinkle:    0 <= u1 + max(y0, 0)/h perp P >= 0.
  /// schatzman_paoli:    0 <= y1 + e y_- perp P >= 0, y_- = gap one step before the start.
  /// compliant:          P = h N of ContactSpring.
  /// equality:           u1 = velocity.
  /// relay:              -P in h bound f(s) Sgn(s), s = (u1 + tangential u0)/(1 + tangential) - velocity.
  enum class Rule {
    signorini_position,
    newton_impact,
    schatzman_paoli,
    equality,
    poisson_impact,
    stewart_trinkle,
    compliant,
    relay
  };
  Rule rule = Rule::signorini_position;
  double restitution = 0.0;  ///< e [1]
  /// mu [1]: with tangential rows, P in {|P_T| <= mu P_N} and -(u1_T + tangential u0_T) along P_T where it is on the
  /// boundary. `tangential` is e_T of Newton's law, 1 for the mean slip, (1 - theta)/theta for Fremond's law. Moments
  /// see u1 alone.
  double friction = 0.0;
  double tangential = 0.0;
  double rolling =
      0.0;  ///< mu_R [m] of rolling friction between bodies that turn, with friction only
  double spinning = 0.0;  ///< sigma [m] of spinning friction, likewise, in space only
  /// c [N], pull that a contact bears: P_N >= -h c, and with it friction. Lost when the contact opens.
  double cohesion = 0.0;
  double bound = 0.0;     ///< of a relay at rest [N]
  double velocity = 0.0;  ///< of an equality, of the surface that rubs under a relay [m/s]
  FallingFriction
      falling{};  ///< f(s) of the bound of a relay, or of mu with s = |u1_T + tangential u0_T|/(1 + tangential)
  ContactSpring spring{};
  Activation activation{};

  /// True when the row restricts gaps: legal in a main stage between groups of gain 1 only.
  bool position_level() const {
    return rule == Rule::signorini_position || rule == Rule::schatzman_paoli;
  }
  /// What a velocity-level law adds to u1 on its normal row, and schatzman_paoli to y1/h; y0, u0 the gap and its rate at
  /// the start. (poisson_impact and compliant have rows of another form.)
  double term(double y0, double u0, double h) const {
    switch (rule) {
      case Rule::newton_impact:
        return restitution * u0;
      case Rule::stewart_trinkle:
        return (y0 > 0.0 ? y0 : 0.0) / h;
      case Rule::schatzman_paoli:  // y_- = y0 - h u0
        return restitution * (y0 / h - u0);
      case Rule::equality:
        return -velocity;
      case Rule::relay:  // (1 + tangential) s
        return tangential * u0 - (1.0 + tangential) * velocity;
      default:
        return 0.0;
    }
  }
  /// Rows in every problem whatever the gap, which is no penetration.
  bool bilateral() const {
    return rule == Rule::equality || rule == Rule::relay ||
           (rule == Rule::compliant && spring.pulls);
  }
  /// Whether the strength of friction depends on the slip: it is found in passes.
  bool falls() const { return falling.falls() && (rule == Rule::relay || friction > 0.0); }
  /// Taken in by the rule of Activation.
  bool activated() const { return rule == Rule::newton_impact || rule == Rule::poisson_impact; }
};

}  // namespace saltus
