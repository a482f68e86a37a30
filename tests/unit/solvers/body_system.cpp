// Cone problems with W held by bodies against the same W held as a matrix, and on towers of redundant contacts.
#include "saltus/solvers/body_system.h"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <random>

#include "saltus/contact/residual.h"
#include "saltus/solvers/block_system.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

struct Bodies {
  BodyRows H;
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b;

  void add(LawKind kind, int rows, double friction) {
    laws.push_back({.kind = kind, .first = H.rows(), .size = rows, .friction = friction});
    H.close(rows);
    while (static_cast<int>(ids.size()) < H.rows()) ids.push_back(static_cast<int>(ids.size()));
  }
};

DenseDelassus dense(const Delassus& W) {
  DenseDelassus out;
  out.W.resize(W.rows(), W.rows());
  for (int i = 0; i < W.rows(); ++i)
    for (int j = 0; j < W.rows(); ++j) out.W(i, j) = W.entry(i, j);
  return out;
}

/// Bodies of `width` velocities, one held and one with a locked motion; contacts of one and of two bodies, with friction,
/// without, equalities.
Bodies random_bodies(unsigned seed, int bodies, int contacts, int width) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Bodies out;
  out.H.width = width;
  for (int k = 0; k < bodies; ++k) {
    Matrix L(width, width);
    for (double& x : L.reshaped()) x = normal(random);
    Matrix A = L * L.transpose() + Matrix::Identity(width, width);
    if (k == 1) A.setZero();
    if (k == 2) A.row(0).setZero(), A.col(0).setZero();
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j) out.H.inverse.push_back(0.5 * (A(i, j) + A(j, i)));
  }
  for (int c = 0; c < contacts; ++c) {
    const int rows = c % 3 == 2 ? 1 : 3, first = c % bodies;
    const auto touch = [&](int body) {
      out.H.touch(body);
      for (int i = 0; i < rows * width; ++i) out.H.value.push_back(normal(random));
    };
    touch(first);
    if (c % 4 != 0) {
      if (c % 4 == 3) {  // shares the block of the first with the opposite sign
        out.H.touch((first + 1) % bodies, out.H.start.back());
      } else {
        touch((first + 1 + c % 2) % bodies);
      }
    }
    out.add(rows == 3    ? LawKind::coulomb
            : c % 2 == 0 ? LawKind::equality
                         : LawKind::unilateral,
            rows, 0.4);
  }
  out.b.resize(out.H.rows());
  for (double& x : out.b) x = normal(random);
  return out;
}

/// Cubes of 2 m and 3 kg one on another, each face on four corners: 12 rows for 6 velocities. A step of 0.01 s of weight,
/// and the top one pushed along x.
Bodies tower(int cubes, double push) {
  Bodies out;
  out.H.width = 6;
  const double mass = 3.0, inertia = mass * 4.0 / 6.0, fall = -9.81 * 0.01;
  for (int k = 0; k < cubes; ++k)
    for (int i = 0; i < 36; ++i)
      out.H.inverse.push_back(i % 7 != 0 ? 0.0 : i < 18 ? 1.0 / mass : 1.0 / inertia);
  std::vector<double> b;
  for (int k = 0; k < cubes; ++k)
    for (const double x : {-1.0, 1.0})
      for (const double y : {-1.0, 1.0}) {
        const auto side = [&](int body, double sign, const Vector3& r) {
          out.H.touch(body);
          for (const Vector3& d : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0, 1, 0)}) {
            const Vector3 turn = r.cross(d);
            for (int i = 0; i < 3; ++i) out.H.value.push_back(sign * d[i]);
            for (int i = 0; i < 3; ++i) out.H.value.push_back(sign * turn[i]);
          }
        };
        if (k > 0) side(k - 1, -1.0, {x, y, 1.0});
        side(k, 1.0, {x, y, -1.0});
        out.add(LawKind::coulomb, 3, 0.5);
        for (const double u : {k == 0 ? fall : 0.0, k + 1 == cubes ? push : 0.0, 0.0})
          b.push_back(u);
      }
  out.b = Eigen::Map<const Vector>(b.data(), static_cast<Eigen::Index>(b.size()));
  return out;
}

TEST_CASE("K x = r has the same solution by bodies as by blocks of contacts") {
  for (const int width : {3, 6}) {
    const Bodies given = random_bodies(4, 7, 30, width);
    const BodyDelassus W(given.H);
    const DenseDelassus same = dense(W);
    const ContactProblem by_bodies{W, given.b, given.laws, given.ids};
    const ContactProblem as_matrix{same, given.b, given.laws, given.ids};
    REQUIRE(BodySystem::fits(by_bodies));
    REQUIRE_FALSE(BodySystem::fits(as_matrix));
    ConeProblem problem, other;
    BodySystem bodies;
    BlockSystem blocks;
    bodies.begin(by_bodies, problem);
    blocks.begin(as_matrix, other);
    CHECK((problem.b - other.b).norm() <= 1e-12 * other.b.norm());
    CHECK((problem.weight - other.weight).norm() <= 1e-12 * other.weight.norm());
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    std::vector<ConeRows> rows(problem.cones.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (int i = 0; i < problem.cones[k].size; ++i)
        for (int j = 0; j < problem.cones[k].size; ++j) {
          rows[k].A[3 * i + j] = k % 5 == 4 ? 0.0 : (i == j ? 1.0 : 0.2 * normal(random));
          rows[k].B[3 * i + j] = (i == j ? 1.0 : 0.0) + 0.2 * normal(random);
        }
    Vector x(problem.rows()), y, v(problem.rows()), u(problem.rows());
    for (double& x_i : x) x_i = normal(random);
    y = x;
    bodies.apply(x, v);
    blocks.apply(x, u);
    CHECK((v - u).norm() <= 1e-12 * u.norm());
    REQUIRE(bodies.factorise(rows));
    REQUIRE(blocks.factorise(rows));
    bodies.solve(x, 1);
    blocks.solve(y, 1);
    CHECK((x - y).norm() <= 1e-10 * y.norm());
  }
}

TEST_CASE("a singular B is told, not divided by") {
  const Bodies given = tower(2, 0.0);
  const BodyDelassus W(given.H);
  ConeProblem problem;
  BodySystem bodies;
  bodies.begin({W, given.b, given.laws, given.ids}, problem);
  std::vector<ConeRows> rows(problem.cones.size());
  CHECK_FALSE(bodies.factorise(rows));
}

TEST_CASE("the interior point finds the velocities of W held as a matrix for W held by bodies") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Bodies given = random_bodies(seed, 9, 24, 6);
    const BodyDelassus W(given.H);
    const DenseDelassus same = dense(W);
    const auto solver = make_interior_point();
    SolverMemory memory, other;
    Vector p = Vector::Zero(given.b.size()), q = p;
    const auto report = solver->solve({W, given.b, given.laws, given.ids}, {1e-11, 200}, memory, p);
    const auto matrix =
        solver->solve({same, given.b, given.laws, given.ids}, {1e-11, 200}, other, q);
    CAPTURE(seed);
    CHECK(report.converged == matrix.converged);
    CHECK(report.residual == residual({W, given.b, given.laws, given.ids}, p));
    if (report.converged && matrix.converged)
      CHECK((same.W * (p - q)).norm() <= 1e-8 * given.b.norm());
  }
}

TEST_CASE("a tower of redundant contacts is solved from cold, and near a solution by one factor") {
  for (const int cubes : {1, 4, 16}) {
    const Bodies given = tower(cubes, 1e-3);
    const BodyDelassus W(given.H);
    const auto solver = make_interior_point();
    SolverMemory memory;
    Vector p = Vector::Zero(given.b.size());
    const auto cold = solver->solve({W, given.b, given.laws, given.ids}, {1e-10, 100}, memory, p);
    CAPTURE(cubes);
    CHECK(cold.converged);
    CHECK(cold.iterations <= 25);
    double carried = 0.0;  // by the floor: the weight
    for (int c = 0; c < 4; ++c) carried += p[3 * c];
    CHECK(carried == doctest::Approx(3.0 * 9.81 * 0.01 * cubes).epsilon(1e-8));

    const Bodies later = tower(cubes, 1.01e-3);
    const auto warm = solver->solve({W, later.b, later.laws, later.ids}, {1e-10, 100}, memory, p);
    CHECK(warm.converged);
    CHECK(warm.iterations <= 2);
  }
}

TEST_CASE("auto gives up its sweeps on a high tower and says who went on") {
  const Bodies given = tower(60, 1e-3);
  const BodyDelassus W(given.H);
  SolverMemory memory;
  Vector p = Vector::Zero(given.b.size());
  const auto report =
      make_automatic()->solve({W, given.b, given.laws, given.ids}, {1e-10, 10'000}, memory, p);
  CHECK(report.converged);
  REQUIRE(report.attempted == 2);
  CHECK(report.attempts[0].solver == "body-gauss-seidel");
  CHECK(report.attempts[0].iterations < 100);
  CHECK(report.attempts[1].solver == "interior-point");
  CHECK(report.attempts[1].residual == report.residual);
}

}  // namespace
