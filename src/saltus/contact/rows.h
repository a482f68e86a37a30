// H: rows of contact points in the generalised velocities of one group.
#pragma once
#include <vector>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// Sparse rows, rows() x velocities of the group. Row i is the normal component of the relative velocity of contact i
/// that this group causes: u = H v, r = H^T P.
class GroupRows {
 public:
  void clear(int rows) {
    offset_.assign(static_cast<std::size_t>(rows) + 1, 0);
    column_.clear();
    value_.clear();
    used_.clear();
    filled_ = 0;
  }
  int rows() const { return static_cast<int>(offset_.size()) - 1; }

  /// Adds sign n^T J of point `point` of J to row `row`; rows must come in order.
  void add(int row, double sign, const Vector3& n, const PointRows& J, int point) {
    close(row);
    if (used_.empty() || used_.back() != row) used_.push_back(row);
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
  }
  void finish() { close(rows()); }

  void multiply_add(View v, Out u) const {  ///< u += H v
    for (const int i : used_) {
      double sum = 0.0;
      for (std::size_t k = begin(i); k < begin(i + 1); ++k) sum += value_[k] * v[column_[k]];
      u[i] += sum;
    }
  }
  void transpose_add(View p, Out r) const {  ///< r += H^T p
    for (const int i : used_)
      if (p[i] != 0.0)
        for (std::size_t k = begin(i); k < begin(i + 1); ++k) r[column_[k]] += value_[k] * p[i];
  }
  /// use(column, value) of the entries of a row; a column may come more than once.
  template <class Use>
  void each(int row, const Use& use) const {
    for (std::size_t k = begin(row); k < begin(row + 1); ++k) use(column_[k], value_[k]);
  }
  /// Whether the row has entries.
  bool has(int row) const { return begin(row) < begin(row + 1); }
  /// W += H A^-1 H^T on the rows named, in that order, where the factor does that for less than solves of all rows;
  /// else false.
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
  /// W += H A^-1 H^T on the rows named, in that order; X <- A^-1 H^T.
  void response_add(const Factor& A, int velocities, std::span<const int> rows, Matrix& X,
                    Eigen::Ref<Matrix> W) {
    X.setZero(velocities, static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = begin(rows[i]); k < begin(rows[i] + 1); ++k)
        X(column_[k], static_cast<Eigen::Index>(i)) += value_[k];
    solve(A, X);
    across_ = X.transpose();  // its rows lie across memory, as those of W
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!has(rows[i])) continue;
      row_ = W.row(static_cast<Eigen::Index>(i));
      for (std::size_t k = begin(rows[i]); k < begin(rows[i] + 1); ++k)
        row_ += value_[k] * across_.col(column_[k]);
      W.row(static_cast<Eigen::Index>(i)) = row_;
    }
  }

 private:
  std::size_t begin(int i) const {
    return static_cast<std::size_t>(offset_[static_cast<std::size_t>(i)]);
  }
  void close(int row) {  // all rows before `row` end here
    for (; filled_ < row; ++filled_)
      offset_[static_cast<std::size_t>(filled_) + 1] = static_cast<int>(column_.size());
  }
  std::vector<int> offset_{0}, column_;
  std::vector<int> used_;  ///< rows that were added to, increasing
  std::vector<double> value_;
  std::vector<int> named_offset_, named_column_;  ///< work space of response_add()
  std::vector<double> named_value_;
  Matrix across_;  ///< work space of the other: X^T, and a row of W
  Vector row_;
  int filled_ = 0;
};

}  // namespace saltus
