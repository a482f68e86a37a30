// Orders of convergence on smooth motion, two-sided, from data with v0 and F0 both non-zero.
#include <doctest/doctest.h>

#include <cmath>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

struct Motion {
  Vector q, v;  ///< physical
};

Motion end_of(const Pair& pair, double T, int steps) {
  Simulation sim(Model(parts(pair.body, pair.scheme.scheme, T / steps)));
  bool converged = true;
  for (int k = 0; k < steps; ++k) converged = sim.advance().converged && converged;
  CHECK(converged);
  Motion at{sim.state().groups[0].q, Vector(pair.body.dynamics->velocities())};
  sim.velocity(0, at.v);
  return at;
}

/// q and q' of  q'' + 2 sigma q' + omega^2 q = a  at t.
Eigen::Vector2d exact_mode(double omega, double sigma, double a, double q0, double v0, double t) {
  if (omega == 0.0) return {q0 + v0 * t + 0.5 * a * t * t, v0 + a * t};  // sigma = 0 in the bar
  const double rest = a / (omega * omega), d = std::sqrt(omega * omega - sigma * sigma),
               x0 = q0 - rest;
  const double s = (v0 + sigma * x0) / d, decay = std::exp(-sigma * t);
  return {rest + decay * (x0 * std::cos(d * t) + s * std::sin(d * t)),
          decay * (v0 * std::cos(d * t) - (sigma * s + d * x0) * std::sin(d * t))};
}

Motion exact_bar(const Body& bar, double t) {
  const ModalData& modes = *bar.dynamics->modal();
  const Eigen::Index n = modes.mass.size();
  const Vector zero = Vector::Zero(n);
  Vector load(n);
  bar.dynamics->force(0.0, zero, zero, load);
  Motion at{zero, zero};
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Vector2d x = exact_mode(modes.omega[j], modes.sigma[j], load[j] / modes.mass[j],
                                         bar.state.q[j], bar.state.v[j], t);
    at.q[j] = x[0];
    at.v[j] = x[1];
  }
  return at;
}

}  // namespace

TEST_CASE(
    "the error of smooth motion falls with the order of the scheme, neither slower nor faster") {
  const double T = 0.4;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.order == 0.0) continue;
    CAPTURE(pair.name());
    const int steps = pair.scheme.order == 1.0 ? 1024 : 256;  // beyond the pre-asymptotic steps
    const Motion a = end_of(pair, T, steps), b = end_of(pair, T, 2 * steps),
                 c = end_of(pair, T, 4 * steps);
    const double order_q = std::log2((a.q - b.q).norm() / (b.q - c.q).norm());
    const double order_v = std::log2((a.v - b.v).norm() / (b.v - c.v).norm());
    CHECK(std::abs(order_q - pair.scheme.order) < 0.15);
    CHECK(std::abs(order_v - pair.scheme.order) < 0.15);
  }
}

TEST_CASE("on a bar under load the theta family converges to the exact motion") {
  const double T = 0.4;
  const Body bar = modal_bar();
  const Motion exact = exact_bar(bar, T);
  for (const SchemeCase& scheme : scheme_cases()) {
    if (scheme.order == 0.0) continue;
    CAPTURE(scheme.name);
    const Motion a = end_of({bar, scheme}, T, 1024), b = end_of({bar, scheme}, T, 2048);
    CHECK(std::abs(std::log2((a.q - exact.q).norm() / (b.q - exact.q).norm()) - scheme.order) <
          0.15);
    CHECK(std::abs(std::log2((a.v - exact.v).norm() / (b.v - exact.v).norm()) - scheme.order) <
          0.15);
  }
}

TEST_CASE(
    "modal-exact has no error at the nodes, whatever the step, loads and modes of frequency 0 "
    "included") {
  const Body bar = modal_bar();
  for (int steps : {7, 64, 512}) {
    CAPTURE(steps);
    const Motion exact = exact_bar(bar, 0.4);
    const Motion at = end_of({bar, {"modal-exact", modal_exact(), 0.0}}, 0.4, steps);
    CHECK((at.q - exact.q).norm() <= 1e-11 * exact.q.norm());
  }
}

TEST_CASE("the physical velocity of modal-exact is the exact one at every node of a free motion") {
  const Body bar = modal_bar({}, false);
  for (int steps : {7, 64, 512}) {
    CAPTURE(steps);
    const Motion exact = exact_bar(bar, 0.4);
    const Motion at = end_of({bar, {"modal-exact", modal_exact(), 0.0}}, 0.4, steps);
    CHECK((at.v - exact.v).norm() <= 1e-10 * exact.v.norm());
  }
}
