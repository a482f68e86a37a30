#include "saltus/linear_algebra/sparse.h"

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "saltus/base/error.h"
#include "saltus/bodies/linear.h"
#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/linear_algebra/sparse_product.h"
#include "support/count_malloc.h"

using namespace saltus;

namespace {

// Reproducible numbers in [-1, 1).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761u + 12345) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }
  Matrix matrix(Eigen::Index rows, Eigen::Index columns) {
    Matrix A(rows, columns);
    for (double& a : A.reshaped()) a = next();
    return A;
  }

 private:
  std::uint64_t state_;
};

enum class Kind { definite, indefinite, unsymmetric };

// A grid of w x w nodes, four neighbours each: what a sparse factor is for.
SparseMatrix grid(int w, Kind kind, double weight = 1.0) {
  std::vector<Entry> entries;
  const int n = w * w;
  const auto link = [&](int i, int j) {
    const double skew = kind == Kind::unsymmetric ? 0.4 : 0.0;
    entries.push_back({i, j, -weight * (1.0 + skew)});
    entries.push_back({j, i, -weight * (1.0 - skew)});
  };
  for (int i = 0; i < n; ++i) {
    double diagonal = 4.0 * weight + 0.1 * (1 + i % 7);
    if (kind == Kind::indefinite) diagonal -= 2.0;
    entries.push_back({i, i, diagonal});
    if (i % w + 1 < w) link(i, i + 1);
    if (i + w < n) link(i, i + w);
  }
  return {n, entries};
}

// |A x - b| against the size of what is added up
double error(const SparseMatrix& A, const SparseOperator& factor, int columns, Numbers& numbers) {
  const Matrix B = numbers.matrix(A.size(), columns);
  Matrix X = B;
  factor.solve(X);
  const Matrix dense = A.dense();
  return (dense * X - B).lpNorm<Eigen::Infinity>() /
         (dense.cwiseAbs() * X.cwiseAbs()).lpNorm<Eigen::Infinity>();
}

struct Case {
  std::string name;
  SparseMatrix A;
  bool symmetric;
};

std::vector<Case> cases() {
  Numbers numbers(7);
  Matrix small = numbers.matrix(9, 9);
  small.diagonal().array() += 4.0;
  Matrix full = numbers.matrix(150, 150);
  full = full * full.transpose();
  full.diagonal().array() += 1.0;
  std::vector<Entry> line, skew_line, negative_line;
  for (int i = 0; i < 500; ++i) {
    for (auto* entries : {&line, &skew_line}) entries->push_back({i, i, 2.01});
    negative_line.push_back({i, i, 1.7});
    if (i == 0) continue;
    for (auto* entries : {&line, &negative_line}) {
      entries->push_back({i, i - 1, -1.0});
      entries->push_back({i - 1, i, -1.0});
    }
    skew_line.push_back({i, i - 1, -0.5});
    skew_line.push_back({i - 1, i, -1.5});
  }
  return {{"one number", SparseMatrix(1, std::vector{Entry{0, 0, 4.0}}), true},
          {"small and full", SparseMatrix::from(small), false},
          {"full", SparseMatrix::from(full), true},
          {"diagonal", sum(3.0, SparseMatrix::identity(70), 0.0, {}, 0.0, {}), true},
          {"tridiagonal", {500, line}, true},
          {"tridiagonal, indefinite", {500, negative_line}, true},
          {"tridiagonal, unsymmetric", {500, skew_line}, false},
          {"grid", grid(21, Kind::definite), true},
          {"large grid", grid(60, Kind::definite), true},
          {"grid, indefinite", grid(21, Kind::indefinite), true},
          {"grid, unsymmetric", grid(21, Kind::unsymmetric), false}};
}

}  // namespace

TEST_CASE("entries of one place are added and rows are sorted") {
  const std::vector<Entry> entries = {{1, 2, 5.0}, {0, 1, 2.0}, {1, 0, 4.0}, {1, 2, -2.0}};
  const SparseMatrix A(3, entries);
  Matrix expected = Matrix::Zero(3, 3);
  expected(0, 1) = 2.0;
  expected(1, 0) = 4.0;
  expected(1, 2) = 3.0;
  CHECK(A.dense() == expected);
  CHECK(std::vector<int>(A.offset().begin(), A.offset().end()) == std::vector<int>{0, 1, 3, 3});
  CHECK(std::vector<int>(A.column().begin(), A.column().end()) == std::vector<int>{1, 0, 2});
  CHECK_THROWS_AS(SparseMatrix(2, entries), UsageError);
  CHECK_THROWS_AS(SparseMatrix(2, std::vector{Entry{0, -1, 1.0}}), UsageError);
  CHECK(SparseMatrix().empty());
}

TEST_CASE("products, transposes and parts agree with the dense matrix") {
  Numbers numbers(3);
  const SparseMatrix A = grid(5, Kind::unsymmetric);
  const Matrix D = A.dense();
  const Vector x = numbers.matrix(25, 1), y = numbers.matrix(25, 1);
  Vector z = y;
  A.multiply(x, z, 2.0);
  CHECK((z - 2.0 * D * x).norm() < 1e-14);
  A.multiply_add(x, z, -1.0);
  CHECK((z - D * x).norm() < 1e-14);
  CHECK(A.product(y, x) == doctest::Approx(y.dot(D * x)).epsilon(1e-14));
  CHECK(A.transpose().dense() == D.transpose());
  CHECK(SparseMatrix::from(D).dense() == D);
  CHECK(SparseMatrix::identity(4).dense() == Matrix::Identity(4, 4));
  const std::vector<int> rows = {7, 2, 1}, columns = {1, 6};
  Matrix part = Matrix::Zero(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      part(i, j) = D(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  CHECK(A.part(rows, columns).dense() == part);
  const SparseMatrix B = SparseMatrix::identity(25),
                     total = sum(2.0, A, -3.0, B, 0.5, A.transpose());
  CHECK((total.dense() - (2.0 * D - 3.0 * Matrix::Identity(25, 25) + 0.5 * D.transpose())).norm() <
        1e-14);
  CHECK(sum(0.0, A, 1.0, B, 0.0, {}).column().size() == A.column().size());
}

TEST_CASE("products by diagonals and by rows are those of the dense matrix") {
  Numbers numbers(23);
  std::vector<SparseMatrix> matrices = {SparseMatrix::identity(3),
                                        sum(0.0, SparseMatrix::identity(5), 0.0, {}, 0.0, {}),
                                        SparseMatrix(4, {}),
                                        SparseMatrix(1, std::vector{Entry{0, 0, 2.0}}),
                                        grid(3, Kind::unsymmetric),
                                        grid(21, Kind::unsymmetric),
                                        SparseMatrix::from(numbers.matrix(40, 40))};
  for (const std::vector<int>& shifts :
       {std::vector{1}, {-1, 0, 1}, {-299, 0, 299}, {-2, -1, 3, 4}, {-260, -3, 0, 1, 2, 7, 250}}) {
    std::vector<Entry> entries;
    for (int i = 0; i < 300; ++i)
      for (int d : shifts)
        if (i + d >= 0 && i + d < 300) entries.push_back({i, i + d, numbers.next()});
    matrices.push_back(SparseMatrix(300, entries));
  }
  std::vector<Entry> scattered;
  for (int i = 0; i < 600; ++i) scattered.push_back({i, (i * i + 7) % 600, numbers.next()});
  matrices.push_back(SparseMatrix(600, scattered));
  for (const SparseMatrix& A : matrices) {
    const SparseProduct product(A);
    CAPTURE(A.size());
    const Matrix D = A.dense();
    CHECK(product.diagonal() == A.diagonal());
    if (product.diagonal()) CHECK(product.values() == D.diagonal());
    const Vector x = numbers.matrix(A.size(), 1), y = numbers.matrix(A.size(), 1);
    const std::vector<ProductTerm> terms = {{&product, 2.0, x.data()}, {&product, -0.5, y.data()}};
    const Vector expected = D * (2.0 * x - 0.5 * y);
    Vector z = y;
    set_sum(terms, z);
    CHECK((z - expected).norm() < 1e-13 * (1.0 + expected.norm()));
    subtract_sum(terms, z);
    CHECK(z.norm() == 0.0);
    add_sum(terms, z);
    CHECK((z - expected).norm() < 1e-13 * (1.0 + expected.norm()));
    CHECK(std::abs(product.inner(x, y) - x.dot(D * y)) < 1e-12 * (1.0 + expected.norm()));
  }
  const SparseProduct zero;
  CHECK(zero.zero());
  CHECK(zero.diagonal());
  Vector y = Vector::Ones(3);
  const ProductTerm nothing{&zero, 1.0, y.data()};
  Vector z = y;
  set_sum({&nothing, 1}, z);
  CHECK(z.norm() == 0.0);
  CHECK(zero.inner(y, y) == 0.0);
}

TEST_CASE("a rigid motion strains nothing: rows are summed before they meet a load") {
  const LinearSystem system = bar({1000, 1.0, 7e10, 2700.0, 1e-4, ChainEnds::free_free});
  const SparseProduct K(system.stiffness);
  const Vector far = Vector::Constant(system.mass.size(), 1e3);
  Vector f = Vector::Constant(system.mass.size(), 1e-3);
  const ProductTerm elastic{&K, 1.0, far.data()};
  subtract_sum({&elastic, 1}, f);
  CHECK(f == Vector::Constant(system.mass.size(), 1e-3));
}

TEST_CASE("a matrix knows whether it is diagonal, symmetric and finite") {
  CHECK(SparseMatrix::identity(3).diagonal());
  CHECK(SparseMatrix(2, std::vector{Entry{0, 0, 1.0}, Entry{0, 1, 0.0}}).diagonal());
  CHECK_FALSE(grid(3, Kind::definite).diagonal());
  CHECK(grid(3, Kind::definite).symmetric());
  CHECK_FALSE(grid(3, Kind::unsymmetric).symmetric());
  CHECK_FALSE(SparseMatrix(2, std::vector{Entry{0, 1, 1.0}}).symmetric());
  CHECK(SparseMatrix(2, std::vector{Entry{0, 1, 1.0}, Entry{1, 0, 1.0 + 4e-15}}).symmetric());
  CHECK(grid(3, Kind::definite).finite());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(SparseMatrix(1, std::vector{Entry{0, 0, nan}}).finite());
}

TEST_CASE("a factor solves with every kind of matrix, for one and for many right-hand sides") {
  Numbers numbers(11);
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    SparseOperator factor;
    factor.factorise(c.A);
    CHECK(factor.symmetric() == c.symmetric);
    CHECK(error(c.A, factor, 1, numbers) < 2e-14);
    CHECK(error(c.A, factor, 7, numbers) < 2e-14);
  }
}

TEST_CASE("a factor solves with patterns of no order, in pieces, with full rows") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Numbers numbers(seed);
    const auto pick = [&](int n) { return static_cast<int>(0.5 * (numbers.next() + 1.0) * n); };
    const int n = 201 + pick(300), links = pick(4 * n), hubs = pick(3);
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i) entries.push_back({i, i, 1.0});
    const auto link = [&](int i, int j) {
      const double k = numbers.next();
      entries.push_back({i, i, std::abs(k)});
      entries.push_back({j, j, std::abs(k)});
      entries.push_back({i, j, k});
      entries.push_back({j, i, k});
    };
    for (int k = 0; k < links; ++k)  // near ones and far ones
      if (const int i = pick(n), j = k % 3 ? std::min(n - 1, i + 1 + pick(9)) : pick(n); i != j)
        link(i, j);
    for (int k = 0; k < hubs; ++k)
      for (int i = 0, hub = pick(n); i < n; ++i)
        if (i != hub) link(i, hub);
    const SparseMatrix A(n, entries);
    SparseOperator factor;
    factor.factorise(A);
    CHECK(error(A, factor, 1, numbers) < 2e-14);
    CHECK(error(A, factor, 11, numbers) < 2e-14);
    const SparseMatrix B = sum(2.0, A, 3.0, SparseMatrix::identity(n), 0.0, {});
    factor.factorise(B);
    CHECK(error(B, factor, 3, numbers) < 2e-14);
  }
}

TEST_CASE("a factor solves columns that lie apart in memory") {
  Numbers numbers(5);
  const SparseMatrix A = grid(21, Kind::definite);
  SparseOperator factor;
  factor.factorise(A);
  Matrix room = numbers.matrix(A.size() + 3, 4);
  const Matrix B = room.topRows(A.size());
  factor.solve(room.topRows(A.size()));
  CHECK((A.dense() * room.topRows(A.size()) - B).lpNorm<Eigen::Infinity>() < 1e-13);
}

TEST_CASE("a factor filled again with other values or another matrix is as good as a new one") {
  Numbers numbers(13);
  SparseOperator used;
  const std::vector<SparseMatrix> sequence = {
      grid(21, Kind::definite),         grid(21, Kind::definite, 0.3),
      grid(21, Kind::indefinite),       grid(21, Kind::unsymmetric),
      grid(21, Kind::definite, 2.0),    grid(24, Kind::definite),
      SparseMatrix::identity(441),      grid(21, Kind::unsymmetric),
      grid(21, Kind::unsymmetric, 3.0), sum(2.0, SparseMatrix::identity(9), 0.0, {}, 0.0, {})};
  for (const SparseMatrix& A : sequence) {
    SparseOperator fresh;
    used.factorise(A);
    fresh.factorise(A);
    const Vector b = numbers.matrix(A.size(), 1);
    Vector x = b, y = b;
    used.solve(x);
    fresh.solve(y);
    CHECK(used.symmetric() == fresh.symmetric());
    CHECK(x == y);
    CHECK((A.dense() * x - b).norm() < 1e-12 * b.norm());
  }
}

TEST_CASE("a warm solve takes nothing from the heap" * doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  Numbers numbers(17);
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    SparseOperator factor;
    factor.factorise(c.A);
    Vector x = numbers.matrix(c.A.size(), 1);
    Matrix X = numbers.matrix(c.A.size(), 5);
    factor.solve(x);
    factor.solve(X);
    const long before = allocations;
    factor.solve(x);
    factor.solve(X);
    factor.solve(x);
    CHECK(allocations == before);
  }
}

TEST_CASE("a linear system takes nothing from the heap while it is stepped" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  LinearSystem everything = chain(60, 2.0, 30.0, 0.7, ChainEnds::fixed_free);
  everything.rayleigh = {0.2, 0.01};
  everything.loads = {{{{3, 1.0}}, Signal::harmonic(1.0, 5.0)},
                      {{{8, 1.0}}, Signal::table({0.0, 1.0, 2.0}, {0.0, 2.0, 1.0}, true)}};
  everything.prescribed = {{0, Signal::harmonic(0.1, 2.0)}};
  for (const LinearSystem& system :
       {everything, bar({50, 1.0, 2.0, 3.0, 4.0, ChainEnds::fixed_fixed}),
        oscillator(1.0, 4.0, 0.1)}) {
    const Linear body(system);
    const Eigen::Index n = body.velocities();
    Numbers numbers(19);
    const Vector q = numbers.matrix(n, 1), v = numbers.matrix(n, 1);
    Vector f(n), y = v, all(system.mass.size()), held(body.prescribed());
    std::vector<double> watts(body.sources().size());
    Factor A;
    body.factorise({1.0, 0.1, 0.01}, 0.0, q, v, A);
    solve(A, y);
    const long before = allocations;
    body.force(0.3, q, v, f);
    body.potential_force(0.3, q, f);
    body.multiply({1.0, 0.2, 0.3}, 0.0, q, v, f, y);
    solve(A, y);
    const Energy energy = body.energy(0.3, q, v);
    body.power(0.3, {}, q, v, f, watts);
    body.full(0.3, q, all);
    body.reactions(0.3, q, v, f, held);
    CHECK(allocations == before);
    CHECK(energy.total() > 0.0);
  }
}

TEST_CASE("a matrix that is singular or not finite gives solutions that are not finite") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<SparseMatrix> bad;
  bad.push_back(SparseMatrix(1, std::vector{Entry{0, 0, 0.0}}));
  bad.push_back(SparseMatrix(2, std::vector{Entry{0, 0, 1.0}, Entry{1, 1, nan}}));
  for (Kind kind : {Kind::definite, Kind::unsymmetric}) {
    const SparseMatrix A = grid(21, kind);
    std::vector<Entry> entries;  // row and column 5 are empty
    for (int i = 0; i < A.size(); ++i)
      for (int k = A.offset()[static_cast<std::size_t>(i)];
           k < A.offset()[static_cast<std::size_t>(i) + 1]; ++k) {
        const int j = A.column()[static_cast<std::size_t>(k)];
        if (i != 5 && j != 5) entries.push_back({i, j, A.value()[static_cast<std::size_t>(k)]});
      }
    bad.push_back(SparseMatrix(A.size(), entries));
    entries.push_back({5, 5, nan});
    bad.push_back(SparseMatrix(A.size(), entries));
  }
  for (const SparseMatrix& A : bad) {
    CAPTURE(A.size());
    SparseOperator factor;
    factor.factorise(A);
    Vector x = Vector::Ones(A.size());
    factor.solve(x);
    CHECK_FALSE(x.allFinite());
    const SparseMatrix good = SparseMatrix::identity(A.size());
    factor.factorise(good);
    x.setOnes();
    factor.solve(x);
    CHECK(x == Vector::Ones(A.size()));
  }
}

TEST_CASE("the first pivot that is not positive is named by its row") {
  CHECK(first_bad_pivot(SparseMatrix()) == -1);
  CHECK(first_bad_pivot(SparseMatrix::identity(3)) == -1);
  CHECK(first_bad_pivot(grid(30, Kind::definite)) == -1);
  const SparseMatrix ones(
      2, std::vector{Entry{0, 0, 1.0}, Entry{0, 1, 1.0}, Entry{1, 0, 1.0}, Entry{1, 1, 1.0}});
  CHECK(first_bad_pivot(ones) == 1);
  for (int n : {20, 2000}) {
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i) entries.push_back({i, i, i == 12 ? 0.0 : 2.0});
    CHECK(first_bad_pivot({n, entries}) == 12);
    entries.push_back({12, 12, 0.1});  // coupled too strongly with row 13
    entries.push_back({12, 13, 1.0});
    entries.push_back({13, 12, 1.0});
    const int bad = first_bad_pivot({n, entries});
    CHECK((n == 20 ? bad == 13 : bad == 12 || bad == 13));
  }
}

TEST_CASE("a solve of a factor that was never made is refused") {
  Vector x = Vector::Ones(2);
  CHECK_THROWS_AS(SparseOperator().solve(x), UsageError);
  SparseOperator factor;
  factor.factorise(SparseMatrix::identity(3));
  CHECK_THROWS_AS(factor.solve(x), UsageError);
}

TEST_CASE("conjugate gradients take nothing from the heap" * doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  std::vector<int> pairs, free;
  for (int i = 0; i + 1 < 400; ++i) pairs.insert(pairs.end(), {i, i + 1});
  for (int i = 3; i < 1200; ++i) free.push_back(i);
  const std::pair<int, std::span<const int>> list{2, pairs};
  const auto graph = std::make_shared<const NodeGraph>(400, std::span(&list, 1));
  tbb::task_arena alone(1);
  alone.execute([&] {
    ConjugateGradients solver(graph, free, 1e-10, 2000);
    Matrix X = Matrix::Ones(static_cast<Eigen::Index>(free.size()), 2);
    const long before = allocations;
    for (int again = 0; again < 3; ++again) {
      for (int i = 0; i < 400; ++i)
        for (int k = graph->offset[static_cast<std::size_t>(i)];
             k < graph->offset[static_cast<std::size_t>(i) + 1]; ++k)
          for (int c = 0; c < 9; c += 4)
            solver.matrix().block(k)[c] =
                graph->column[static_cast<std::size_t>(k)] == i ? 2.0 + again : -1.0;
      solver.refilled();
      solver.solve(X);
    }
    CHECK(allocations == before);
    CHECK(solver.record().failure == "");
  });
}
