// Which points a law at the level of velocities lets into the problem of a step, and whether they
// close their gaps.
#pragma once
#include <array>
#include <optional>

#include "saltus/base/options.h"

namespace saltus {

/// What holds of a point that is let in while its gap is still open, e its restitution.
///
///     siconos:      0 <= u1 + e u0 perp P >= 0
///         in every step: under load it keeps the gap with which it came in
///     gap_closing:  0 <= u1 + e u0 perp P >= 0         in an impact,
///                   0 <= u1 + max(Y, 0)/h perp P >= 0
///                       under load that lasts, and always where e = 0
///
/// Y is the gap with which the step ends if u1 = 0: y1 = Y + g h u1, g the gain of the scheme. A
/// point above the obstacle, which it would reach in this step, goes on to it: the step ends at (1
/// - g) Y with the rate -Y/h, the next at gap and rate 0. Load lasts where the point carried an
/// impulse in the step before and its rebound e |u0| is less than a hundredth of what the load adds
/// to its rate in the step, u0 - u_free: such a Zeno sequence ends within a fiftieth of a step.
/// Where it opens, u0 > 0, its row is never below that of the impact, e u0. A bond holds its point
/// at the gap that it has.
enum class ActivationKind { gap_closing, siconos };
constexpr auto names_of(ActivationKind) {
  using enum ActivationKind;
  return std::array{NamedValue{gap_closing, "gap-closing"}, NamedValue{siconos, "siconos"}};
}

/// Those with  g + forecast h u <= threshold  at the contact instant, g the gap [m], u = H v0 its
/// rate at the start of the step [m/s].
struct Activation {
  double forecast = 0.0;            ///< w [1]; 1/2 at instant start (Siconos), 0 at middle and end
  double threshold = 0.0;           ///< [m]
  double velocity_threshold = 0.0;  ///< [m/s], read with closing_only
  bool closing_only = false;        ///< additionally u <= velocity_threshold
  ActivationKind kind = ActivationKind::gap_closing;

  /// u is read with a forecast or closing_only only.
  bool reads_rate() const { return forecast != 0.0 || closing_only; }
  /// loaded: it carried an impulse in the step before. gap_closing keeps it in, for what rests has
  /// rates of either sign, and turns what opens back without work.
  bool admits(double gap, double u, double h, bool loaded) const {
    const double ahead = forecast != 0.0 ? gap + forecast * h * u : gap;
    const bool rests = loaded && kind == ActivationKind::gap_closing;
    return ahead <= threshold && (!closing_only || u <= velocity_threshold || rests);
  }
};

/// The same as scenes write it.
struct ActivationOptions {
  std::optional<double> forecast;
  std::optional<double> threshold;
  double velocity_threshold = 0.0;
  bool closing_only = false;
  std::optional<ActivationKind> kind;

  bool operator==(const ActivationOptions&) const = default;
  static constexpr auto fields() {
    using T = ActivationOptions;
    return field_rows(
        field("forecast", &T::forecast, between(0.0, 1.0),
              "weight w of the forecast gap g + w h u; 1/2 if contact.instant is start, else 0, "
              "when not given"),
        field("threshold", &T::threshold, unit::m, kAnyNumber,
              "a contact is active if its forecast gap is not above; 0 when not given"),
        field("velocity_threshold", &T::velocity_threshold, unit::m_per_s, kAnyNumber,
              "with closing_only: active if the gap's velocity is not above"),
        field(
            "closing_only", &T::closing_only,
            "only contacts that approach are active; with kind gap-closing also those under load, "
            "which turn back without work where they open"),
        field(
            "kind", &T::kind,
            "gap-closing: under load that lasts, or with restitution 0, a contact closes its gap; "
            "siconos: it keeps the gap at which it became active, as in Siconos; when not given, "
            "siconos where a forecast, a threshold or contact.instant: start is given, else "
            "gap-closing"));
  }
};

}  // namespace saltus
