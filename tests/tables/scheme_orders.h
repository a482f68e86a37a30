// The order at which every scheme, in every form, converges on smooth motion. One row a form; each row of the registry
// has at least one. The tests of orders, of the contract and of stability walk this table.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "saltus/schemes/registry.h"

namespace saltus::test {

/// Of q and of the physical v. A number stands for both.
struct Order {
  double q = 0.0, v = 0.0;
  Order(double both) : q(both), v(both) {}
  Order(double of_q, double of_v) : q(of_q), v(of_v) {}
};

struct OrderRow {
  std::string label;
  SchemeChoice scheme;
  Order undamped, rayleigh, dashpot, forced;
  bool one_solve = false;  ///< linearised once about the start of the step
  bool exact = false;      ///< no error at the nodes: the orders mean nothing
};

namespace row {

inline SchemeChoice moreau_jean(double theta) {
  MoreauJeanOptions o;
  o.theta = theta;
  return o;
}
inline SchemeChoice moreau_jean_ends(double theta) {
  MoreauJeanOptions o;
  o.theta = theta;
  o.quadrature = MoreauJeanOptions::Quadrature::ends;
  return o;
}
inline SchemeChoice moreau_jean_newton(MoreauJeanOptions::Newton newton) {
  MoreauJeanOptions o;
  o.newton = newton;
  return o;
}
inline SchemeChoice moreau_jean_frozen() {
  MoreauJeanOptions o;
  o.tangent = MoreauJeanOptions::Tangent::frozen;
  return o;
}
inline SchemeChoice moreau_jean_exact() {
  MoreauJeanOptions o;
  o.tangent = MoreauJeanOptions::Tangent::exact;
  return o;
}
inline SchemeChoice euler_explicit(bool symplectic, Compat compat = Compat::none) {
  EulerExplicitOptions o;
  o.symplectic = symplectic;
  o.compat = compat;
  return o;
}
inline SchemeChoice euler_implicit(bool trapezoidal, EquationSolver solver,
                                   Compat compat = Compat::none) {
  EulerImplicitOptions o;
  o.trapezoidal = trapezoidal;
  o.solver = solver;
  o.compat = compat;
  return o;
}
inline SchemeChoice newmark(double gamma, double beta, EquationSolver solver,
                            Compat compat = Compat::none) {
  NewmarkOptions o;
  o.gamma = gamma;
  o.beta = beta;
  o.solver = solver;
  o.compat = compat;
  return o;
}
inline SchemeChoice variational(VariationalSymplecticOptions::Form form,
                                Compat compat = Compat::none) {
  VariationalSymplecticOptions o;
  o.form = form;
  o.compat = compat;
  return o;
}
inline SchemeChoice runge_kutta(RungeKuttaOptions::Table table, Compat compat = Compat::none) {
  RungeKuttaOptions o;
  o.table = table;
  o.compat = compat;
  return o;
}
inline SchemeChoice splitting(SplittingOptions::Table table) { return SplittingOptions{table}; }
inline SchemeChoice schatzman_paoli(bool implicit) {
  SchatzmanPaoliOptions o;
  o.implicit = implicit;
  return o;
}
template <class Options>
SchemeChoice generalized_alpha(double rho) {
  Options o;
  o.rho_infinity = rho;
  return o;
}
template <class Options>
SchemeChoice load_at_start() {
  Options o;
  o.load_velocity = LoadVelocity::start;
  return o;
}
inline SchemeChoice rig_mid(bool symmetrise) {
  RigMidOptions o;
  o.symmetrise = symmetrise;
  return o;
}
inline SchemeChoice def_lim(bool iterate) {
  DefLimOptions o;
  o.iterate = iterate;
  return o;
}

}  // namespace row

/// Our forms: the default of every scheme first, then its options.
inline std::vector<OrderRow> scheme_orders() {
  using enum EquationSolver;
  using Form = VariationalSymplecticOptions::Form;
  using Table = RungeKuttaOptions::Table;
  using Split = SplittingOptions::Table;
  // label, scheme, order undamped, with Rayleigh damping, with dashpots, forced
  return {
      {"modal-exact", ModalExactOptions{}, 0, 0, 0, 0, false, true},
      {"moreau-jean", row::moreau_jean(0.5), 2, 2, 2, 2},
      {"moreau-jean ends", row::moreau_jean_ends(0.5), 2, 2, 2, 2},
      {"moreau-jean frozen tangent", row::moreau_jean_frozen(), 2, 2, 2, 2},
      {"moreau-jean exact tangent", row::moreau_jean_exact(), 2, 2, 2, 2},
      {"moreau-jean one pass", row::moreau_jean_newton(MoreauJeanOptions::Newton::one_pass), 2, 2,
       2, 2, true},
      {"moreau-jean one pass refreshed",
       row::moreau_jean_newton(MoreauJeanOptions::Newton::one_pass_refreshed), 2, 2, 2, 2, true},
      {"moreau-jean ends theta 1", row::moreau_jean_ends(1.0), 1, 1, 1, 1},
      {"moreau-jean theta 1", row::moreau_jean(1.0), 1, 1, 1, 1},
      {"moreau-jean theta 0.6", row::moreau_jean(0.6), 1, 1, 1, 1},
      {"moreau-jean theta 0", row::moreau_jean(0.0), 1, 1, 1, 1},
      {"euler-explicit", row::euler_explicit(true), 1, 1, 1, 1},
      {"euler-explicit standard", row::euler_explicit(false), 1, 1, 1, 1},
      {"euler-implicit", row::euler_implicit(false, newton), 1, 1, 1, 1},
      {"euler-implicit linear", row::euler_implicit(false, linear), 1, 1, 1, 1, true},
      {"euler-implicit trapezoidal", row::euler_implicit(true, newton), 2, 2, 2, 2},
      {"euler-implicit trapezoidal linear", row::euler_implicit(true, linear), 2, 2, 2, 2, true},
      {"newmark", row::newmark(0.5, 0.25, newton), 2, 2, 2, 2},
      {"newmark linear", row::newmark(0.5, 0.25, linear), 2, 2, 2, 2, true},
      {"newmark beta 1/6", row::newmark(0.5, 1.0 / 6.0, newton), 2, 2, 2, 2},
      {"newmark beta 0", row::newmark(0.5, 0.0, newton), 2, 2, 2, 2},
      {"newmark gamma 0.6", row::newmark(0.6, 0.3, newton), 1, 1, 1, 1},
      {"variational-symplectic", row::variational(Form::explicit_form), 1, 1, 1, 1},
      {"variational-symplectic implicit", row::variational(Form::implicit_form), 2, 2, 2, 2},
      {"runge-kutta", row::runge_kutta(Table::rk4), 4, 4, 4, 4},
      {"runge-kutta midpoint", row::runge_kutta(Table::midpoint), 2, 2, 2, 2},
      {"runge-kutta heun", row::runge_kutta(Table::heun), 2, 2, 2, 2},
      {"runge-kutta rk3", row::runge_kutta(Table::rk3), 3, 3, 3, 3},
      {"runge-kutta dormand-prince", row::runge_kutta(Table::dormand_prince), 5, 5, 5, 5},
      {"splitting", row::splitting(Split::strang), 2, 2, 2, 2},
      {"splitting blanes-moan-4", row::splitting(Split::blanes_moan_4), 4, 4, 4, 4},
      {"splitting blanes-moan-6", row::splitting(Split::blanes_moan_6), 6, 6, 6, 6},
      {"central-difference", CentralDifferenceOptions{}, 2, 2, 2, 2},
      {"schatzman-paoli", row::schatzman_paoli(false), 2, 2, 2, 2},
      {"schatzman-paoli implicit", row::schatzman_paoli(true), 2, 2, 2, 2},
      {"generalized-alpha", row::generalized_alpha<GeneralizedAlphaOptions>(0.8), 2, 2, 2, 2},
      {"generalized-alpha rho 0", row::generalized_alpha<GeneralizedAlphaOptions>(0.0), 2, 2, 2, 2},
      {"generalized-alpha-decoupled", row::generalized_alpha<GeneralizedAlphaDecoupledOptions>(0.8),
       2, 2, 2, 2},
      {"discrete-gradient", DiscreteGradientOptions{}, 2, 2, 2, 2},
      {"def-exp", DefExpOptions{}, 2, 1, 1, 2},
      {"def-exp viscosity implicit", DefExpOptions{true}, 2, 2, 2, 2, true},
      {"def-lim", row::def_lim(false), 2, 2, 2, 2, true},
      {"def-lim iterate", row::def_lim(true), 2, 2, 2, 2},
      {"rig-pos", RigPosOptions{}, 2, 2, 2, 2},
      {"rig-pos load at start", row::load_at_start<RigPosOptions>(), 2, 1, 1, 2},
      {"rig-neg", RigNegOptions{}, 2, 2, 2, 2},
      {"rig-neg load at start", row::load_at_start<RigNegOptions>(), 2, 1, 1, 2},
      {"rig-imp", RigImpOptions{}, 2, 2, 2, 2},
      {"rig-imp load at start", row::load_at_start<RigImpOptions>(), 2, 1, 1, 2},
      {"rig-mid", row::rig_mid(true), 2, 2, 2, 2},
      {"rig-mid unsymmetric", row::rig_mid(false), 2, 2, 2, 2},
  };
}

/// The forms kept for comparison with SOFA. 0: it converges to another motion, because it leaves out or doubles damping.
/// Not a number: no clean order.
inline std::vector<OrderRow> compat_orders() {
  using enum Compat;
  using enum EquationSolver;
  using Form = VariationalSymplecticOptions::Form;
  using Table = RungeKuttaOptions::Table;
  const double none_clean = std::numeric_limits<double>::quiet_NaN();
  return {
      {"euler-explicit sofa", row::euler_explicit(true, sofa), 1, 0, 1, 1},
      {"euler-explicit standard sofa", row::euler_explicit(false, sofa), 1, 0, 1, 1},
      {"euler-implicit sofa", row::euler_implicit(false, linear, sofa), 1, 1, 1, 1, true},
      {"euler-implicit seed", row::euler_implicit(false, linear, seed), 1, 1, 1, 1, true},
      {"trapezoidal sofa", row::euler_implicit(true, linear, sofa), 1, 1, 1, 1, true},
      {"newmark sofa", row::newmark(0.5, 0.25, linear, sofa), 2, none_clean, 0, 1, true},
      {"variational explicit sofa", row::variational(Form::explicit_form, sofa), 1, 0, 1, 1},
      {"variational implicit sofa", row::variational(Form::implicit_form, sofa), {2, 1}, 1, 1, 1},
      {"runge-kutta midpoint sofa", row::runge_kutta(Table::midpoint, sofa), 2, 0, 2, 1},
      {"runge-kutta rk4 sofa", row::runge_kutta(Table::rk4, sofa), 4, 0, 4, 1},
      {"central-difference sofa", CentralDifferenceOptions{sofa}, 1, 0, 1, 1},
  };
}

}  // namespace saltus::test
