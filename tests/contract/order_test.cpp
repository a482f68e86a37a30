// Orders of convergence on smooth motion, two-sided, from data with v0 and F0 both non-zero.
#include <doctest/doctest.h>

#include <cmath>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

constexpr int kInstants =
    4;  ///< at which motions are compared: at one of them the error may pass through zero

/// Physical q and v at T/4, T/2, 3T/4, T, one after the other.
struct Motion {
  Vector q, v;
};

/// `steps` a multiple of kInstants. halved: the second half of the time with steps of half the length.
Motion end_of(const Pair& pair, double T, int steps, bool halved = false) {
  const double h = T / steps;
  Simulation sim(Model(parts(pair.body, pair.scheme.scheme, h)));
  const Eigen::Index n = pair.body.dynamics->positions(), m = pair.body.dynamics->velocities();
  Motion at{Vector(kInstants * n), Vector(kInstants * m)};
  bool converged = true;
  for (int i = 0; i < kInstants; ++i) {
    const bool half = halved && 2 * i >= kInstants;
    for (int k = 0; k < (half ? 2 : 1) * steps / kInstants; ++k)
      converged = sim.advance(half ? 0.5 * h : h).converged && converged;
    at.q.segment(i * n, n) = sim.state().groups[0].q;
    sim.velocity(0, at.v.segment(i * m, m));
  }
  CHECK(converged);
  CHECK(sim.state().t == doctest::Approx(T).epsilon(1e-13));
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

Motion exact_bar(const Body& bar, double T) {
  const ModalData& modes = *bar.dynamics->modal();
  const Eigen::Index n = modes.mass.size();
  const Vector zero = Vector::Zero(n);
  Vector load(n);
  bar.dynamics->force(0.0, zero, zero, load);
  Motion at{Vector(kInstants * n), Vector(kInstants * n)};
  for (Eigen::Index k = 0; k < kInstants * n; ++k) {
    const Eigen::Index j = k % n;
    const Eigen::Vector2d x =
        exact_mode(modes.omega[j], modes.sigma[j], load[j] / modes.mass[j], bar.state.q[j],
                   bar.state.v[j], T * static_cast<double>(k / n + 1) / kInstants);
    at.q[k] = x[0];
    at.v[k] = x[1];
  }
  return at;
}

struct Seen {
  double q = 0.0, v = 0.0;
  bool is(double order) const { return std::abs(q - order) < 0.15 && std::abs(v - order) < 0.15; }
};

/// Orders from runs of doubled steps, until the last two agree. Without the exact motion, from differences of runs.
Seen observe(const Pair& pair, double T, const Motion* exact = nullptr, bool halved = false) {
  // the bead hardly needs a step: coarse ones keep its error above round-off
  int steps = pair.scheme.order < 4.0 ? 64 : pair.body.name.rfind("bead", 0) == 0 ? 4 : 16;
  const auto off = [&](const Motion& a, const Motion& b) {
    const Motion& right = exact ? *exact : b;
    return Seen{(a.q - right.q).norm(), (a.v - right.v).norm()};
  };
  Motion a = end_of(pair, T, steps, halved), b = end_of(pair, T, 2 * steps, halved);
  Seen before = off(a, b), last;
  for (steps *= 4; steps <= 16384; steps *= 2) {
    a = std::move(b);
    b = end_of(pair, T, steps, halved);
    const Seen now = off(a, b);
    if (now.q < 1e-12 * b.q.norm() || now.v < 1e-12 * b.v.norm()) break;
    const Seen order{std::log2(before.q / now.q), std::log2(before.v / now.v)};
    const bool agree = std::abs(order.q - last.q) < 0.03 && std::abs(order.v - last.v) < 0.03;
    last = order;
    before = now;
    if (agree) break;
  }
  return last;
}

/// Bodies of this folder that the acceptance tests of orders do not have.
bool small_kind(const Body& body) {
  return body.name == "modal bar" || body.name == "rail pendulum" || body.name == "bead" ||
         body.name.rfind("rigid", 0) == 0 || body.name.rfind("linear", 0) == 0 ||
         body.name.rfind("pseudo", 0) == 0 || body.name.rfind("top", 0) == 0;
}

}  // namespace

TEST_CASE(
    "the error of smooth motion falls with the order of the scheme, neither slower nor faster") {
  const double T = 0.4;
  int tried = 0;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.order == 0.0 || !small_kind(pair.body)) continue;
    // the top turns too little: errors of order 5 are seen on those of tests/acceptance/rigid_orders_test.cpp
    if (pair.scheme.order >= 5.0 && pair.body.name.rfind("top", 0) == 0) continue;
    // of the first order for loads that depend on the velocity; these do not
    if (pair.scheme.name.ends_with("load at start") && pair.body.name == "top without drag")
      continue;
    // one solve: neither M(q) nor the tangent of a symmetrised body is linearised
    if (pair.scheme.one_solve && (!pair.body.constant_mass() || !pair.body.exact_tangents))
      continue;
    CAPTURE(pair.name());
    const Seen seen = observe(pair, T);
    CAPTURE(seen.q);
    CAPTURE(seen.v);
    CHECK(seen.is(pair.scheme.order));
    ++tried;
  }
  CHECK(tried >= 130);
}

TEST_CASE("on a bar under load every scheme converges to the exact motion") {
  const double T = 0.4;
  const Body bar = modal_bar();
  const Motion exact = exact_bar(bar, T);
  for (const SchemeCase& scheme : scheme_cases()) {
    if (scheme.order == 0.0 || !legal(*scheme.scheme, *bar.dynamics)) continue;
    CAPTURE(scheme.name);
    const Seen seen = observe({bar, scheme}, T, &exact);
    CAPTURE(seen.q);
    CAPTURE(seen.v);
    CHECK(seen.is(scheme.order));
  }
}

TEST_CASE(
    "modal-exact has no error at the nodes, whatever the step, loads and modes of frequency 0 "
    "included") {
  const Body bar = modal_bar();
  for (int steps : {4, 12, 64, 512}) {
    CAPTURE(steps);
    const Motion exact = exact_bar(bar, 0.4);
    const Motion at = end_of({bar, {"modal-exact", modal_exact(), 0.0}}, 0.4, steps);
    CHECK((at.q - exact.q).norm() <= 1e-11 * exact.q.norm());
  }
}

TEST_CASE("the physical velocity of modal-exact is the exact one at every node of a free motion") {
  const Body bar = modal_bar({}, false);
  for (int steps : {4, 12, 64, 512}) {
    CAPTURE(steps);
    const Motion exact = exact_bar(bar, 0.4);
    const Motion at = end_of({bar, {"modal-exact", modal_exact(), 0.0}}, 0.4, steps);
    CHECK((at.v - exact.v).norm() <= 1e-10 * exact.v.norm());
  }
}

TEST_CASE("a step that is halved in mid-run leaves the order as it is") {
  // h to T/2, then h/2: what a wrong hand-over of memory leaves behind would be of first order or worse
  int tried = 0;
  for (const Pair& pair : legal_pairs()) {
    if (pair.scheme.order == 0.0 || pair.scheme.scheme->fixed_step()) continue;
    if (pair.body.name != "linear system" && pair.body.name != "spring pendulum") continue;
    if (pair.scheme.one_solve && !pair.body.exact_tangents) continue;
    CAPTURE(pair.name());
    const Seen seen = observe(pair, 0.4, nullptr, true);
    CAPTURE(seen.q);
    CAPTURE(seen.v);
    CHECK(seen.is(pair.scheme.order));
    ++tried;
  }
  CHECK(tried >= 55);
}
