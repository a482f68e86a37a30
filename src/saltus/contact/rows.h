// H: rows of contact points in the generalised velocities of one group.
#pragma once
#include <algorithm>
#include <vector>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Sparse rows, rows() x velocities of the group. Row i is the normal component of the relative
/// velocity of contact i that this group causes: u = H v, r = H^T P.
class GroupRows {
 public:
  void clear(int rows) {
    rows_ = rows;
    used_.clear();
    offset_.assign(1, 0);
    column_.clear();
    value_.clear();
  }
  int rows() const { return rows_; }
  std::size_t entries() const { return column_.size(); }
  std::size_t rows_used() const { return used_.size(); }  ///< number of rows with entries

  /// Adds sign n^T J of point `point` of J to row `row`; rows must come in order.
  void add(int row, double sign, const Vector3& n, const PointRows& J, int point) {
    if (used_.empty() || used_.back() != row) {
      used_.push_back(row);
      offset_.push_back(offset_.back());
    }
    for (int k = J.offset[static_cast<std::size_t>(point)];
         k < J.offset[static_cast<std::size_t>(point) + 1]; ++k) {
      const double* block =
          &J.value[3 * static_cast<std::size_t>(J.width) * static_cast<std::size_t>(k)];
      for (int j = 0; j < J.width; ++j) {
        column_.push_back(J.column[static_cast<std::size_t>(k)] + j);
        value_.push_back(
            sign * (n[0] * block[j] + n[1] * block[J.width + j] + n[2] * block[2 * J.width + j]));
      }
    }
    offset_.back() = static_cast<int>(column_.size());
  }

  void multiply_add(View v, Out u) const {  ///< u += H v
    for (std::size_t r = 0; r < used_.size(); ++r) {
      double sum = 0.0;
      for (std::size_t k = begin(r); k < begin(r + 1); ++k) sum += value_[k] * v[column_[k]];
      u[used_[r]] += sum;
    }
  }
  void transpose_add(View p, Out r) const {  ///< r += H^T p
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (const double p_i = p[used_[i]]; p_i != 0.0)
        for (std::size_t k = begin(i); k < begin(i + 1); ++k) r[column_[k]] += value_[k] * p_i;
  }
  /// Calls use(column, value) for the entries of a row; a column may occur more than once.
  template <class Use>
  void each(int row, const Use& use) const {
    const std::size_t r = place(row);
    if (r == used_.size()) return;
    for (std::size_t k = begin(r); k < begin(r + 1); ++k) use(column_[k], value_[k]);
  }
  /// Whether the row has entries.
  bool has(int row) const {
    const std::size_t r = place(row);
    return r < used_.size() && begin(r) < begin(r + 1);
  }
  /// W += H A^-1 H^T on the given rows, in that order, if the factor can do that faster than by
  /// solves for all rows; otherwise returns false.
  bool response_add(const Factor& A, std::span<const int> rows, Eigen::Ref<Matrix> W) {
    named_offset_.assign(1, 0);
    named_column_.clear();
    named_value_.clear();
    for (const int i : rows) {
      each(i, [&](int column, double value) {
        named_column_.push_back(column);
        named_value_.push_back(value);
      });
      named_offset_.push_back(static_cast<int>(named_column_.size()));
    }
    return response(A, {named_offset_, named_column_, named_value_}, W);
  }
  /// W += H A^-1 H^T on the given rows, in that order; X <- A^-1 H^T.
  void response_add(const Factor& A, int velocities, std::span<const int> rows, Matrix& X,
                    Eigen::Ref<Matrix> W) {
    X.setZero(velocities, static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      each(rows[i],
           [&](int column, double value) { X(column, static_cast<Eigen::Index>(i)) += value; });
    solve(A, X);
    across_ = X.transpose();  // rows of X and W are strided in memory
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!has(rows[i])) continue;
      row_ = W.row(static_cast<Eigen::Index>(i));
      each(rows[i], [&](int column, double value) { row_ += value * across_.col(column); });
      W.row(static_cast<Eigen::Index>(i)) = row_;
    }
  }

 private:
  std::size_t begin(std::size_t r) const { return static_cast<std::size_t>(offset_[r]); }
  /// Index of a row in used_, or used_.size() if the row is not there.
  std::size_t place(int row) const {
    const auto at_row = static_cast<std::size_t>(row);
    if (at_row < used_.size() && used_[at_row] == row) return at_row;  // all previous rows are used
    const auto found = std::lower_bound(used_.begin(), used_.end(), row);
    return found != used_.end() && *found == row ? static_cast<std::size_t>(found - used_.begin())
                                                 : used_.size();
  }
  int rows_ = 0;
  /// Rows that were added to, increasing: a group uses few rows of its island.
  std::vector<int> used_;
  std::vector<int> offset_{0}, column_;  ///< offset_: of each used row
  std::vector<double> value_;
  std::vector<int> named_offset_, named_column_;  ///< work space of response_add()
  std::vector<double> named_value_;
  Matrix across_;  ///< work space of the second overload: X^T, and a row of W
  Vector row_;
};

}  // namespace saltus
