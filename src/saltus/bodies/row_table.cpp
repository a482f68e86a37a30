#include "saltus/bodies/row_table.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace saltus {
namespace {

using Eigen::Index;

// Row i has the blocks offset_[i] .. offset_[i + 1] - 1; block k has the entries value_[width k ..]
// at the columns column_[k] ..
class RowTable final : public PointTable {
 public:
  RowTable(int velocities, const PointRows& J, std::span<const Vector3> direction, Vector rest)
      : velocities_(velocities),
        width_(J.width),
        offset_(J.offset),
        column_(J.column),
        rest_(std::move(rest)) {
    for (std::size_t i = 0; i < direction.size(); ++i)
      for (int k = offset_[i]; k < offset_[i + 1]; ++k)
        for (int j = 0; j < width_; ++j) {
          const double* block = &J.value[static_cast<std::size_t>(3 * width_ * k + j)];
          value_.push_back(direction[i].dot(Vector3(block[0], block[width_], block[2 * width_])));
        }
  }
  int rows() const override { return static_cast<int>(rest_.size()); }
  const Vector& rest() const override { return rest_; }
  void apply(View x, PointScratch&, Out y) const override {
    for (int i = 0; i < rows(); ++i) y[i] = row(i, x);
  }
  void apply(std::span<const int> rows, View x, PointScratch&, Out y) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) y[static_cast<Index>(k)] = row(rows[k], x);
  }
  void accumulate(std::span<const int> rows, View p, PointScratch&, Out r) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) add(rows[k], p[static_cast<Index>(k)], r);
  }
  // Columns of A^-1 are computed a few at a time: they are as long as the velocity of the body,
  // whereas D has only one row per point.
  void response(const Factor& A, Matrix& D) const override {
    constexpr Index kColumns = 32;
    const Index m = rows();
    D.setZero(m, m);
    std::vector<int> offset{0}, column;
    std::vector<double> entry;
    for (int i = 0; i < rows(); ++i) {
      each(i, [&](int at, double value) {
        column.push_back(at);
        entry.push_back(value);
      });
      offset.push_back(static_cast<int>(column.size()));
    }
    if (saltus::response(A, {offset, column, entry}, D)) return;
    Matrix X;
    for (Index first = 0; first < m; first += kColumns) {
      X.setZero(velocities_, std::min(kColumns, m - first));
      for (Index j = 0; j < X.cols(); ++j) add(static_cast<int>(first + j), 1.0, X.col(j));
      solve(A, X);
      for (Index j = 0; j < X.cols(); ++j)
        for (Index i = 0; i < m; ++i) D(i, first + j) = row(static_cast<int>(i), X.col(j));
    }
    if (symmetric(A)) D = (0.5 * (D + D.transpose())).eval();
  }

 private:
  template <class Visit>
  void each(int i, Visit&& visit) const {
    const auto row = static_cast<std::size_t>(i);
    for (int k = offset_[row]; k < offset_[row + 1]; ++k) {
      const double* block = &value_[static_cast<std::size_t>(width_ * k)];
      for (int j = 0; j < width_; ++j) visit(column_[static_cast<std::size_t>(k)] + j, block[j]);
    }
  }
  template <class X>
  double row(int i, const X& x) const {
    double sum = 0.0;
    each(i, [&](int column, double value) { sum += value * x[column]; });
    return sum;
  }
  void add(int i, double p, Out r) const {
    each(i, [&](int column, double value) { r[column] += p * value; });
  }

  int velocities_, width_;
  std::vector<int> offset_, column_;
  std::vector<double> value_;
  Vector rest_;
};

// y_i = rest_i + scale_i q_{column_i}
class PickTable final : public PointTable {
 public:
  PickTable(int velocities, std::vector<int> column, Vector scale, Vector rest)
      : velocities_(velocities),
        column_(std::move(column)),
        scale_(std::move(scale)),
        rest_(std::move(rest)) {}
  int rows() const override { return static_cast<int>(column_.size()); }
  const Vector& rest() const override { return rest_; }
  void apply(View x, PointScratch&, Out y) const override {
    for (int i = 0; i < rows(); ++i) y[i] = scale_[i] * x[column_[static_cast<std::size_t>(i)]];
  }
  void apply(std::span<const int> rows, View x, PointScratch&, Out y) const override {
    for (std::size_t k = 0; k < rows.size(); ++k)
      y[static_cast<Index>(k)] = scale_[rows[k]] * x[column_[static_cast<std::size_t>(rows[k])]];
  }
  void accumulate(std::span<const int> rows, View p, PointScratch&, Out r) const override {
    for (std::size_t k = 0; k < rows.size(); ++k)
      r[column_[static_cast<std::size_t>(rows[k])]] += p[static_cast<Index>(k)] * scale_[rows[k]];
  }
  // Columns of A^-1 are computed a few at a time: they are as long as the velocity of the body,
  // whereas D has only one row per point.
  void response(const Factor& A, Matrix& D) const override {
    constexpr Index kColumns = 32;
    const Index m = rows();
    D.resize(m, m);
    if (const auto* diagonal = std::get_if<Diagonal>(&A.form)) {
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < m; ++j) {
          const int at = column_[static_cast<std::size_t>(i)];
          D(i, j) = at == column_[static_cast<std::size_t>(j)]
                        ? scale_[i] * diagonal->inverse[at] * scale_[j]
                        : 0.0;
        }
      return;
    }
    Matrix X;
    for (Index first = 0; first < m; first += kColumns) {
      X.setZero(velocities_, std::min(kColumns, m - first));
      for (Index j = 0; j < X.cols(); ++j)
        X(column_[static_cast<std::size_t>(first + j)], j) = scale_[first + j];
      solve(A, X);
      for (Index j = 0; j < X.cols(); ++j)
        for (Index i = 0; i < m; ++i)
          D(i, first + j) = scale_[i] * X(column_[static_cast<std::size_t>(i)], j);
    }
    if (symmetric(A)) D = (0.5 * (D + D.transpose())).eval();
  }

 private:
  int velocities_;
  std::vector<int> column_;
  Vector scale_, rest_;
};

}  // namespace

std::unique_ptr<PointTable> row_table(int velocities, const PointRows& J,
                                      std::span<const Vector3> direction, Vector rest) {
  return std::make_unique<RowTable>(velocities, J, direction, std::move(rest));
}

std::unique_ptr<PointTable> pick_table(int velocities, std::vector<int> column, Vector scale,
                                       Vector rest) {
  return std::make_unique<PickTable>(velocities, std::move(column), std::move(scale),
                                     std::move(rest));
}

}  // namespace saltus
