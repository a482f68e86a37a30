// Options of the schemes, as scenes, the command line and Python write them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/base/options.h"

namespace saltus {

/// Exact integration of uncoupled damped modes.
struct ModalExactOptions {
  static constexpr std::string_view name = "modal-exact";
  static constexpr std::string_view help =
      "exact solution of each mode between contacts; one impulse a step";
  enum class Start { exact, raw };

  Start start = Start::exact;

  bool operator==(const ModalExactOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field(
        "start", &ModalExactOptions::start,
        "first sample after the start: exact uses the velocity of the exact motion, raw takes "
        "the initial velocity as the backward difference"));
  }
};
constexpr auto names_of(ModalExactOptions::Start) {
  using enum ModalExactOptions::Start;
  return std::array{NamedValue{exact, "exact"}, NamedValue{raw, "raw"}};
}

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

  double theta = 0.5;
  Quadrature quadrature = Quadrature::mid;
  MassAt mass_at = MassAt::theta;
  Newton newton = Newton::full;
  Tangent tangent = Tangent::refreshed;
  Operators operators = Operators::refreshed;
  Criterion criterion = Criterion::velocity_change;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;
  std::optional<double> gamma;
  std::optional<bool> use_gamma;
  bool use_gamma_for_relation = false;

  /// Whether the activation rule uses gamma: as asked for; otherwise if it has a value.
  bool forecasts() const { return use_gamma.value_or(gamma.has_value()); }

  bool operator==(const MoreauJeanOptions&) const = default;
  static constexpr auto fields() {
    using T = MoreauJeanOptions;
    return field_rows(
        field("theta", &T::theta, between(0.0, 1.0),
              "implicitness; 1/2 conserves energy, more damps, less makes undamped motion grow"),
        field(
            "quadrature", &T::quadrature,
            "mid: one force, at the state q0 + theta h v_theta; ends: forces at the start and the "
            "end of the step, weighed by 1 - theta and theta, as Siconos does. The same on linear "
            "bodies under constant load"),
        field("mass_at", &T::mass_at,
              "where a mass matrix that depends on the configuration is taken; theta: at "
              "q0 + theta h v_theta; iterate: at the end of the step; start: at its start. Only "
              "theta keeps order 2"),
        field("newton", &T::newton,
              "full: passes until the criterion is met; full-with-detection: active contacts are "
              "found again in each; one-pass: one linear solve about the start; "
              "one-pass-refreshed: one about the predicted end"),
        field("tangent", &T::tangent,
              "refreshed: the operator A is made in each pass; frozen: once a step, at its start; "
              "exact: in each pass with the slope of M(q) too, so that passes converge with the "
              "square of the error (A unsymmetric)"),
        field("operators", &T::operators,
              "rows H of contacts; refreshed: they follow the iterate; frozen: they stay as the "
              "first pass found them"),
        field("criterion", &T::criterion,
              "what newton_tolerance limits: the change of velocity by a pass, the residual of "
              "the step's equation, or |dq|/(1 + |q0|)"),
        field("newton_tolerance", &T::newton_tolerance, kPositive,
              "size of the criterion that ends the passes of a step"),
        field("newton_iterations", &T::newton_iterations, at_least(1),
              "largest number of passes of a step"),
        field("gamma", &T::gamma, between(0.0, 1.0),
              "weight of the end velocity in the forecast of the activation rule; giving it "
              "implies use_gamma"),
        field("use_gamma", &T::use_gamma,
              "forecast gaps with gamma instead of the law's own weight; true when gamma is given"),
        field("use_gamma_for_relation", &T::use_gamma_for_relation,
              "accepted so that settings of Siconos can be written down; nothing reads it"));
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
constexpr auto names_of(MoreauJeanOptions::Operators) {
  using enum MoreauJeanOptions::Operators;
  return std::array{NamedValue{refreshed, "refreshed"}, NamedValue{frozen, "frozen"}};
}

/// Whose variant of a scheme is computed: ours, the one of the SOFA source (comparison runs only: order and stability of
/// docs/theory/errata.md), or the printed form of the SOFA note where it differs.
enum class Compat { none, sofa, seed };
constexpr auto names_of(Compat) {
  using enum Compat;
  return std::array{NamedValue{none, "none"}, NamedValue{sofa, "sofa"}, NamedValue{seed, "seed"}};
}
/// How the equation of a step is solved: until it holds, or by one linear solve about the start of the step.
enum class EquationSolver { newton, linear };
constexpr auto names_of(EquationSolver) {
  using enum EquationSolver;
  return std::array{NamedValue{newton, "newton"}, NamedValue{linear, "linear"}};
}

namespace option {
/// The fault of a `compat` that a scheme does not have.
inline std::optional<Fault> no_seed_form(Compat compat, std::string_view scheme) {
  if (compat != Compat::seed) return std::nullopt;
  return Fault{"compat", std::string(scheme) + " has no form 'seed'", "allowed: none, sofa"};
}
inline constexpr std::string_view kCompat =
    "whose form is computed: none is ours; sofa repeats the SOFA source, seed the printed formula "
    "of its note, both for comparison only";
inline constexpr std::string_view kTolerance =
    "relative size of the Newton correction that ends the passes of a step";
inline constexpr std::string_view kIterations = "largest number of passes of a step";
inline constexpr std::string_view kSolver =
    "newton: iterate until the equation of the step holds; linear: one solve about the start";
inline constexpr std::string_view kVdamping =
    "after each step the velocity is multiplied by exp(-h vdamping)";
inline constexpr std::string_view kRho =
    "spectral radius at infinite frequency; 0 damps most, near 1 least";
}  // namespace option

/// Explicit Euler.
struct EulerExplicitOptions {
  static constexpr std::string_view name = "euler-explicit";
  static constexpr std::string_view help =
      "one force a step; symplectic by default: bounded energy below h omega = 2";

  bool symplectic = true;
  Compat compat = Compat::none;

  bool operator==(const EulerExplicitOptions&) const = default;
  static constexpr auto fields() {
    using T = EulerExplicitOptions;
    return field_rows(
        field("symplectic", &T::symplectic,
              "true: positions move with the new velocity; false: with the old one, energy grows"),
        field("compat", &T::compat, option::kCompat));
  }
};

/// Implicit Euler and the implicit midpoint rule.
struct EulerImplicitOptions {
  static constexpr std::string_view name = "euler-implicit";
  static constexpr std::string_view help =
      "backward Euler: damps strongly, any step; trapezoidal: implicit midpoint, second order";

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
              "weight of the end acceleration in the velocity; above 1/2 it damps, order 1"),
        field("beta", &T::beta, between(0.0, 0.5),
              "weight of the end acceleration in the position; gamma/2 when not given, which "
              "bodies at rest on an obstacle need"),
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
      return Fault{steps ? "steps" : "newton_tolerance", "is for form: implicit",
                   "the explicit form solves nothing"};
    return option::no_seed_form(compat, name);
  }
  static constexpr auto fields() {
    using T = VariationalSymplecticOptions;
    return field_rows(
        field("form", &T::form, "explicit: order 1, h omega < 2; implicit: order 2, any step"),
        field("steps", &T::steps, at_least(1),
              "largest number of Newton steps of the implicit form; 20 when not given (5 with "
              "compat: sofa)"),
        field("newton_tolerance", &T::newton_tolerance, kNotNegative,
              "relative size of the last Newton step of the implicit form; 1e-10 when not given "
              "(0.01 with compat: sofa)"),
        field("compat", &T::compat, option::kCompat));
  }
};
constexpr auto names_of(VariationalSymplecticOptions::Form) {
  using enum VariationalSymplecticOptions::Form;
  return std::array{NamedValue{explicit_form, "explicit"}, NamedValue{implicit_form, "implicit"}};
}

/// Explicit Runge-Kutta methods; one impulse a step.
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
      return Fault{"tolerance", "is for table: dormand-prince, which has an error estimate",
                   "leave it out, or set table: dormand-prince"};
    return option::no_seed_form(compat, name);
  }
  static constexpr auto fields() {
    using T = RungeKuttaOptions;
    return field_rows(
        field("table", &T::table,
              "midpoint and heun: order 2; rk3: 3; rk4: 4; dormand-prince: 5, with error estimate"),
        field("tolerance", &T::tolerance, kPositive,
              "dormand-prince only: relative error of the smooth motion of one step, which is "
              "divided until it meets it"),
        field("compat", &T::compat, option::kCompat));
  }
};
constexpr auto names_of(RungeKuttaOptions::Table) {
  using enum RungeKuttaOptions::Table;
  return std::array{NamedValue{midpoint, "midpoint"}, NamedValue{heun, "heun"},
                    NamedValue{rk3, "rk3"}, NamedValue{rk4, "rk4"},
                    NamedValue{dormand_prince, "dormand-prince"}};
}

/// Compositions of the exact motion without forces and of kicks; one impulse a step.
struct SplittingOptions {
  static constexpr std::string_view name = "splitting";
  static constexpr std::string_view help =
      "exact motion without forces and kicks by turns: symplectic, free bodies exact at any step";
  enum class Table { strang, blanes_moan_4, blanes_moan_6 };

  Table table = Table::strang;

  bool operator==(const SplittingOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field("table", &SplittingOptions::table,
                            "strang: order 2, one force a step; blanes-moan-4: order 4, six; "
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
      "half-step velocities; contact laws hold on them; order 2 below h omega = 2";

  Compat compat = Compat::none;

  bool operator==(const CentralDifferenceOptions&) const = default;
  std::optional<Fault> fault() const { return option::no_seed_form(compat, name); }
  static constexpr auto fields() {
    return field_rows(field("compat", &CentralDifferenceOptions::compat, option::kCompat));
  }
};

/// The two-step scheme of Schatzman and Paoli.
struct SchatzmanPaoliOptions {
  static constexpr std::string_view name = "schatzman-paoli";
  static constexpr std::string_view help = "two-step positions; made for the law schatzman-paoli";
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
              "first position: half is q0 + h v0 + h^2 F/(2 M), of second order; full takes h^2 "
              "F/M, as the public Siconos example does"));
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

/// Solfec's explicit leap-frog for deformable bodies.
struct DefExpOptions {
  static constexpr std::string_view name = "def-exp";
  static constexpr std::string_view help =
      "leap-frog with forces at the half step; order 2 undamped, below h omega = 2";

  bool viscosity_implicit = false;

  bool operator==(const DefExpOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(
        field("viscosity_implicit", &DefExpOptions::viscosity_implicit,
              "true: damping taken at mid-step, order 2 with damping, at the price of a solve"));
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
        field("iterate", &T::iterate, "true: to convergence, the implicit midpoint rule"),
        field("newton_tolerance", &T::newton_tolerance, kPositive, option::kTolerance),
        field("newton_iterations", &T::newton_iterations, at_least(1), option::kIterations));
  }
};

/// For which velocity the contact laws hold where the end velocity is no linear function of the impulses: for the
/// finished one, by passes, or for its explicit predictor alone, as in Solfec.
enum class Reactions { converged, predictor };
constexpr auto names_of(Reactions) {
  using enum Reactions;
  return std::array{NamedValue{converged, "converged"}, NamedValue{predictor, "predictor"}};
}
/// The velocity at which loads that depend on it are taken.
enum class LoadVelocity { predicted, start };
constexpr auto names_of(LoadVelocity) {
  using enum LoadVelocity;
  return std::array{NamedValue{predicted, "predicted"}, NamedValue{start, "start"}};
}

namespace option {
inline constexpr std::string_view kReactions =
    "converged: contact laws hold for the finished velocity, by passes; predictor: for its "
    "explicit predictor, one pass, as in Solfec";
inline constexpr std::string_view kLoadVelocity =
    "where drag and other loads of the velocity are taken; predicted: at mid-step, order 2; start: "
    "at the start of the step as in Solfec, order 1";
}  // namespace option

/// Solfec's explicit rotation update that gains energy.
struct RigPosOptions {
  static constexpr std::string_view name = "rig-pos";
  static constexpr std::string_view help =
      "explicit rotations of Solfec, energy mostly drifts up; order 2, 1 under reactions";

  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigPosOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field("load_velocity", &RigPosOptions::load_velocity, option::kLoadVelocity));
  }
};

/// Solfec's explicit rotation update that loses energy and keeps the angular momentum.
struct RigNegOptions {
  static constexpr std::string_view name = "rig-neg";
  static constexpr std::string_view help =
      "explicit rotations of Solfec, momentum exact, energy mostly drifts down; order 2";

  Reactions reactions = Reactions::converged;
  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigNegOptions&) const = default;
  static constexpr auto fields() {
    using T = RigNegOptions;
    return field_rows(field("reactions", &T::reactions, option::kReactions),
                      field("load_velocity", &T::load_velocity, option::kLoadVelocity));
  }
};

/// Solfec's rotation update with an implicit end velocity.
struct RigImpOptions {
  static constexpr std::string_view name = "rig-imp";
  static constexpr std::string_view help =
      "rotations of Solfec with an implicit end velocity, momentum exact, energy bounded; order 2";

  Reactions reactions = Reactions::converged;
  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigImpOptions&) const = default;
  static constexpr auto fields() {
    using T = RigImpOptions;
    return field_rows(field("reactions", &T::reactions, option::kReactions),
                      field("load_velocity", &T::load_velocity, option::kLoadVelocity));
  }
};

/// Implicit midpoint rule in the body's momentum, for rigid bodies.
struct RigMidOptions {
  static constexpr std::string_view name = "rig-mid";
  static constexpr std::string_view help =
      "implicit midpoint rule of rigid bodies: energy and momentum of free ones exact; order 2";

  bool symmetrise = true;

  bool operator==(const RigMidOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field(
        "symmetrise", &RigMidOptions::symmetrise,
        "true: contact sees mass, inertia and drags alone, symmetric, and converges by passes; "
        "false: it sees the whole tangent, which is not symmetric"));
  }
};

using SchemeChoice =
    std::variant<ModalExactOptions, MoreauJeanOptions, EulerExplicitOptions, EulerImplicitOptions,
                 NewmarkOptions, VariationalSymplecticOptions, RungeKuttaOptions, SplittingOptions,
                 CentralDifferenceOptions, SchatzmanPaoliOptions, GeneralizedAlphaOptions,
                 GeneralizedAlphaDecoupledOptions, DiscreteGradientOptions, DefExpOptions,
                 DefLimOptions, RigPosOptions, RigNegOptions, RigImpOptions, RigMidOptions>;

}  // namespace saltus
