// Rule that decides which contacts of a velocity-level law enter the problem of a step, and whether
// they close their gaps.
#pragma once
#include <array>
#include <optional>

#include "saltus/base/options.h"

namespace saltus {

/// Law of a contact that is admitted while its gap is still open; e is its restitution.
///
///     siconos:      0 <= u1 + e u0 perp P >= 0
///                       in every step: under load it keeps the gap at which it was admitted
///     gap_closing:  0 <= u1 + e u0 perp P >= 0
///                       in an impact
///                   0 <= u1 + max(Y, 0)/h perp P >= 0
///                       under sustained load, and always if e = 0
///
/// Y is the gap at the end of the step if u1 = 0: y1 = Y + g h u1, g the gain of the scheme. A
/// point above the obstacle that would reach it in this step continues to it: the step ends at gap
/// (1 - g) Y with rate -Y/h, the next one at gap and rate 0. Load is sustained if the contact
/// carried an impulse in the previous step and its rebound e |u0| is less than a hundredth of the
/// rate that the load adds in the step, u0 - u_free: such a Zeno sequence ends within a fiftieth of
/// a step. Where the contact opens, u0 > 0, its row is never below that of the impact, e u0. A
/// bonded contact keeps its present gap.
enum class ActivationKind { gap_closing, siconos };
constexpr auto names_of(ActivationKind) {
  using enum ActivationKind;
  return std::array{NamedValue{gap_closing, "gap-closing"}, NamedValue{siconos, "siconos"}};
}

/// Admits contacts with  g + forecast h u <= threshold  at the contact instant, g the gap [m],
/// u = H v0 its rate at the start of the step [m/s].
struct Activation {
  double forecast = 0.0;            ///< w [1]; 1/2 at instant start (Siconos), 0 at middle and end
  double threshold = 0.0;           ///< [m]
  double velocity_threshold = 0.0;  ///< [m/s], used with closing_only
  bool closing_only = false;        ///< additionally u <= velocity_threshold
  ActivationKind kind = ActivationKind::gap_closing;

  /// u is needed only with a forecast or closing_only.
  bool reads_rate() const { return forecast != 0.0 || closing_only; }
  /// `loaded`: the contact carried an impulse in the previous step. gap_closing keeps it admitted,
  /// because a resting contact has rates of either sign; a rate that opens it is reversed without
  /// work.
  bool admits(double gap, double u, double h, bool loaded) const {
    const double ahead = forecast != 0.0 ? gap + forecast * h * u : gap;
    const bool rests = loaded && kind == ActivationKind::gap_closing;
    return ahead <= threshold && (!closing_only || u <= velocity_threshold || rests);
  }
};

/// Activation as scenes write it.
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
              "a contact is active if its forecast gap is at most this; 0 when not given"),
        field("velocity_threshold", &T::velocity_threshold, unit::m_per_s, kAnyNumber,
              "with closing_only: a contact is active only if its gap velocity is at most this"),
        field("closing_only", &T::closing_only,
              "only approaching contacts are active; with kind gap-closing also loaded contacts, "
              "whose opening velocity is reversed without work"),
        field("kind", &T::kind,
              "gap-closing: under sustained load, or with restitution 0, a contact closes its gap; "
              "siconos: it keeps the gap at which it became active, as in Siconos; when not given, "
              "siconos if a forecast, a threshold or contact.instant: start is given, else "
              "gap-closing"));
  }
};

}  // namespace saltus
