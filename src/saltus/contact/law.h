// Options of the contact laws, as scenes, the command line and Python write them.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/base/options.h"
#include "saltus/contact/contact_law.h"

namespace saltus {

/// 0 <= gap at the end of the step perp impulse >= 0.
struct SignoriniPosition {
  static constexpr std::string_view name = "signorini-position";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "no penetration at the end of each step; the impact loses what it must";

  bool operator==(const SignoriniPosition&) const = default;
  static constexpr auto fields() { return field_rows(); }
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

/// Which velocity the tangential rows of a friction law restrict.
enum class Slip { end, mean };
constexpr auto names_of(Slip) {
  using enum Slip;
  return std::array{NamedValue{end, "end"}, NamedValue{mean, "mean"}};
}

/// Friction that is weaker the faster it slips, as that of rosin.
struct FallingOptions {
  double ratio = 0.0, speed = 0.0;

  bool operator==(const FallingOptions&) const = default;
  static constexpr auto fields() {
    using T = FallingOptions;
    return field_rows(required("ratio", &T::ratio, between(0.0, 1.0),
                               "strength while it slips fast, of the strength at rest"),
                      required("speed", &T::speed, unit::m_per_s, kPositive,
                               "slip at which half of the fall is done: strength = ratio + "
                               "(1 - ratio) speed/(speed + slip)"));
  }
};

/// 0 <= u1 + e u0 perp impulse >= 0 on active contacts, Coulomb's cone of friction.
struct NewtonImpact {
  static constexpr std::string_view name = "newton-impact";
  static constexpr std::string_view reference = "Moreau1988";
  static constexpr std::string_view help =
      "velocity after = -restitution times velocity before, on active contacts; Coulomb friction";

  double restitution = 0.0;
  double friction = 0.0;
  double restitution_tangential = 0.0;
  Slip slip = Slip::end;
  std::optional<FallingOptions> falling;
  ActivationOptions activation;
  double rolling = 0.0;
  double spinning = 0.0;
  double cohesion = 0.0;

  bool operator==(const NewtonImpact&) const = default;
  std::optional<Fault> fault() const {
    if (slip == Slip::mean && restitution_tangential != 0.0)
      return Fault{"slip", "`mean` takes the place of restitution_tangential", "give one of them"};
    if (friction == 0.0 && (restitution_tangential != 0.0 || slip == Slip::mean))
      return Fault{restitution_tangential != 0.0 ? "restitution_tangential" : "slip",
                   "is read with friction only", "give friction"};
    if (friction == 0.0 && falling)
      return Fault{"falling", "is read with friction only", "give friction"};
    if (friction == 0.0 && rolling != 0.0)
      return Fault{"rolling", "is read with friction only", "give friction"};
    if (friction == 0.0 && spinning != 0.0)
      return Fault{"spinning", "is read with friction only", "give friction"};
    return {};
  }
  static constexpr auto fields() {
    using T = NewtonImpact;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Newton's coefficient e"),
        field("friction", &T::friction, kNotNegative,
              "Coulomb's coefficient: tangential force <= friction times normal force"),
        field("restitution_tangential", &T::restitution_tangential, between(0.0, 1.0),
              "tangential velocity after = -this times the one before, while the contact sticks"),
        field("slip", &T::slip,
              "end: friction opposes the slip at the end of the step; mean: that of its ends "
              "together, so that it never does positive work"),
        field("falling", &T::falling, "friction falls with the slip; the same when not given"),
        field("activation", &T::activation, "which contacts enter the problem of a step"),
        field("rolling", &T::rolling, unit::m, kNotNegative,
              "between shapes: moment against rolling <= this times the normal force"),
        field("spinning", &T::spinning, unit::m, kNotNegative,
              "between shapes, in space: moment against spinning about the normal <= this times "
              "the normal force; 2/3 friction times its radius for a round face"),
        field("cohesion", &T::cohesion, unit::N, kNotNegative,
              "between shapes: pull that each contact point bears, from the start until it first "
              "opens; friction counts it as pressure"));
  }
};

/// Fremond's law: Newton's and Coulomb's on theta u1 + (1 - theta) u0, theta of the scheme.
struct Fremond {
  static constexpr std::string_view name = "fremond";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "Newton impact with Coulomb friction on the slip theta u1 + (1 - theta) u0 of the scheme";

  double restitution = 0.0;
  double friction = 0.0;
  ActivationOptions activation;

  bool operator==(const Fremond&) const = default;
  static constexpr auto fields() {
    using T = Fremond;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Newton's coefficient e"),
        field("friction", &T::friction, kNotNegative, "Coulomb's coefficient"),
        field("activation", &T::activation, "which contacts enter the problem of a step"));
  }
};

/// Poisson's law of impact: an impulse of expansion at least e times that of compression.
struct PoissonImpact {
  static constexpr std::string_view name = "poisson-impact";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "impulse of expansion = restitution times impulse of compression, on active contacts";

  double restitution = 0.0;
  ActivationOptions activation;

  bool operator==(const PoissonImpact&) const = default;
  static constexpr auto fields() {
    using T = PoissonImpact;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Poisson's coefficient e"),
        field("activation", &T::activation, "which contacts enter the problem of a step"));
  }
};

/// 0 <= u1 + max(gap, 0)/h perp impulse >= 0 with the gap at the start of the step.
struct StewartTrinkle {
  static constexpr std::string_view name = "stewart-trinkle";
  static constexpr std::string_view reference = "StewartTrinkle1996";
  static constexpr std::string_view help =
      "no penetration of the linearised gap; the impact loses what it must; Coulomb friction";

  double friction = 0.0;

  bool operator==(const StewartTrinkle&) const = default;
  static constexpr auto fields() {
    return field_rows(
        field("friction", &StewartTrinkle::friction, kNotNegative, "Coulomb's coefficient"));
  }
};

/// Velocity along the normal held at a value, by forces of either sign.
struct Equality {
  static constexpr std::string_view name = "equality";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help = "velocity along the normal prescribed, whatever the gap";

  double velocity = 0.0;

  bool operator==(const Equality&) const = default;
  static constexpr auto fields() {
    return field_rows(field("velocity", &Equality::velocity, unit::m_per_s, kAnyNumber,
                            "rate of the gap that the law holds"));
  }
};

/// Dry friction of a given strength along the normal, on a surface that may move: -F in bound Sgn(u1 - velocity).
struct Relay {
  static constexpr std::string_view name = "relay";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "force of given strength against the slip along the normal, whatever the gap: dry friction, "
      "a bow";

  double bound = 0.0, velocity = 0.0;
  Slip slip = Slip::end;
  std::optional<FallingOptions> falling;

  bool operator==(const Relay&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("bound", &Relay::bound, unit::N, kPositive, "largest force, either way"),
        field("velocity", &Relay::velocity, unit::m_per_s, kAnyNumber,
              "of the surface that rubs, along the normal: of a bow, a belt"),
        field("slip", &Relay::slip,
              "end: friction opposes the slip at the end of the step; mean: that of its ends "
              "together, so that it never does positive work"),
        field("falling", &Relay::falling,
              "the largest force falls with the slip; the same when not given"));
  }
};

constexpr auto names_of(ContactSpring::At) {
  using enum ContactSpring::At;
  return std::array{NamedValue{mean, "mean"}, NamedValue{middle, "middle"}, NamedValue{end, "end"}};
}
/// A spring that pushes: force = stiffness * penetration^exponent.
struct Compliant {
  using At = ContactSpring::At;
  static constexpr std::string_view name = "compliant";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "force = stiffness times penetration to a power, linear, Hertz or felt";

  double stiffness = 0.0;
  double exponent = 1.0;
  double damping = 0.0;
  std::optional<At> at;

  /// mean when not given, middle with damping.
  At at_value() const { return at.value_or(damping > 0.0 ? At::middle : At::mean); }

  bool operator==(const Compliant&) const = default;
  std::optional<Fault> fault() const {
    if (damping != 0.0 && exponent != 1.0)
      return Fault{"damping", "is for linear springs", "exponent: 1"};
    if (damping != 0.0 && at == At::mean)
      return Fault{"damping", "has no mean over the way", "at: middle or end"};
    return {};
  }
  static constexpr auto fields() {
    using T = Compliant;
    return field_rows(
        required("stiffness", &T::stiffness, kPositive, "k of force = k penetration^p [N/m^p]"),
        field("exponent", &T::exponent, between(1.0, 10.0), "p: 1 linear, 1.5 Hertz"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative,
              "c of force = k penetration - c rate of the gap, never below 0"),
        field("at", &T::at,
              "the force of a step is that of the gap in its middle, at its end (order 1, loses "
              "energy), or the mean over its way, which keeps the energy; mean when not given, "
              "middle with damping"));
  }
};
/// 0 <= gap(next) + e gap(previous) perp impulse >= 0.
struct SchatzmanPaoli {
  static constexpr std::string_view name = "schatzman-paoli";
  static constexpr std::string_view reference = "Schatzman1978 PaoliSchatzman1993";
  static constexpr std::string_view help =
      "gap of the next step = -restitution times gap of the previous one";

  double restitution = 0.0;

  bool operator==(const SchatzmanPaoli&) const = default;
  static constexpr auto fields() {
    return field_rows(field("restitution", &SchatzmanPaoli::restitution, between(0.0, 1.0),
                            "coefficient e of the two gaps"));
  }
};

using LawChoice = std::variant<SignoriniPosition, NewtonImpact, SchatzmanPaoli, Fremond,
                               PoissonImpact, StewartTrinkle, Compliant, Relay, Equality>;

}  // namespace saltus
