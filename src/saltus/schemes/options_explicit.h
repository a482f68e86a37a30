// Options of the explicit schemes: Euler, Runge-Kutta, splitting, central differences, def-exp.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "saltus/schemes/options_shared.h"

namespace saltus {

/// Explicit Euler.
struct EulerExplicitOptions {
  static constexpr std::string_view name = "euler-explicit";
  static constexpr std::string_view help =
      "one force evaluation per step; symplectic by default: bounded energy below h omega = 2";

  bool symplectic = true;
  Compat compat = Compat::none;

  bool operator==(const EulerExplicitOptions&) const = default;
  static constexpr auto fields() {
    using T = EulerExplicitOptions;
    return field_rows(field("symplectic", &T::symplectic,
                            "true: positions move with the new velocity; false: with the old one, "
                            "and energy grows"),
                      field("compat", &T::compat, option::kCompat));
  }
};

/// Explicit Runge-Kutta methods; one impulse per step.
struct RungeKuttaOptions {
  static constexpr std::string_view name = "runge-kutta";
  static constexpr std::string_view help =
      "explicit Runge-Kutta stages without contact, then one impulse for the step";
  enum class Table { midpoint, heun, rk3, rk4, dormand_prince };

  Table table = Table::rk4;
  std::optional<double> tolerance;
  Compat compat = Compat::none;

  bool operator==(const RungeKuttaOptions&) const = default;
  std::optional<Fault> fault() const {
    if (tolerance && table != Table::dormand_prince)
      return Fault{"tolerance",
                   "applies only to table: dormand-prince, which has an error estimate",
                   "leave it out, or set table: dormand-prince"};
    return option::no_seed_form(compat, name);
  }
  static constexpr auto fields() {
    using T = RungeKuttaOptions;
    return field_rows(
        field("table", &T::table,
              "midpoint and heun: order 2; rk3: 3; rk4: 4; dormand-prince: 5, with error estimate"),
        field("tolerance", &T::tolerance, kPositive,
              "dormand-prince only: limit of the relative error of the smooth motion in one step, "
              "which is subdivided to satisfy it"),
        field("compat", &T::compat, option::kCompat));
  }
};
constexpr auto names_of(RungeKuttaOptions::Table) {
  using enum RungeKuttaOptions::Table;
  return std::array{NamedValue{midpoint, "midpoint"}, NamedValue{heun, "heun"},
                    NamedValue{rk3, "rk3"}, NamedValue{rk4, "rk4"},
                    NamedValue{dormand_prince, "dormand-prince"}};
}

/// Compositions of the exact force-free motion and of kicks; one impulse per step.
struct SplittingOptions {
  static constexpr std::string_view name = "splitting";
  static constexpr std::string_view help =
      "exact force-free motion alternates with kicks: symplectic, free bodies exact at any step";
  enum class Table { strang, blanes_moan_4, blanes_moan_6 };

  Table table = Table::strang;

  bool operator==(const SplittingOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(
        field("table", &SplittingOptions::table,
              "strang: order 2, one force evaluation per step; blanes-moan-4: order 4, six; "
              "blanes-moan-6: order 6, fourteen"));
  }
};
constexpr auto names_of(SplittingOptions::Table) {
  using enum SplittingOptions::Table;
  return std::array{NamedValue{strang, "strang"}, NamedValue{blanes_moan_4, "blanes-moan-4"},
                    NamedValue{blanes_moan_6, "blanes-moan-6"}};
}

/// Central differences (leap-frog, Verlet).
struct CentralDifferenceOptions {
  static constexpr std::string_view name = "central-difference";
  static constexpr std::string_view help =
      "half-step velocities, to which contact laws apply; order 2 below h omega = 2";

  Compat compat = Compat::none;

  bool operator==(const CentralDifferenceOptions&) const = default;
  std::optional<Fault> fault() const { return option::no_seed_form(compat, name); }
  static constexpr auto fields() {
    return field_rows(field("compat", &CentralDifferenceOptions::compat, option::kCompat));
  }
};

/// Solfec's explicit leap-frog for deformable bodies.
struct DefExpOptions {
  static constexpr std::string_view name = "def-exp";
  static constexpr std::string_view help =
      "leap-frog with forces at the half step; order 2 undamped, below h omega = 2";

  bool viscosity_implicit = false;

  bool operator==(const DefExpOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field(
        "viscosity_implicit", &DefExpOptions::viscosity_implicit,
        "true: damping evaluated at mid-step, order 2 with damping, at the cost of one solve"));
  }
};

}  // namespace saltus
