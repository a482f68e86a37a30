// Matrices by 3 x 3 blocks of nodes, and conjugate gradients on them.
#include "saltus/linear_algebra/node_matrix.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "saltus/linear_algebra/conjugate_gradients.h"
#include "saltus/math/rotation.h"
#include "support/dense.h"

using namespace saltus;

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

constexpr int kNodes = 300;

/// A ring of triangles with a few pairs across it.
std::shared_ptr<const NodeGraph> ring() {
  std::vector<int> triangles, pairs;
  for (int i = 0; i < kNodes; ++i)
    triangles.insert(triangles.end(), {i, (i + 1) % kNodes, (i + 2) % kNodes});
  for (int i = 0; i < kNodes / 2; i += 7) pairs.insert(pairs.end(), {kNodes - 1 - i, i});
  const std::pair<int, std::span<const int>> lists[] = {{3, triangles}, {2, pairs}};
  return std::make_shared<const NodeGraph>(kNodes, lists);
}

/// Symmetric, with the diagonal `heavy` above what makes it dominant.
NodeMatrix filled(const std::shared_ptr<const NodeGraph>& graph, double heavy) {
  NodeMatrix A(graph);
  for (int i = 0; i < kNodes; ++i)
    for (int k = graph->diagonal[index(i)]; k < graph->offset[index(i) + 1]; ++k)
      for (int c = 0; c < 9; ++c) A.block(k)[c] = std::sin(1.0 + 9.0 * k + 2.3 * c);
  for (int i = 0; i < kNodes; ++i) {
    Eigen::Map<Matrix3> D(A.block(graph->diagonal[index(i)]));
    D = (0.5 * (D + D.transpose()) + heavy * Matrix3::Identity()).eval();
  }
  ThreadPool thread_pool;
  A.mirror_upper(thread_pool);
  return A;
}

Matrix dense(const NodeMatrix& A) {
  Matrix D = Matrix::Zero(3 * kNodes, 3 * kNodes);
  const NodeGraph& graph = A.graph();
  for (int i = 0; i < kNodes; ++i)
    for (int k = graph.offset[index(i)]; k < graph.offset[index(i) + 1]; ++k)
      D.block<3, 3>(3 * i, 3 * graph.column[index(k)]) = Eigen::Map<const Matrix3>(A.block(k));
  return D;
}

Vector wave(Eigen::Index n, double phase) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = std::sin(1.9 * static_cast<double>(i) + phase);
  return x;
}

}  // namespace

TEST_CASE(
    "nodes that share an element share a block, rows are in order, each block has its mirror") {
  const auto graph = ring();
  CHECK(graph->nodes() == kNodes);
  for (int i = 0; i < kNodes; ++i) {
    CHECK(graph->column[index(graph->diagonal[index(i)])] == i);
    for (int k = graph->offset[index(i)]; k < graph->offset[index(i) + 1]; ++k) {
      const int j = graph->column[index(k)];
      if (k > graph->offset[index(i)]) CHECK(j > graph->column[index(k) - 1]);
      CHECK(graph->mirror[index(k)] == graph->find(j, i));
      CHECK(graph->find(i, j) == k);
    }
  }
  CHECK(graph->find(0, kNodes - 1) >= 0);
  CHECK(graph->find(0, 4) == -1);
  CHECK(graph->entries() == kNodes * 5 + 2 * 22 - 2);  // one pair is part of a triangle
}

TEST_CASE("products by rows of blocks are those of the whole matrix") {
  const auto graph = ring();
  const NodeMatrix A = filled(graph, 0.0);
  const Matrix D = dense(A);
  CHECK((D - D.transpose()).cwiseAbs().maxCoeff() == 0.0);
  const Vector x = wave(3 * kNodes, 0.3);
  Vector y = wave(3 * kNodes, 1.0);
  const Vector wanted = y - 1.7 * D * x;
  ThreadPool thread_pool;
  A.multiply_add(thread_pool, -1.7, x.data(), y.data());
  CHECK((y - wanted).cwiseAbs().maxCoeff() < 1e-14 * 20.0);
  Vector part(3 * 5);
  A.multiply_rows(40, 45, x.data(), part.data());
  CHECK((part - (D * x).segment(120, 15)).cwiseAbs().maxCoeff() < 1e-14 * 20.0);
}

TEST_CASE("conjugate gradients hold components at 0 and solve the rest") {
  const auto graph = ring();
  std::vector<int> free;
  for (int i = 0; i < 3 * kNodes; ++i)
    if (i % 11 != 0) free.push_back(i);
  ConjugateGradients solver(graph, free, 1e-13, 500);
  solver.matrix() = filled(graph, 9.0);
  solver.refilled();
  const Matrix D = dense(solver.matrix());
  const auto n = static_cast<Eigen::Index>(free.size());
  Matrix part(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      part(i, j) = D(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
  Matrix X(n, 3);
  X << wave(n, 0.1), Vector::Zero(n), wave(n, 2.0);
  const Matrix wanted = test::solve_by_cholesky(part, X);
  solver.solve(X);
  CHECK((X - wanted).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((X.col(1).array() == 0.0).all());
  CHECK(solver.record().failure == "");
  CHECK(solver.record().residual < 2e-13);
  // what no number of iterations reaches is told
  ConjugateGradients exact(graph, free, 1e-30, 500);
  exact.matrix() = filled(graph, 9.0);
  exact.refilled();
  X.col(0) = wave(n, 0.1);
  exact.solve(X.leftCols(1));
  CHECK(exact.record().failure == "conjugate gradients did not reach their tolerance");
  CHECK((X.col(0) - wanted.col(0)).cwiseAbs().maxCoeff() < 1e-12);
  // an indefinite matrix too, and a right-hand side that is not finite gives no finite answer
  solver.matrix() = filled(graph, 0.1);
  solver.refilled();
  X.col(0) = wave(n, 0.1);
  solver.solve(X.leftCols(1));
  CHECK(solver.record().failure == "conjugate gradients: the matrix is not positive definite");
  // and is not forgotten over a later matrix that is well solved
  const double worst = solver.record().residual;
  CHECK(worst > 1e-6);
  solver.matrix() = filled(graph, 9.0);
  solver.refilled();
  X.col(0) = wave(n, 0.1);
  solver.solve(X.leftCols(1));
  CHECK((X.col(0) - wanted.col(0)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(solver.record().residual == worst);
  CHECK_FALSE(solver.record().failure.empty());
  solver.forget();
  X.col(0) = wave(n, 0.1);
  solver.solve(X.leftCols(1));
  CHECK(solver.record().residual < 2e-13);
  CHECK(solver.record().failure == "");
  X.setConstant(std::nan(""));
  solver.solve(X);
  CHECK_FALSE(X.allFinite());
}
