// What counts as solved beside the residual: velocities that keep bodies apart, and impulses that round-off can tell from none.
#include "saltus/contact/certificate.h"

#include <doctest/doctest.h>

#include "saltus/contact/body_delassus.h"
#include "saltus/solvers/registry.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// A body of `mass` [kg] between two points that come towards each other with `speed` [m/s] each: rows of opposite normals.
struct Squeezed {
  Squeezed(double mass, double speed) : b(2) {
    Matrix M(2, 2);
    M << 1.0, -1.0, -1.0, 1.0;
    W = std::make_unique<ConstantDelassus>(M / mass);
    b << -speed, -speed;
  }
  std::unique_ptr<ConstantDelassus> W;
  Vector b;
  testing::Rows rows{2};
};

TEST_CASE("a body squeezed by two others is solved by nobody, at any mass and speed") {
  for (const double mass : {1e-6, 3.0, 2e5})
    for (const double speed : {1e-5, 0.3, 70.0})
      for (const SolverRow& row : solvers()) {
        CAPTURE(row.name);
        CAPTURE(mass);
        CAPTURE(speed);
        const Squeezed squeezed(mass, speed);
        SolverMemory memory;
        Vector p = Vector::Zero(2);
        const auto solver = row.make();
        const SolveReport report = solve_certified(
            *solver, {*squeezed.W, squeezed.b, squeezed.rows.laws, squeezed.rows.ids}, {1e-9, 2000},
            memory, p);
        CHECK(!report.converged);
        CHECK(!report.certified);
      }
}

TEST_CASE("the contacts of a squeezed body are named, and not those of one that lies beside it") {
  // rows 0, 1: squeezed;  row 2: another body, pushed by 0.2 m/s onto what is fixed
  Matrix W = Matrix::Zero(3, 3);
  W.topLeftCorner(2, 2) << 0.5, -0.5, -0.5, 0.5;
  W(2, 2) = 4.0;
  const ConstantDelassus held(W);
  Vector b(3);
  b << -0.3, -0.1, -0.2;
  const testing::Rows rows(3);
  const auto solver = find_solver("auto")->make();
  CHECK(contradicting_contacts(*solver, {held, b, rows.laws, rows.ids}) == std::vector<int>{0, 1});
  b << -0.3, 0.3 + 1e-3, -0.2;  // room for it: the second point gives way faster
  CHECK(contradicting_contacts(*solver, {held, b, rows.laws, rows.ids}).empty());
}

TEST_CASE("a row that nothing can move and that closes contradicts by itself") {
  const ConstantDelassus W(Matrix::Zero(1, 1));
  Vector b(1);
  b << -0.5;
  const testing::Rows rows(1);
  const auto solver = find_solver("auto")->make();
  CHECK(contradicting_contacts(*solver, {W, b, rows.laws, rows.ids}) == std::vector<int>{0});
}

TEST_CASE("a light contact among heavy ones is solved to the velocities, not to the impulses") {
  // A tower of masses m_0 .. m_n on a floor: W of neighbours by the body between them.
  const std::vector<double> mass{1.0, 10.0, 0.1, 100.0, 1.0, 1e5};
  const auto n = static_cast<Eigen::Index>(mass.size());
  Matrix W = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double above = 1.0 / mass[static_cast<std::size_t>(i)];
    W(i, i) += above;
    if (i + 1 == n) break;
    W(i + 1, i + 1) += above;
    W(i, i + 1) = W(i + 1, i) = -above;
  }
  Vector b = Vector::Zero(n);
  b[0] = -0.01;  // all fall together on the floor
  const ConstantDelassus held(W);
  const testing::Rows rows(static_cast<int>(n));
  for (const char* name : {"auto", "lemke", "proximal-newton"}) {
    CAPTURE(std::string(name));
    SolverMemory memory;
    Vector p = Vector::Zero(n);
    const auto solver = find_solver(name)->make();
    const SolveReport report =
        solve_certified(*solver, {held, b, rows.laws, rows.ids}, {1e-9, 10'000}, memory, p);
    REQUIRE(report.converged);
    const Vector u = W * p + b;
    CHECK(u.minCoeff() >= -1e-6 * 0.01);
    CHECK(report.closing <= 1e-6);
    CHECK(report.speed == doctest::Approx(0.01));
  }
}

TEST_CASE("sweeps and Newton's method go on until a light ball between heavy ones closes no more") {
  // Balls on a line above the ground, light and heavy in turn; all fall together.
  for (const double heavy : {30.0, 1e3, 3e4}) {
    CAPTURE(heavy);
    constexpr int n = 6;
    BodyRows H;
    H.width = 3;
    for (int b = 0; b < n; ++b)
      for (int k = 0; k < 9; ++k)
        H.inverse.push_back(k % 4 != 0 ? 0.0 : b % 2 == 0 ? 1.0 : 1.0 / heavy);
    for (int c = 0; c < n; ++c) {
      H.touch(c);
      H.value.insert(H.value.end(), {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
      if (c > 0) H.touch(c - 1, H.start.back());
      H.close(3);
    }
    const BodyDelassus W(std::move(H));
    std::vector<Law> laws;
    std::vector<int> ids;
    for (int c = 0; c < n; ++c) laws.push_back({LawKind::coulomb, 3 * c, 3, 0.5});
    for (int i = 0; i < 3 * n; ++i) ids.push_back(i);
    Vector b = Vector::Zero(3 * n);
    b[0] = -0.02;
    for (const char* name : {"body-gauss-seidel", "proximal-newton"}) {
      CAPTURE(std::string(name));
      const bool sweeps = std::string(name) == "body-gauss-seidel";
      if (sweeps && heavy > 1e3) continue;  // a rate of 1 - O(1/heavy)
      const auto solver = find_solver(name)->make();
      const auto closing = [&](double most) {
        SolverMemory memory;
        Vector p = Vector::Zero(3 * n);
        const Limits limits{.tolerance = 1e-2, .iterations = 200'000, .closing = most};
        const SolveReport report = solver->solve({W, b, laws, ids}, limits, memory, p);
        CHECK(report.converged);
        CHECK(report.residual <= 1e-2);
        return certify({W, b, laws, ids}, p).closing;
      };
      for (const double most : {1e-2, 1e-3}) CHECK(closing(most) <= most);
      // the tolerance alone leaves more, so that the bound did it
      if (sweeps && heavy == 1e3) CHECK(closing(std::numeric_limits<double>::infinity()) > 1e-2);
    }
  }
}

TEST_CASE("impulses that round-off cannot tell from none have no certificate") {
  const Squeezed squeezed(1.0, 0.5);
  Vector p(2);
  p << 1e13, 1e13;
  const Certificate found =
      certify({*squeezed.W, squeezed.b, squeezed.rows.laws, squeezed.rows.ids}, p);
  CHECK(found.growth > Certificate::kGrowth);
  CHECK(!found.holds(1e-9));
}

TEST_CASE("a looser tolerance of the user allows as much of the velocities") {
  Certificate found{1.0, 1e-4, 1.0};
  CHECK(!found.holds(1e-9));
  CHECK(found.holds(1e-3));
  CHECK(!found.holds(1e-5));
  found.contacts = 400;  // the tolerance is one of the norm over all of them
  CHECK(found.holds(1e-5));
  found.closing = 0.5;
  CHECK(!found.holds(1.0));
}

}  // namespace
