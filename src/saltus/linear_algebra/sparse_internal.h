// The forms of a SparseOperator. Each solves X <- A^-1 X in place and allocates nothing once it has
// processed as many columns.
#pragma once
#include <memory>

#include "saltus/linear_algebra/sparse.h"

namespace saltus {

/// L D L^T of a symmetric positive definite tridiagonal matrix:
///     l_i = a_{i+1,i} / d_i,  d_{i+1} = a_{i+1,i+1} - l_i a_{i+1,i}.
class TridiagonalFactor {
 public:
  static bool fits(const SparseMatrix& A);  ///< no entry outside the three diagonals
  /// A must be symmetric and fit. Returns the row of the first pivot that is not positive, -1 if
  /// there is none.
  int factorise(const SparseMatrix& A);
  void solve(Eigen::Ref<Matrix> X) const;

 private:
  Vector l_, inverse_;  ///< subdiagonal of L; 1/d
};

/// Lower triangle of a symmetric pattern, by rows and including the diagonal.
struct LowerPattern {
  std::vector<int> offset{0}, column;
  int size() const { return static_cast<int>(offset.size()) - 1; }
};
/// An elimination order that reduces fill: entry k is the row eliminated k-th.
std::vector<int> elimination_order(const LowerPattern& A);
/// For each column of L, the first row below the diagonal, -1: none.
std::vector<int> elimination_tree(const LowerPattern& A);
/// Order of the columns of L with children before parents and subtrees contiguous.
std::vector<int> postorder(const std::vector<int>& parent);
/// Number of entries in each column of L.
std::vector<int> column_counts(const LowerPattern& A, const std::vector<int>& parent);
/// Sum of the squares of these counts in elimination_order(): the number of multiply-adds of the
/// factorisation.
double cholesky_operations(const LowerPattern& A);
/// First columns of the supernodes (columns treated as having the same pattern), and n. The columns
/// must be in postorder.
std::vector<int> first_columns(const std::vector<int>& parent, const std::vector<int>& count);

/// P A P^T = L L^T of a symmetric positive definite matrix.
class SparseCholesky {
 public:
  SparseCholesky();
  ~SparseCholesky();
  /// Reads the lower triangle and the diagonal. same_pattern: the pattern is that of the previous
  /// call. Returns the row of the first pivot that is not positive, -1 if there is none.
  int factorise(const SparseMatrix& A, bool same_pattern);
  void solve(Eigen::Ref<Matrix> X) const;
  /// W += H A^-1 H^T, by half solves.
  void response(const SparseRows& H, Eigen::Ref<Matrix> W) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// P A Q = L U with partial pivoting, Q from COLAMD.
class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  /// Returns false if no pivot was found.
  bool factorise(const SparseMatrix& A, bool same_pattern);
  void solve(Eigen::Ref<Matrix> X) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
