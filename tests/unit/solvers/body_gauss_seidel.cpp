#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"
#include "tests/support/skip.h"
#include "tests/unit/solvers/heap.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

constexpr double kStep = 2e-3, kFriction = 0.4;

/// A heap after `steps` steps of 2 ms.
SphereHeap settled(int base, int steps) {
  SphereHeap heap = SphereHeap::pyramid(base, 7);
  const auto solver = make_body_gauss_seidel();
  SolverMemory memory;
  SphereHeap::Problem before;
  Vector p;
  for (int k = 0; k < steps; ++k) {
    auto now = heap.problem(kStep, kFriction);
    p = k == 0 ? Vector::Zero(now.b.size()) : SphereHeap::guess(before, p, now);
    const auto view = now.view();
    solver->solve(view, {.tolerance = 1e-3}, memory, p);
    heap.advance(now, p, kStep);
    before = std::move(now);
  }
  return heap;
}

Vector velocity(const ContactProblem& problem, const Vector& p) {
  Vector u(p.size());
  problem.W.apply(p, u);
  return u + problem.b;
}

/// A row of bodies of six velocities between walls, each contact of another law.
struct Chain {
  std::unique_ptr<BodyDelassus> W;
  std::vector<Law> laws;
  Vector b;

  explicit Chain(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    BodyRows H;
    H.width = 6;
    constexpr int kBodies = 9;
    for (int body = 0; body < kBodies; ++body) {
      const Matrix A = random_delassus(6, 6, 0.5, random);
      H.inverse.insert(H.inverse.end(), A.data(), A.data() + 36);
    }
    const Law kinds[] = {
        {.kind = LawKind::coulomb, .size = 3, .friction = 0.4},
        {.kind = LawKind::equality, .size = 3},
        {.kind = LawKind::coulomb, .size = 2, .friction = 0.3},
        {.kind = LawKind::box, .size = 2, .bound = 0.2},
        {.kind = LawKind::unilateral, .size = 2},
        {.kind = LawKind::rolling, .size = 5, .friction = 0.5, .rolling = 0.1},
        {.kind = LawKind::rolling, .size = 6, .friction = 0.5, .rolling = 0.1, .spinning = 0.2},
        {.kind = LawKind::rolling, .size = 4, .friction = 0.5, .spinning = 0.1}};
    const auto solver = make_body_gauss_seidel();
    for (int c = 0; c <= kBodies; ++c) {
      Law law = kinds[c % 8];
      if (!solver->handles(law.kind)) law = kinds[0];
      law.first = H.first.back();
      laws.push_back(law);
      for (const int body : {c - 1, c}) {
        if (body < 0 || body == kBodies) continue;
        H.touch(body);
        for (int i = 0; i < 6 * law.size; ++i) H.value.push_back(normal(random));
      }
      H.close(law.size);
    }
    W = std::make_unique<BodyDelassus>(std::move(H));
    b.resize(W->rows());
    for (double& x : b) x = normal(random);
  }
};

TEST_CASE("a heap solved by bodies moves as with W formed") {
  const auto heap = settled(5, 5);
  const auto problem = heap.problem(kStep, kFriction);
  const auto view = problem.view();
  DenseDelassus formed;
  const auto n = problem.b.size();
  formed.W.resize(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) formed.W(i, j) = problem.W->entry(i, j);
  const ContactProblem dense{formed, problem.b, problem.laws, {}};
  SolverMemory memory, memory2;
  Vector p = Vector::Zero(n), q = p;
  const Limits limits{.tolerance = 1e-9, .iterations = 50'000};
  const auto report = make_body_gauss_seidel()->solve(view, limits, memory, p);
  const auto other = make_gauss_seidel()->solve(dense, limits, memory2, q);
  REQUIRE(report.converged);
  REQUIRE(other.converged);
  CHECK(report.residual == residual(view, p));
  // impulses need not be unique, what they do is
  CHECK((velocity(view, p) - velocity(view, q)).norm() <= 1e-6 * problem.b.norm());
  CHECK(4 * report.iterations <= other.iterations);
}

TEST_CASE("every law on bodies with rotation is solved, whatever the sizes of the contacts") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Chain chain(seed);
    const ContactProblem problem{*chain.W, chain.b, chain.laws, {}};
    SolverMemory memory;
    Vector p = Vector::Zero(chain.b.size());
    const auto report = make_body_gauss_seidel()->solve(problem, {}, memory, p);
    CHECK(report.converged);
    CHECK(residual(problem, p) <= 1e-12);
    const Vector u = velocity(problem, p);
    for (const Law& law : chain.laws)
      for (int i = law.first; i < law.first + law.size; ++i) {
        if (law.kind == LawKind::equality) CHECK(std::abs(u[i]) <= 1e-10);
        if (law.kind == LawKind::unilateral) CHECK(std::abs(std::min(u[i], p[i])) <= 1e-10);
        if (law.kind == LawKind::box) CHECK(std::abs(p[i]) <= law.bound);
      }
  }
}

TEST_CASE("a heap solved by 1, 2, 3 and 7 threads gives the same bits") {
  const tbb::global_control seven(tbb::global_control::max_allowed_parallelism, 7);
  const auto heap = settled(14, 15);
  const auto problem = heap.problem(kStep, kFriction);
  const auto view = problem.view();
  REQUIRE(problem.contacts() > 2000);
  Vector first;
  SolveReport one;
  for (const int threads : {1, 2, 3, 7}) {
    SolverMemory memory;
    Vector p = Vector::Zero(problem.b.size());
    SolveReport report;
    tbb::task_arena arena(threads);
    arena.execute(
        [&] { report = make_body_gauss_seidel()->solve(view, {.tolerance = 1e-4}, memory, p); });
    if (threads == 1) {
      first = p;
      one = report;
      REQUIRE(report.converged);
    }
    CAPTURE(threads);
    CHECK(report.iterations == one.iterations);
    CHECK(report.residual == one.residual);
    CHECK(std::memcmp(p.data(), first.data(), sizeof(double) * first.size()) == 0);
  }
}

TEST_CASE("extrapolation saves at least two of three sweeps on a tall pile") {
  // 60 equal discs of 1 kg on each other: each sweep carries a change of load one disc further
  BodyRows H;
  H.width = 2;
  std::vector<Law> laws;
  Vector b = Vector::Zero(120);
  DenseDelassus formed;
  for (int c = 0; c < 60; ++c) {
    H.inverse.insert(H.inverse.end(), {1.0, 0.0, 0.0, 1.0});
    H.touch(c);
    if (c > 0) H.touch(c - 1);
    H.value.insert(H.value.end(), {0.0, 1.0, 1.0, 0.0});
    laws.push_back({.kind = LawKind::coulomb, .first = 2 * c, .size = 2, .friction = 0.3});
    H.close(2);
  }
  b[0] = -0.01;  // only the lowest approaches: all others fall with it
  const BodyDelassus W(H);
  formed.W.resize(120, 120);
  for (int i = 0; i < 120; ++i)
    for (int j = 0; j < 120; ++j) formed.W(i, j) = W.entry(i, j);
  const Limits limits{.tolerance = 1e-8, .iterations = 100'000};
  SolverMemory memory, memory2;
  Vector p = Vector::Zero(120), q = p;
  const auto report = make_body_gauss_seidel()->solve({W, b, laws, {}}, limits, memory, p);
  const auto other = make_gauss_seidel()->solve({formed, b, laws, {}}, limits, memory2, q);
  REQUIRE(report.converged);
  REQUIRE(other.converged);
  CHECK(3 * report.iterations <= other.iterations);
  for (int c = 0; c < 60; ++c)  // every disc is stopped: 0.01 N s each, added up from the top
    CHECK(p[2 * c] == doctest::Approx(0.01 * (60 - c)).epsilon(1e-5));
}

TEST_CASE("whenever the sweeps are cut off, the impulses are no worse than the first guess") {
  const auto heap = settled(6, 12);
  const auto problem = heap.problem(kStep, kFriction);
  const auto view = problem.view();
  SolverMemory memory;
  const auto solver = make_body_gauss_seidel();
  Vector guess = Vector::Zero(problem.b.size());
  solver->solve(view, {.tolerance = 1e-3}, memory, guess);
  const double start = residual(view, guess);
  for (int sweeps = 0; sweeps <= 60; ++sweeps) {
    Vector p = guess;
    const auto report = solver->solve(view, {.tolerance = 1e-14, .iterations = sweeps}, memory, p);
    CHECK(report.iterations <= sweeps);
    CHECK(report.residual == residual(view, p));
    CHECK(report.residual <= start);
  }
}

TEST_CASE("the impulses of the step before save more than half of the sweeps") {
  auto heap = settled(8, 25);
  const auto solver = make_body_gauss_seidel();
  SolverMemory memory;
  SphereHeap::Problem before;
  Vector p;
  int warm = 0, cold = 0;
  for (int k = 0; k < 20; ++k) {
    auto now = heap.problem(kStep, kFriction);
    Vector q = Vector::Zero(now.b.size());
    p = k == 0 ? q : SphereHeap::guess(before, p, now);
    const auto view = now.view();
    const Limits limits{.tolerance = 1e-4};
    const auto from_zero = solver->solve(view, limits, memory, q);
    const auto from_last = solver->solve(view, limits, memory, p);
    REQUIRE(from_zero.converged);
    REQUIRE(from_last.converged);
    if (k > 0) cold += from_zero.iterations, warm += from_last.iterations;
    heap.advance(now, p, kStep);
    before = std::move(now);
  }
  CHECK(2 * warm <= cold);
}

TEST_CASE("problem and solver together take at most 400 bytes a contact") {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const auto in_use = [] {
    const struct mallinfo2 all = mallinfo2();
    return static_cast<double>(all.uordblks + all.hblkhd);
  };
  const auto heap = settled(16, 15);
  double taken = 0.0, contacts = 0.0;
  std::thread([&] {  // of its own: the work space of residual() and of W counts too
    const double before = in_use();
    const auto problem = heap.problem(kStep, kFriction);
    const auto view = problem.view();
    const auto solver = make_body_gauss_seidel();
    SolverMemory memory;
    Vector p = Vector::Zero(problem.b.size());
    solver->solve(view, {.tolerance = 1e-4, .iterations = 30}, memory, p);
    taken = in_use() - before;
    contacts = problem.contacts();
  })
      .join();
  REQUIRE(contacts > 4000);
  MESSAGE("bytes a contact: " << taken / contacts);
  CHECK(taken <= 400.0 * contacts);
#else
  SALTUS_SKIP("the heap is counted by glibc without sanitizers");
#endif
}

TEST_CASE("another W goes to gauss-seidel") {
  std::mt19937 random(3);
  const ConstantDelassus W(random_delassus(12, 12, 0.2, random));
  const testing::Rows rows(12, 2);
  const Vector b = Vector::LinSpaced(12, -1.0, 0.3);
  SolverMemory memory, memory2;
  Vector p = Vector::Zero(12), q = p;
  const auto report = make_body_gauss_seidel()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
  const auto other = make_gauss_seidel()->solve({W, b, rows.laws, rows.ids}, {}, memory2, q);
  CHECK(report.iterations == other.iterations);
  CHECK(p == q);
}

TEST_CASE("a sphere between a floor and a ceiling that close in is not called solved") {
  BodyRows H;
  H.width = 1;
  H.inverse = {1.0};
  for (const double n : {1.0, -1.0}) {
    H.touch(0);
    H.value.push_back(n);
    H.close(1);
  }
  const BodyDelassus W(H);
  const Vector b = Vector::Constant(2, -1.0);
  const testing::Rows rows(2);
  SolverMemory memory;
  Vector p = Vector::Zero(2);
  const ContactProblem problem{W, b, rows.laws, rows.ids};
  const auto report = make_body_gauss_seidel()->solve(problem, {.iterations = 500}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(p.allFinite());
  CHECK(report.residual == residual(problem, p));
  CHECK(report.residual > 1e-6);
}

}  // namespace
