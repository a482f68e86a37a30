// Solver ids of the tables in tests/golden/sofa as schemes of ours.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "saltus/schemes/options.h"

namespace saltus::test::sofa_tables {

using Form = VariationalSymplecticOptions::Form;
using Table = RungeKuttaOptions::Table;
inline constexpr double kConverged = 1e-13;  ///< Newton tolerance of rows that are converged

/// What a solver id of the tables is here.
struct Solver {
  SchemeChoice scheme;
  double nonlinear = 1e-10;  ///< tolerance on a nonlinear case
  bool rayleigh = true;      ///< false: the body is taken without its Rayleigh damping
  bool stored_velocity =
      false;  ///< the row gives the v that the scheme stores, not the physical one
};

inline EulerExplicitOptions euler(bool symplectic, Compat compat) { return {symplectic, compat}; }

inline EulerImplicitOptions implicit_euler(bool trapezoidal, EquationSolver solver, Compat compat,
                                           double vdamping = 0.0) {
  EulerImplicitOptions o;
  o.trapezoidal = trapezoidal;
  o.solver = solver;
  o.compat = compat;
  o.vdamping = vdamping;
  o.newton_tolerance = kConverged;
  return o;
}

inline NewmarkOptions newmark(double beta, double gamma, EquationSolver solver,
                              Compat compat = Compat::none) {
  NewmarkOptions o;
  o.beta = beta;
  o.gamma = gamma;
  o.solver = solver;
  o.compat = compat;
  o.newton_tolerance = kConverged;
  return o;
}

inline VariationalSymplecticOptions variational(Form form, Compat compat,
                                                std::optional<int> steps = {},
                                                std::optional<double> tolerance = {}) {
  VariationalSymplecticOptions o;
  o.form = form;
  o.compat = compat;
  o.steps = steps;
  o.newton_tolerance = tolerance;
  return o;
}

inline RungeKuttaOptions runge_kutta(Table table, Compat compat = Compat::none) {
  RungeKuttaOptions o;
  o.table = table;
  o.compat = compat;
  return o;
}

/// Ids of golden_steps.tsv and amplification.tsv.
inline const std::map<std::string, Solver>& solvers_by_id() {
  using enum EquationSolver;
  using enum Compat;
  const double converged = 1e-9;
  static const std::map<std::string, Solver> kSolvers{
      {"EulerExplicit:symplectic=1", {euler(true, sofa)}},
      {"EulerExplicit:symplectic=0", {euler(false, sofa)}},
      {"EulerExplicit:symplectic=1,+Rayleigh", {euler(true, none)}},
      {"EulerExplicit:symplectic=0,+Rayleigh", {euler(false, none)}},
      {"RK2:no-solver-Rayleigh", {runge_kutta(Table::midpoint), 1e-10, false}},
      {"RK2:+Rayleigh", {runge_kutta(Table::midpoint)}},
      {"RK4:no-solver-Rayleigh", {runge_kutta(Table::rk4), 1e-10, false}},
      {"RK4:+Rayleigh", {runge_kutta(Table::rk4)}},
      {"EulerImplicit", {implicit_euler(false, linear, none)}},
      {"EulerImplicit:sofa", {implicit_euler(false, linear, sofa)}},
      {"EulerImplicit:linear,force=t_{n+1}", {implicit_euler(false, linear, none)}},
      {"EulerImplicit:trapezoidal,sofa", {implicit_euler(true, linear, sofa)}},
      {"EulerImplicit:trapezoidal,corrected,linear", {implicit_euler(true, linear, none)}},
      {"EulerImplicit:trapezoidal,corrected", {implicit_euler(true, linear, none)}},
      {"EulerImplicit:vdamping=0.3", {implicit_euler(false, linear, sofa, 0.3)}},
      {"EulerImplicit:seedliteral(x+h*v_k)", {implicit_euler(false, linear, seed)}},
      {"EulerImplicit:seedliteral", {implicit_euler(false, linear, seed)}},
      {"EulerImplicit:newton", {implicit_euler(false, newton, none), converged}},
      {"EulerImplicit:midpoint,newton", {implicit_euler(true, newton, none), converged}},
      {"Newmark:linear,beta=1/4,gamma=1/2", {newmark(0.25, 0.5, linear)}},
      {"Newmark:linear,beta=0.3025,gamma=0.6", {newmark(0.3025, 0.6, linear)}},
      {"Newmark:newton,beta=1/4,gamma=1/2", {newmark(0.25, 0.5, newton), converged}},
      {"Newmark:sofa", {newmark(0.25, 0.5, linear, sofa)}},
      {"Newmark:1/4,1/2", {newmark(0.25, 0.5, linear)}},
      {"Newmark:0.3025,0.6", {newmark(0.3025, 0.6, linear)}},
      {"Newmark:1/6,1/2", {newmark(1.0 / 6.0, 0.5, linear)}},
      {"VariationalExplicit:sofa", {variational(Form::explicit_form, sofa)}},
      {"VariationalImplicit:sofa,steps=5,err=0.01",
       {variational(Form::implicit_form, sofa), converged, true, true}},
      {"VariationalImplicit:sofa,converged",
       {variational(Form::implicit_form, sofa, 60, 1e-15), converged, true, true}},
      {"VariationalImplicit:corrected,converged",
       {variational(Form::implicit_form, none, 40, kConverged), converged}},
      {"VariationalImplicit:sofa", {variational(Form::implicit_form, sofa), converged, true, true}},
      {"VariationalImplicit:corrected", {variational(Form::implicit_form, none), converged}},
      {"CentralDifference:sofa", {CentralDifferenceOptions{sofa}, 1e-10, true, true}},
      {"CentralDifference:corrected", {CentralDifferenceOptions{none}}}};
  return kSolvers;
}

}  // namespace saltus::test::sofa_tables
