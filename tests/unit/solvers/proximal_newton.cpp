#include <doctest/doctest.h>

#include <cmath>

#include "saltus/contact/block_delassus.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Laws one after the other, with ids.
struct Laws {
  std::vector<Law> laws;
  std::vector<int> ids;
  void add(Law law) {
    law.first = static_cast<int>(ids.size());
    laws.push_back(law);
    for (int i = 0; i < law.size; ++i) ids.push_back(static_cast<int>(ids.size()));
  }
};

Laws contacts(int count, int size, double mu) {
  Laws laws;
  for (int c = 0; c < count; ++c)
    laws.add({.kind = LawKind::coulomb, .size = size, .friction = mu});
  return laws;
}

/// Friction on a body, after which b is made so that the problem has a solution: H v = u* opens every contact for the v*
/// of ones (u*_N = 1, u*_T = 0), whence the kernel of H^T meets the cones in 0 only.
Matrix opening_rows(int contacts, int size, int velocities, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix H(contacts * size, velocities);
  for (double& h : H.reshaped()) h = normal(random);
  for (int i = 0; i < H.rows(); ++i) {
    const double wanted = i % size == 0 ? 1.0 : 0.0;
    H.row(i).array() += (wanted - H.row(i).sum()) / velocities;
  }
  return H;
}

Vector random_vector(Eigen::Index n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Vector b(n);
  for (double& x : b) x = normal(random);
  return b;
}

SolveReport newton(const ContactProblem& problem, double tolerance, Vector& p) {
  SolverMemory memory;
  p = Vector::Zero(problem.b.size());
  const auto report = make_proximal_newton()->solve(problem, {.tolerance = tolerance}, memory, p);
  CHECK(report.residual == residual(problem, p));
  CHECK(report.converged == (report.residual <= tolerance));
  return report;
}

TEST_CASE("a block that slides stops by friction where it can, and keeps what is left where not") {
  const double mass = 2.0, mu = 0.5;
  const DenseDelassus W = [&] {
    DenseDelassus made;
    made.W = Matrix::Identity(3, 3) / mass;
    return made;
  }();
  const Laws laws = contacts(1, 3, mu);
  Vector b(3), p;
  b << -1.0, 0.3, 0.4;  // |b_T| = mu: just stopped
  for (const double speed : {0.5, 1.0, 4.0}) {
    b.tail(2) = Vector(b.tail(2)).normalized() * 0.5 * speed;
    REQUIRE(newton({W, b, laws.laws, laws.ids}, 1e-13, p).converged);
    const Vector u = W.W * p + b;
    CHECK(p[0] == doctest::Approx(mass * 1.0));
    CHECK(u.tail(2).norm() == doctest::Approx(std::max(0.0, 0.5 * speed - mu)));
  }
}

TEST_CASE("more contacts than a body can tell apart: impulses are not unique, 1e-12 is held") {
  std::mt19937 random(5);
  for (const int velocities : {3, 6, 10})
    for (const int count : {4, 20, 60}) {
      const Matrix H = opening_rows(count, 3, velocities, random);
      DenseDelassus W;
      W.W = H * H.transpose();
      const Vector b = H * random_vector(velocities, random);
      for (const double mu : {0.0, 0.3, 1.0}) {
        const Laws laws = contacts(count, 3, mu);
        Vector p;
        CAPTURE(velocities);
        CAPTURE(count);
        CAPTURE(mu);
        CHECK(newton({W, b, laws.laws, laws.ids}, 1e-12, p).converged);
      }
    }
}

TEST_CASE("contacts in the plane") {
  std::mt19937 random(6);
  for (const int count : {2, 5, 40}) {
    const Matrix H = opening_rows(count, 2, 5, random);
    DenseDelassus W;
    W.W = H * H.transpose();
    const Vector b = H * random_vector(5, random);
    const Laws laws = contacts(count, 2, 0.4);
    Vector p;
    CHECK(newton({W, b, laws.laws, laws.ids}, 1e-12, p).converged);
  }
}

TEST_CASE("an unsymmetric W is solved as it is, not its symmetric part") {
  std::mt19937 random(7);
  const int count = 12, n = 3 * count;
  DenseDelassus W;
  W.W = random_delassus(n, n, 0.3, random);
  W.is_symmetric = false;
  const Matrix skew =
      0.05 *
      random_delassus(n, n, 0.0, random).triangularView<Eigen::StrictlyUpper>().toDenseMatrix();
  W.W += skew - skew.transpose();
  const Vector b = random_vector(n, random);
  const Laws laws = contacts(count, 3, 0.5);
  Vector p;
  REQUIRE(newton({W, b, laws.laws, laws.ids}, 1e-12, p).converged);
  DenseDelassus half = W;
  half.W = 0.5 * (W.W + W.W.transpose());
  CHECK(residual({half, b, laws.laws, laws.ids}, p) > 1e-4);
}

TEST_CASE("one problem with an equality, a unilateral, a box, a Coulomb and four rolling laws") {
  std::mt19937 random(8);
  for (int trial = 0; trial < 20; ++trial) {
    Laws laws;
    laws.add({.kind = LawKind::equality, .size = 2});
    laws.add({.kind = LawKind::unilateral, .size = 3});
    laws.add({.kind = LawKind::box, .size = 2, .bound = 0.7});
    laws.add({.kind = LawKind::coulomb, .size = 3, .friction = 0.4});
    laws.add({.kind = LawKind::rolling, .size = 5, .friction = 0.4, .rolling = 0.2});
    laws.add({.kind = LawKind::rolling, .size = 3, .friction = 0.5, .rolling = 0.1});
    laws.add({.kind = LawKind::rolling, .size = 4, .friction = 0.5, .spinning = 0.1});
    laws.add(
        {.kind = LawKind::rolling, .size = 6, .friction = 0.4, .rolling = 0.2, .spinning = 0.1});
    const int n = static_cast<int>(laws.ids.size());
    DenseDelassus W;
    W.W = random_delassus(n, n, 0.3, random);
    const Vector b = random_vector(n, random);
    Vector p;
    CAPTURE(trial);
    REQUIRE(newton({W, b, laws.laws, laws.ids}, 1e-12, p).converged);
    const Vector u = W.W * p + b;
    CHECK(u.head(2).norm() <= 1e-10);
    CHECK(p.segment(2, 3).minCoeff() >= -1e-10);
    CHECK(p.segment(5, 2).cwiseAbs().maxCoeff() <= 0.7 + 1e-10);
    CHECK(p.segment(13, 2).norm() <= 0.2 * p[10] + 1e-10);
    CHECK(std::abs(p[21]) <= 0.1 * p[18] + 1e-10);
    CHECK(std::abs(p[27]) <= 0.1 * p[22] + 1e-10);
  }
}

TEST_CASE("a rolling contact between walls of friction: a ball that is spun rolls or slips") {
  // unit ball, m = 1, I = 2/5: u_T = v_T + spin, u_R the spin itself
  DenseDelassus W;
  Matrix H = Matrix::Zero(3, 3);  // v_N, v_T, omega; rows N, T, R
  H << 1, 0, 0, 0, 1, 1, 0, 0, 1;
  W.W = H * Vector3(1.0, 1.0, 2.5).asDiagonal() * H.transpose();
  Vector b(3), p;
  b << -1.0, 2.0, 3.0;
  for (const double rolling : {0.0, 0.05, 5.0}) {
    Laws laws;
    laws.add({.kind = LawKind::rolling, .size = 3, .friction = 0.5, .rolling = rolling});
    REQUIRE(newton({W, b, laws.laws, laws.ids}, 1e-12, p).converged);
    const Vector u = W.W * p + b;
    CHECK(p[0] == doctest::Approx(1.0));
    CHECK(std::abs(p[2]) <= rolling * p[0] + 1e-10);
    if (rolling == 5.0) CHECK(std::abs(u[2]) < 1e-10);  // held
    if (rolling == 0.05) CHECK(std::abs(p[2]) == doctest::Approx(0.05));
  }
}

TEST_CASE("another unit of mass, length or time changes no verdict and hardly an iteration") {
  std::mt19937 random(9);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix H = opening_rows(24, 3, 12, random);
    DenseDelassus W, W2;
    W.W = H * H.transpose();
    const Vector b = H * random_vector(12, random);
    W2.W = W.W / 1e3;           // mass x 1e3
    const Vector b2 = 0.1 * b;  // length x 1e-3, time x 1e-2
    const Laws laws = contacts(24, 3, 0.6);
    Vector p, p2;
    const auto report = newton({W, b, laws.laws, laws.ids}, 1e-10, p);
    const auto report2 = newton({W2, b2, laws.laws, laws.ids}, 1e-10, p2);
    CHECK(report.converged);
    CHECK(report2.converged);
    CHECK(std::abs(report.iterations - report2.iterations) <=
          std::max(2.0, 0.02 * report.iterations));
  }
}

TEST_CASE("contacts that no block couples are solved as if each group were alone") {
  std::mt19937 random(10);
  Vector alone;
  Matrix both = Matrix::Zero(36, 36);
  Vector b(36);
  const Laws six = contacts(6, 3, 0.5), twelve = contacts(12, 3, 0.5);
  for (int k = 0; k < 2; ++k) {
    const Matrix one = random_delassus(18, 18, 0.2, random);
    both.block(18 * k, 18 * k, 18, 18) = one;
    b.segment(18 * k, 18) = random_vector(18, random);
    DenseDelassus W;
    W.W = one;
    const Vector part = b.segment(18 * k, 18);
    REQUIRE(newton({W, part, six.laws, six.ids}, 1e-13, alone).converged);
    if (k == 0) continue;
    DenseDelassus W2;
    W2.W = both;
    Vector p;
    REQUIRE(newton({W2, b, twelve.laws, twelve.ids}, 1e-13, p).converged);
    CHECK((p.tail(18) - alone).norm() <= 1e-10 * alone.norm());
  }
}

TEST_CASE("the same problem gives the same bits, whatever the memory has seen before") {
  std::mt19937 random(11);
  const Matrix H = opening_rows(30, 3, 9, random);
  DenseDelassus W;
  W.W = H * H.transpose();
  const Vector b = H * random_vector(9, random);
  const Laws laws = contacts(30, 3, 0.8), few = contacts(2, 3, 0.3);
  const auto solver = make_proximal_newton();
  SolverMemory fresh, used;
  Vector p = Vector::Zero(90), q = p, r = Vector::Zero(6);
  DenseDelassus W2;
  W2.W = random_delassus(6, 6, 0.1, random);
  const Vector b2 = random_vector(6, random);
  solver->solve({W2, b2, few.laws, few.ids}, {}, used, r);
  const auto one = solver->solve({W, b, laws.laws, laws.ids}, {}, fresh, p);
  const auto two = solver->solve({W, b, laws.laws, laws.ids}, {}, used, q);
  CHECK(one.iterations == two.iterations);
  CHECK(p == q);
}

TEST_CASE("a good guess is kept, and a warm start saves iterations") {
  std::mt19937 random(12);
  const Matrix H = opening_rows(40, 3, 18, random);
  DenseDelassus W;
  W.W = H * H.transpose();
  const Vector b = H * random_vector(18, random);
  const Laws laws = contacts(40, 3, 0.5);
  Vector p;
  const ContactProblem problem{W, b, laws.laws, laws.ids};
  const auto cold = newton(problem, 1e-12, p);
  REQUIRE(cold.converged);
  const auto solver = make_proximal_newton();
  SolverMemory memory;
  Vector q = p;
  CHECK(solver->solve(problem, {.tolerance = 1e-12}, memory, q).iterations == 0);
  CHECK(q == p);
  q = 1.001 * p;
  const auto warm = solver->solve(problem, {.tolerance = 1e-12}, memory, q);
  CHECK(warm.converged);
  CHECK(warm.iterations <= cold.iterations);
}

TEST_CASE(
    "a contact that nothing can move, and one that closes on a wall that does, end with an honest "
    "report") {
  DenseDelassus W;
  W.W = Matrix::Zero(3, 3);
  Vector b(3), p;
  b << -1.0, 0.0, 0.0;
  const Laws laws = contacts(1, 3, 0.5);
  const auto report = newton({W, b, laws.laws, laws.ids}, 1e-10, p);
  CHECK_FALSE(report.converged);
  CHECK(p.allFinite());
  b << 1.0, 2.0, 0.0;
  CHECK(newton({W, b, laws.laws, laws.ids}, 1e-10, p).converged);
}

}  // namespace
