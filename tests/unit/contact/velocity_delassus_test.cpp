// W of bodies of many velocities, of which A is known, against H A^-1 H^T; and what solves contacts on it.
#include "saltus/contact/velocity_delassus.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "saltus/contact/residual.h"
#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/linear_algebra/sparse.h"
#include "saltus/solvers/body_system.h"
#include "saltus/solvers/solvers.h"

using namespace saltus;

namespace {

/// Groups of every form of A, and contacts between them and with the world.
struct Groups {
  std::vector<std::unique_ptr<Factor>> factors;
  std::vector<Matrix> A;
  VelocityDelassus W;
  Matrix dense;  ///< H A^-1 H^T
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b;
  std::mt19937 random{7};

  double value() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); }
  Matrix definite(int n, double shift) {
    Matrix R(n, n);
    for (double& r : R.reshaped()) r = value();
    return R * R.transpose() + shift * Matrix::Identity(n, n);
  }
  void add(Matrix matrix, Factor factor) {
    A.push_back(std::move(matrix));
    factors.push_back(std::make_unique<Factor>(std::move(factor)));
  }
  void diagonal(int n, bool held) {
    Diagonal d{Vector(n)};
    Matrix M = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      M(i, i) = 1.5 + value();
      d.inverse[i] = 1.0 / M(i, i);
    }
    if (held) d.inverse[1] = 0.0;
    add(M, {d});
  }
  /// A rigid body; `locked`: it does not turn about its first axis.
  void rigid(bool locked) {
    Eigen::Matrix<double, 6, 6> M = definite(6, 2.0);
    if (locked) {
      M.row(3).setZero();
      M.col(3).setZero();
      M(3, 3) = 1.0;
    }
    Eigen::Matrix<double, 6, 6> inverse = M.inverse();
    inverse = (0.5 * (inverse + inverse.transpose())).eval();
    if (locked) inverse(3, 3) = 0.0;
    add(M, {Blocks6{{inverse}}});
  }
  void sparse(int n) {
    auto made = std::make_unique<SparseOperator>();
    const Matrix M = definite(n, n);
    made->factorise(SparseMatrix::from(M));
    add(M, {std::unique_ptr<Operator>(std::move(made))});
  }
  /// A chain of nodes, by conjugate gradients; one component of the first node is held.
  void iterated(int nodes) {
    std::vector<int> element;
    for (int i = 0; i + 1 < nodes; ++i) element.insert(element.end(), {i, i + 1});
    const std::vector<std::pair<int, std::span<const int>>> list{{2, element}};
    const auto graph = std::make_shared<const NodeGraph>(nodes, list);
    std::vector<int> free;
    for (int i = 0; i < 3 * nodes; ++i)
      if (i != 1) free.push_back(i);
    auto made = std::make_unique<ConjugateGradients>(graph, free, 1e-13, 500);
    Matrix M = Matrix::Zero(3 * nodes, 3 * nodes);
    const auto put = [&](int i, int j, const Matrix& block) {
      Eigen::Map<Matrix>(made->matrix().block(graph->find(i, j)), 3, 3) = block;
      M.block(3 * i, 3 * j, 3, 3) = block;
    };
    for (int i = 0; i < nodes; ++i) put(i, i, definite(3, 3.0));
    for (int i = 0; i + 1 < nodes; ++i) {
      Matrix block(3, 3);
      for (double& x : block.reshaped()) x = 0.5 * value();
      put(i, i + 1, block);
      put(i + 1, i, block.transpose());
    }
    made->refilled();
    Matrix part(std::ssize(free), std::ssize(free));
    for (std::size_t i = 0; i < free.size(); ++i)
      for (std::size_t j = 0; j < free.size(); ++j)
        part(static_cast<int>(i), static_cast<int>(j)) = M(free[i], free[j]);
    add(part, {std::unique_ptr<Operator>(std::move(made))});
  }

  /// `contacts` of three rows between two groups each, the last ones with the world.
  void finish(int contacts, double mu, LawKind kind = LawKind::coulomb) {
    VelocityRows& H = W.refill();
    H.clear();
    for (std::size_t g = 0; g < A.size(); ++g) {
      VelocityRows::Part part{factors[g].get(), H.velocities(), static_cast<int>(A[g].rows()),
                              false};
      REQUIRE(blocks(*part.A, H.A, H.moves, part.whole));
      H.parts.push_back(part);
    }
    const int n = H.velocities();
    Matrix rows = Matrix::Zero(3 * contacts, n), inverse = Matrix::Zero(n, n);
    for (std::size_t g = 0; g < A.size(); ++g) {
      Matrix X = Matrix::Identity(A[g].rows(), A[g].rows());
      solve(*factors[g], X);
      inverse.block(H.parts[g].first, H.parts[g].first, X.rows(), X.rows()) = X;
    }
    for (int c = 0; c < contacts; ++c) {
      const std::size_t begin = H.column.size();
      for (int side = 0; side < (c + 1 < contacts ? 2 : 1); ++side) {
        const VelocityRows::Part& part = H.parts[static_cast<std::size_t>(c + side) % A.size()];
        for (int k = 0; k < 3; ++k) {
          const int j = part.first + (5 * c + k) % part.size;
          if (H.moves[static_cast<std::size_t>(j)] != 0) H.column.push_back(j);
        }
      }
      std::sort(H.column.begin() + static_cast<std::ptrdiff_t>(begin), H.column.end());
      H.column.erase(
          std::unique(H.column.begin() + static_cast<std::ptrdiff_t>(begin), H.column.end()),
          H.column.end());
      H.start.push_back(H.value.size());
      for (int i = 0; i < 3; ++i)
        for (std::size_t k = begin; k < H.column.size(); ++k) {
          H.value.push_back(value());
          rows(3 * c + i, H.column[k]) = H.value.back();
        }
      H.first.push_back(3 * c + 3);
      H.offset.push_back(static_cast<int>(H.column.size()));
      laws.push_back({.kind = kind, .first = 3 * c, .size = 3, .friction = mu, .bound = 0.3});
    }
    W.index();
    dense = rows * inverse * rows.transpose();
    b.resize(3 * contacts);
    for (double& x : b) x = value() - 0.3;
    for (int i = 0; i < 3 * contacts; ++i) ids.push_back(i);
  }
};

double off(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

Matrix by_apply(const Delassus& W) {
  Matrix all(W.rows(), W.rows());
  for (int j = 0; j < W.rows(); ++j) W.apply(Vector::Unit(W.rows(), j), all.col(j));
  return all;
}

}  // namespace

TEST_CASE("W by velocities is H A^-1 H^T with every form of A and what is locked stays") {
  Groups x;
  x.diagonal(9, true);
  x.rigid(false);
  x.sparse(20);  // one block
  x.rigid(true);
  x.sparse(90);  // blocks of nodes
  x.iterated(8);
  x.finish(17, 0.4);
  CHECK(off(by_apply(x.W), x.dense) < 1e-11);
  const Vector D = x.W.diagonal();
  for (int i = 0; i < x.W.rows(); ++i)
    CHECK((D[i] > 0.2 * x.dense(i, i) && D[i] < 5.0 * x.dense(i, i)));
  Matrix entries(x.W.rows(), x.W.rows()), columns = Matrix::Zero(x.W.rows(), x.W.rows());
  CHECK(off(Matrix::Constant(1, 1, x.W.entry(0, 1)), Matrix::Constant(1, 1, x.dense(0, 1))) < 1e-9);
  for (int i = 0; i < x.W.rows(); ++i)
    for (int j = 0; j < x.W.rows(); ++j) entries(i, j) = x.W.entry(i, j);
  for (int j = 0; j < x.W.rows(); ++j) x.W.column(j, 1.0, columns.col(j));
  CHECK(off(entries, x.dense) < 1e-11);
  CHECK(off(columns, x.dense) < 1e-11);
}

TEST_CASE("where A is its blocks the diagonal is that of W and so are blocks and bodies") {
  Groups x;
  x.diagonal(12, true);
  x.rigid(true);
  x.sparse(24);
  x.finish(11, 0.4);
  CHECK(off(x.W.diagonal(), x.dense.diagonal()) < 1e-12);
  BlockDelassus by_blocks;
  SharedBlocks().make(x.W.by_velocities(), by_blocks.W);
  by_blocks.index();
  CHECK(off(by_apply(by_blocks), x.dense) < 1e-12);
  for (int c = 0; c < by_blocks.W.contacts(); ++c)
    for (int k = by_blocks.W.offset[static_cast<std::size_t>(c)] + 1;
         k < by_blocks.W.offset[static_cast<std::size_t>(c) + 1]; ++k)
      CHECK(by_blocks.W.column[static_cast<std::size_t>(k) - 1] <
            by_blocks.W.column[static_cast<std::size_t>(k)]);
}

TEST_CASE("bodies of several sizes make the same W where each contact takes two of them") {
  Groups x;
  x.rigid(true);
  x.sparse(24);
  x.rigid(false);
  x.sparse(36);
  x.finish(10, 0.4);
  REQUIRE(fits_bodies(x.W.by_velocities()));
  BodyRows H;
  bodies_of(x.W.by_velocities(), H);
  CHECK(H.width == 36);
  Matrix rows = Matrix::Zero(H.rows(), H.bodies() * H.width);
  Matrix inverse = Matrix::Zero(rows.cols(), rows.cols());
  for (int body = 0; body < H.bodies(); ++body)
    inverse.block(36 * body, 36 * body, 36, 36) =
        Eigen::Map<const Matrix>(&H.inverse[static_cast<std::size_t>(36 * 36 * body)], 36, 36);
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[static_cast<std::size_t>(c)];
         k < H.offset[static_cast<std::size_t>(c) + 1]; ++k)
      for (int i = 0; i < H.size(c); ++i)
        for (int j = 0; j < 36; ++j)
          rows(H.first[static_cast<std::size_t>(c)] + i,
               36 * H.body[static_cast<std::size_t>(k)] + j) =
              H.value[H.start[static_cast<std::size_t>(k)] + static_cast<std::size_t>(36 * i + j)];
  CHECK(off(rows * inverse * rows.transpose(), x.dense) < 1e-12);
  Groups three;
  three.diagonal(9, false);  // a contact takes three velocities, each a block
  three.finish(4, 0.4);
  CHECK_FALSE(fits_bodies(three.W.by_velocities()));
}

TEST_CASE("rows that yield add to the diagonal of W by velocities and the others stay") {
  Groups x;
  x.rigid(true);
  x.sparse(60);
  x.iterated(5);
  x.finish(7, 0.4);
  const Vector before = x.W.diagonal();
  Vector C = Vector::Zero(x.b.size());
  for (int i = 0; i < C.size(); ++i)
    if (i % 4 != 1) C[i] = 0.1 * (i + 1);
  x.W.add_diagonal(C);
  const Matrix expected = x.dense + Matrix(C.asDiagonal());
  CHECK(off(by_apply(x.W), expected) < 1e-11);
  CHECK((x.W.diagonal() - before - C).cwiseAbs().maxCoeff() < 1e-12);
  // and again on rows made anew, some of them of no such
  x.laws.clear();
  x.ids.clear();
  x.finish(5, 0.4);
  x.W.add_diagonal(Vector::Zero(15));
  CHECK(off(by_apply(x.W), x.dense) < 1e-11);
  x.W.add_diagonal(Vector::Constant(15, 0.5));
  CHECK(off(by_apply(x.W), x.dense + 0.5 * Matrix::Identity(15, 15)) < 1e-11);
}

TEST_CASE("Newton's method in velocities solves every law to its tolerance, as others do") {
  struct Row {
    LawKind kind;
    double mu;
  };
  for (const Row row :
       {Row{LawKind::coulomb, 0.0}, Row{LawKind::coulomb, 0.3}, Row{LawKind::coulomb, 0.5},
        Row{LawKind::unilateral, 0.0}, Row{LawKind::box, 0.0}, Row{LawKind::equality, 0.0}})
    for (const bool iterated : {false, true}) {
      CAPTURE(static_cast<int>(row.kind));
      CAPTURE(row.mu);
      CAPTURE(iterated);
      Groups x;
      x.rigid(false);
      x.sparse(24);
      if (iterated) x.iterated(9);
      x.sparse(60);
      x.finish(9, row.mu, row.kind);
      const ContactProblem problem{x.W, x.b, x.laws, x.ids};
      SolverMemory memory;
      Vector p = Vector::Zero(x.b.size());
      const SolveReport report =
          make_velocity_newton()->solve(problem, {.tolerance = 1e-9}, memory, p);
      CHECK(report.converged);
      // by the matrix
      DenseDelassus W;
      W.W = 0.5 * (x.dense + x.dense.transpose());
      const ContactProblem same{W, x.b, x.laws, x.ids};
      CHECK(residual(same, p) < 1e-8);
      Vector other = Vector::Zero(x.b.size());
      SolverMemory fresh;
      REQUIRE(make_proximal_newton()->solve(same, {.tolerance = 1e-11}, fresh, other).converged);
      CHECK((W.W * (p - other)).cwiseAbs().maxCoeff() < 1e-4 * x.b.cwiseAbs().maxCoeff());
      // from the solution it has nothing to do
      CHECK(make_velocity_newton()->solve(problem, {.tolerance = 1e-8}, memory, p).iterations == 0);
    }
}

TEST_CASE("contacts that hold bodies many times over are solved in their velocities") {
  // four times as many rows as velocities: W is singular
  for (const double mu : {0.1, 0.4, 0.7}) {
    CAPTURE(mu);
    Groups x;
    x.sparse(24);
    x.sparse(24);
    x.sparse(12);
    x.finish(80, mu);
    // A motion w0 parts all of them without a slip, so that there is a solution whatever mu is.
    const VelocityRows& H = x.W.by_velocities();
    Vector w0(H.velocities());
    for (double& w : w0) w = x.value();
    H.multiply(w0, x.b);
    x.b = -x.b;
    for (Eigen::Index i = 0; i < x.b.size(); i += 3) x.b[i] += 0.1;
    const ContactProblem problem{x.W, x.b, x.laws, x.ids};
    SolverMemory memory;
    Vector p = Vector::Zero(x.b.size());
    const SolveReport report =
        make_velocity_newton()->solve(problem, {.tolerance = 1e-6}, memory, p);
    CHECK(report.converged);
    CHECK(residual(problem, p) <= 1e-6);
    CHECK(p.norm() > 0.0);
    REQUIRE(BodySystem::fits(problem));
    Vector again = Vector::Zero(x.b.size());
    SolverMemory fresh;
    const SolveReport interior =
        make_interior_point()->solve(problem, {.tolerance = 1e-6}, fresh, again);
    CHECK(interior.residual < 1e-4);  // by bodies as wide as the largest
  }
}
