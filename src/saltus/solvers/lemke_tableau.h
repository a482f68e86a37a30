// The dictionary of Lemke's method: basic variables as affine functions of the nonbasic ones.
#pragma once
#include <cstddef>

namespace saltus {

///     x_i = q_i + sum_j T_ij y_j,     i < n rows (basic x),  j <= n columns (nonbasic y, now 0)
/// of w = W z + d z0 + b. Variables are numbered w_i = i, z_i = n + i, z0 = 2 n. Rows are stored
/// contiguously, with q last. Rows of an `equality` variable are excluded from the ratio test.
class LemkeTableau {
 public:
  static std::size_t doubles(std::size_t n) { return n * (n + 2); }
  static std::size_t integers(std::size_t n) { return 5 * n + 2; }

  /// equality: n flags; the pointer is stored.
  LemkeTableau(int n, double* data, int* indices, const int* equality);

  /// Makes all w basic, z and z0 nonbasic; the caller fills T and q.
  void start();

  double& T(int row, int column) { return data_[offset(row) + static_cast<std::size_t>(column)]; }
  double T(int row, int column) const {
    return data_[offset(row) + static_cast<std::size_t>(column)];
  }
  double& q(int row) { return T(row, n_ + 1); }
  double q(int row) const { return T(row, n_ + 1); }

  int w(int i) const { return i; }
  int z(int i) const { return n_ + i; }
  int z0() const { return 2 * n_; }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  int basic(int row) const { return basic_[row]; }
  int row_of(int variable) const { return place_[variable]; }          ///< < 0: nonbasic
  int column_of(int variable) const { return -1 - place_[variable]; }  ///< < 0: basic
  bool bounded(int row) const;                                         ///< x_row must stay >= 0

  /// Exchanges basic x_row and nonbasic y_column; T(row, column) must not be 0.
  void pivot(int row, int column);

  /// Row with the most negative q_i + eps^i (eps -> 0, increasing powers), -1 if there is none.
  int first_row() const;
  /// Row of the basic variable that reaches 0 first when y_column increases, by the lexicographic
  /// ratio test on the data b + (eps, eps^2, ...); the row of z0 if it is among the first. -1: no
  /// variable does (a ray). Entries below `threshold` times the largest in the column count as 0.
  int blocking_row(int column, double threshold);

 private:
  std::size_t offset(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n_ + 2);
  }
  int keep_smallest(int count, int k, int column);

  int n_;
  double* data_;
  int *basic_, *nonbasic_, *place_, *ties_;
  const int* equality_;
};

}  // namespace saltus
