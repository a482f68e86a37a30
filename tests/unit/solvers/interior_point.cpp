#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"
#include "saltus/solvers/nesterov_todd.h"
#include "saltus/solvers/solvers.h"
#include "tests/support/skip.h"
#include "tests/unit/solvers/cone_problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("the scaling of Nesterov and Todd takes impulse and velocity to one point of the cone") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    const int size = 1 + trial % 3;
    double x[3], y[3], Fy[3], Fx[3], back[3];
    for (double* v : {x, y}) {
      for (int i = 1; i < size; ++i) v[i] = normal(random);
      v[0] = NesterovTodd::norm_T(size, v) + std::pow(10.0, -trial % 5);
    }
    NesterovTodd F;
    F.make(size, x, y);
    F.scale(y, Fy);
    F.scale_back(x, Fx);
    F.scale(Fy, back);
    for (int i = 0; i < size; ++i) {
      CHECK(std::abs(Fy[i] - Fx[i]) <= 1e-10 * std::abs(Fy[0]));
      CHECK(std::abs(back[i] - x[i]) <= 1e-10 * x[0]);  // F^2 y = x
      double sum = 0.0;
      for (int j = 0; j < size; ++j) sum += F.inverse_square(i, j) * x[j];
      CHECK(std::abs(sum - y[i]) <= 1e-8 * y[0]);
    }
    double product[3], quotient[3];
    NesterovTodd::product(size, x, y, product);
    NesterovTodd::divide(size, x, product, quotient);
    for (int i = 0; i < size; ++i) CHECK(std::abs(quotient[i] - y[i]) <= 1e-7 * y[0]);
  }
}

TEST_CASE("the step to the boundary of the cone ends on the boundary") {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  int bounded = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int size = 1 + trial % 3;
    double x[3]{}, d[3]{};
    for (int i = 1; i < size; ++i) x[i] = normal(random);
    x[0] = NesterovTodd::norm_T(size, x) + 0.1;
    for (int i = 0; i < size; ++i) d[i] = normal(random);
    const double t = NesterovTodd::step(size, x, d, 10.0);
    const auto depth = [&](double s) {
      double moved[3];
      for (int i = 0; i < size; ++i) moved[i] = x[i] + s * d[i];
      return moved[0] - NesterovTodd::norm_T(size, moved);
    };
    for (int k = 0; k < 20; ++k) CHECK(depth(0.05 * k * t) > 0.0);
    if (t < 10.0) {
      CHECK(std::abs(depth(t)) <= 1e-11);
      ++bounded;
    }
  }
  CHECK(bounded > 100);
}

TEST_CASE(
    "a heap of stiff and redundant contacts is solved from cold to 1e-12 by an interior point") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const ConeCase c = random_cones(seed, 40, 0.6, 60);
    SolverMemory memory;
    Vector p = Vector::Zero(c.b.size());
    const ContactProblem problem{c.W, c.b, c.laws, c.ids};
    const auto report = make_interior_point()->solve(problem, {.iterations = 200}, memory, p);
    CAPTURE(seed);
    CHECK(report.converged);
    CHECK(report.residual == residual(problem, p));
    // the impulses are not unique, the velocities are those the problem was made with
    const Vector u = c.W.W * p + c.b;
    CHECK((u - c.u).norm() <= 1e-8 * c.u.norm());
  }
}

TEST_CASE("an interior point does the same iterations in other units") {
  for (unsigned seed = 30; seed < 40; ++seed) {
    const ConeCase c = random_cones(seed, 20, 0.5, 60);
    // kg -> 1e3, m -> 1e-3, s -> 1e-2
    DenseDelassus W;
    W.W = c.W.W * 1e-3;
    const Vector b = c.b * 0.1;
    SolverMemory memory, memory2;
    Vector p = Vector::Zero(b.size()), p2 = p;
    const auto solver = make_interior_point();
    const auto one = solver->solve({c.W, c.b, c.laws, c.ids}, {}, memory, p);
    const auto other = solver->solve({W, b, c.laws, c.ids}, {}, memory2, p2);
    CAPTURE(seed);
    CHECK(one.converged);
    CHECK(other.converged);
    CHECK(std::abs(one.iterations - other.iterations) <= 2);
  }
}

TEST_CASE("an interior point is the same bits from any state of its work space") {
  const ConeCase small = random_cones(3, 5, 0.3, 20), c = random_cones(4, 30, 0.5, 60);
  const auto solver = make_interior_point();
  SolverMemory fresh, used;
  Vector first = Vector::Zero(c.b.size()), again = first, other = Vector::Zero(small.b.size());
  solver->solve({c.W, c.b, c.laws, c.ids}, {}, fresh, first);
  solver->solve({small.W, small.b, small.laws, small.ids}, {}, used, other);
  solver->solve({c.W, c.b, c.laws, c.ids}, {}, used, again);
  CHECK(first == again);
}

TEST_CASE("an unsymmetric W is solved as it is, not by its symmetric part") {
  ConeCase c = random_cones(7, 12, 0.4, 60);
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  const Vector p_known = c.p;
  for (double& w : c.W.W.reshaped()) w *= 1.0 + 1e-3 * normal(random);
  c.W.is_symmetric = false;
  c.b = c.u - c.W.W * p_known;
  SolverMemory memory;
  Vector p = Vector::Zero(c.b.size());
  const auto report =
      make_interior_point()->solve({c.W, c.b, c.laws, c.ids}, {.tolerance = 1e-10}, memory, p);
  CHECK(report.converged);
  CHECK((c.W.W * p + c.b - c.u).norm() <= 1e-6 * c.u.norm());
}

TEST_CASE("contacts that open at b have no impulse, whatever p was") {
  const ConeCase c = random_cones(9, 8, 0.5, 40);
  Vector b = c.b, p = c.p;
  for (const Law& law : c.laws) b[law.first] = std::abs(b[law.first]);
  SolverMemory memory;
  const auto report = make_interior_point()->solve({c.W, b, c.laws, c.ids}, {}, memory, p);
  CHECK(report.converged);
  CHECK(report.iterations == 0);
  CHECK(p == Vector::Zero(b.size()));
}

TEST_CASE("too few iterations are reported with the residual of the best impulses") {
  const ConeCase c = random_cones(11, 30, 0.5, 60);
  Vector p = Vector::Zero(c.b.size());
  const ContactProblem problem{c.W, c.b, c.laws, c.ids};
  const double before = residual(problem, p);
  SolverMemory memory;
  const auto report = make_interior_point()->solve(problem, {.iterations = 4}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(report.iterations == 4);
  CHECK(report.residual == residual(problem, p));
  CHECK(report.residual < before);
}

TEST_CASE("the published discrete problems of friction are solved from cold by an interior point") {
  const auto folder = std::filesystem::path(SALTUS_SHARED) / "data" / "fclib" / "local";
  if (!std::filesystem::exists(folder)) SALTUS_SKIP("no discrete problems (data/fclib)");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const FclibProblem file = read_fclib(entry.path().string(), FclibRead::problem);
    const auto view = file.view();
    SolverMemory memory;
    Vector p = Vector::Zero(file.rows());
    const auto report = make_interior_point()->solve(*view, {}, memory, p);
    CAPTURE(entry.path().filename().string());
    CHECK(report.converged);
    CHECK(report.residual == residual(*view, p));
    ++files;
  }
  CHECK(files == 31);
}

}  // namespace
