// Orders of convergence on rigid bodies, two-sided: free, heavy, driven, locked and braked tops that also move along.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/tops.h"
#include "tables/scheme_orders.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr int kSamples =
    4;  ///< instants at which errors are taken: one could be a zero of the error

struct Problem {
  std::string name;
  MovingBody body;
  double T;  ///< [s]
  Order OrderRow::*order;
};

std::vector<Problem> problems() {
  MovingBody braked = driven_top();
  RigidSystem system = static_cast<const Rigid&>(*braked.dynamics).system();
  system.drag = 0.4;
  system.spin_drag = 0.6;
  system.gravity = Vector3(0.3, -0.2, -9.81);
  braked.dynamics = std::make_shared<Rigid>(system);
  braked.v.head<3>() = Vector3(0.7, -0.4, 1.1);
  MovingBody locked = driven_top();  // about one axis it cannot turn: no constraint of places
  system = static_cast<const Rigid&>(*locked.dynamics).system();
  system.bodies[0].locked[3] = true;
  system.bodies[0].inertia << 3.0, 0.4, -0.3, 0.4, 2.0, 0.2, -0.3, 0.2, 1.5;
  locked.dynamics = std::make_shared<Rigid>(system);
  locked.v[3] = 0.0;
  return {{"free top", free_top({1.0, 2.0, 3.0}, {0.1, -0.2, 0.3}, {0.3, 1.2, -0.5}), 6.0,
           &OrderRow::undamped},
          {"heavy top",
           heavy_top({5.0, 4.0, 2.0}, {0.6, 0.3, 0.0}, {0.4, -0.3, 2.0}, 20.0, {0.1, 0.0, 0.8}),
           2.0, &OrderRow::undamped},
          {"driven top", driven_top(), 6.0, &OrderRow::forced},
          {"top that is locked about an axis", locked, 6.0, &OrderRow::forced},
          {"braked top", braked, 6.0, &OrderRow::dashpot}};
}

/// All numbers of q and v at the instants, one after the other.
struct Samples {
  std::array<Vector, kSamples> q, v;
};

/// Quaternions of one sign, so that differences of them mean something.
Vector upright(Vector q, const Vector& like) {
  if (q.tail<4>().dot(like.tail<4>()) < 0.0) q.tail<4>() *= -1.0;
  return q;
}

bool run(const Problem& problem, const SchemeChoice& scheme, int steps, Samples& out) {
  ModelParts parts = one_group(problem.body, scheme, problem.T / steps);
  parts.options.pass_tolerance = 1e-12;
  parts.options.ledger = false;
  Simulation sim{Model(parts)};
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (int k = 0; k < steps / kSamples; ++k)
      if (const StepReport report = sim.advance(); !report.converged || !report.finite)
        return false;
    out.q[i] = sim.state().groups[0].q;
    out.v[i] = velocity_of(sim);
  }
  return true;
}

struct Pair {
  double q = NAN, v = NAN;
};

Pair error(const Samples& a, const Samples& exact) {
  double q = 0.0, v = 0.0, size_q = 0.0, size_v = 0.0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    q += (upright(a.q[i], exact.q[i]) - exact.q[i]).squaredNorm();
    v += (a.v[i] - exact.v[i]).squaredNorm();
    size_q += exact.q[i].squaredNorm();
    size_v += exact.v[i].squaredNorm();
  }
  return {std::sqrt(q / size_q), std::sqrt(v / size_v)};
}

}  // namespace

TEST_CASE("every scheme that moves rigid bodies does it with its order") {
  double worst = 0.0;
  std::string at;
  int tried = 0;
  for (const Problem& problem : problems()) {
    Samples exact;
    RungeKuttaOptions fine;
    fine.table = RungeKuttaOptions::Table::dormand_prince;
    fine.tolerance = 1e-15;
    REQUIRE(run(problem, fine, 512, exact));
    for (const OrderRow& row : scheme_orders()) {
      if (!legal(*make_scheme(row.scheme), *problem.body.dynamics)) continue;
      const std::string name = row.label + " on a " + problem.name;
      CAPTURE(name);
      if (name.rfind("splitting", 0) == 0 && problem.name == "free top") {  // it has no error
        Samples samples;
        REQUIRE(run(problem, row.scheme, 4, samples));
        const Pair off = error(samples, exact);
        CHECK(off.q <= 1e-12);
        CHECK(off.v <= 1e-12);
        ++tried;
        continue;
      }
      // inertial forces go with Omega^2: to other schemes they are forces of the velocity
      const bool knows_rotations = has(make_scheme(row.scheme)->needs(), Trait::rigid);
      const Order order = knows_rotations ? row.*problem.order : row.dashpot;
      Pair before, seen;
      for (int steps = order.q >= 4.0 ? 8 : 32; steps <= 16384; steps *= 2) {
        Samples samples;
        if (!run(problem, row.scheme, steps, samples)) continue;
        const Pair now = error(samples, exact);
        if (now.q < 2e-13 || now.v < 2e-13) break;
        const Pair found{std::log2(before.q / now.q), std::log2(before.v / now.v)};
        const bool agree = std::abs(found.q - seen.q) < 0.03 && std::abs(found.v - seen.v) < 0.03;
        seen = found;
        before = now;
        if (agree) break;
      }
      CAPTURE(before.q);
      CAPTURE(before.v);
      // the error of order 5 of dormand-prince is too small under loads to be seen beside that of order 6
      const double above = order.q >= 5.0 ? 1.15 : 0.15;
      CHECK(seen.q - order.q < above);
      CHECK(seen.v - order.v < above);
      CHECK(seen.q - order.q > -0.15);
      CHECK(seen.v - order.v > -0.15);
      const double off = std::max(std::abs(seen.q - order.q), std::abs(seen.v - order.v));
      if (!(off <= worst) && order.q < 5.0) {
        worst = off;
        at = name;
      }
      ++tried;
    }
  }
  CHECK(tried >= 180);
  MESSAGE(fmt::format("{} pairs, farthest from its order: {:.3f}, {}", tried, worst, at));
}
