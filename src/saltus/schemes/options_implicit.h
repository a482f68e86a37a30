// Options of the implicit schemes except Moreau-Jean, and of schemes that have both an explicit and
// an implicit form.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "saltus/schemes/options_shared.h"

namespace saltus {

/// Implicit Euler and the implicit midpoint rule.
struct EulerImplicitOptions {
  static constexpr std::string_view name = "euler-implicit";
  static constexpr std::string_view help =
      "backward Euler: damps strongly, stable at any step; trapezoidal: implicit midpoint, order 2";

  bool trapezoidal = false;
  EquationSolver solver = EquationSolver::newton;
  double vdamping = 0.0;
  Compat compat = Compat::none;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;

  bool operator==(const EulerImplicitOptions&) const = default;
  std::optional<Fault> fault() const {
    if (compat == Compat::seed && trapezoidal)
      return Fault{"compat", "'seed' is a form of the backward rule, not of the trapezoidal one",
                   "allowed with trapezoidal: none, sofa"};
    return std::nullopt;
  }
  static constexpr auto fields() {
    using T = EulerImplicitOptions;
    return field_rows(
        field("trapezoidal", &T::trapezoidal,
              "true: forces at mid-step (implicit midpoint rule, order 2, no numerical damping)"),
        field("solver", &T::solver, option::kSolver),
        field("vdamping", &T::vdamping, unit::per_s, kNotNegative, option::kVdamping),
        field("compat", &T::compat, option::kCompat),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// Newmark in its nonsmooth form.
struct NewmarkOptions {
  static constexpr std::string_view name = "newmark";
  static constexpr std::string_view help =
      "Newmark with the impulse kept out of the acceleration; order 2 for gamma = 1/2";

  double gamma = 0.5;
  std::optional<double> beta;
  EquationSolver solver = EquationSolver::newton;
  double vdamping = 0.0;
  Compat compat = Compat::none;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;

  double beta_value() const { return beta.value_or(0.5 * gamma); }
  bool operator==(const NewmarkOptions&) const = default;
  std::optional<Fault> fault() const { return option::no_seed_form(compat, name); }
  static constexpr auto fields() {
    using T = NewmarkOptions;
    return field_rows(
        field("gamma", &T::gamma, between(0.5, 1.0),
              "weight of the end acceleration in the velocity; above 1/2: damping, order 1"),
        field("beta", &T::beta, between(0.0, 0.5),
              "weight of the end acceleration in the position; gamma/2 if not given, as "
              "required for bodies at rest on an obstacle"),
        field("solver", &T::solver, option::kSolver),
        field("vdamping", &T::vdamping, unit::per_s, kNotNegative, option::kVdamping),
        field("compat", &T::compat, option::kCompat),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// The variational symplectic integrators of Kharevych et al.
struct VariationalSymplecticOptions {
  static constexpr std::string_view name = "variational-symplectic";
  static constexpr std::string_view help =
      "momentum form of symplectic Euler (explicit) or of the midpoint rule (implicit)";
  enum class Form { explicit_form, implicit_form };

  Form form = Form::explicit_form;
  std::optional<int> steps;
  std::optional<double> newton_tolerance;
  Compat compat = Compat::none;

  bool operator==(const VariationalSymplecticOptions&) const = default;
  std::optional<Fault> fault() const {
    if (form == Form::explicit_form && (steps || newton_tolerance))
      return Fault{steps ? "steps" : "newton_tolerance", "applies only to form: implicit",
                   "the explicit form does not iterate"};
    return option::no_seed_form(compat, name);
  }
  static constexpr auto fields() {
    using T = VariationalSymplecticOptions;
    return field_rows(
        field("form", &T::form, "explicit: order 1, h omega < 2; implicit: order 2, any step"),
        field("steps", &T::steps, at_least(1),
              "largest number of Newton steps of the implicit form; 20 if not given (5 with "
              "compat: sofa)"),
        field("newton_tolerance", &T::newton_tolerance, kNotNegative,
              "relative size of the last Newton step of the implicit form; 1e-10 if not given "
              "(0.01 with compat: sofa)"),
        field("compat", &T::compat, option::kCompat));
  }
};
constexpr auto names_of(VariationalSymplecticOptions::Form) {
  using enum VariationalSymplecticOptions::Form;
  return std::array{NamedValue{explicit_form, "explicit"}, NamedValue{implicit_form, "implicit"}};
}

/// The two-step scheme of Schatzman and Paoli.
struct SchatzmanPaoliOptions {
  static constexpr std::string_view name = "schatzman-paoli";
  static constexpr std::string_view help =
      "two-step scheme for positions, for use with the law schatzman-paoli";
  enum class Start { half, full };

  bool implicit = false;
  Start start = Start::half;

  bool operator==(const SchatzmanPaoliOptions&) const = default;
  static constexpr auto fields() {
    using T = SchatzmanPaoliOptions;
    return field_rows(
        field("implicit", &T::implicit,
              "true: elastic forces averaged over three positions, stable at any step"),
        field("start", &T::start,
              "first position: half is q0 + h v0 + h^2 F/(2 M), of second order; full uses h^2 "
              "F/M, as in the public Siconos example"));
  }
};
constexpr auto names_of(SchatzmanPaoliOptions::Start) {
  using enum SchatzmanPaoliOptions::Start;
  return std::array{NamedValue{half, "half"}, NamedValue{full, "full"}};
}

/// Nonsmooth generalised-alpha, contact at velocity level.
struct GeneralizedAlphaOptions {
  static constexpr std::string_view name = "generalized-alpha";
  static constexpr std::string_view help =
      "smooth motion with chosen damping at high frequency, impulses at velocity level; order 2";

  double rho_infinity = 0.8;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;

  bool operator==(const GeneralizedAlphaOptions&) const = default;
  static constexpr auto fields() {
    using T = GeneralizedAlphaOptions;
    return field_rows(
        field("rho_infinity", &T::rho_infinity, between(0.0, 1.0), option::kRho),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// Generalised-alpha with position and velocity corrections decoupled: no penetration.
struct GeneralizedAlphaDecoupledOptions {
  static constexpr std::string_view name = "generalized-alpha-decoupled";
  static constexpr std::string_view help =
      "generalised-alpha, then a position and a velocity problem: no penetration; order 2";

  double rho_infinity = 0.8;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;

  bool operator==(const GeneralizedAlphaDecoupledOptions&) const = default;
  static constexpr auto fields() {
    using T = GeneralizedAlphaDecoupledOptions;
    return field_rows(
        field("rho_infinity", &T::rho_infinity, between(0.0, 1.0), option::kRho),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// Discrete gradient: energy exact for any potential.
struct DiscreteGradientOptions {
  static constexpr std::string_view name = "discrete-gradient";
  static constexpr std::string_view help =
      "midpoint rule whose elastic force does exactly the work of the potential; order 2";

  double newton_tolerance = 1e-13;
  int newton_iterations = 50;

  bool operator==(const DiscreteGradientOptions&) const = default;
  static constexpr auto fields() {
    using T = DiscreteGradientOptions;
    return field_rows(
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// Solfec's linearly implicit leap-frog for deformable bodies.
struct DefLimOptions {
  static constexpr std::string_view name = "def-lim";
  static constexpr std::string_view help =
      "leap-frog linearised once about the half step; order 2, any step on linear bodies";

  bool iterate = false;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;

  bool operator==(const DefLimOptions&) const = default;
  static constexpr auto fields() {
    using T = DefLimOptions;
    return field_rows(
        field("iterate", &T::iterate,
              "true: iterate to convergence, which gives the implicit midpoint rule"),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

}  // namespace saltus
