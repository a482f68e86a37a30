#include "saltus/solvers/even_load.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;
namespace {

/// A rigid plate of 3 kg on n feet, pushed aside so that it slides: W has rank 6.
struct Plate {
  DenseDelassus W;
  Vector b;
  std::vector<Law> laws;
  std::vector<int> ids;

  /// order: of the feet, which stand at equal angles on a circle of 0.4 m, the push along x. twist [rad/s] about z.
  Plate(const std::vector<int>& order, double friction, double twist) {
    const int n = static_cast<int>(order.size());
    const double mass = 3.0, inertia[3] = {0.12, 0.12, 0.24}, height = 0.05;
    Matrix H(3 * n, 6);
    for (int c = 0; c < n; ++c) {
      const double angle = 2.0 * 3.141592653589793 * order[static_cast<std::size_t>(c)] / n;
      const Vector3 r(0.4 * std::cos(angle), 0.4 * std::sin(angle), -height);
      const Vector3 axes[3] = {Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY()};
      for (int i = 0; i < 3; ++i) {
        H.block<1, 3>(3 * c + i, 0) = axes[i].transpose();
        H.block<1, 3>(3 * c + i, 3) = r.cross(axes[i]).transpose();
      }
      laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = friction});
    }
    Vector A_inv(6), v(6);
    A_inv << 1 / mass, 1 / mass, 1 / mass, 1 / inertia[0], 1 / inertia[1], 1 / inertia[2];
    v << 0.3, 0.0, -0.01, 0.0, 0.0, twist;
    W.W = H * A_inv.asDiagonal() * H.transpose();
    b = H * v;
    ids.resize(static_cast<std::size_t>(3 * n));
    std::iota(ids.begin(), ids.end(), 0);
  }
};

Vector solve(const Plate& plate, bool even, Vector p, double tolerance = 1e-9) {
  SolverMemory memory;
  const ContactProblem problem{plate.W, plate.b, plate.laws, plate.ids};
  const SolveReport report =
      make_automatic()->solve(problem, {.tolerance = tolerance, .even = even}, memory, p);
  CHECK(report.converged);
  CHECK(residual(problem, p) <= tolerance);
  return p;
}

std::vector<int> in_order(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

TEST_CASE("an even load does not depend on the order of the contacts nor on the start") {
  std::mt19937 random(11);
  for (const int n : {4, 6, 9}) {
    CAPTURE(n);
    const std::vector<int> order = in_order(n);
    const Vector p = solve(Plate(order, 0.5, 0.0), true, Vector::Zero(3 * n));
    std::vector<int> other = order;
    std::ranges::shuffle(other, random);
    Vector start(3 * n);
    for (double& x : start) x = 0.02 * static_cast<double>(random() % 1000) / 1000.0;
    const Vector q = solve(Plate(other, 0.5, 0.0), true, start);
    for (int c = 0; c < n; ++c)
      CHECK((q.segment<3>(3 * c) - p.segment<3>(3 * other[static_cast<std::size_t>(c)])).norm() <
            1e-6 * p.norm());
  }
}

TEST_CASE("a plate that slides along its mirror line is not turned by its feet") {
  for (const int n : {4, 6, 8}) {
    CAPTURE(n);
    const Plate plate(in_order(n), 0.4, 0.0);
    const Vector p = solve(plate, true, Vector::Constant(3 * n, 0.01));
    double turn = 0.0, size = 0.0;  // moment of friction about z
    for (int c = 0; c < n; ++c) {
      const double angle = 2.0 * 3.141592653589793 * c / n;
      turn += 0.4 * (std::cos(angle) * p[3 * c + 2] - std::sin(angle) * p[3 * c + 1]);
      size += 0.4 * p.segment<2>(3 * c + 1).norm();
    }
    CHECK(std::abs(turn) < 1e-7 * size);
  }
}

TEST_CASE("of all impulses that solve a problem an even load is the least") {
  const Plate plate(in_order(6), 0.5, 0.2);
  std::mt19937 random(5);
  const Vector even = solve(plate, true, Vector::Zero(18));
  for (int k = 0; k < 5; ++k) {
    Vector start(18);
    for (double& x : start) x = 0.02 * static_cast<double>(random() % 1000) / 1000.0;
    const Vector p = solve(plate, false, start);
    CHECK(even.norm() <= (1.0 + 1e-6) * p.norm());
  }
}

TEST_CASE("impulses that are determined, or none of which slides, are left as they are") {
  for (const bool sticks : {false, true}) {
    CAPTURE(sticks);
    Plate plate(in_order(4), sticks ? 100.0 : 0.3, 0.1);
    if (!sticks) plate.W.W.diagonal().array() += 0.1;
    const Vector p = solve(plate, false, Vector::Zero(12));
    Vector q = p;
    const ContactProblem problem{plate.W, plate.b, plate.laws, plate.ids};
    EvenLoad even;
    SolveReport report;
    CHECK(even.share(problem, {.tolerance = 1e-9}, report, q) == EvenLoad::Shared::determined);
    CHECK(q == p);
  }
}

TEST_CASE("redundant contacts that contradict each other by the last digits are solved") {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k) {
    CAPTURE(k);
    Plate plate(in_order(8), 0.8, 0.0);
    // it rolls to rest: nothing but the weight of a step, and contacts that do not fit each other
    for (int c = 0; c < 8; ++c) {
      plate.b[3 * c] = -0.01 + 4e-11 * normal(random);
      for (int i = 1; i < 3; ++i) plate.b[3 * c + i] = 4e-11 * normal(random);
    }
    const ContactProblem problem{plate.W, plate.b, plate.laws, plate.ids};
    SolverMemory memory;
    Vector p = Vector::Zero(24);
    const SolveReport report =
        make_yielding(make_redundant_interior())->solve(problem, {.tolerance = 1e-9}, memory, p);
    CHECK(report.converged);
    CHECK(residual(problem, p) <= 1e-9);
  }
}
