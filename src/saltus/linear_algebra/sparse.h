// Sparse square matrices and their factors.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// n x n, row by row, the entries of each row by increasing column and each position at most once.
/// A dense matrix is stored with all its entries.
class SparseMatrix {
 public:
  SparseMatrix() = default;  ///< 0 x 0
  /// Entries at the same position are added in the given order; zeros are kept. Throws UsageError
  /// if an entry lies outside the matrix.
  SparseMatrix(int n, std::span<const Entry> entries);
  static SparseMatrix from(const Matrix& dense);  ///< omits exact zeros
  static SparseMatrix identity(int n);

  int size() const { return n_; }
  bool empty() const { return n_ == 0; }
  std::span<const int> offset() const { return offset_; }  ///< n + 1
  std::span<const int> column() const { return column_; }
  std::span<const double> value() const { return value_; }
  std::span<double> value() { return value_; }

  /// y = scale this x, or y += scale this x
  void multiply(View x, Out y, double scale = 1.0) const;
  void multiply_add(View x, Out y, double scale = 1.0) const;
  double product(View x, View y) const;  ///< x . this y
  Matrix dense() const;
  SparseMatrix transpose() const;
  bool diagonal() const;  ///< no nonzero entry off the diagonal
  /// |a_ij - a_ji| <= relative max |a|
  bool symmetric(double relative = 1e-14) const;
  bool finite() const;
  /// Submatrix of the listed rows and columns, in the listed order, each at most once.
  SparseMatrix part(std::span<const int> rows,
                    std::span<const int> columns) const;  ///< padded to square if necessary

 private:
  friend SparseMatrix sum(double a, const SparseMatrix& A, double b, const SparseMatrix& B,
                          double c, const SparseMatrix& C);
  int n_ = 0;
  std::vector<int> offset_{0}, column_;
  std::vector<double> value_;
};

/// a A + b B + c C on the union of their patterns. Empty matrices (size 0) count as zero; the
/// others must have the same size.
SparseMatrix sum(double a, const SparseMatrix& A, double b, const SparseMatrix& B, double c,
                 const SparseMatrix& C);

/// The factor of a sparse matrix, of the cheapest kind: tridiagonal LDL^T; dense LU for small or
/// full matrices; sparse Cholesky if the matrix is symmetric positive definite (ordered by CHOLMOD
/// if available, else by Eigen's AMD); otherwise, as for indefinite matrices, sparse LU with row
/// exchanges. The pattern is analysed once; factorise() with the same pattern only refills the
/// values.
class SparseOperator final : public Operator {
 public:
  SparseOperator();
  ~SparseOperator() override;
  /// Throws only std::bad_alloc. A singular matrix, or one with entries that are not finite, gives
  /// non-finite solutions, which the step driver reports.
  void factorise(const SparseMatrix& A);
  /// Allocates nothing from the second call with the same number of columns on. The work vectors
  /// belong to the factor, so it is not thread-safe.
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override;
  /// Blocks of adjacent rows with the same columns, such as the axes of a node; a small A is one
  /// block.
  bool blocks(DiagonalBlocks& D, bool& whole) const override;
  void multiply(View x, Out y) const override;
  /// Available if the factor is a sparse Cholesky. Large dense products allocate their buffers.
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Row of the first pivot of a symmetric M that is not positive, -1 if M is positive definite; for
/// messages. Rows are eliminated in their given order, or, if there are more than 500 and M is not
/// tridiagonal, in an order that reduces fill.
int first_bad_pivot(const SparseMatrix& M);

}  // namespace saltus
