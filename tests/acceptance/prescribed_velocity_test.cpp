// Degrees of freedom that move as they are told, coupled to free ones by every matrix, against elimination by hand with
// dense matrices: f free, p prescribed, A = M + h theta C + h^2 theta^2 K,
//
//     A_ff (v_free - v0) = - h C_ff v0 - h K_ff (q0 + h theta v0) + h [(1 - theta) f(t0) + theta f(t1)]
//     f(t) = F_f(t) - M_fp u''(t) - C_fp u'(t) - K_fp u(t)
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "saltus/bodies/linear.h"
#include "saltus/sim/inspect.h"
#include "support/dense.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kStep = 5e-3;  // [s]

Vector numbers(Eigen::Index n, std::uint64_t seed) {
  Vector x(n);
  std::uint64_t s = seed * 2654435761u + 1;
  for (double& value : x) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(s >> 11) * 0x1p-52 - 1.0;
  }
  return x;
}
Matrix full(Eigen::Index n, std::uint64_t seed, double diagonal) {
  const Matrix A = numbers(n * n, seed).reshaped(n, n);
  return A * A.transpose() / static_cast<double>(n) + diagonal * Matrix::Identity(n, n);
}

/// A system with full matrices and its solution by hand.
struct Coupled {
  int n;
  std::vector<int> held, free;
  std::vector<Signal> motion;
  Matrix M, C, K;
  Vector load;
  Signal shake;  // of the load on degree of freedom 0

  Coupled(int size, std::vector<int> prescribed, std::vector<Signal> signals)
      : n(size), held(std::move(prescribed)), motion(std::move(signals)) {
    M = full(n, 1, 1.0);
    C = 0.5 * full(n, 2, 0.2);
    K = 200.0 * full(n, 3, 0.5);
    load = 3.0 * numbers(n, 4);
    shake = Signal::harmonic(5.0, 40.0, 0.3);
    for (int i = 0; i < n; ++i)
      if (std::find(held.begin(), held.end(), i) == held.end()) free.push_back(i);
  }
  std::shared_ptr<const Linear> body() const {
    LinearSystem system;
    system.mass = SparseMatrix::from(M);
    system.damping = SparseMatrix::from(C);
    system.stiffness = SparseMatrix::from(K);
    system.load = load;
    system.loads = {{{{0, 1.0}}, shake}};
    for (std::size_t j = 0; j < held.size(); ++j) system.prescribed.push_back({held[j], motion[j]});
    return std::make_shared<Linear>(system);
  }
  Vector F(double t) const {
    Vector f = load;
    f[0] += shake.value(t);
    return f;
  }
  Vector u(double t) const { return told(t, &Signal::value); }
  Vector rate(double t) const { return told(t, &Signal::rate); }
  Vector second(double t) const { return told(t, &Signal::second); }
  Vector told(double t, double (Signal::*what)(double) const) const {
    Vector x(static_cast<Eigen::Index>(held.size()));
    for (std::size_t j = 0; j < held.size(); ++j)
      x[static_cast<Eigen::Index>(j)] = (motion[j].*what)(t);
    return x;
  }
  Vector forces(double t) const {
    return F(t)(free) - M(free, held) * second(t) - C(free, held) * rate(t) - K(free, held) * u(t);
  }
  Matrix A(double theta) const { return M + kStep * theta * C + kStep * kStep * theta * theta * K; }
  Vector v_free(double theta, double t0, const Vector& q0, const Vector& v0) const {
    const Matrix Aff = A(theta)(free, free);
    const Vector res = kStep * (C(free, free) * v0) +
                       kStep * (K(free, free) * (q0 + kStep * theta * v0)) -
                       kStep * ((1.0 - theta) * forces(t0) + theta * forces(t0 + kStep));
    return v0 - solve_by_lu(Aff, res);
  }
  // Whole row p of the equation with the mean velocity and acceleration of the step, without contact on p.
  Vector reactions(double t0, const Vector& q0, const Vector& v0, const Vector& q1,
                   const Vector& v1) const {
    const double t = t0 + 0.5 * kStep;
    const Vector q = 0.5 * (q0 + q1), v = 0.5 * (v0 + v1), a = (v1 - v0) / kStep;
    return M(held, free) * a + M(held, held) * second(t) + C(held, free) * v +
           C(held, held) * rate(t) + K(held, free) * q + K(held, held) * u(t) - F(t)(held);
  }
};

MoreauJeanOptions theta_of(double theta) {
  MoreauJeanOptions o;
  o.theta = theta;
  o.quadrature = MoreauJeanOptions::Quadrature::ends;
  o.newton = MoreauJeanOptions::Newton::one_pass;
  return o;
}

double relative(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1e-300, b.lpNorm<Eigen::Infinity>());
}

/// The largest relative difference of velocities, positions and reactions over 40 steps.
struct Deviation {
  double v = 0.0, q = 0.0, reaction = 0.0;
  int impacts = 0;
};

/// With a stop 5 mm below degree of freedom `touching`, restitution e, where touching >= 0.
Deviation follow(const Coupled& system, double theta, int touching = -1, double e = 0.5) {
  const auto body = system.body();
  const auto nf = static_cast<Eigen::Index>(system.free.size());
  MovingBody at{body, 0.1 * numbers(nf, 7), 2.0 * numbers(nf, 8)};
  if (touching >= 0) at.v[body->free_index(touching)] = -1.5;
  ModelParts parts = one_group(at, theta_of(theta), kStep);
  double height = 0.0;
  if (touching >= 0) {
    height = at.q[body->free_index(touching)] - 0.005;
    NewtonImpact law;
    law.restitution = e;
    add_stop(parts, {0, touching, Vector3::Zero()}, Vector3(0.0, 0.0, height), Vector3::UnitZ(),
             law);
  }
  Simulation sim{Model(parts)};
  Vector q = at.q, v = at.v;
  Deviation worst;
  for (int k = 0; k < 40; ++k) {
    const double t0 = k * kStep;
    Vector v1 = system.v_free(theta, t0, q, v);
    if (touching >= 0) {
      const int i = body->free_index(touching);
      const double ahead = q[i] + kStep * (theta * v1[i] + (1.0 - theta) * v[i]) - height;
      if (ahead <= 0.0 && v1[i] + e * v[i] < 0.0) {  // 0 <= u1 + e u0 perp P >= 0
        const Matrix Aff = system.A(theta)(system.free, system.free);
        const Vector column = solve_by_lu(Aff, Vector::Unit(nf, i));
        v1 += column * (-(v1[i] + e * v[i]) / column[i]);
        ++worst.impacts;
      }
    }
    const Vector q1 = q + kStep * (theta * v1 + (1.0 - theta) * v);
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    CHECK(report.passes == 1);
    worst.v = std::max(worst.v, relative(sim.state().groups[0].v, v1));
    worst.q = std::max(worst.q, relative(sim.state().groups[0].q, q1));
    worst.reaction =
        std::max(worst.reaction, relative(sim.reactions(0), system.reactions(t0, q, v, q1, v1)));
    q = q1;
    v = v1;
  }
  return worst;
}

void check(const Deviation& worst) {
  CHECK(worst.v <= 1e-12);
  CHECK(worst.q <= 1e-12);
  CHECK(worst.reaction <= 1e-12);
}

Signal steady(double start, double rate) {
  return Signal::table({0.0, 10.0}, {start, start + 10.0 * rate});
}

void follow_all(const std::vector<Coupled>& systems) {
  double worst = 0.0;
  for (double theta : {0.5, 0.7, 1.0})
    for (const Coupled& system : systems) {
      CAPTURE(theta);
      CAPTURE(system.n);
      const Deviation d = follow(system, theta);
      check(d);
      worst = std::max({worst, d.v, d.q, d.reaction});
    }
  MESSAGE(fmt::format("largest difference {:.1e}", worst));
}

}  // namespace

TEST_CASE("a constant prescribed velocity moves coupled rows as elimination by hand does") {
  follow_all({Coupled(3, {2}, {steady(0.1, -0.7)}),
              Coupled(3, {0, 1}, {steady(0.0, 2.0), steady(0.2, 0.0)}),
              Coupled(12, {3, 11, 0}, {steady(0.1, 1.0), steady(0.0, -2.0), steady(0.3, 0.5)})});
}

TEST_CASE("a prescribed velocity that varies moves coupled rows as elimination by hand does") {
  const Signal wave = Signal::harmonic(0.1, 30.0, 0.4),
               slow = Signal::harmonic(0.3, 7.0, -1.0, 0.2);
  const Signal spline =
      Signal::table({0.0, 0.05, 0.11, 0.2, 1.0}, {0.0, 0.1, -0.2, 0.1, 0.0}, true);
  follow_all({Coupled(3, {2}, {wave}), Coupled(3, {1, 0}, {spline, slow}),
              Coupled(20, {5, 0, 19, 7}, {wave, slow, spline, wave})});
}

TEST_CASE("an impact at a free degree of freedom reaches the force that holds a prescribed one") {
  const Signal wave = Signal::harmonic(0.1, 30.0, 0.4),
               slow = Signal::harmonic(0.3, 7.0, -1.0, 0.2);
  double worst = 0.0;
  for (double theta : {0.5, 0.7, 1.0})
    for (const Coupled& system : {Coupled(3, {2}, {wave}), Coupled(3, {2}, {steady(0.1, -0.7)}),
                                  Coupled(12, {3, 11, 0}, {wave, slow, steady(0.0, 1.0)})}) {
      CAPTURE(theta);
      CAPTURE(system.n);
      const Deviation d = follow(system, theta, 1);
      check(d);
      CHECK(d.impacts > 0);
      worst = std::max({worst, d.v, d.q, d.reaction});
    }
  MESSAGE(fmt::format("largest difference {:.1e}", worst));
}

// The scheme of Siconos keeps the prescribed component in v and masks A: B = A(:, J), d = u'(t1) - v_J,
//     A_ff (v_free - v0) = - resid_f - B_f d,    resid = h C v0 + h K q0 + h^2 theta K v0 - h F_theta of all components
// At constant velocity d = 0, q_J is exact, and both are one scheme.
TEST_CASE("at constant velocity elimination and masked rows are one scheme") {
  const double rate = -0.7, start = 0.1;
  const Coupled system(3, {2}, {steady(start, rate)});
  const std::vector<int> f = {0, 1};
  for (double theta : {0.5, 0.7, 1.0}) {
    CAPTURE(theta);
    const MovingBody at{system.body(), 0.1 * numbers(2, 7), 2.0 * numbers(2, 8)};
    Simulation sim{Model(one_group(at, theta_of(theta), kStep))};
    Vector q(3), v(3);
    q << at.q, start;
    v << at.v, rate;
    const Matrix A = system.A(theta);
    for (int k = 0; k < 40; ++k) {
      const double t0 = k * kStep;
      const Vector F = (1.0 - theta) * system.F(t0) + theta * system.F(t0 + kStep);
      const Vector resid =
          kStep * (system.C * v) + kStep * (system.K * (q + kStep * theta * v)) - kStep * F;
      const double d = rate - v[2];
      const Vector rhs = resid(f) + A(f, 2) * d;
      Vector v1(3);
      v1 << v(f) - solve_by_lu(A(f, f), rhs), rate;
      q += kStep * (theta * v1 + (1.0 - theta) * v);
      v = v1;
      REQUIRE(sim.advance().converged);
      CHECK(relative(sim.state().groups[0].v, v(f)) <= 1e-12);
      CHECK(relative(sim.state().groups[0].q, q(f)) <= 1e-12);
    }
  }
}

// The columns that a mask would have to carry to the right-hand side are those of the unreduced A.
TEST_CASE("the columns of prescribed degrees of freedom are those of the whole operator") {
  const Signal wave = Signal::harmonic(0.1, 30.0);
  const Coupled system(6, {4, 1}, {wave, wave});
  for (double theta : {0.5, 0.7, 1.0}) {
    const MovingBody at{system.body(), Vector::Zero(4), Vector::Zero(4)};
    const Simulation sim{Model(one_group(at, theta_of(theta), kStep))};
    const Matrix B = Inspection(sim).prescribed_columns(0), A = system.A(theta);
    REQUIRE(B.rows() == 6);
    REQUIRE(B.cols() == 2);
    for (int j = 0; j < 2; ++j) {
      const int column = system.held[static_cast<std::size_t>(j)];
      for (int i = 0; i < 4; ++i)
        CHECK(B(i, j) ==
              doctest::Approx(A(system.free[static_cast<std::size_t>(i)], column)).epsilon(1e-15));
      for (int i = 0; i < 2; ++i)
        CHECK(B(4 + i, j) ==
              doctest::Approx(A(system.held[static_cast<std::size_t>(i)], column)).epsilon(1e-15));
    }
  }
}
