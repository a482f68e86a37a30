// Which points a law at the level of velocities lets into the problem of a step.
#pragma once
#include <optional>

#include "saltus/base/options.h"

namespace saltus {

/// Those with  g + forecast h u <= threshold  at the contact instant, g the gap [m], u = H v0 its rate at the start of
/// the step [m/s].
struct Activation {
  double forecast = 0.0;            ///< w [1]; 1/2 at instant start (Siconos), 0 at middle and end
  double threshold = 0.0;           ///< [m]
  double velocity_threshold = 0.0;  ///< [m/s], read with closing_only
  bool closing_only = false;        ///< additionally u <= velocity_threshold

  /// u is read with a forecast or closing_only only.
  bool reads_rate() const { return forecast != 0.0 || closing_only; }
  bool admits(double gap, double u, double h) const {
    const double ahead = forecast != 0.0 ? gap + forecast * h * u : gap;
    return ahead <= threshold && (!closing_only || u <= velocity_threshold);
  }
};

/// The same as scenes write it.
struct ActivationOptions {
  std::optional<double> forecast;
  double threshold = 0.0;
  double velocity_threshold = 0.0;
  bool closing_only = false;

  bool operator==(const ActivationOptions&) const = default;
  static constexpr auto fields() {
    using T = ActivationOptions;
    return field_rows(
        field("forecast", &T::forecast, between(0.0, 1.0),
              "weight w of the forecast gap g + w h u; 1/2 if contact.instant is start, else 0, "
              "when not given"),
        field("threshold", &T::threshold, unit::m, kAnyNumber,
              "a contact is active if its forecast gap is not above"),
        field("velocity_threshold", &T::velocity_threshold, unit::m_per_s, kAnyNumber,
              "with closing_only: active if the gap's velocity is not above"),
        field("closing_only", &T::closing_only, "only contacts that approach are active"));
  }
};

}  // namespace saltus
