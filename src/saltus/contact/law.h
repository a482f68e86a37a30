// Options of the contact laws, as scenes, the command line and Python write them.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/base/options.h"

namespace saltus {

/// 0 <= gap at the end of the step perp impulse >= 0.
struct SignoriniPosition {
  static constexpr std::string_view name = "signorini-position";
  static constexpr std::string_view help =
      "no penetration at the end of each step; the impact loses what it must";

  bool operator==(const SignoriniPosition&) const = default;
  static constexpr auto fields() { return std::tuple{}; }
};

/// Which contacts enter the problem of a step under a velocity law.
struct ActivationOptions {
  std::optional<double> forecast;
  double threshold = 0.0;
  double velocity_threshold = 0.0;
  bool closing_only = false;

  bool operator==(const ActivationOptions&) const = default;
  static constexpr auto fields() {
    using T = ActivationOptions;
    return std::tuple{
        field("forecast", &T::forecast, between(0.0, 1.0),
              "weight w of the forecast gap g + w h u; 1/2 if contact.instant is start, else 0, "
              "when not given"),
        field("threshold", &T::threshold, unit::m, kAnyNumber,
              "a contact is active if its forecast gap is not above"),
        field("velocity_threshold", &T::velocity_threshold, unit::m_per_s, kAnyNumber,
              "with closing_only: active if the gap's velocity is not above"),
        field("closing_only", &T::closing_only, "only contacts that approach are active")};
  }
};

/// 0 <= u1 + e u0 perp impulse >= 0 on active contacts.
struct NewtonImpact {
  static constexpr std::string_view name = "newton-impact";
  static constexpr std::string_view help =
      "velocity after = -restitution times velocity before, on active contacts";

  double restitution = 0.0;
  ActivationOptions activation;

  bool operator==(const NewtonImpact&) const = default;
  static constexpr auto fields() {
    using T = NewtonImpact;
    return std::tuple{
        field("restitution", &T::restitution, between(0.0, 1.0), "Newton's coefficient e"),
        field("activation", &T::activation, "which contacts enter the problem of a step")};
  }
};

/// 0 <= gap(next) + e gap(previous) perp impulse >= 0.
struct SchatzmanPaoli {
  static constexpr std::string_view name = "schatzman-paoli";
  static constexpr std::string_view help =
      "gap of the next step = -restitution times gap of the previous one";

  double restitution = 0.0;

  bool operator==(const SchatzmanPaoli&) const = default;
  static constexpr auto fields() {
    return std::tuple{field("restitution", &SchatzmanPaoli::restitution, between(0.0, 1.0),
                            "coefficient e of the two gaps")};
  }
};

using LawChoice = std::variant<SignoriniPosition, NewtonImpact, SchatzmanPaoli>;

}  // namespace saltus
