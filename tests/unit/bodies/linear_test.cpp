#include "saltus/bodies/linear.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include "saltus/base/error.h"
#include "saltus/math/dense.h"

using namespace saltus;

namespace {

constexpr double kPi = std::numbers::pi;

Vector numbers(Eigen::Index n, std::uint64_t seed) {
  Vector x(n);
  std::uint64_t s = seed * 2654435761u + 1;
  for (double& value : x) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(s >> 11) * 0x1p-52 - 1.0;
  }
  return x;
}

PointRef dof(int i) { return {0, i, Vector3::Zero()}; }

Matrix square(Eigen::Index n, std::uint64_t seed) { return numbers(n * n, seed).reshaped(n, n); }

Matrix positive(Eigen::Index n, std::uint64_t seed) {
  const Matrix A = square(n, seed);
  return A * A.transpose() + Matrix::Identity(n, n);
}

constexpr int kSize = 6;

// Everything at once: full unsymmetric C and K, Rayleigh damping, loads, and motion prescribed at two places.
LinearSystem rich() {
  LinearSystem system;
  system.mass = SparseMatrix::from(positive(kSize, 1));
  system.damping = SparseMatrix::from(square(kSize, 2));
  system.stiffness = SparseMatrix::from(positive(kSize, 3) + 0.5 * square(kSize, 4));
  system.rayleigh = {0.3, 0.02};
  system.load = numbers(kSize, 5);
  system.loads = {{{{0, 1.0}, {4, -2.0}}, Signal::harmonic(3.0, 2.0, 0.3)},
                  {{{1, 0.5}, {3, 1.5}}, Signal::table({0.0, 1.0, 2.0}, {0.0, 1.0, -1.0}, true)},
                  {{{2, 1.0}, {4, 1.0}}, Signal::constant(0.7)}};
  system.prescribed = {{4, Signal::harmonic(0.2, 5.0, 1.0, 0.1)}, {1, Signal::harmonic(0.1, 3.0)}};
  return system;
}

// The same numbers, dense and whole.
struct Reference {
  LinearSystem system = rich();
  Matrix M, C, K;
  std::vector<int> free = {0, 2, 3, 5}, held = {4, 1};

  Reference()
      : M(system.mass.dense()),
        C(system.damping.dense() + 0.3 * M + 0.02 * system.stiffness.dense()),
        K(system.stiffness.dense()) {}
  Vector load(double t) const {
    Vector F = system.load;
    for (const Load& load : system.loads)
      for (const auto& [dof, weight] : load.pattern) F[dof] += weight * load.signal.value(t);
    return F;
  }
  // Free components from x, prescribed ones from the signals
  Vector whole(const Vector& x, double t, double (Signal::*value)(double) const) const {
    Vector all(kSize);
    for (std::size_t i = 0; i < free.size(); ++i) all[free[i]] = x[static_cast<Eigen::Index>(i)];
    for (const Prescribed& p : system.prescribed) all[p.dof] = (p.signal.*value)(t);
    return all;
  }
  Matrix part(const Matrix& A) const { return A(free, free); }
};

struct Named {
  std::string name;
  LinearSystem system;
};

std::vector<Named> systems() {
  std::vector<Named> list;
  list.push_back({"everything", rich()});
  LinearSystem symmetric = rich();
  symmetric.damping = SparseMatrix::from(positive(kSize, 8));
  symmetric.stiffness = SparseMatrix::from(positive(kSize, 9));
  list.push_back({"symmetric", symmetric});
  LinearSystem first_order = rich();
  first_order.stiffness = {};
  list.push_back({"first order", first_order});
  LinearSystem diagonal = oscillator(2.0, 5.0, 0.4);
  diagonal.load = Vector::Constant(1, 3.0);
  list.push_back({"one mass", diagonal});
  list.push_back({"chain", chain(5, 2.0, 30.0, 0.7, ChainEnds::fixed_free)});
  LinearSystem line = bar({8, 1.0, 2.0, 3.0, 4.0, ChainEnds::free_free, true});
  line.rayleigh = {0.2, 0.0};
  line.prescribed = {{0, Signal::harmonic(0.01, 7.0)}};
  list.push_back({"lumped bar", line});
  line = bar({8, 1.0, 2.0, 3.0, 4.0, ChainEnds::fixed_fixed});
  line.rayleigh = {0.2, 0.01};
  list.push_back({"bar", line});
  return list;
}

Vector force(const Linear& body, double t, const Vector& q, const Vector& v) {
  Vector f(body.velocities());
  body.force(t, q, v, f);
  return f;
}

Vector times(const Linear& body, Combination s, const Vector& x) {
  const Vector zero = Vector::Zero(x.size());
  Vector y = Vector::Constant(x.size(), 99.0);
  body.multiply(s, 0.0, zero, zero, x, y);
  return y;
}

std::vector<double> power(const Linear& body, double t, const Vector& q, const Vector& v,
                          const Vector& w) {
  std::vector<double> watts(body.sources().size(), 99.0);
  body.power(t, {}, q, v, w, watts);
  return watts;
}

std::vector<std::string> names(const Linear& body) {
  std::vector<std::string> result;
  for (const Source& source : body.sources())
    result.push_back(source.name + (source.potential ? " potential" : ""));
  return result;
}

std::string refusal(LinearSystem system) {
  try {
    const Linear body(std::move(system));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// Angular frequencies of K x = omega^2 M x, increasing.
Vector frequencies(const LinearSystem& system) {
  return symmetric_pairs(system.stiffness.dense(), system.mass.dense())
      .values.cwiseMax(0.0)
      .cwiseSqrt();
}

}  // namespace

TEST_CASE("the force is F(t) - C v - K q on the free degrees of freedom, prescribed ones moving") {
  const Reference all;
  const Linear body(rich());
  REQUIRE(body.positions() == 4);
  REQUIRE(body.prescribed() == 2);
  const Vector q = numbers(4, 20), v = numbers(4, 21);
  for (double t : {0.0, 0.4, 1.7}) {
    const Vector whole_q = all.whole(q, t, &Signal::value),
                 whole_v = all.whole(v, t, &Signal::rate);
    const Vector whole_a = all.whole(Vector::Zero(4), t, &Signal::second);
    const Vector F = all.load(t) - all.C * whole_v - all.K * whole_q - all.M * whole_a;
    CHECK((force(body, t, q, v) - F(all.free)).norm() < 1e-13);
  }
}

TEST_CASE("solving for the free degrees of freedom is solving the whole system with reactions") {
  const Reference all;
  const Linear body(rich());
  const Vector q = numbers(4, 22), v = numbers(4, 23), zero = Vector::Zero(4);
  Factor M;
  body.factorise({1.0, 0.0, 0.0}, 0.0, zero, zero, M);
  for (double t : {0.0, 0.4, 1.7}) {
    Vector a = force(body, t, q, v);
    solve(M, a);
    Vector reactions(2);
    body.reactions(t, q, v, a, reactions);
    const Vector residual = all.M * all.whole(a, t, &Signal::second) +
                            all.C * all.whole(v, t, &Signal::rate) +
                            all.K * all.whole(q, t, &Signal::value) - all.load(t);
    CHECK(residual(all.free).norm() < 1e-12);
    CHECK((residual(all.held) - reactions).norm() < 1e-12);
    Vector place(kSize);
    body.full(t, q, place);
    CHECK(place == all.whole(q, t, &Signal::value));
  }
}

TEST_CASE("a mass on a spring whose other end swings follows the closed form") {
  // m q'' + k (q - u) = 0, u = U cos(W t):  q = U w^2/(w^2 - W^2) cos(W t)
  const double m = 2.0, k = 50.0, U = 0.03, W = 3.0, w2 = k / m;
  LinearSystem system = chain(2, m, k, 0.0, ChainEnds::free_free);
  system.prescribed = {{0, Signal::harmonic(U, W)}};
  const Linear body(system);
  CHECK(body.free_dofs().size() == 1);
  CHECK(body.free_index(1) == 0);
  CHECK(body.free_index(0) == -1);
  for (double t : {0.0, 0.3, 1.0}) {
    Vector q(1), v(1), a(1), reaction(1);
    q[0] = U * w2 / (w2 - W * W) * std::cos(W * t);
    v[0] = 0.0;
    a[0] = -W * W * q[0];
    CHECK(force(body, t, q, v)[0] == doctest::Approx(m * a[0]).epsilon(1e-13));
    body.reactions(t, q, v, a, reaction);  // moves its own mass and the one on the spring
    CHECK(reaction[0] ==
          doctest::Approx(m * a[0] - m * W * W * U * std::cos(W * t)).epsilon(1e-13));
  }
}

TEST_CASE("a support without mass may be prescribed") {
  LinearSystem system = chain(2, 1.0, 10.0, 0.0, ChainEnds::free_free);
  system.mass = SparseMatrix(2, std::vector{Entry{1, 1, 1.0}});
  CHECK(refusal(system).find("degree of freedom 0 ") != std::string::npos);
  system.prescribed = {{0, Signal::harmonic(0.1, 1.0)}};
  CHECK(refusal(system) == "");
}

TEST_CASE("products are those of the matrices, Rayleigh damping included") {
  const Reference all;
  const Linear body(rich());
  const Vector x = numbers(4, 24);
  const Combination s{0.7, -0.2, 1.3};
  const Matrix A = all.part(0.7 * all.M - 0.2 * all.C + 1.3 * all.K);
  CHECK((times(body, s, x) - A * x).norm() < 1e-13);
  CHECK((times(body, {0.0, 1.0, 0.0}, x) - all.part(all.C) * x).norm() < 1e-13);
  CHECK(times(body, {0.0, 0.0, 0.0}, x) == Vector::Zero(4));
  CHECK(body.rayleigh().mass == 0.3);
  CHECK(body.rayleigh().stiffness == 0.02);
}

TEST_CASE("C and K are the derivatives of the force") {
  for (const Named& named : systems()) {
    CAPTURE(named.name);
    const Linear body(named.system);
    const Eigen::Index n = body.velocities();
    const Vector q = numbers(n, 30), v = numbers(n, 31), x = numbers(n, 32);
    const double t = 0.3;
    const Vector dq = force(body, t, q + x, v) - force(body, t, q - x, v);
    const Vector dv = force(body, t, q, v + x) - force(body, t, q, v - x);
    CHECK((0.5 * dq + times(body, {0.0, 0.0, 1.0}, x)).norm() < 1e-11);
    CHECK((0.5 * dv + times(body, {0.0, 1.0, 0.0}, x)).norm() < 1e-11);
    CHECK(has(body.traits(), Trait::affine));
  }
}

TEST_CASE("the powers of the sources add up to that of the force") {
  for (const Named& named : systems()) {
    CAPTURE(named.name);
    const Linear body(named.system);
    const Eigen::Index n = body.velocities();
    const Vector q = numbers(n, 33), v = numbers(n, 34), w = numbers(n, 35);
    double sum = 0.0;
    for (double watts : power(body, 0.6, q, v, w)) sum += watts;
    CHECK(sum == doctest::Approx(force(body, 0.6, q, v).dot(w)).epsilon(1e-12));
  }
}

TEST_CASE("the potential is that of the elastic force, the kinetic energy that of the mass") {
  for (const Named& named : systems()) {
    CAPTURE(named.name);
    const Linear body(named.system);
    const Eigen::Index n = body.velocities();
    const Vector q = numbers(n, 36), v = numbers(n, 37), w = numbers(n, 38);
    const auto potential = [&](const Vector& at) { return body.energy(0.0, at, v).potential; };
    const double rate = 0.5 * (potential(q + w) - potential(q - w));  // exact for a quadratic
    Vector elastic(n);
    body.potential_force(0.0, q, elastic);
    CHECK(elastic.dot(w) == doctest::Approx(-rate).epsilon(1e-11));
    for (std::size_t s = 0; s < body.sources().size(); ++s)
      if (body.sources()[s].potential)
        CHECK(power(body, 0.0, q, v, w)[s] == doctest::Approx(-rate).epsilon(1e-11));
    CHECK(body.energy(0.0, q, v).kinetic ==
          doctest::Approx(0.5 * v.dot(times(body, {1.0, 0.0, 0.0}, v))).epsilon(1e-13));
  }
}

TEST_CASE("a system names the sources and traits it has") {
  using Names = std::vector<std::string>;
  const Linear everything(rich());
  CHECK(names(everything) ==
        Names{"elastic potential", "damping", "load", "prescribed", "circulatory"});
  const unsigned always =
      Trait::tangents | Trait::affine | Trait::constant_mass | Trait::fixed_points;
  CHECK(everything.traits() == (always | Trait::second_order));
  const Linear mass(oscillator(1.0, 2.0));
  CHECK(names(mass) == Names{"elastic potential"});
  CHECK(mass.traits() ==
        (always | Trait::second_order | Trait::potential | Trait::symmetric | Trait::separable));
  LinearSystem system = chain(3, 1.0, 2.0, 0.0, ChainEnds::free_free);
  system.stiffness = {};
  CHECK(names(Linear(system)).empty());
  CHECK(Linear(system).traits() ==
        (always | Trait::potential | Trait::symmetric | Trait::separable));
  system.damping = SparseMatrix(3, std::vector{Entry{0, 1, 1.0}, Entry{1, 0, -1.0}});
  CHECK(names(Linear(system)) == Names{"damping"});
  CHECK_FALSE(has(Linear(system).traits(), Trait::symmetric));
  CHECK_FALSE(has(Linear(system).traits(), Trait::separable));
}

TEST_CASE("the step operator takes its cheapest form and is refilled") {
  const Vector none;
  Factor A;
  const auto check = [&](const Linear& body, Combination s, bool diagonal) {
    const Eigen::Index n = body.velocities();
    body.factorise(s, 0.0, none, none, A);
    CHECK(std::holds_alternative<Diagonal>(A.form) == diagonal);
    const Vector b = numbers(n, 40);
    Vector x = b;
    solve(A, x);
    CHECK((times(body, s, x) - b).norm() < 1e-12 * (b.norm() + times(body, s, x).norm()));
  };
  const Combination implicit{1.0, 0.05, 0.0025}, mass{1.0, 0.0, 0.0};
  const Linear lumped(chain(40, 2.0, 30.0, 0.7, ChainEnds::fixed_free));
  check(lumped, mass, true);
  check(lumped, implicit, false);
  const void* kept = std::get<std::unique_ptr<Operator>>(A.form).get();
  check(lumped, {1.0, 0.1, 0.01}, false);
  CHECK(std::get<std::unique_ptr<Operator>>(A.form).get() == kept);
  CHECK(symmetric(A));
  check(Linear(rich()), implicit, false);
  CHECK_FALSE(symmetric(A));
  check(Linear(rich()), mass, false);
  check(Linear(oscillator(2.0, 5.0, 0.4)), implicit, true);
  check(lumped, {1.0, 0.0, -0.05}, false);  // negative stiffness
}

TEST_CASE("the points of a system lie where its degrees of freedom are") {
  LinearSystem system = chain(3, 1.0, 2.0, 0.0, ChainEnds::free_free);
  const Vector3 slanted = Vector3(1.0, 2.0, 2.0) / 3.0;
  system.points = {{Vector3(1, 0, 0), Vector3::UnitX()},
                   {Vector3(2, 0, 0), slanted},
                   {Vector3(3, 0, 0), Vector3::UnitZ()}};
  system.prescribed = {{0, Signal::harmonic(0.5, 2.0)}};
  const Linear body(system);
  const std::vector<PointRef> at = {dof(1), dof(0), dof(2), dof(1)};
  const double t = 0.8;
  const Vector q = numbers(2, 50), v = numbers(2, 51);
  Vector x(12), later(12), drift(12);
  body.points(t, q, at, x);
  CHECK((x.segment<3>(0) - (Vector3(2, 0, 0) + q[0] * slanted)).norm() < 1e-15);
  CHECK((x.segment<3>(3) - Vector3(1.0 + 0.5 * std::cos(1.6), 0, 0)).norm() < 1e-15);
  CHECK((x.segment<3>(6) - Vector3(3, 0, q[1])).norm() < 1e-15);
  // x' = J v + d
  PointRows J;
  body.point_rows(q, q, at, J);
  body.point_drift(t, q, at, drift);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
      drift.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
          v[J.column[static_cast<std::size_t>(k)]] *
          Eigen::Map<const Vector3>(&J.value[3 * static_cast<std::size_t>(k)]);
  constexpr double h = 1e-6;
  body.points(t + h, q + h * v, at, later);
  body.points(t - h, q - h * v, at, x);
  CHECK(((later - x) / (2.0 * h) - drift).norm() < 1e-9);
  CHECK_THROWS_AS(body.points(t, q, std::vector{dof(3)}, x), UsageError);
  CHECK_THROWS_AS(body.points(t, q, std::vector{dof(-1)}, x), UsageError);
}

TEST_CASE("the table of points is the dense one, its response S A^-1 S^T") {
  const int n = 60;
  const Linear body(chain(n, 2.0, 30.0, 0.7, ChainEnds::fixed_free, 0.5, Vector3(1, 1, 0)));
  std::vector<PointRef> at;
  std::vector<Vector3> direction;
  for (int i = 0; i < 40; ++i) {
    at.push_back(dof((7 * i) % n));
    direction.push_back(Vector3(0.3 + 0.01 * i, -1.0, 0.2).normalized());
  }
  at[3] = at[5];
  const auto table = body.table(at, direction);
  REQUIRE(table);
  REQUIRE(table->rows() == 40);
  const Vector q = numbers(n, 60);
  Vector x(120), y(40);
  body.points(0.0, q, at, x);
  PointScratch scratch;
  table->apply(q, scratch, y);
  Matrix S = Matrix::Zero(40, n);
  for (int i = 0; i < 40; ++i) {
    const auto k = static_cast<std::size_t>(i);
    CHECK(table->rest()[i] + y[i] ==
          doctest::Approx(direction[k].dot(x.segment<3>(3 * i))).epsilon(1e-13));
    S(i, at[k].feature) = direction[k].dot(Vector3(1, 1, 0).normalized());
  }
  CHECK((y - S * q).norm() < 1e-14);
  const std::vector<int> some = {5, 3, 17};
  Vector part(3);
  table->apply(some, q, scratch, part);
  CHECK(part == Vector(y(some)));
  Vector r = q;
  table->accumulate(some, part, scratch, r);
  CHECK((r - q - S(some, Eigen::all).transpose() * part).norm() < 1e-14);
  for (const Combination s : {Combination{1.0, 0.0, 0.0}, Combination{1.0, 0.05, 0.0025}}) {
    Factor A;
    body.factorise(s, 0.0, q, q, A);
    Matrix D, X = S.transpose();
    table->response(A, D);
    solve(A, X);
    CHECK((D - S * X).norm() < 1e-14);
    CHECK(D == D.transpose());
  }
}

TEST_CASE("there is no table for a point that is prescribed to move") {
  LinearSystem system = chain(3, 1.0, 2.0, 0.0, ChainEnds::free_free);
  system.prescribed = {{1, Signal::harmonic(0.5, 2.0)}};
  const Linear body(system);
  const std::vector<Vector3> direction = {Vector3::UnitX()};
  CHECK(body.table(std::vector{dof(0)}, direction) != nullptr);
  CHECK(body.table(std::vector{dof(1)}, direction) == nullptr);
}

TEST_CASE("what is no linear system is refused with its reason") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto change) {
    LinearSystem system = chain(3, 1.0, 2.0, 0.5, ChainEnds::fixed_free);
    change(system);
    return refusal(system);
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(with([](LinearSystem&) {}) == "");
  CHECK(says(refusal({}), "needs a mass matrix"));
  CHECK(says(with([](auto& s) { s.damping = SparseMatrix::identity(2); }), "the same size"));
  CHECK(says(with([](auto& s) { s.stiffness = SparseMatrix::identity(4); }), "the same size"));
  CHECK(says(with([](auto& s) { s.load = Vector::Ones(2); }), "one constant load"));
  CHECK(says(with([](auto& s) { s.points.pop_back(); }), "one point"));
  CHECK(says(with([](auto& s) { s.points[1].direction *= 2.0; }), "of length 1"));
  CHECK(says(with([&](auto& s) { s.load = Vector::Constant(3, nan); }), "finite"));
  CHECK(says(with([&](auto& s) { s.rayleigh.mass = nan; }), "finite"));
  CHECK(says(with([&](auto& s) { s.stiffness = sum(nan, s.stiffness, 0.0, {}, 0.0, {}); }),
             "finite"));
  CHECK(says(with([](auto& s) {
               s.loads = {{{{3, 1.0}}, Signal::constant(1.0)}};
             }),
             "a load acts"));
  CHECK(says(with([](auto& s) { s.prescribed = {{-1, {}}}; }), "prescribed"));
  CHECK(says(with([](auto& s) { s.prescribed = {{3, {}}}; }), "prescribed"));
  CHECK(says(with([](auto& s) { s.prescribed = {{1, {}}, {1, {}}}; }), "1 is prescribed twice"));
  CHECK(says(with([](auto& s) { s.prescribed = {{0, {}}, {1, {}}, {2, {}}}; }), "at least one"));
  CHECK(says(with([](auto& s) {
               s.mass = SparseMatrix(3, std::vector{Entry{0, 0, 1.0}, Entry{1, 1, 1.0},
                                                    Entry{2, 2, 1.0}, Entry{0, 1, 0.1}});
             }),
             "mass matrix must be symmetric"));
  CHECK(says(with([](auto& s) {
               s.mass = SparseMatrix(
                   3, std::vector{Entry{0, 0, 1.0}, Entry{1, 1, -1.0}, Entry{2, 2, 1.0}});
             }),
             "not positive definite: the pivot of degree of freedom 1 "));
}

TEST_CASE("a chain vibrates at the frequencies of its closed forms") {
  const int n = 12;
  const double m = 0.5, k = 80.0;
  const auto angle = [&](ChainEnds ends, int j) {  // omega_j = 2 sqrt(k/m) sin(angle/2)
    if (ends == ChainEnds::free_free) return kPi * j / n;
    if (ends == ChainEnds::fixed_fixed) return kPi * (j + 1) / (n + 1);
    return kPi * (2 * j + 1) / (2 * n + 1);
  };
  for (ChainEnds ends : {ChainEnds::free_free, ChainEnds::fixed_free, ChainEnds::fixed_fixed}) {
    const LinearSystem system = chain(n, m, k, 0.3, ends, 0.2);
    const Vector omega = frequencies(system);
    for (int j = 0; j < n; ++j) {
      const double exact = 2.0 * std::sqrt(k / m) * std::sin(0.5 * angle(ends, j));
      CHECK(std::abs(omega[j] - exact) < 1e-6);
    }
    CHECK((system.damping.dense() - 0.3 / k * system.stiffness.dense()).norm() < 1e-13);
    const double first = ends == ChainEnds::free_free ? 0.0 : 0.2;
    CHECK(system.points.front().place.x() == doctest::Approx(first));
    CHECK(system.points.back().place.x() == doctest::Approx(first + 0.2 * (n - 1)));
  }
}

TEST_CASE("a bar keeps its mass and its frequencies converge with the square of the element") {
  BarMesh mesh{10, 2.0, 3e5, 1200.0, 0.01, ChainEnds::free_free};
  for (bool lumped : {false, true}) {
    mesh.lumped = lumped;
    mesh.ends = ChainEnds::free_free;
    CHECK(bar(mesh).mass.dense().sum() == doctest::Approx(1200.0 * 0.01 * 2.0).epsilon(1e-13));
    CHECK(bar(mesh).mass.diagonal() == lumped);
    mesh.ends = ChainEnds::fixed_free;
    const double c = std::sqrt(mesh.young / mesh.density);
    for (int k = 1; k <= 3; ++k) {
      const double exact = (2 * k - 1) * kPi * c / (2.0 * mesh.length);
      double error[2];
      for (int i = 0; i < 2; ++i) {
        mesh.elements = 20 << i;
        error[i] = frequencies(bar(mesh))[k - 1] / exact - 1.0;
      }
      // (kappa l)^2/24 with the wave number kappa, above with consistent mass, below with lumped
      const double expected = std::pow((2 * k - 1) * kPi / (2.0 * 40), 2.0) / 24.0;
      CHECK(error[1] == doctest::Approx(lumped ? -expected : expected).epsilon(0.02));
      CHECK(error[0] / error[1] == doctest::Approx(4.0).epsilon(0.02));
    }
  }
}

TEST_CASE("the nodes of a bar lie on its axis, fixed ones left out") {
  BarMesh mesh{4, 2.0, 1.0, 1.0, 1.0, ChainEnds::free_free};
  mesh.origin = Vector3(0, 0, 1);
  mesh.axis = Vector3(0, 3, 0);
  LinearSystem system = bar(mesh);
  REQUIRE(system.points.size() == 5);
  CHECK(system.points[4].place == Vector3(0, 2, 1));
  CHECK(system.points[4].direction == Vector3::UnitY());
  mesh.ends = ChainEnds::fixed_fixed;
  system = bar(mesh);
  REQUIRE(system.points.size() == 3);
  CHECK(system.points[0].place == Vector3(0, 0.5, 1));
  CHECK(system.stiffness.dense() == (Matrix(3, 3) << 4, -2, 0, -2, 4, -2, 0, -2, 4).finished());
  mesh.elements = 1;
  CHECK_THROWS_AS(bar(mesh), UsageError);
  mesh.elements = 0;
  CHECK_THROWS_AS(bar(mesh), UsageError);
  CHECK_THROWS_AS(chain(0, 1.0, 1.0, 0.0, ChainEnds::free_free), UsageError);
}
