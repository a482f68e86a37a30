// Orders of convergence of all schemes, two-sided, on motions with v0 and F0 both non-zero.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "../support/reference_motion.h"
#include "../tables/scheme_orders.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/modal.h"

using namespace saltus;
using namespace saltus::test;

namespace {

enum class Damping { none, rayleigh, dashpot, forced };

struct Problem {
  std::string name;
  MovingBody body;
  double T;  ///< [s]
  Damping damping;
  bool follows_velocity = false;  ///< nonlinear forces that depend on v: one solve loses an order
};

constexpr int kSamples =
    4;  ///< instants at which errors are taken; one could be a zero of the error

SparseMatrix two(double a, double b, double c) {
  Matrix m(2, 2);
  m << a, b, b, c;
  return SparseMatrix::from(m);
}

MovingBody swing(double damping, Rayleigh rayleigh, bool forced) {
  LinearSystem s = oscillator(1.0, 39.4784176043574344753, damping);
  s.rayleigh = rayleigh;
  if (forced) s.loads.push_back({{{0, 1.0}}, Signal::harmonic(10.0, 5.0, 0.4)});
  return {std::make_shared<Linear>(s), Vector::Constant(1, 1.0), Vector::Constant(1, 2.0)};
}

MovingBody two_masses() {
  LinearSystem s;
  s.mass = two(2.0, 0.5, 1.0);
  s.stiffness = two(300.0, -100.0, 150.0);
  s.rayleigh = {0.3, 0.004};
  s.load = Eigen::Vector2d(-3.0, 1.0);
  return {std::make_shared<Linear>(s), Eigen::Vector2d(0.1, -0.05), Eigen::Vector2d(0.2, 0.3)};
}

MovingBody lagrangian(std::shared_ptr<const LagrangianModel> model, Vector q, Vector v,
                      Rayleigh rayleigh = {}) {
  LagrangianOptions options;
  options.rayleigh = rayleigh;
  if (!model->has_tangents()) options.tangents = Tangents::differences;
  return {std::make_shared<Lagrangian>(std::move(model), options), std::move(q), std::move(v)};
}

std::vector<Problem> problems() {
  const auto one = [](double x) { return Vector(Vector::Constant(1, x)); };
  PendulumData braked;
  braked.dashpot = 0.7;
  SpringPendulumData soft;
  soft.stiffness = 30.0;
  StvkBarData bar;
  bar.elements = 4;
  bar.young = 30.0;
  const Eigen::Vector4d u(0.01, 0.03, 0.02, 0.05), up(0.5, 0.8, 1.1, 1.5);
  return {
      {"oscillator", swing(0.0, {}, false), 1.1, Damping::none},
      {"oscillator with Rayleigh damping", swing(0.0, {0.5, 0.01}, false), 1.1, Damping::rayleigh},
      {"oscillator with a dashpot", swing(0.9, {}, false), 1.1, Damping::dashpot},
      {"forced oscillator", swing(0.0, {}, true), 1.1, Damping::forced},
      {"coupled masses with Rayleigh damping", two_masses(), 0.5, Damping::rayleigh},
      {"pendulum", lagrangian(pendulum({}), one(2.0), one(1.3)), 2.5, Damping::none},
      {"Duffing oscillator", lagrangian(duffing({}), one(1.0), one(0.7)), 1.3, Damping::none},
      {"St Venant-Kirchhoff bar", lagrangian(stvk_bar(bar), u, up), 0.3, Damping::none},
      {"braked pendulum", lagrangian(pendulum(braked), one(2.0), one(1.3)), 2.5, Damping::dashpot},
      {"spring pendulum with Rayleigh damping",
       lagrangian(spring_pendulum(soft), Eigen::Vector2d(0.5, -0.9), Eigen::Vector2d(0.8, 0.6),
                  {0.2, 0.01}),
       1.0, Damping::rayleigh, true},
      {"double pendulum",
       lagrangian(n_pendulum({}), Eigen::Vector2d(0.9, -0.4), Eigen::Vector2d(1.1, 0.7)), 1.6,
       Damping::dashpot, true},  // inertial forces go with v^2
  };
}

Order expected(const OrderRow& scheme, const Problem& problem) {
  switch (problem.damping) {
    case Damping::none:
      return scheme.undamped;
    case Damping::rayleigh:
      return scheme.rayleigh;
    case Damping::dashpot:
      return scheme.dashpot;
    default:
      return scheme.forced;
  }
}

struct Samples {
  std::array<Vector, kSamples> q, v;
};

Samples reference(const Problem& problem) {
  Samples at;
  Vector q = problem.body.q, v = problem.body.v;
  const ReferenceMotion motion(problem.body.dynamics);
  for (int i = 0; i < kSamples; ++i) {
    motion.carry(q, v, problem.T * i / kSamples, problem.T * (i + 1) / kSamples, 60);
    at.q[static_cast<std::size_t>(i)] = q;
    at.v[static_cast<std::size_t>(i)] = v;
  }
  return at;
}

struct Error {
  double q = 0.0, v = 0.0;
};

/// Relative to the largest values, root of the sum over the samples.
Error error(const Problem& problem, const SchemeChoice& scheme, int steps, const Samples& exact) {
  ModelParts parts = one_group(problem.body, scheme, problem.T / steps);
  parts.options.pass_tolerance = 1e-12;
  parts.options.ledger = false;
  Simulation sim{Model(parts)};
  double q = 0.0, v = 0.0, size_q = 0.0, size_v = 0.0;
  bool good = true;
  for (int i = 0; i < kSamples; ++i) {
    for (int k = 0; k < steps / kSamples; ++k) {
      const StepReport report = sim.advance();
      good = good && report.converged && report.finite;
    }
    const Vector &q_exact = exact.q[static_cast<std::size_t>(i)],
                 &v_exact = exact.v[static_cast<std::size_t>(i)];
    q += (sim.state().groups[0].q - q_exact).squaredNorm();
    v += (velocity_of(sim) - v_exact).squaredNorm();
    size_q += q_exact.squaredNorm();
    size_v += v_exact.squaredNorm();
  }
  // a step that is too long for the scheme may end in a failure that it reports
  if (!good) return {std::numeric_limits<double>::infinity(), 0.0};
  return {std::sqrt(q / size_q), std::sqrt(v / size_v)};
}

struct Observed {
  double q = NAN, v = NAN;
  int steps = 0;
};

/// Doubles the steps until the last two orders agree in q and in v, or round-off is near.
Observed observe(const Problem& problem, const OrderRow& scheme, const Samples& exact) {
  const int coarse = scheme.undamped.q >= 4.0 ? 8 : 32;
  Error before = error(problem, scheme.scheme, coarse, exact);
  Observed last;
  for (int steps = 2 * coarse; steps <= 32768; steps *= 2) {
    const Error now = error(problem, scheme.scheme, steps, exact);
    if (now.q < 2e-12 || (now.v < 2e-12 && std::isfinite(now.q))) break;
    const Observed order{std::log2(before.q / now.q), std::log2(before.v / now.v), steps};
    const bool agree = std::abs(order.q - last.q) < 0.03 && std::abs(order.v - last.v) < 0.03;
    last = order;
    if (agree) break;
    before = now;
  }
  return last;
}

/// Returns the number of pairs tried.
int check_orders(const std::vector<OrderRow>& schemes, bool curved) {
  double worst = 0.0;
  std::string at;
  int tried = 0;
  for (const Problem& problem : problems()) {
    if (!curved && !has(problem.body.dynamics->traits(), Trait::affine)) continue;
    const Samples exact = reference(problem);
    for (const OrderRow& scheme : schemes) {
      if (scheme.exact || (scheme.one_solve && problem.follows_velocity) ||
          !legal(*make_scheme(scheme.scheme), *problem.body.dynamics))
        continue;
      const Order order = expected(scheme, problem);
      if (std::isnan(order.q)) continue;
      const std::string name = scheme.label + " on " + problem.name;
      CAPTURE(name);
      const Observed seen = observe(problem, scheme, exact);
      CAPTURE(seen.steps);
      CHECK(std::abs(seen.q - order.q) < 0.15);
      CHECK(std::abs(seen.v - order.v) < 0.15);
      const double off = std::max(std::abs(seen.q - order.q), std::abs(seen.v - order.v));
      if (!(off <= worst)) {
        worst = off;
        at = name;
      }
      ++tried;
    }
  }
  MESSAGE(fmt::format("{} pairs, farthest from its order: {:.3f}, {}", tried, worst, at));
  return tried;
}

}  // namespace

TEST_CASE("every scheme of the registry stands in the table of orders, under its default first") {
  std::set<std::string> known;
  for (const OrderRow& row : scheme_orders()) {
    CAPTURE(row.label);
    const std::string name(make_scheme(row.scheme)->name());
    if (known.insert(name).second) CHECK(row.label == name);
    CHECK(row.label.rfind(name, 0) == 0);
  }
  for (const SchemeRow& row : schemes()) {
    CAPTURE(row.name);
    CHECK(known.count(std::string(row.name)) == 1);
  }
  CHECK(known.size() == schemes().size());
}

TEST_CASE("the orders that studies quote are those the schemes are tested for") {
  for (const OrderRow& row : scheme_orders()) {
    CAPTURE(row.label);
    const auto undamped = smooth_order(row.scheme, false), damped = smooth_order(row.scheme, true);
    REQUIRE(undamped);
    REQUIRE(damped);
    if (row.exact) {
      CHECK(std::isinf(*undamped));
      continue;
    }
    CHECK(*undamped == row.undamped.q);
    CHECK(*damped == std::min(row.rayleigh.q, row.dashpot.q));
  }
  for (const OrderRow& row : compat_orders()) CHECK_FALSE(smooth_order(row.scheme, false));
}

TEST_CASE("every scheme converges with its order on linear, damped, forced and nonlinear motion") {
  CHECK(check_orders(scheme_orders(), true) >= 280);
}

TEST_CASE("the forms of compat converge with the orders of their defects") {
  CHECK(check_orders(compat_orders(), false) >= 50);
}

TEST_CASE("the exact scheme has no error at the nodes of a damped, loaded set of modes") {
  const auto body = std::make_shared<Modal>(
      Vector(Vector3(2.5, 1.0, 0.7)), Vector(Vector3(0.0, 20.0, 55.0)),
      Vector(Vector3(0.0, 0.4, 1.2)), nullptr, ModalPlacement{}, Vector(Vector3(-24.0, 3.0, -2.0)));
  const Problem problem{"modes",
                        {body, Vector(Vector3(0.1, -0.04, 0.06)), Vector(Vector3(-0.8, 0.5, -0.3))},
                        0.4,
                        Damping::dashpot};
  const Samples exact = reference(problem);
  int tried = 0;
  for (const OrderRow& scheme : scheme_orders()) {
    if (!scheme.exact) continue;
    for (int steps : {4, 12, 40, 400, 4000}) {
      CAPTURE(scheme.label);
      CAPTURE(steps);
      const Error off = error(problem, scheme.scheme, steps, exact);
      CHECK(off.q <= 1e-11);
      CHECK(off.v <= 1e-11);
      ++tried;
    }
  }
  CHECK(tried >= 5);
}
