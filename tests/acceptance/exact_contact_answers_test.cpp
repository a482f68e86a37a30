// Contact problems whose impulses are known in closed form, by every solver that takes them: oblique impact (B07), the rod
// of Painleve (B08), the cradle (B06). The same bodies in motion are in friction_benchmarks_test.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../support/golden.h"
#include "saltus/contact/problem_data.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kExact = 1e-10;  ///< what an answer may be off, of its size
const Limits kLimits{1e-12, 100'000};

double reference(const std::string& key) {
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] + "/" + row[1] + "/" + row[3] == key) return number(row[4]);
  FAIL("no such benchmark: " << key);
  return 0.0;
}

/// Contacts that do not know each other, or a W made by hand.
struct Problem {
  DenseDelassus W;
  Vector b;
  std::vector<Law> laws;
  std::vector<int> ids;

  int add(const Matrix& block, const Vector& b_c, Law law) {
    const Eigen::Index n = b.size(), m = b_c.size();
    W.W.conservativeResizeLike(Matrix::Zero(n + m, n + m));
    W.W.block(n, n, m, m) = block;
    b.conservativeResize(n + m);
    b.tail(m) = b_c;
    law.first = static_cast<int>(n);
    law.size = static_cast<int>(m);
    laws.push_back(law);
    for (Eigen::Index i = n; i < n + m; ++i) ids.push_back(static_cast<int>(i));
    return law.first;
  }
  ProblemView view() const { return {W, b, laws, ids}; }
};

/// What one solver makes of it from a cold start.
struct Answer {
  Vector p;
  SolveReport report;
};
Answer answer(const ContactSolver& solver, const Problem& problem) {
  SolverMemory memory;
  Answer found{Vector::Zero(problem.b.size()), {}};
  const auto view = problem.view();
  found.report = solver.solve(view, kLimits, memory, found.p);
  CHECK(found.report.residual == residual(view, found.p));
  CHECK(found.report.converged == (found.report.residual <= kLimits.tolerance));
  return found;
}

/// Calls f(name, answer) for every solver of the registry that takes the laws; returns how many there are.
template <class F>
int for_each_solver(const Problem& problem, F&& f) {
  int asked = 0;
  for (const SolverRow& row : solvers()) {
    const auto solver = row.make();
    bool takes = problem.W.is_symmetric || !solver->needs_symmetric();
    for (const Law& law : problem.laws) takes = takes && solver->handles(law.kind);
    if (!takes) continue;
    CAPTURE(row.name);
    f(row.name, answer(*solver, problem));
    ++asked;
  }
  return asked;
}

Law coulomb(double mu) { return {.kind = LawKind::coulomb, .friction = mu}; }

const double kDirections[] = {0.0, 22.5, 45.0};  ///< [degrees]

Eigen::Vector2d direction(double degrees) {
  const double angle = degrees * std::numbers::pi / 180.0;
  return {std::cos(angle), std::sin(angle)};
}

/// (N, T1, T2) of a normal part and a part along e.
Vector along(double normal, double tangential, const Eigen::Vector2d& e) {
  return Vector{{normal, tangential * e[0], tangential * e[1]}};
}

/// W = 1 + 3 (1 - d d^T) of the lower end of a thin rod of 1 kg and half length 1 m, d its direction, tan(slope) above the
/// ground; its centre lies behind the end as that slides along e.
Matrix rod(double slope, const Eigen::Vector2d& e) {
  const double cos = 1.0 / std::hypot(1.0, slope), sin = slope * cos;
  const Vector3 d(sin, -cos * e[0], -cos * e[1]);
  return Eigen::Matrix3d::Identity() + 3.0 * (Eigen::Matrix3d::Identity() - d * d.transpose());
}

}  // namespace

TEST_CASE(
    "B07: a ball that hits a plane obliquely sticks or slips against its slip, whatever its "
    "direction") {
  const double m = 1.0, e = 0.5, v_N = 2.0, v_T = 1.0, w_T = 3.5 / m;
  const Matrix W = Vector3(1.0 / m, w_T, w_T).asDiagonal();
  const double p_N = reference("B07/1/normal impulse"),
               p_stick = reference("B07/1/tangential impulse");
  CHECK(p_N == doctest::Approx(m * (1.0 + e) * v_N).epsilon(1e-15));
  for (const double mu : {0.1, 0.09, 0.01}) {  // sticks at mu >= 2/21
    CAPTURE(mu);
    const bool sticks = mu > 2.0 / 21.0;
    const double p_T = sticks ? p_stick : -mu * p_N;
    Problem problem;
    for (const double degrees : kDirections)
      problem.add(W, along(-(1.0 + e) * v_N, v_T, direction(degrees)), coulomb(mu));
    const int asked = for_each_solver(problem, [&](std::string_view name, const Answer& found) {
      CHECK(found.report.converged);
      double across = 0.0, off = 0.0;
      for (std::size_t c = 0; c < 3; ++c) {
        const Eigen::Vector2d t = direction(kDirections[c]), n(-t[1], t[0]);
        const Vector3 p = found.p.segment<3>(3 * static_cast<Eigen::Index>(c));
        across = std::max(across, std::abs(p.tail<2>().dot(n)));
        off = std::max({off, std::abs(p[0] - p_N), std::abs(p.tail<2>().dot(t) - p_T)});
        CHECK(p.tail<2>().norm() <= mu * p[0] * (1.0 + 1e-12));
      }
      CHECK(across <= kExact * std::abs(p_T));
      CHECK(off <= kExact);
      MESSAGE(fmt::format("{}, mu = {}: {:.1e} N s off, {:.1e} N s across the slip", name, mu, off,
                          across));
    });
    CHECK(asked >= 2);
  }
  CHECK(v_T + w_T * p_stick == doctest::Approx(0.0));
}

TEST_CASE("B07: in the plane a ball sticks or slips as in space") {
  const double p_N = reference("B07/1/normal impulse"),
               p_stick = reference("B07/1/tangential impulse");
  const Matrix W = Eigen::Vector2d(1.0, 3.5).asDiagonal();
  Problem problem;
  problem.add(W, Vector{{-3.0, 1.0}}, coulomb(0.1));
  problem.add(W, Vector{{-3.0, -1.0}}, coulomb(0.1));
  problem.add(W, Vector{{-3.0, 1.0}}, coulomb(0.05));
  problem.add(W, Vector{{-3.0, -1.0}}, coulomb(0.05));
  const Vector exact{{p_N, p_stick, p_N, -p_stick, p_N, -0.05 * p_N, p_N, 0.05 * p_N}};
  const int asked = for_each_solver(problem, [&](std::string_view, const Answer& found) {
    CHECK(found.report.converged);
    CHECK((found.p - exact).cwiseAbs().maxCoeff() <= kExact);
  });
  CHECK(asked >= 2);
}

TEST_CASE(
    "B08: a rod that presses itself into the ground as it slides can only stop, with the impulse "
    "that stops it") {
  const double mu = 1.6, slope = 2.0;
  for (const double degrees : kDirections) {
    CAPTURE(degrees);
    const Eigen::Vector2d e = direction(degrees);
    const Matrix W = rod(slope, e);
    const Vector n = along(1.0, 0.0, e), t = along(0.0, 1.0, e);
    CHECK(n.dot(W * n) == doctest::Approx(reference("B08/1/W_nn")).epsilon(1e-14));
    CHECK(n.dot(W * t) == doctest::Approx(reference("B08/1/W_nt")).epsilon(1e-14));
    CHECK(t.dot(W * t) == doctest::Approx(reference("B08/1/W_tt")).epsilon(1e-14));
    CHECK(n.dot(W * n) - mu * n.dot(W * t) ==
          doctest::Approx(reference("B08/1/A = W_nn - mu W_nt")).epsilon(1e-13));
    // P = -W^-1 b with b = (-eps, 1) along e: (1.2 + 3.4 eps, -1.6 - 1.2 eps)/4
    Problem problem;
    const double eps[] = {0.02, 0.01};
    for (const double x : eps) problem.add(W, along(-x, 1.0, e), coulomb(mu));
    bool automatic = false;
    for_each_solver(problem, [&](std::string_view name, const Answer& found) {
      if (!found.report.converged) {  // said so, see answer()
        CHECK(name != "auto");
        MESSAGE(fmt::format("{} does not solve it: residual {:.1e}", name, found.report.residual));
        return;
      }
      automatic = automatic || name == "auto";
      double off = 0.0;
      for (std::size_t c = 0; c < 2; ++c)
        off = std::max(off, (found.p.segment<3>(3 * static_cast<Eigen::Index>(c)) -
                             along((1.2 + 3.4 * eps[c]) / 4.0, -(1.6 + 1.2 * eps[c]) / 4.0, e))
                                .cwiseAbs()
                                .maxCoeff());
      CHECK(off <= kExact);
      // the limit of light pressing, which is that of short steps
      const Vector limit = 2.0 * found.p.segment<3>(3) - found.p.segment<3>(0);
      CHECK(std::abs(limit[0] - reference("B08/1/stick impulse p_n (limit h->0)")) <= kExact);
      CHECK(std::abs(limit.tail<2>().dot(e) - reference("B08/1/stick impulse p_t (limit h->0)")) <=
            kExact);
      CHECK(std::abs(limit.tail<2>().norm() / limit[0] - reference("B08/1/|p_t|/p_n")) <= kExact);
      MESSAGE(fmt::format("{}, {} degrees: {:.1e} N s off", name, degrees, off));
    });
    CHECK(automatic);
  }
}

TEST_CASE("B08: where W_NN - mu W_NT is positive the rod slides on, forwards and backwards") {
  // (1, 1) along the slip: A = 1.6 - 1.2 mu forwards, 1.6 + 1.2 mu backwards, and P = -b_N/A (1, -mu)
  for (const double mu : {0.3, 1.0, 1.3}) {
    CAPTURE(mu);
    Problem problem;
    std::vector<Vector> exact;
    for (const double degrees : kDirections)
      for (const double way : {1.0, -1.0}) {
        const Eigen::Vector2d e = direction(degrees);
        const double eps = 0.01, p_N = eps / (1.6 - way * 1.2 * mu);
        problem.add(rod(2.0, e), along(-eps, way, e), coulomb(mu));
        exact.push_back(along(p_N, -way * mu * p_N, e));
        const double slip = 1.0 + (way * 1.2 - 3.4 * mu) * p_N;
        REQUIRE(slip > 0.0);  // still in the direction it had
      }
    bool automatic = false;
    for_each_solver(problem, [&](std::string_view name, const Answer& found) {
      if (!found.report.converged) {
        CHECK(name != "auto");
        MESSAGE(fmt::format("{} does not solve it: residual {:.1e}", name, found.report.residual));
        return;
      }
      automatic = automatic || name == "auto";
      for (std::size_t c = 0; c < exact.size(); ++c)
        CHECK((found.p.segment<3>(3 * static_cast<Eigen::Index>(c)) - exact[c])
                  .cwiseAbs()
                  .maxCoeff() <= kExact * exact[c].norm());
    });
    CHECK(automatic);
  }
}

TEST_CASE(
    "B08: a rod that leaves the ground by itself may go on, slide or stop, and solvers find one of "
    "the three") {
  const double mu = 1.6, eps = 0.01;
  for (const double degrees : kDirections) {
    CAPTURE(degrees);
    const Eigen::Vector2d e = direction(degrees);
    Problem problem;
    problem.add(rod(2.0, e), along(eps, 1.0, e), coulomb(mu));
    const double A = 1.6 - mu * 1.2;
    const Vector exact[] = {Vector::Zero(3), along(-eps / A, mu * eps / A, e),
                            along((1.2 - 3.4 * eps) / 4.0, -(1.6 - 1.2 * eps) / 4.0, e)};
    const auto view = problem.view();
    for (const Vector& p : exact) CHECK(residual(view, p) <= 1e-14);
    for_each_solver(problem, [&](std::string_view name, const Answer& found) {
      CHECK((found.report.converged || name != "auto"));
      if (!found.report.converged) return;
      double off = 1e300;
      for (const Vector& p : exact) off = std::min(off, (found.p - p).norm());
      CHECK(off <= kExact);
    });
  }
}

TEST_CASE(
    "B06: balls in touch share an impact as Newton's law says, and hand it on one after the other "
    "when apart") {
  // N equal balls, the first comes with v: (2, -1) on and beside the diagonal; P_k = 2 v (N - k)/N together
  for (const int balls : {3, 5, 12}) {
    CAPTURE(balls);
    const int n = balls - 1;
    for (const LawKind kind : {LawKind::unilateral, LawKind::coulomb}) {
      Problem together;
      for (int k = 0; k < n; ++k)
        together.add(Matrix::Constant(1, 1, 2.0), Vector::Constant(1, k == 0 ? -2.0 : 0.0),
                     {.kind = kind});
      for (int k = 0; k + 1 < n; ++k) together.W.W(k, k + 1) = together.W.W(k + 1, k) = -1.0;
      const int asked = for_each_solver(together, [&](std::string_view name, const Answer& found) {
        CHECK(found.report.converged);
        Vector v = Vector::Zero(balls);
        v[0] = 1.0;
        double off = 0.0;
        for (int k = 0; k < n; ++k) {
          v[k] -= found.p[k];
          v[k + 1] += found.p[k];
          off = std::max(off, std::abs(found.p[k] - 2.0 * (balls - 1.0 - k) / balls));
        }
        CHECK(off <= kExact);
        CHECK(std::abs(v[0] - (2.0 / balls - 1.0)) <= kExact);
        CHECK(std::abs(v.squaredNorm() - 1.0) <= kExact);
        if (balls == 3) {
          for (int i = 0; i < 3; ++i)
            CHECK(std::abs(v[i] - reference(fmt::format("B06/1/v after, ball {}", i + 1))) <=
                  kExact);
          for (int i = 0; i < 2; ++i)
            CHECK(std::abs(found.p[i] -
                           reference(fmt::format("B06/1/impulse contact {}", i + 1))) <= kExact);
        }
        MESSAGE(fmt::format("{}, {} balls: {:.1e} N s off", name, balls, off));
      });
      CHECK(asked >= 2);
    }
    // one contact closed at a time, b = (1 + e) u0 of the balls as they are
    for (const SolverRow& row : solvers()) {
      const auto solver = row.make();
      if (!solver->handles(LawKind::unilateral)) continue;
      CAPTURE(row.name);
      Vector v = Vector::Zero(balls);
      v[0] = 1.0;
      for (int k = 0; k < n; ++k) {
        Problem one;
        one.add(Matrix::Constant(1, 1, 2.0), Vector::Constant(1, 2.0 * (v[k + 1] - v[k])), {});
        const Answer found = answer(*solver, one);
        REQUIRE(found.report.converged);
        v[k] -= found.p[0];
        v[k + 1] += found.p[0];
      }
      CHECK(
          std::abs(v[n] - reference("B06/1/with infinitesimal gaps (sequential binary impacts): v "
                                    "of last ball")) <= kExact);
      CHECK(v.head(n).cwiseAbs().maxCoeff() <= kExact);
    }
  }
}
