// Solves with the factor of BlockLdlt: front by front up to the roots and back down.
#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/block_ldlt.h"
#include "saltus/linear_algebra/block_ldlt_internal.h"

namespace saltus {
namespace {

/// z <- L^-1 z of a panel, K columns side by side. R: number of rows if known at compile time, so
/// that they stay in registers, else 0.
template <int K, int R>
SALTUS_INLINE void forward_panel(int panel_rows, int width, const double* L, double* z) {
  using simd::V;
  const int rows = R > 0 ? R : panel_rows;
  if constexpr (R > 0) {
    V<K> y[R];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) y[t] = simd::at<K>(z + K * t).v;
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t)
#pragma GCC unroll 8
      for (int j = t + 1; j < R; ++j) y[j] -= L[t * width + j] * y[t];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) simd::at<K>(z + K * t).v = y[t];
  } else {
    for (int t = 0; t < rows; ++t)
      for (int j = t + 1; j < rows; ++j)
        simd::at<K>(z + K * j).v -= L[std::ptrdiff_t{t} * width + j] * simd::at<K>(z + K * t).v;
  }
  int j = rows;
  if constexpr (K == 1)
    for (; j + 2 <= width; j += 2) {
      V<2> sum = {};
#pragma GCC unroll 8
      for (int t = 0; t < rows; ++t) sum += simd::at<2>(L + std::ptrdiff_t{t} * width + j).v * z[t];
      simd::at<2>(z + j).v -= sum;
    }
  for (; j < width; ++j) {
    V<K> sum = {};
#pragma GCC unroll 8
    for (int t = 0; t < rows; ++t)
      sum += L[std::ptrdiff_t{t} * width + j] * simd::at<K>(z + K * t).v;
    simd::at<K>(z + K * j).v -= sum;
  }
}

/// z <- L^-T z of a panel. In each of its rows the most recent result is subtracted last, so the
/// rest of the sum does not wait for it.
template <int K, int R>
SALTUS_INLINE void backward_panel(int panel_rows, int width, const double* L, double* z) {
  using simd::V;
  const int rows = R > 0 ? R : panel_rows;
  if constexpr (R > 0) {
    V<K> x[R] = {};
    for (int j = R; j < width; ++j) {
      const V<K> zj = simd::at<K>(z + K * j).v;
#pragma GCC unroll 8
      for (int t = 0; t < R; ++t) x[t] += L[t * width + j] * zj;
    }
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) x[t] = simd::at<K>(z + K * t).v - x[t];
#pragma GCC unroll 8
    for (int j = R - 1; j > 0; --j)
#pragma GCC unroll 8
      for (int t = 0; t < j; ++t) x[t] -= L[t * width + j] * x[j];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) simd::at<K>(z + K * t).v = x[t];
  } else {
    for (int t = rows - 1; t >= 0; --t) {
      const double* const l = L + std::ptrdiff_t{t} * width;
      V<K> sum = {};
      for (int j = rows; j < width; ++j) sum += l[j] * simd::at<K>(z + K * j).v;
      V<K> x = simd::at<K>(z + K * t).v - sum;
      for (int j = rows - 1; j > t; --j) x -= l[j] * simd::at<K>(z + K * j).v;
      simd::at<K>(z + K * t).v = x;
    }
  }
}

/// Copies short ranges, for which a function call would be slow.
SALTUS_INLINE double* copy(const double* from, int n, double* to) {
  for (int i = 0; i < n; ++i) simd::at<1>(to + i).v = simd::at<1>(from + i).v;
  return to + n;
}

}  // namespace

/// Gathers the rows of a front in z, K columns side by side.
template <int K>
void BlockLdlt::gather(int s, const double* x) const {
  const FrontLayout::Front& front = layout_.fronts()[at(s)];
  double* z = copy(x + std::ptrdiff_t{K} * front.place, K * front.p, z_.data());
  for (const int i : layout_.pattern().border(s))
    z = copy(x + std::ptrdiff_t{K} * layout_.place(i), K * layout_.size(i), z);
}

/// z <- L^-1 z, and x <- D^-1 z at the pivots.
template <int K>
void BlockLdlt::forward(int s, double* x) const {
  const FrontLayout::Front front = layout_.fronts()[at(s)];
  gather<K>(s, x);
  for (int k = layout_.first_panel(s); k < front.panels; ++k) {
    const FrontLayout::Panel panel = layout_.panels()[at(k)];
    with_rows(
        panel.rows, [&]<int R>() __attribute__((always_inline)) {
          forward_panel<K, R>(panel.rows, panel.width, factor_.data() + panel.begin,
                              z_.data() + K * panel.first);
        });
  }
  const double* z = z_.data();
  double* const to = x + std::ptrdiff_t{K} * front.place;
  const double* const inverse = inverse_.data() + front.place;
  for (int a = 0; a < front.p; ++a)
    for (int k = 0; k < K; ++k) to[K * a + k] = *z++ * inverse[a];
  for (const int i : layout_.pattern().border(s)) {
    copy(z, K * layout_.size(i), x + std::ptrdiff_t{K} * layout_.place(i));
    z += K * layout_.size(i);
  }
}

/// x <- L^-T x at the pivots, using the values at the border.
template <int K>
void BlockLdlt::backward(int s, double* x) const {
  const FrontLayout::Front front = layout_.fronts()[at(s)];
  gather<K>(s, x);
  const int before = layout_.first_panel(s);
  for (int k = front.panels - 1; k >= before; --k) {
    const FrontLayout::Panel panel = layout_.panels()[at(k)];
    with_rows(
        panel.rows, [&]<int R>() __attribute__((always_inline)) {
          backward_panel<K, R>(panel.rows, panel.width, factor_.data() + panel.begin,
                               z_.data() + K * panel.first);
        });
  }
  copy(z_.data(), K * front.p, x + std::ptrdiff_t{K} * front.place);
}

template void BlockLdlt::forward<1>(int s, double* x) const;
template void BlockLdlt::backward<1>(int s, double* x) const;

template <int K>
void BlockLdlt::solve_columns(Eigen::Ref<Matrix> X) const {
  const int n = layout_.pattern().nodes(), columns = static_cast<int>(X.cols());
  double* const x = x_.data();
  const auto each = [&](auto&& move) {
    for (int i = 0; i < n; ++i)
      for (int a = 0; a < layout_.size(i); ++a) {
        double* const to = x + std::ptrdiff_t{K} * (layout_.place(i) + a);
        const int row = layout_.active(i)[a];
        for (int k = 0; k < K; ++k) move(to[k], row, k);
      }
  };
  each([&](double& to, int row, int k) { to = k < columns ? X(row, k) : 0.0; });
  const int fronts = static_cast<int>(layout_.fronts().size());
  for (int s = 0; s < fronts; ++s) forward<K>(s, x);
  for (int s = fronts - 1; s >= 0; --s) backward<K>(s, x);
  if (!left_out_.empty())
    for (int k = 0; k < K; ++k) left_out_.add_least(weight_.data(), x + k, K);
  for (const int row : layout_.zeros()) X.row(row).setZero();
  each([&](double& from, int row, int k) {
    if (k < columns) X(row, k) = from;
  });
}

void BlockLdlt::solve(Eigen::Ref<Matrix> X) const {
  expects(X.rows() == rows(), "the right-hand side must have as many rows as the matrix");
  if (rows() == 0) return;
  for (Eigen::Index k = 0; k < X.cols(); k += kPanelColumns) {
    const Eigen::Index count = std::min<Eigen::Index>(kPanelColumns, X.cols() - k);
    if (count == 1)
      solve_columns<1>(X.middleCols(k, count));
    else
      solve_columns<kPanelColumns>(X.middleCols(k, count));
  }
}

}  // namespace saltus
