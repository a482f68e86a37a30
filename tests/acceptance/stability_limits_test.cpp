// Stability limits on x'' + 2 xi omega x' + omega^2 x = 0, by bisection on the spectral radius of the step.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "../support/step_matrix.h"
#include "../tables/scheme_orders.h"
#include "saltus/bodies/linear.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kXi[] = {0.0, 0.05, 0.2};

/// Where the damping of ratio xi comes from.
enum class By { mass, stiffness, dashpot };

std::shared_ptr<const Dynamics> damped(double xi, By by) {  // omega = 1, so that z = h
  LinearSystem s = oscillator(1.0, 1.0, by == By::dashpot ? 2.0 * xi : 0.0);
  if (by == By::mass) s.rayleigh.mass = 2.0 * xi;
  if (by == By::stiffness) s.rayleigh.stiffness = 2.0 * xi;
  return std::make_shared<Linear>(s);
}

/// Largest z up to which no step grows; 0 where already small steps grow, infinite where none up to 1000 does. From z = 3 to
/// 3.3 looked for by `pace`: symmetric compositions have a narrow band of slow growth where a step is half a period.
double limit(const SchemeChoice& scheme, double xi, By by, double pace = 1.1) {
  const auto body = damped(xi, by);
  const auto grows = [&](double z) {
    return !(dominant(step_matrix(body, scheme, z)).radius <= 1.0 + 1e-9);
  };
  double below = 0.02;
  if (grows(below)) return 0.0;
  double above = below;
  do {
    below = above;
    above *= above > 3.0 && above < 3.3 ? pace : 1.1;
    if (above > 1000.0) return kInf;
  } while (!grows(above));
  while (above - below > 1e-9 * above) {
    const double middle = 0.5 * (below + above);
    (grows(middle) ? above : below) = middle;
  }
  return 0.5 * (below + above);
}

/// The same to four decimals.
bool same(double measured, double stated) {
  return measured == stated || std::abs(measured - stated) <= 6e-5;
}

struct Stated {
  std::string label;  ///< of tests/tables/scheme_orders.h
  double at[3];       ///< for each xi
};

const Stated kOurs[] = {{"euler-explicit", {2.0, 1.9025, 1.6396}},
                        {"variational-symplectic", {2.0, 1.9025, 1.6396}},
                        {"euler-explicit standard", {0.0, 0.1, 0.4}},
                        {"euler-implicit", {kInf, kInf, kInf}},
                        {"euler-implicit linear", {kInf, kInf, kInf}},
                        {"euler-implicit trapezoidal", {kInf, kInf, kInf}},
                        {"euler-implicit trapezoidal linear", {kInf, kInf, kInf}},
                        {"newmark", {kInf, kInf, kInf}},
                        {"newmark linear", {kInf, kInf, kInf}},
                        {"newmark gamma 0.6", {kInf, kInf, kInf}},
                        {"newmark beta 1/6", {3.4641, 3.4641, 3.4641}},
                        {"newmark beta 0", {2.0, 2.0, 2.0}},
                        {"variational-symplectic implicit", {kInf, kInf, kInf}},
                        {"central-difference", {2.0, 2.0, 2.0}},
                        {"runge-kutta midpoint", {0.0, 0.8, 1.3939}},
                        {"runge-kutta heun", {0.0, 0.8, 1.3939}},
                        {"runge-kutta", {2.8284, 2.9098, 2.9401}},
                        {"moreau-jean", {kInf, kInf, kInf}},
                        {"moreau-jean theta 1", {kInf, kInf, kInf}},
                        {"generalized-alpha", {kInf, kInf, kInf}},
                        {"generalized-alpha rho 0", {kInf, kInf, kInf}},
                        {"generalized-alpha-decoupled", {kInf, kInf, kInf}},
                        {"discrete-gradient", {kInf, kInf, kInf}},
                        {"schatzman-paoli implicit", {kInf, kInf, kInf}},
                        {"def-exp", {2.0, 1.902498, 1.639608}},
                        {"def-lim", {kInf, kInf, kInf}},
                        {"def-lim iterate", {kInf, kInf, kInf}}};
// with damping by the mass: stiffness-proportional damping is left out by central differences
const Stated kCompat[] = {{"trapezoidal sofa", {2.0, 2.0, 2.0}},
                          {"euler-implicit sofa", {kInf, kInf, kInf}},
                          {"euler-implicit seed", {kInf, kInf, kInf}},
                          {"newmark sofa", {kInf, kInf, kInf}},
                          {"variational implicit sofa", {kInf, kInf, kInf}},
                          {"central-difference sofa", {2.0, 2.0, 2.0}}};

const OrderRow& row_of(const std::vector<OrderRow>& rows, const std::string& label) {
  for (const OrderRow& row : rows)
    if (row.label == label) return row;
  FAIL("no scheme of that label: " << label);
  return rows.front();
}

bool moves_oscillators(const OrderRow& row) {
  return legal(*make_scheme(row.scheme), *damped(0.0, By::mass));
}

}  // namespace

TEST_CASE("stability limits are those of the theory to four digits, whatever the damping is of") {
  const std::vector<OrderRow> rows = scheme_orders();
  for (const Stated& stated : kOurs)
    for (int i = 0; i < 3; ++i)
      for (By by : {By::mass, By::stiffness, By::dashpot}) {
        CAPTURE(stated.label);
        CAPTURE(kXi[i]);
        CAPTURE(static_cast<int>(by));
        const double measured = limit(row_of(rows, stated.label).scheme, kXi[i], by);
        CAPTURE(measured);
        CHECK(same(measured, stated.at[i]));
      }
}

TEST_CASE("the forms of compat are stable as far as the theory says") {
  const std::vector<OrderRow> rows = compat_orders();
  for (const Stated& stated : kCompat)
    for (int i = 0; i < 3; ++i) {
      CAPTURE(stated.label);
      CAPTURE(kXi[i]);
      const double measured = limit(row_of(rows, stated.label).scheme, kXi[i], By::mass);
      CAPTURE(measured);
      CHECK(same(measured, stated.at[i]));
    }
}

TEST_CASE("every scheme knows its own stability limit") {
  int tried = 0;
  std::string list;
  for (const OrderRow& row : scheme_orders()) {
    if (!moves_oscillators(row)) continue;
    const auto scheme = make_scheme(row.scheme);
    list += fmt::format("\n  {:34}", row.label);
    for (double xi : {0.0, 0.05, 0.2, 0.5}) {
      if (!legal(*scheme, *damped(xi, By::mass))) continue;
      CAPTURE(row.label);
      CAPTURE(xi);
      const bool composition = has(scheme->needs(), Trait::separable);
      const double measured = limit(row.scheme, xi, By::mass, composition ? 1.0001 : 1.1),
                   said = scheme->stability_limit(xi);
      CAPTURE(measured);
      CAPTURE(said);
      CHECK(same(measured, said));
      list += fmt::format(" {:10.6f}", measured);
      ++tried;
    }
  }
  CHECK(tried >= 100);
  MESSAGE("h omega at xi = 0, 0.05, 0.2, 0.5:" << list);
}

TEST_CASE("def-exp is stable up to 2 (sqrt(1 + xi^2) - xi), def-lim everywhere without a loss") {
  for (double xi : {0.0, 0.05, 0.2, 0.5}) {
    CAPTURE(xi);
    CHECK(std::abs(limit(DefExpOptions{}, xi, By::stiffness) -
                   2.0 * (std::sqrt(1.0 + xi * xi) - xi)) <= 1e-6);
    CHECK(dominant(step_matrix(damped(xi, By::stiffness), DefLimOptions{}, 1e3)).radius <=
          1.0 + 1e-12);
  }
  CHECK(std::abs(limit(DefExpOptions{}, 0.05, By::stiffness) - 1.902498) <= 1e-6);
  CHECK(std::abs(limit(DefExpOptions{}, 0.2, By::stiffness) - 1.639608) <= 1e-6);
  CHECK(std::abs(limit(DefExpOptions{}, 0.5, By::stiffness) - 1.236068) <= 1e-6);
  for (double z : {0.5, 2.0, 1e3}) {  // a step of z cancels z-fold
    MovingBody body{damped(0.0, By::mass), Vector::Constant(1, 1.0), Vector::Constant(1, 0.5)};
    Simulation sim{Model(one_group(body, DefLimOptions{}, z))};
    for (int k = 0; k < 1000; ++k) sim.advance();
    CAPTURE(z);
    CHECK(std::abs(sim.state().energy.total() / sim.state().energy_start - 1.0) <=
          1e-13 * std::max(1.0, z));
  }
}

TEST_CASE(
    "numerical damping and period error of undamped motion have the leading terms of theory") {
  // damping ratio a z^m, relative period error b z^2 (z^4 for rk4), to 1 % at z = 0.05
  struct Leading {
    std::string label;
    double a;
    int m;
    double b;
    int n;
  };
  const double z = 0.05, any = std::numeric_limits<double>::quiet_NaN();
  const Leading ours[] = {{"euler-explicit", 0.0, 1, -1.0 / 24.0, 2},
                          {"variational-symplectic", 0.0, 1, -1.0 / 24.0, 2},
                          {"central-difference", 0.0, 1, -1.0 / 24.0, 2},
                          {"schatzman-paoli", 0.0, 1, -1.0 / 24.0, 2},
                          {"newmark beta 0", 0.0, 1, -1.0 / 24.0, 2},
                          {"def-exp", 0.0, 1, -1.0 / 24.0, 2},
                          {"euler-explicit standard", -0.5, 1, 1.0 / 3.0, 2},
                          {"euler-implicit", 0.5, 1, 1.0 / 3.0, 2},
                          {"moreau-jean theta 1", 0.5, 1, 1.0 / 3.0, 2},
                          {"euler-implicit trapezoidal", 0.0, 1, 1.0 / 12.0, 2},
                          {"moreau-jean", 0.0, 1, 1.0 / 12.0, 2},
                          {"newmark", 0.0, 1, 1.0 / 12.0, 2},
                          {"variational-symplectic implicit", 0.0, 1, 1.0 / 12.0, 2},
                          {"discrete-gradient", 0.0, 1, 1.0 / 12.0, 2},
                          {"def-lim", 0.0, 1, 1.0 / 12.0, 2},
                          {"newmark beta 1/6", 0.0, 1, 1.0 / 24.0, 2},
                          {"newmark gamma 0.6", 0.1, 1, any, 2},
                          {"runge-kutta midpoint", -1.0 / 8.0, 3, -1.0 / 6.0, 2},
                          {"runge-kutta heun", -1.0 / 8.0, 3, -1.0 / 6.0, 2},
                          {"runge-kutta", 1.0 / 144.0, 5, 1.0 / 120.0, 4}};
  const Leading compat[] = {{"euler-implicit seed", 0.0, 1, 11.0 / 24.0, 2},
                            {"trapezoidal sofa", 0.25, 1, -1.0 / 96.0, 2}};
  const auto body = damped(0.0, By::mass);
  const auto check = [&](const std::vector<OrderRow>& rows, const Leading& is) {
    const Dominant at = dominant(step_matrix(body, row_of(rows, is.label).scheme, z));
    const double damping = -std::log(at.radius) / at.angle, period = z / at.angle - 1.0;
    CAPTURE(is.label);
    CAPTURE(damping);
    CAPTURE(period);
    if (is.a == 0.0)
      CHECK(std::abs(damping) <= 1e-13);
    else
      CHECK(damping == doctest::Approx(is.a * std::pow(z, is.m)).epsilon(0.01));
    if (!std::isnan(is.b)) CHECK(period == doctest::Approx(is.b * std::pow(z, is.n)).epsilon(0.01));
  };
  for (const Leading& is : ours) check(scheme_orders(), is);
  for (const Leading& is : compat) check(compat_orders(), is);
}
