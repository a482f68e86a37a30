// Square matrices by rows, and their factors.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// n x n, entries of each row by increasing column, each place once. A dense matrix is one with all
/// its entries.
class SparseMatrix {
 public:
  SparseMatrix() = default;  ///< 0 x 0
  /// Entries of the same place are added, in the order given; zeros are kept. Throws UsageError for
  /// a place outside.
  SparseMatrix(int n, std::span<const Entry> entries);
  static SparseMatrix from(const Matrix& dense);  ///< exact zeros are left out
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
  bool diagonal() const;  ///< no entry off the diagonal but zeros
  /// |a_ij - a_ji| <= relative max |a|
  bool symmetric(double relative = 1e-14) const;
  bool finite() const;
  /// Rows and columns named, in that order, each at most once.
  SparseMatrix part(std::span<const int> rows,
                    std::span<const int> columns) const;  ///< padded to square if need be

 private:
  friend SparseMatrix sum(double a, const SparseMatrix& A, double b, const SparseMatrix& B,
                          double c, const SparseMatrix& C);
  int n_ = 0;
  std::vector<int> offset_{0}, column_;
  std::vector<double> value_;
};

/// a A + b B + c C on the union of their patterns. Empty matrices (size 0) count as zero; the
/// others are of one size.
SparseMatrix sum(double a, const SparseMatrix& A, double b, const SparseMatrix& B, double c,
                 const SparseMatrix& C);

/// The factor of a sparse matrix, of the kind that is cheapest for it:
/// tridiagonal LDL^T; dense LU for small or full matrices; sparse Cholesky where the matrix is
/// symmetric positive definite (its order from CHOLMOD where that was found, else Eigen's AMD);
/// sparse LU with row exchanges otherwise, indefinite matrices included. The pattern is analysed
/// once; factorise() with the same pattern refills the values.
class SparseOperator final : public Operator {
 public:
  SparseOperator();
  ~SparseOperator() override;
  /// Throws nothing but std::bad_alloc. A singular matrix, or one with entries that are not finite,
  /// gives non-finite solutions, which the step driver reports.
  void factorise(const SparseMatrix& A);
  /// Takes nothing from the heap from the second call on with as many columns. The work vectors
  /// belong to the factor: one thread at a time.
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override;
  /// Of neighbouring rows with the same columns, as the axes of a node have them; a small A is one
  /// block.
  bool blocks(DiagonalBlocks& D, bool& whole) const override;
  void multiply(View x, Out y) const override;
  /// Where the factor is a sparse Cholesky. Dense products take their buffers from the heap where
  /// they are large.
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Row of the first pivot of a symmetric M that is not positive, -1 if M is positive definite; for
/// messages. Rows are eliminated in their order; more than 500, unless tridiagonal, in one that
/// saves fill.
int first_bad_pivot(const SparseMatrix& M);

}  // namespace saltus
