#include "saltus/linear_algebra/sparse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
// Sorts entries by (row, column), keeps the given order for equal positions, and adds these.
SparseMatrix::SparseMatrix(int n, std::span<const Entry> entries) : n_(n) {
  expects(n >= 0, "the size of a matrix must be >= 0");
  offset_.assign(index(n) + 1, 0);
  for (const Entry& e : entries) {
    expects(e.row >= 0 && e.row < n && e.column >= 0 && e.column < n,
            "every entry must lie inside the matrix");
    ++offset_[index(e.row) + 1];
  }
  std::partial_sum(offset_.begin(), offset_.end(), offset_.begin());
  std::vector<int> next(offset_.begin(), offset_.end() - 1), order(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k)
    order[index(next[index(entries[k].row)]++)] = static_cast<int>(k);
  column_.reserve(entries.size());
  value_.reserve(entries.size());
  for (int i = 0; i < n; ++i) {
    const auto begin = order.begin() + offset_[index(i)],
               end = order.begin() + offset_[index(i) + 1];
    const auto column = [&](int k) { return entries[index(k)].column; };
    if (!std::ranges::is_sorted(begin, end, {}, column))
      std::ranges::stable_sort(begin, end, {}, column);
    offset_[index(i)] = static_cast<int>(column_.size());
    for (auto k = begin; k != end; ++k) {
      const Entry& e = entries[index(*k)];
      if (k != begin && column_.back() == e.column) {
        value_.back() += e.value;
      } else {
        column_.push_back(e.column);
        value_.push_back(e.value);
      }
    }
  }
  offset_.back() = static_cast<int>(column_.size());
}

SparseMatrix SparseMatrix::from(const Matrix& dense) {
  expects(dense.rows() == dense.cols(), "the matrix must be square");
  SparseMatrix A;
  A.n_ = static_cast<int>(dense.rows());
  for (int i = 0; i < A.n_; ++i) {
    for (int j = 0; j < A.n_; ++j)
      if (dense(i, j) != 0.0) {
        A.column_.push_back(j);
        A.value_.push_back(dense(i, j));
      }
    A.offset_.push_back(static_cast<int>(A.column_.size()));
  }
  return A;
}

SparseMatrix SparseMatrix::identity(int n) {
  SparseMatrix A;
  A.n_ = n;
  A.offset_.resize(index(n) + 1);
  A.column_.resize(index(n));
  std::iota(A.offset_.begin(), A.offset_.end(), 0);
  std::iota(A.column_.begin(), A.column_.end(), 0);
  A.value_.assign(index(n), 1.0);
  return A;
}

void SparseMatrix::multiply(View x, Out y, double scale) const {
  expects(x.size() == n_ && y.size() == n_, "vectors must have as many rows as the matrix");
  const int* column = column_.data();
  const double* value = value_.data();
  const double* from = x.data();
  for (int i = 0, k = 0; i < n_; ++i) {
    double row = 0.0;
    for (const int end = offset_[index(i) + 1]; k < end; ++k) row += value[k] * from[column[k]];
    y[i] = scale * row;
  }
}

void SparseMatrix::multiply_add(View x, Out y, double scale) const {
  expects(x.size() == n_ && y.size() == n_, "vectors must have as many rows as the matrix");
  const int* column = column_.data();
  const double* value = value_.data();
  const double* from = x.data();
  for (int i = 0, k = 0; i < n_; ++i) {
    double row = 0.0;
    for (const int end = offset_[index(i) + 1]; k < end; ++k) row += value[k] * from[column[k]];
    y[i] += scale * row;
  }
}

double SparseMatrix::product(View x, View y) const {
  expects(x.size() == n_ && y.size() == n_, "vectors must have as many rows as the matrix");
  const int* column = column_.data();
  const double* value = value_.data();
  const double* from = y.data();
  double sum = 0.0;
  for (int i = 0, k = 0; i < n_; ++i) {
    double row = 0.0;
    for (const int end = offset_[index(i) + 1]; k < end; ++k) row += value[k] * from[column[k]];
    sum += x[i] * row;
  }
  return sum;
}

Matrix SparseMatrix::dense() const {
  Matrix A = Matrix::Zero(n_, n_);
  for (int i = 0; i < n_; ++i)
    for (int k = offset_[index(i)]; k < offset_[index(i) + 1]; ++k)
      A(i, column_[index(k)]) = value_[index(k)];
  return A;
}

SparseMatrix SparseMatrix::transpose() const {
  SparseMatrix T;
  T.n_ = n_;
  T.offset_.assign(index(n_) + 1, 0);
  T.column_.resize(column_.size());
  T.value_.resize(value_.size());
  for (int j : column_) ++T.offset_[index(j) + 1];
  std::partial_sum(T.offset_.begin(), T.offset_.end(), T.offset_.begin());
  std::vector<int> next(T.offset_.begin(), T.offset_.end() - 1);
  for (int i = 0; i < n_; ++i)
    for (int k = offset_[index(i)]; k < offset_[index(i) + 1]; ++k) {
      const std::size_t to = index(next[index(column_[index(k)])]++);
      T.column_[to] = i;
      T.value_[to] = value_[index(k)];
    }
  return T;
}

bool SparseMatrix::diagonal() const {
  for (int i = 0; i < n_; ++i)
    for (int k = offset_[index(i)]; k < offset_[index(i) + 1]; ++k)
      if (column_[index(k)] != i && value_[index(k)] != 0.0) return false;
  return true;
}

bool SparseMatrix::symmetric(double relative) const {
  double largest = 0.0;
  for (double a : value_) largest = std::max(largest, std::abs(a));
  const SparseMatrix difference = sum(1.0, *this, -1.0, transpose(), 0.0, {});
  return std::ranges::all_of(difference.value_,
                             [&](double d) { return std::abs(d) <= relative * largest; });
}

bool SparseMatrix::finite() const {
  return std::ranges::all_of(value_, [](double a) { return std::isfinite(a); });
}

SparseMatrix SparseMatrix::part(std::span<const int> rows, std::span<const int> columns) const {
  std::vector<int> place(index(n_), -1);  // position of each column in the part
  for (std::size_t j = 0; j < columns.size(); ++j) {
    expects(columns[j] >= 0 && columns[j] < n_, "the part must lie inside the matrix");
    place[index(columns[j])] = static_cast<int>(j);
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expects(rows[i] >= 0 && rows[i] < n_, "the part must lie inside the matrix");
    for (int k = offset_[index(rows[i])]; k < offset_[index(rows[i]) + 1]; ++k)
      if (const int j = place[index(column_[index(k)])]; j >= 0)
        entries.push_back({static_cast<int>(i), j, value_[index(k)]});
  }
  return {static_cast<int>(std::max(rows.size(), columns.size())), entries};
}

// Merges the rows by increasing column.
SparseMatrix sum(double a, const SparseMatrix& A, double b, const SparseMatrix& B, double c,
                 const SparseMatrix& C) {
  struct Term {
    const SparseMatrix* matrix;
    double scale;
    std::size_t at, end;
  };
  std::array<Term, 3> term{Term{&A, a, 0, 0}, Term{&B, b, 0, 0}, Term{&C, c, 0, 0}};
  SparseMatrix S;
  S.n_ = std::max({A.n_, B.n_, C.n_});
  std::size_t most = 0;
  for (const Term& t : term) {
    expects(t.matrix->empty() || t.matrix->n_ == S.n_, "the matrices must have the same size");
    most = std::max(most, t.matrix->column_.size());
  }
  S.offset_.reserve(index(S.n_) + 1);
  S.column_.reserve(most);
  S.value_.reserve(most);
  for (int i = 0; i < S.n_; ++i) {
    for (Term& t : term)
      if (!t.matrix->empty()) t.end = index(t.matrix->offset_[index(i) + 1]);
    for (;;) {
      int column = S.n_;
      for (const Term& t : term)
        if (t.at < t.end) column = std::min(column, t.matrix->column_[t.at]);
      if (column == S.n_) break;
      double value = 0.0;
      for (Term& t : term)
        if (t.at < t.end && t.matrix->column_[t.at] == column)
          value += t.scale * t.matrix->value_[t.at++];
      S.column_.push_back(column);
      S.value_.push_back(value);
    }
    S.offset_.push_back(static_cast<int>(S.column_.size()));
  }
  return S;
}

}  // namespace saltus
