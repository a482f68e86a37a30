#include "saltus/schemes/registry.h"

#include <array>
#include <limits>
#include <type_traits>

#include "saltus/schemes/central_difference.h"
#include "saltus/schemes/def_exp.h"
#include "saltus/schemes/def_lim.h"
#include "saltus/schemes/discrete_gradient.h"
#include "saltus/schemes/euler_explicit.h"
#include "saltus/schemes/euler_implicit.h"
#include "saltus/schemes/generalized_alpha.h"
#include "saltus/schemes/generalized_alpha_decoupled.h"
#include "saltus/schemes/modal_exact.h"
#include "saltus/schemes/moreau_jean.h"
#include "saltus/schemes/newmark.h"
#include "saltus/schemes/rig_mid.h"
#include "saltus/schemes/rigid_leapfrog.h"
#include "saltus/schemes/runge_kutta.h"
#include "saltus/schemes/schatzman_paoli.h"
#include "saltus/schemes/splitting.h"
#include "saltus/schemes/variational_symplectic.h"

namespace saltus {

std::span<const SchemeRow> schemes() {
  static const std::array<SchemeRow, 19> kRows{{
      {ModalExactOptions::name, ModalExactOptions::help, "exact at the nodes", "1",
       "Bilbao2009 Issanchou2017", [] { return make_modal_exact({}); }},
      {MoreauJeanOptions::name, MoreauJeanOptions::help, "2 (theta = 1/2), else 1", "theta",
       "Moreau1988 Jean1999", [] { return make_moreau_jean({}); }},
      {EulerExplicitOptions::name, EulerExplicitOptions::help, "1", "1 (symplectic), else 0",
       "Degletagne2015 HairerLubichWanner2006", [] { return make_euler_explicit({}); }},
      {EulerImplicitOptions::name, EulerImplicitOptions::help, "1 (2 with trapezoidal)",
       "1 (1/2 with trapezoidal)", "BaraffWitkin1998 HairerLubichWanner2006",
       [] { return make_euler_implicit({}); }},
      {NewmarkOptions::name, NewmarkOptions::help, "2 (gamma = 1/2), else 1", "beta/gamma",
       "Newmark1959", [] { return make_newmark({}); }},
      {VariationalSymplecticOptions::name, VariationalSymplecticOptions::help,
       "1 (2 with form: implicit)", "1 (1/2 with form: implicit)", "Kharevych2006",
       [] { return make_variational_symplectic({}); }},
      {RungeKuttaOptions::name, RungeKuttaOptions::help, "4 (rk4); 2, 3, 5 by table",
       "sum b_i c_i = 1/2", "HairerNorsettWanner1993 DormandPrince1980",
       [] { return make_runge_kutta({}); }},
      {SplittingOptions::name, SplittingOptions::help, "2 (strang); 4, 6 by table", "1/2",
       "Strang1968 BlanesMoan2002 Celledoni2008", [] { return make_splitting({}); }},
      {CentralDifferenceOptions::name, CentralDifferenceOptions::help, "2", "1",
       "HairerLubichWanner2006", [] { return make_central_difference({}); }},
      {SchatzmanPaoliOptions::name, SchatzmanPaoliOptions::help, "2", "1", "PaoliSchatzman2002",
       [] { return make_schatzman_paoli({}); }},
      {GeneralizedAlphaOptions::name, GeneralizedAlphaOptions::help, "2", "1/2",
       "ChungHulbert1993 Chen2013", [] { return make_generalized_alpha({}); }},
      {GeneralizedAlphaDecoupledOptions::name, GeneralizedAlphaDecoupledOptions::help, "2",
       "1 (positions), 0 (velocities)", "Bruls2014 Cosimo2020",
       [] { return make_generalized_alpha_decoupled({}); }},
      {DiscreteGradientOptions::name, DiscreteGradientOptions::help, "2", "1/2", "Gonzalez1996",
       [] { return make_discrete_gradient({}); }},
      {DefExpOptions::name, DefExpOptions::help, "2 (1 with damping)", "1/2", "Koziara2008",
       [] { return make_def_exp({}); }},
      {DefLimOptions::name, DefLimOptions::help, "2", "1/2", "ZhangSkeel1997 Koziara2008",
       [] { return make_def_lim({}); }},
      {RigPosOptions::name, RigPosOptions::help, "2 (1 under reactions)", "1/2",
       "KoziaraBicanic2010 Koziara2008", [] { return make_rig_pos({}); }},
      {RigNegOptions::name, RigNegOptions::help, "2", "1/2", "KoziaraBicanic2010 Koziara2008",
       [] { return make_rig_neg({}); }},
      {RigImpOptions::name, RigImpOptions::help, "2", "1/2", "KoziaraBicanic2010 Koziara2008",
       [] { return make_rig_imp({}); }},
      {RigMidOptions::name, RigMidOptions::help, "2", "1/2", "SimoWong1991 Austin1993",
       [] { return make_rig_mid({}); }},
  }};
  return kRows;
}

std::unique_ptr<Scheme> make_scheme(const SchemeChoice& choice) {
  struct Make {
    std::unique_ptr<Scheme> operator()(const ModalExactOptions& o) const {
      return make_modal_exact(o);
    }
    std::unique_ptr<Scheme> operator()(const MoreauJeanOptions& o) const {
      return make_moreau_jean(o);
    }
    std::unique_ptr<Scheme> operator()(const EulerExplicitOptions& o) const {
      return make_euler_explicit(o);
    }
    std::unique_ptr<Scheme> operator()(const EulerImplicitOptions& o) const {
      return make_euler_implicit(o);
    }
    std::unique_ptr<Scheme> operator()(const NewmarkOptions& o) const { return make_newmark(o); }
    std::unique_ptr<Scheme> operator()(const VariationalSymplecticOptions& o) const {
      return make_variational_symplectic(o);
    }
    std::unique_ptr<Scheme> operator()(const RungeKuttaOptions& o) const {
      return make_runge_kutta(o);
    }
    std::unique_ptr<Scheme> operator()(const SplittingOptions& o) const {
      return make_splitting(o);
    }
    std::unique_ptr<Scheme> operator()(const CentralDifferenceOptions& o) const {
      return make_central_difference(o);
    }
    std::unique_ptr<Scheme> operator()(const SchatzmanPaoliOptions& o) const {
      return make_schatzman_paoli(o);
    }
    std::unique_ptr<Scheme> operator()(const GeneralizedAlphaOptions& o) const {
      return make_generalized_alpha(o);
    }
    std::unique_ptr<Scheme> operator()(const GeneralizedAlphaDecoupledOptions& o) const {
      return make_generalized_alpha_decoupled(o);
    }
    std::unique_ptr<Scheme> operator()(const DiscreteGradientOptions& o) const {
      return make_discrete_gradient(o);
    }
    std::unique_ptr<Scheme> operator()(const DefExpOptions& o) const { return make_def_exp(o); }
    std::unique_ptr<Scheme> operator()(const DefLimOptions& o) const { return make_def_lim(o); }
    std::unique_ptr<Scheme> operator()(const RigPosOptions& o) const { return make_rig_pos(o); }
    std::unique_ptr<Scheme> operator()(const RigNegOptions& o) const { return make_rig_neg(o); }
    std::unique_ptr<Scheme> operator()(const RigImpOptions& o) const { return make_rig_imp(o); }
    std::unique_ptr<Scheme> operator()(const RigMidOptions& o) const { return make_rig_mid(o); }
  };
  return std::visit(Make{}, choice);
}

std::string_view scheme_name(const SchemeChoice& choice) {
  return std::visit(
      [](const auto& options) { return std::remove_cvref_t<decltype(options)>::name; }, choice);
}

namespace {

using MaybeOrder = std::optional<double>;

struct SmoothOrder {
  bool velocity_forces;

  static MaybeOrder ours(Compat compat, double order) {
    return compat == Compat::none ? MaybeOrder(order) : std::nullopt;
  }
  /// vdamping adds a force that no other scheme knows: the limit is another motion.
  static MaybeOrder without(double vdamping, MaybeOrder order) {
    return vdamping == 0.0 ? order : std::nullopt;
  }
  MaybeOrder operator()(const ModalExactOptions&) const {
    return std::numeric_limits<double>::infinity();
  }
  MaybeOrder operator()(const MoreauJeanOptions& o) const { return o.theta == 0.5 ? 2.0 : 1.0; }
  MaybeOrder operator()(const EulerExplicitOptions& o) const { return ours(o.compat, 1.0); }
  MaybeOrder operator()(const EulerImplicitOptions& o) const {
    return without(o.vdamping, ours(o.compat, o.trapezoidal ? 2.0 : 1.0));
  }
  MaybeOrder operator()(const NewmarkOptions& o) const {
    return without(o.vdamping, ours(o.compat, o.gamma == 0.5 ? 2.0 : 1.0));
  }
  MaybeOrder operator()(const VariationalSymplecticOptions& o) const {
    const bool implicit = o.form == VariationalSymplecticOptions::Form::implicit_form;
    return ours(o.compat, implicit ? 2.0 : 1.0);
  }
  MaybeOrder operator()(const RungeKuttaOptions& o) const {
    if (o.tolerance) return std::nullopt;  // divides its steps: the error follows the tolerance
    using enum RungeKuttaOptions::Table;
    const double order = o.table == rk3              ? 3.0
                         : o.table == rk4            ? 4.0
                         : o.table == dormand_prince ? 5.0
                                                     : 2.0;
    return ours(o.compat, order);
  }
  MaybeOrder operator()(const SplittingOptions& o) const {
    using enum SplittingOptions::Table;
    return o.table == strang ? 2.0 : o.table == blanes_moan_4 ? 4.0 : 6.0;
  }
  MaybeOrder operator()(const CentralDifferenceOptions& o) const { return ours(o.compat, 2.0); }
  MaybeOrder operator()(const SchatzmanPaoliOptions& o) const {
    return o.start == SchatzmanPaoliOptions::Start::half ? 2.0 : 1.0;
  }
  MaybeOrder operator()(const GeneralizedAlphaOptions&) const { return 2.0; }
  MaybeOrder operator()(const GeneralizedAlphaDecoupledOptions&) const { return 2.0; }
  MaybeOrder operator()(const DiscreteGradientOptions&) const { return 2.0; }
  MaybeOrder operator()(const DefExpOptions& o) const {
    return velocity_forces && !o.viscosity_implicit ? 1.0 : 2.0;
  }
  MaybeOrder operator()(const DefLimOptions&) const { return 2.0; }
  /// Loads of the velocity at its start value are of first order.
  MaybeOrder leapfrog(LoadVelocity at) const {
    return velocity_forces && at == LoadVelocity::start ? 1.0 : 2.0;
  }
  MaybeOrder operator()(const RigPosOptions& o) const { return leapfrog(o.load_velocity); }
  MaybeOrder operator()(const RigNegOptions& o) const { return leapfrog(o.load_velocity); }
  MaybeOrder operator()(const RigImpOptions& o) const { return leapfrog(o.load_velocity); }
  MaybeOrder operator()(const RigMidOptions&) const { return 2.0; }
};

}  // namespace

std::optional<double> smooth_order(const SchemeChoice& choice, bool velocity_forces) {
  return std::visit(SmoothOrder{velocity_forces}, choice);
}

}  // namespace saltus
