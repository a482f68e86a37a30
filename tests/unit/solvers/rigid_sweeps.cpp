#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <Eigen/Geometry>
#include <cstring>
#include <random>

#include "saltus/contact/residual.h"
#include "saltus/solvers/rigid_sweeps.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Unit balls in a row that press on their neighbours and on the floor; of full inertia: the inverse couples the axes.
struct Row {
  std::unique_ptr<BodyDelassus> W;
  std::vector<Law> laws;
  Vector b;

  Row(int bodies, bool full_inertia, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    BodyRows H;
    H.width = 6;
    for (int body = 0; body < bodies; ++body) {
      Matrix A = Matrix::Zero(6, 6);
      A.diagonal() << 1.0, 1.0, 1.0, 2.5, 2.0, 3.0;
      if (full_inertia) A(3, 4) = A(4, 3) = 0.4;
      H.inverse.insert(H.inverse.end(), A.data(), A.data() + 36);
    }
    // rows n, t1, t2 at the arm r: (d, r x d)
    const auto add = [&](int body, double sign, const Vector3& n, const Vector3& r) {
      const Vector3 t = std::abs(n.z()) > 0.5 ? Vector3::UnitX() : Vector3::UnitZ();
      H.touch(body);
      for (const Vector3& d : {n, t, Vector3(n.cross(t))}) {
        const Vector3 turn = r.cross(d);
        for (const Vector3& half : {d, turn})
          for (const double x : half) H.value.push_back(sign * x);
      }
    };
    for (int body = 0; body < bodies; ++body) {
      add(body, 1.0, Vector3::UnitZ(), -Vector3::UnitZ());
      H.close(3);
      if (body == 0) continue;
      add(body, 1.0, Vector3::UnitX(), -Vector3::UnitX());
      add(body - 1, -1.0, Vector3::UnitX(), Vector3::UnitX());
      H.close(3);
    }
    for (int c = 0; c < H.contacts(); ++c)
      laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = 0.4});
    W = std::make_unique<BodyDelassus>(std::move(H));
    b.resize(W->rows());
    for (double& x : b) x = 0.3 * normal(random);
    for (Eigen::Index c = 0; c < b.size(); c += 3) b[c] -= 0.5;
  }
};

TEST_CASE("rigid bodies are solved as with W formed, whether their inertia is diagonal or not") {
  for (const bool full : {false, true})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Row row(12, full, seed);
      const ContactProblem problem{*row.W, row.b, row.laws, {}};
      REQUIRE(RigidSweeps::fits(problem));
      DenseDelassus formed;
      const auto n = static_cast<int>(row.b.size());
      formed.W.resize(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) formed.W(i, j) = row.W->entry(i, j);
      SolverMemory memory, memory2;
      Vector p = Vector::Zero(n), q = p, u(n), w(n);
      const Limits limits{.tolerance = 1e-11, .iterations = 100'000};
      const auto report = make_body_gauss_seidel()->solve(problem, limits, memory, p);
      const auto other =
          make_gauss_seidel()->solve({formed, row.b, row.laws, {}}, limits, memory2, q);
      REQUIRE(report.converged);
      REQUIRE(other.converged);
      CHECK(report.residual == residual(problem, p));
      row.W->apply(p, u);
      row.W->apply(q, w);
      CHECK((u - w).norm() <= 1e-8 * row.b.norm());
    }
}

TEST_CASE("a long row of rigid bodies solved by 1, 2 and 3 threads gives the same bits") {
  const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  const Row row(2000, true, 9);
  const ContactProblem problem{*row.W, row.b, row.laws, {}};
  Vector first;
  for (const int threads : {1, 2, 3}) {
    SolverMemory memory;
    Vector p = Vector::Zero(row.b.size());
    tbb::task_arena arena(threads);
    arena.execute([&] {
      make_body_gauss_seidel()->solve(problem, {.tolerance = 0.0, .iterations = 60}, memory, p);
    });
    if (threads == 1) first = p;
    CHECK(std::memcmp(p.data(), first.data(),
                      sizeof(double) * static_cast<std::size_t>(p.size())) == 0);
  }
}

TEST_CASE("bodies whose motion and rotation are coupled are left to the general sweeps") {
  BodyRows H;
  H.width = 6;
  Matrix A = Matrix::Identity(6, 6);
  A(0, 4) = A(4, 0) = 0.1;
  H.inverse.assign(A.data(), A.data() + 36);
  H.body = {0};
  H.start = {0};
  H.value.assign(18, 0.0);
  H.value[2] = H.value[6] = H.value[13] = 1.0;
  H.close(3);
  const BodyDelassus W(H);
  const std::vector<Law> laws{{.kind = LawKind::coulomb, .first = 0, .size = 3, .friction = 0.4}};
  const Vector b = Vector::Constant(3, -1.0);
  CHECK_FALSE(RigidSweeps::fits({W, b, laws, {}}));
}

}  // namespace
