#include "saltus/solvers/lemke_tableau.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

/// q_i below this counts as a degenerate 0 (rows are scaled to order 1)
constexpr double kZero = 1e-14;
constexpr double kTie = 1e-12;  ///< relative difference below which two ratios count as equal

}  // namespace

LemkeTableau::LemkeTableau(int n, double* data, int* indices, const int* equality)
    : n_(n),
      data_(data),
      basic_(indices),
      nonbasic_(basic_ + n),
      place_(nonbasic_ + n + 1),
      ties_(place_ + 2 * n + 1),
      equality_(equality) {}

void LemkeTableau::start() {
  for (int i = 0; i < n_; ++i) {
    basic_[i] = w(i);
    place_[w(i)] = i;
    nonbasic_[i] = z(i);
    place_[z(i)] = -1 - i;
  }
  nonbasic_[n_] = z0();
  place_[z0()] = -1 - n_;
}

bool LemkeTableau::bounded(int row) const {
  const int v = basic_[row];
  return v == z0() || equality_[v < n_ ? v : v - n_] == 0;
}

// x_r = q_r + sum_j T_rj y_j  is solved for y_s and substituted in the other rows:
//     T_rj <- -T_rj/T_rs,  T_rs <- 1/T_rs;     T_ij <- T_ij + T_is T_rj,  T_is <- T_is T_rs
void LemkeTableau::pivot(int row, int column) {
  const int width = n_ + 2;
  double* const r = &T(row, 0);
  const double inverse = 1.0 / r[column];
  for (int j = 0; j < width; ++j) r[j] *= -inverse;
  r[column] = inverse;
  for (int i = 0; i < n_; ++i) {
    if (i == row) continue;
    double* const x = &T(i, 0);
    const double factor = x[column];
    if (factor == 0.0) continue;
    x[column] = 0.0;
    for (int j = 0; j < width; ++j) x[j] += factor * r[j];
  }
  std::swap(basic_[row], nonbasic_[column]);
  place_[basic_[row]] = row;
  place_[nonbasic_[column]] = -1 - column;
}

int LemkeTableau::first_row() const {
  int first = -1;
  double least = 0.0;
  for (int i = 0; i < n_; ++i) {
    if (!bounded(i) || !(q(i) < 0.0) || q(i) > least) continue;
    least = q(i);
    first = i;  // of equal ones the last, whose eps^i is the smallest
  }
  return first;
}

int LemkeTableau::blocking_row(int column, double threshold) {
  double largest = 0.0, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(T(i, column)));
  const auto eligible = [&](int i) { return bounded(i) && T(i, column) < -threshold * largest; };
  const auto ratio = [&](int i) { return (q(i) > kZero ? q(i) : 0.0) / -T(i, column); };
  for (int i = 0; i < n_; ++i)
    if (eligible(i)) least = std::min(least, ratio(i));
  int count = 0;
  for (int i = 0; i < n_; ++i)
    if (eligible(i) && ratio(i) <= least * (1.0 + kTie)) ties_[count++] = i;
  for (int k = 0; k < count; ++k)
    if (basic_[ties_[k]] == z0()) return ties_[k];
  for (int k = 0; k < n_ && count > 1; ++k) count = keep_smallest(count, k, column);
  return count == 0 ? -1 : ties_[0];
}

/// Keeps the tied rows whose ratio has the smallest coefficient of eps^k. The datum b_k + eps^k
/// enters (1) as w_k - eps^k, so the coefficient in row i is -T_ij if w_k is nonbasic in column j,
/// else 1 in the row of w_k itself and 0 in all other rows.
int LemkeTableau::keep_smallest(int count, int k, int column) {
  const int j = column_of(w(k));
  const auto ratio = [&](int i) {
    const double coefficient = j >= 0 ? -T(i, j) : (row_of(w(k)) == i ? 1.0 : 0.0);
    return coefficient / -T(i, column);
  };
  double least = std::numeric_limits<double>::infinity();
  for (int t = 0; t < count; ++t) least = std::min(least, ratio(ties_[t]));
  int kept = 0;
  for (int t = 0; t < count; ++t)
    if (ratio(ties_[t]) <= least + kTie * std::max(1.0, std::abs(least))) ties_[kept++] = ties_[t];
  return kept == 0 ? count : kept;  // NaN: shows in the residual
}

}  // namespace saltus
