// Options of Moreau-Jean time stepping.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "saltus/base/options.h"

namespace saltus {

/// Moreau-Jean time stepping: theta rule for smooth forces, implicit impulses.
struct MoreauJeanOptions {
  static constexpr std::string_view name = "moreau-jean";
  static constexpr std::string_view help =
      "theta rule for smooth forces, impulses at velocity level";

  enum class Quadrature { mid, ends };
  enum class MassAt { theta, iterate, start };
  enum class Newton { full, full_with_detection, one_pass, one_pass_refreshed };
  enum class Tangent { refreshed, frozen, exact };
  enum class Criterion { velocity_change, residual, relative_increment };
  enum class Operators { refreshed, frozen };
  enum class Dashpots { theta, decaying };

  double theta = 0.5;
  Quadrature quadrature = Quadrature::mid;
  MassAt mass_at = MassAt::theta;
  Newton newton = Newton::full;
  Tangent tangent = Tangent::refreshed;
  Operators operators = Operators::refreshed;
  Criterion criterion = Criterion::velocity_change;
  Dashpots dashpots = Dashpots::theta;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;
  std::optional<double> gamma;
  std::optional<bool> use_gamma;
  bool use_gamma_for_relation = false;

  /// True if the activation rule uses gamma: the value of use_gamma or, without it, true if gamma
  /// is given.
  bool forecasts() const { return use_gamma.value_or(gamma.has_value()); }

  std::optional<Fault> fault() const {
    if (dashpots == Dashpots::decaying && quadrature == Quadrature::ends)
      return Fault{"dashpots", "'decaying' needs `quadrature: mid`", ""};
    return std::nullopt;
  }
  bool operator==(const MoreauJeanOptions&) const = default;
  static constexpr auto fields() {
    using T = MoreauJeanOptions;
    return field_rows(
        field("theta", &T::theta, between(0.0, 1.0),
              "implicitness; 1/2 conserves energy, above it damps, below it undamped motion grows"),
        field(
            "quadrature", &T::quadrature,
            "mid: one force, at the state q0 + theta h v_theta; ends: forces at the start and the "
            "end of the step, weighted by 1 - theta and theta, as in Siconos. Both agree for "
            "linear bodies under constant load"),
        field("mass_at", &T::mass_at,
              "where a mass matrix that depends on the configuration is evaluated; theta: at q0 + "
              "theta h v_theta; iterate: at the end of the step; start: at its start. Only theta "
              "keeps order 2"),
        field("newton", &T::newton,
              "full: passes until the criterion is satisfied; full-with-detection: active contacts "
              "are detected again in each pass; one-pass: one linear solve about the start; "
              "one-pass-refreshed: one about the predicted end"),
        field("tangent", &T::tangent,
              "refreshed: the operator A is computed in each pass; frozen: once per step, at its "
              "start; exact: in each pass with the derivative of M(q), for quadratic convergence "
              "(A unsymmetric)"),
        field("operators", &T::operators,
              "contact rows H; refreshed: evaluated at each iterate; frozen: kept from the first "
              "pass"),
        field("criterion", &T::criterion,
              "quantity compared with newton_tolerance: the velocity change of a pass, the "
              "residual of the equation of the step, or |dq|/(1 + |q0|)"),
        field("dashpots", &T::dashpots,
              "velocity at which forces are evaluated; theta: v_theta; decaying: nearer to the end "
              "of "
              "the step where the fastest dashpot, drag or mass-proportional damping has h c/m > "
              "2, so "
              "that its motion decays instead of reversing in every step; needs `quadrature: mid`. "
              "Bodies whose scheme is not named have `decaying`"),
        field("newton_tolerance", &T::newton_tolerance, kPositive,
              "the passes of a step end when the criterion is below this value"),
        field("newton_iterations", &T::newton_iterations, at_least(1),
              "largest number of passes of a step"),
        field("gamma", &T::gamma, between(0.0, 1.0),
              "weight of the end velocity in the forecast of the activation rule; giving it "
              "implies use_gamma"),
        field("use_gamma", &T::use_gamma,
              "forecast gaps with gamma instead of the law's own weight; true when gamma is given"),
        field("use_gamma_for_relation", &T::use_gamma_for_relation,
              "accepted for compatibility with settings of Siconos; has no effect"));
  }
};
constexpr auto names_of(MoreauJeanOptions::Quadrature) {
  using enum MoreauJeanOptions::Quadrature;
  return std::array{NamedValue{mid, "mid"}, NamedValue{ends, "ends"}};
}
constexpr auto names_of(MoreauJeanOptions::MassAt) {
  using enum MoreauJeanOptions::MassAt;
  return std::array{NamedValue{theta, "theta"}, NamedValue{iterate, "iterate"},
                    NamedValue{start, "start"}};
}
constexpr auto names_of(MoreauJeanOptions::Newton) {
  using enum MoreauJeanOptions::Newton;
  return std::array{
      NamedValue{full, "full"}, NamedValue{full_with_detection, "full-with-detection"},
      NamedValue{one_pass, "one-pass"}, NamedValue{one_pass_refreshed, "one-pass-refreshed"}};
}
constexpr auto names_of(MoreauJeanOptions::Tangent) {
  using enum MoreauJeanOptions::Tangent;
  return std::array{NamedValue{refreshed, "refreshed"}, NamedValue{frozen, "frozen"},
                    NamedValue{exact, "exact"}};
}
constexpr auto names_of(MoreauJeanOptions::Criterion) {
  using enum MoreauJeanOptions::Criterion;
  return std::array{NamedValue{velocity_change, "velocity-change"},
                    NamedValue{residual, "residual"},
                    NamedValue{relative_increment, "relative-increment"}};
}
constexpr auto names_of(MoreauJeanOptions::Dashpots) {
  using enum MoreauJeanOptions::Dashpots;
  return std::array{NamedValue{theta, "theta"}, NamedValue{decaying, "decaying"}};
}
constexpr auto names_of(MoreauJeanOptions::Operators) {
  using enum MoreauJeanOptions::Operators;
  return std::array{NamedValue{refreshed, "refreshed"}, NamedValue{frozen, "frozen"}};
}

}  // namespace saltus
