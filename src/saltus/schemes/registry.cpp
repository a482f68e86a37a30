#include "saltus/schemes/registry.h"

#include <array>
#include <concepts>
#include <limits>
#include <type_traits>
#include <variant>

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
namespace {

using MaybeOrder = std::optional<double>;

/// One row. Name and summary come from the options that `make` takes.
template <class Options, class SmoothOrder>
struct Entry {
  std::unique_ptr<Scheme> (*make)(const Options&);
  std::string_view order, gain, reference;  ///< as in SchemeRow
  SmoothOrder smooth_order;                 ///< of (options, velocity_forces), as in registry.h
};
template <class Options, class SmoothOrder>
constexpr Entry<Options, SmoothOrder> entry(std::unique_ptr<Scheme> (*make)(const Options&),
                                            std::string_view order, std::string_view gain,
                                            std::string_view reference, SmoothOrder smooth_order) {
  return {make, order, gain, reference, smooth_order};
}

template <class... Entries>
struct Table : Entries... {};
template <class... Entries>
Table(Entries...) -> Table<Entries...>;

// -- smooth orders

constexpr auto always(double order) {
  return [order](const auto&, bool) { return order; };
}
MaybeOrder ours(Compat compat, double order) {
  return compat == Compat::none ? MaybeOrder(order) : std::nullopt;
}
/// vdamping adds a force that other schemes do not have: the solution converges to another motion.
MaybeOrder without(double vdamping, MaybeOrder order) {
  return vdamping == 0.0 ? order : std::nullopt;
}
/// Velocity-dependent loads evaluated at the start velocity give first order.
constexpr auto kLeapfrog = [](const auto& o, bool velocity_forces) {
  return velocity_forces && o.load_velocity == LoadVelocity::start ? 1.0 : 2.0;
};
MaybeOrder runge_kutta_order(const RungeKuttaOptions& o, bool) {
  if (o.tolerance) return std::nullopt;  // steps are subdivided: the tolerance sets the error
  using enum RungeKuttaOptions::Table;
  const double order = o.table == rk3              ? 3.0
                       : o.table == rk4            ? 4.0
                       : o.table == dormand_prince ? 5.0
                                                   : 2.0;
  return ours(o.compat, order);
}

// -- rows: factory, order and gain as text, references, smooth order; in the order of SchemeChoice

constexpr Table kTable{
    entry(make_modal_exact, "exact at the nodes", "1", "Bilbao2009 Issanchou2017",
          always(std::numeric_limits<double>::infinity())),
    entry(make_moreau_jean, "2 (theta = 1/2), else 1", "theta", "Moreau1988 Jean1999",
          [](const auto& o, bool) { return o.theta == 0.5 ? 2.0 : 1.0; }),
    entry(make_euler_explicit, "1", "1 (symplectic), else 0",
          "Degletagne2015 HairerLubichWanner2006",
          [](const auto& o, bool) { return ours(o.compat, 1.0); }),
    entry(make_euler_implicit, "1 (2 with trapezoidal)", "1 (1/2 with trapezoidal)",
          "BaraffWitkin1998 HairerLubichWanner2006",
          [](const auto& o, bool) {
            return without(o.vdamping, ours(o.compat, o.trapezoidal ? 2.0 : 1.0));
          }),
    entry(make_newmark, "2 (gamma = 1/2), else 1", "beta/gamma", "Newmark1959",
          [](const auto& o, bool) {
            return without(o.vdamping, ours(o.compat, o.gamma == 0.5 ? 2.0 : 1.0));
          }),
    entry(make_variational_symplectic, "1 (2 with form: implicit)", "1 (1/2 with form: implicit)",
          "Kharevych2006",
          [](const auto& o, bool) {
            using enum VariationalSymplecticOptions::Form;
            return ours(o.compat, o.form == implicit_form ? 2.0 : 1.0);
          }),
    entry(make_runge_kutta, "4 (rk4); 2, 3, 5 by table", "sum b_i c_i = 1/2",
          "HairerNorsettWanner1993 DormandPrince1980", runge_kutta_order),
    entry(make_splitting, "2 (strang); 4, 6 by table", "1/2",
          "Strang1968 BlanesMoan2002 Celledoni2008",
          [](const auto& o, bool) {
            using enum SplittingOptions::Table;
            return o.table == strang ? 2.0 : o.table == blanes_moan_4 ? 4.0 : 6.0;
          }),
    entry(make_central_difference, "2", "1", "HairerLubichWanner2006",
          [](const auto& o, bool) { return ours(o.compat, 2.0); }),
    entry(make_schatzman_paoli, "2", "1", "PaoliSchatzman2002",
          [](const auto& o, bool) {
            return o.start == SchatzmanPaoliOptions::Start::half ? 2.0 : 1.0;
          }),
    entry(make_generalized_alpha, "2", "1/2", "ChungHulbert1993 Chen2013", always(2.0)),
    entry(make_generalized_alpha_decoupled, "2", "1 (positions), 0 (velocities)",
          "Bruls2014 Cosimo2020", always(2.0)),
    entry(make_discrete_gradient, "2", "1/2", "Gonzalez1996", always(2.0)),
    entry(make_def_exp, "2 (1 with damping)", "1/2", "Koziara2008",
          [](const auto& o, bool velocity_forces) {
            return velocity_forces && !o.viscosity_implicit ? 1.0 : 2.0;
          }),
    entry(make_def_lim, "2", "1/2", "ZhangSkeel1997 Koziara2008", always(2.0)),
    entry(make_rig_pos, "2 (1 under reactions)", "1/2", "KoziaraBicanic2010 Koziara2008",
          kLeapfrog),
    entry(make_rig_neg, "2", "1/2", "KoziaraBicanic2010 Koziara2008", kLeapfrog),
    entry(make_rig_imp, "2", "1/2", "KoziaraBicanic2010 Koziara2008", kLeapfrog),
    entry(make_rig_mid, "2", "1/2", "SimoWong1991 Austin1993", always(2.0)),
};

template <class... Options, class... SmoothOrder>
constexpr bool complete(const Table<Entry<Options, SmoothOrder>...>&) {
  return std::same_as<std::variant<Options...>, SchemeChoice>;
}
static_assert(complete(kTable),
              "SchemeChoice (options.h) and kTable must name the same schemes in the same order");

/// entry_of<Options>(kTable) is the row of Options.
template <class Options, class SmoothOrder>
constexpr const Entry<Options, SmoothOrder>& entry_of(const Entry<Options, SmoothOrder>& found) {
  return found;
}

template <class Options>
SchemeRow shown() {
  constexpr const auto& found = entry_of<Options>(kTable);
  const auto make_default = [] { return entry_of<Options>(kTable).make({}); };
  return {Options::name, Options::help, found.order, found.gain, found.reference, make_default};
}
template <class... Options>
std::array<SchemeRow, sizeof...(Options)> shown_all(std::type_identity<std::variant<Options...>>) {
  return {shown<Options>()...};
}

}  // namespace

std::span<const SchemeRow> schemes() {
  static const auto kRows = shown_all(std::type_identity<SchemeChoice>{});
  return kRows;
}

std::unique_ptr<Scheme> make_scheme(const SchemeChoice& choice) {
  return std::visit(
      []<class Options>(const Options& o) { return entry_of<Options>(kTable).make(o); }, choice);
}

std::string_view scheme_name(const SchemeChoice& choice) {
  return std::visit([]<class Options>(const Options&) { return Options::name; }, choice);
}

std::optional<double> smooth_order(const SchemeChoice& choice, bool velocity_forces) {
  return std::visit(
      [&]<class Options>(const Options& o) -> MaybeOrder {
        return entry_of<Options>(kTable).smooth_order(o, velocity_forces);
      },
      choice);
}

}  // namespace saltus
