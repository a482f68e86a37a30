// The bodies of the contract tests keep the promises of Dynamics; schemes are tested on nothing less.
#include <doctest/doctest.h>

#include <cmath>

#include "cases.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// A configuration and a velocity off the initial ones, the same in every run.
GroupState elsewhere(const Body& body) {
  GroupState state = body.state;
  const Vector w = 0.3 * body.state.v;
  body.dynamics->retract(body.state.q, w, state.q);
  for (Eigen::Index j = 0; j < state.v.size(); ++j)
    state.v[j] += 0.2 * std::sin(1.0 + static_cast<double>(j));
  return state;
}

constexpr double kTime = 0.7;

Vector force(const Body& body, View q, View v, double t = kTime) {
  Vector f(body.dynamics->velocities());
  body.dynamics->force(t, q, v, f);
  return f;
}

Vector moved(const Body& body, View q, View w) {
  Vector out(body.dynamics->positions());
  body.dynamics->retract(q, w, out);
  return out;
}

Vector axis(const Body& body, Eigen::Index j) {
  return Vector::Unit(body.dynamics->velocities(), j);
}

}  // namespace

TEST_CASE("C and K of every body are the slopes of its force") {
  for (const Body& body : bodies()) {
    if (body.name == "rigid body with symmetrised tangent")
      continue;  // its C is not the slope, by its own word
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const double eps = 1e-6;
    for (Eigen::Index j = 0; j < at.v.size(); ++j) {
      const Vector e = axis(body, j);
      const Vector v_up = at.v + eps * e, v_down = at.v - eps * e, w_up = eps * e,
                   w_down = -eps * e;
      const Vector C = (force(body, at.q, v_down) - force(body, at.q, v_up)) / (2.0 * eps);
      const Vector K = (force(body, moved(body, at.q, w_down), at.v) -
                        force(body, moved(body, at.q, w_up), at.v)) /
                       (2.0 * eps);
      CHECK((multiply(*body.dynamics, {0, 1, 0}, at.q, at.v, e, kTime) - C).norm() <=
            1e-7 * (1.0 + C.norm()));
      if (body.exact_tangents)
        CHECK((multiply(*body.dynamics, {0, 0, 1}, at.q, at.v, e, kTime) - K).norm() <=
              1e-7 * (1.0 + K.norm()));
    }
  }
}

TEST_CASE("M, C and K of every body are those of their arguments, whatever was asked before") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const Combination s{0.9, 0.2, 0.3};
    const Vector x = Vector::LinSpaced(at.v.size(), -1.0, 1.7);
    const Vector before = multiply(*body.dynamics, s, at.q, at.v, x, kTime);
    force(body, body.state.q, body.state.v, 0.1);
    multiply(*body.dynamics, s, body.state.q, body.state.v, x, 1.9);
    CHECK(multiply(*body.dynamics, s, at.q, at.v, x, kTime) == before);
    Factor A, B;
    body.dynamics->factorise(s, kTime, at.q, at.v, A);
    force(body, at.q, at.v, 2.3);
    body.dynamics->factorise(s, kTime, at.q, at.v, B);
    Vector a = x, b = x;
    solve(A, a);
    solve(B, b);
    CHECK(a == b);
  }
}

TEST_CASE(
    "the factor of every body inverts what multiply applies, and says truly whether it is "
    "symmetric") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const Combination s{1.0, 0.02, 0.003};
    Factor A;
    body.dynamics->factorise(s, 0.0, at.q, at.v, A);
    const Eigen::Index n = at.v.size();
    Matrix dense(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      Vector x = multiply(*body.dynamics, s, at.q, at.v, axis(body, j));
      dense.col(j) = x;
      solve(A, x);
      CHECK((x - axis(body, j)).norm() <= 1e-13);
    }
    const bool is_symmetric = (dense - dense.transpose()).norm() <= 1e-13 * dense.norm();
    CHECK(symmetric(A) == is_symmetric);
    CHECK(has(body.dynamics->traits(), Trait::symmetric) == is_symmetric);
  }
}

TEST_CASE("the rows of a point are its velocity along retract, the prescribed part included") {
  std::vector<Body> all = bodies();
  Bead::Data drifting;
  drifting.drift = 0.4;
  all.push_back(bead());
  all.back().dynamics = std::make_shared<Bead>(drifting, Units{});
  for (const Body& body : all) {
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const double eps = 1e-6, t = 0.3;
    const Vector w_up = eps * at.v, w_down = -eps * at.v;
    const Vector3 rate = (point_at(*body.dynamics, moved(body, at.q, w_up), body.tip, t + eps) -
                          point_at(*body.dynamics, moved(body, at.q, w_down), body.tip, t - eps)) /
                         (2.0 * eps);
    Vector drift(3);
    body.dynamics->point_drift(t, at.q, {&body.tip, 1}, drift);
    for (int k = 0; k < 3; ++k) {
      const Vector3 n = Vector3::Unit(k);
      CHECK(rate_of(*body.dynamics, at.q, at.v, body.tip, n) + n.dot(drift) ==
            doctest::Approx(rate[k]).epsilon(1e-8));
    }
  }
}

TEST_CASE("a table of fixed points repeats their rows and their places") {
  for (const Body& body : bodies()) {
    if (!has(body.dynamics->traits(), Trait::fixed_points)) continue;
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const auto table = body.dynamics->table({&body.tip, 1}, {&body.normal, 1});
    REQUIRE(table != nullptr);
    PointScratch scratch;
    Vector y(1), u(1);
    table->apply(at.q, scratch, y);
    table->apply(at.v, scratch, u);
    CHECK(
        y[0] + table->rest()[0] ==
        doctest::Approx(body.normal.dot(point_at(*body.dynamics, at.q, body.tip))).epsilon(1e-14));
    CHECK(
        u[0] ==
        doctest::Approx(rate_of(*body.dynamics, at.q, at.v, body.tip, body.normal)).epsilon(1e-14));
  }
}

TEST_CASE(
    "the force with a potential is the slope of the potential, and does the work of its sources") {
  int tried = 0;
  for (const Body& body : bodies()) {
    const Dynamics& kind = *body.dynamics;
    if (!has(kind.traits(), Trait::potential)) continue;
    CAPTURE(body.name);
    const GroupState at = elsewhere(body);
    const double eps = 1e-5, t = 0.7;
    Vector f(at.v.size());
    kind.potential_force(t, at.q, f);
    for (Eigen::Index j = 0; j < at.v.size(); ++j) {
      const Vector up = eps * axis(body, j), down = -up;
      const double slope = (kind.energy(t, moved(body, at.q, up), at.v).potential -
                            kind.energy(t, moved(body, at.q, down), at.v).potential) /
                           (2.0 * eps);
      // the size of V limits what its differences resolve
      const double noise = 1e-15 * std::abs(kind.energy(t, at.q, at.v).potential) / eps;
      CHECK(std::abs(f[j] + slope) <= 1e-8 * (1.0 + f.norm()) + noise);
    }
    ++tried;
  }
  CHECK(tried >= 5);
}

TEST_CASE("mass matrices do not depend on the configuration where the kind says so") {
  for (const Body& body : bodies()) {
    const GroupState at = elsewhere(body);
    CAPTURE(body.name);
    double change = 0.0;
    for (Eigen::Index j = 0; j < at.v.size(); ++j) {
      const Vector e = axis(body, j);
      change = std::max(change, (multiply(*body.dynamics, {1, 0, 0}, at.q, at.v, e) -
                                 multiply(*body.dynamics, {1, 0, 0}, body.state.q, at.v, e))
                                    .norm());
    }
    CHECK((change == 0.0) == has(body.dynamics->traits(), Trait::constant_mass));
  }
}

TEST_CASE("increments move with increment_rate: d/dt of q0 (+) w is v") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    const Vector& q0 = body.state.q;
    const Vector w = 0.4 * body.state.v,
                 v = elsewhere(body).v;  // a turn of 1.6 rad where the body turns
    Vector rate(v.size());
    body.dynamics->increment_rate(w, v, rate);
    const double eps = 1e-6;
    const Vector w_up = w + eps * rate, w_down = w - eps * rate;
    const Vector moved_by =
        increment(*body.dynamics, moved(body, q0, w_down), moved(body, q0, w_up)) / (2.0 * eps);
    CHECK((moved_by - v).norm() <= 1e-8 * v.norm());
  }
}

TEST_CASE(
    "the powers of all sources add up to F . w, and those without potential are what energy "
    "loses") {
  for (const Body& body : bodies()) {
    CAPTURE(body.name);
    const Dynamics& kind = *body.dynamics;
    const GroupState at = elsewhere(body);
    const Vector f = force(body, at.q, at.v), w = body.state.v;
    std::vector<double> power(kind.sources().size());
    kind.power(0.7, {}, at.q, at.v, w, power);
    double sum = 0.0, open = 0.0;
    for (double p : power) sum += p;
    CHECK(sum == doctest::Approx(f.dot(w)).epsilon(1e-12));

    kind.power(0.7, {}, at.q, at.v, at.v, power);
    for (std::size_t s = 0; s < power.size(); ++s)
      open += kind.sources()[s].potential ? 0.0 : power[s];
    Factor M;
    kind.factorise({1, 0, 0}, 0.0, at.q, at.v, M);
    Vector a = f;
    solve(M, a);
    const double eps = 1e-6;
    const auto energy = [&](double dt) {
      const Vector step = dt * at.v, v = at.v + dt * a;
      return kind.energy(0.7 + dt, moved(body, at.q, step), v).total();
    };
    CHECK((energy(eps) - energy(-eps)) / (2.0 * eps) == doctest::Approx(open).epsilon(1e-7));
  }
}
