// A Cholesky factor to which rows can be added and from which rows can be removed.
#pragma once
#include <cstddef>
#include <vector>

namespace saltus {

/// L of L L^T = G, the lower triangle packed row by row: L_ij at i (i + 1)/2 + j. It refers to a
/// vector owned by the caller (SolverMemory::factor), whose capacity the owner has reserved.
class PackedCholesky {
 public:
  /// A row whose Schur complement is below this fraction of its diagonal entry counts as dependent.
  /// Round-off in the complement itself is about eps times the number of rows.
  static constexpr double kDependent = 1e-13;

  explicit PackedCholesky(std::vector<double>& packed);

  int rows() const { return rows_; }
  void clear();

  /// Adds a last row to G in O(k^2). g: on entry its k off-diagonal entries, on return l = L^-1 g.
  /// Returns false and leaves L unchanged if the new row depends on the existing ones.
  bool append(double* g, double diagonal);

  /// Removes row and column m from G in O((k - m)^2). work: 2 k doubles.
  void remove(int m, double* work);

  void forward(double* x) const;   ///< x <- L^-1 x
  void backward(double* x) const;  ///< x <- L^-T x
  void solve(double* x) const { forward(x), backward(x); }

 private:
  static std::size_t start(int i) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(i + 1) / 2;
  }
  double* row(int i) { return packed_->data() + start(i); }
  const double* row(int i) const { return packed_->data() + start(i); }

  std::vector<double>* packed_;
  int rows_ = 0;
};

}  // namespace saltus
