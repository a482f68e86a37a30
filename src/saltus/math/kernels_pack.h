// The kernels of kernels.h, for registers of W doubles; include only in kernels.cpp.
#pragma once
#include <array>
#include <cstddef>

#include "saltus/math/kernels.h"
#include "saltus/math/pack.h"

namespace saltus::simd {

/// At most kParts ranges of 0 .. n; all but the last have a multiple of eight elements, and the
/// last is not empty.
inline constexpr int kParts = 4, kSmallestPart = 256;
struct Parts {
  int n, length, count;
  SALTUS_INLINE explicit Parts(int size)
      : n(size),
        length(size <= kParts * kSmallestPart ? kSmallestPart
                                              : ((size + kParts - 1) / kParts + 7) / 8 * 8),
        count((size + length - 1) / length) {}
  struct Range {
    int begin, end;
  };
  SALTUS_INLINE Range range(int i) const {
    return {i * length, i + 1 < count ? (i + 1) * length : n};
  }
};

/// The kernels for registers of W doubles; K registers hold the eight slots.
template <int W>
struct Kernels {
  static constexpr int K = 8 / W;
  using Pack = V<W>[K];

  /// Stores the eight slots.
  static SALTUS_INLINE void spill(const Pack& a, double (&slot)[8]) {
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) at<W>(slot + k * W).v = a[k];
  }

  /// y_r = sum_j row_r[j] x_j for R rows at once, so that x is loaded once.
  template <int R>
  static SALTUS_INLINE void multiply_block(const double* const* row, int cols, const double* x,
                                           double* y) {
    Pack sum[R] = {};
    int j = 0;
    for (; j + 8 <= cols; j += 8) {
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) {
        const V<W> xk = at<W>(x + j + k * W).v;
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) sum[r][k] += at<W>(row[r] + j + k * W).v * xk;
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      double slot[8];
      spill(sum[r], slot);
      for (int l = 0; j + l < cols; ++l) slot[l] += row[r][j + l] * x[j + l];
      y[r] = simd::sum_pack(slot);
    }
  }

  static SALTUS_INLINE void multiply(const double* S, std::ptrdiff_t stride, const int* index,
                                     int rows, int cols, const double* x, double* y) {
    constexpr int R = W == 2 ? 2 : W == 4 ? 4 : 8;
    const auto row_at = [=](int i) __attribute__((always_inline)) {
      return S + (index ? index[i] : i) * stride;
    };
    const double* row[R];
    int i = 0;
    for (; i + R <= rows; i += R) {
      for (int r = 0; r < R; ++r) row[r] = row_at(i + r);
      multiply_block<R>(row, cols, x, y + i);
    }
    if constexpr (R > 4)
      for (; i + 4 <= rows; i += 4) {
        for (int r = 0; r < 4; ++r) row[r] = row_at(i + r);
        multiply_block<4>(row, cols, x, y + i);
      }
    for (; i < rows; ++i) {
      row[0] = row_at(i);
      multiply_block<1>(row, cols, x, y + i);
    }
  }

  /// r_j <- (..(r_j + p_0 S_0j) + ..) + p_{R-1} S_{R-1 j}
  template <int R>
  static SALTUS_INLINE void accumulate_block(const double* const* row, int cols, const double* p,
                                             double* r) {
    int j = 0;
    for (; j + W <= cols; j += W) {
      V<W> sum = at<W>(r + j).v;
#pragma GCC unroll 4
      for (int k = 0; k < R; ++k) sum += p[k] * at<W>(row[k] + j).v;
      at<W>(r + j).v = sum;
    }
    for (; j < cols; ++j)
      for (int k = 0; k < R; ++k) r[j] += p[k] * row[k][j];
  }

  static SALTUS_INLINE void accumulate(const double* S, std::ptrdiff_t stride, const int* index,
                                       int rows, int cols, const double* p, double* r) {
    const double* row[4];
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
      for (int k = 0; k < 4; ++k) row[k] = S + index[i + k] * stride;
      accumulate_block<4>(row, cols, p + i, r);
    }
    for (; i < rows; ++i) {
      row[0] = S + index[i] * stride;
      accumulate_block<1>(row, cols, p + i, r);
    }
  }

  static SALTUS_INLINE void step(int n, double h, const double* e, const double* n_over_h,
                                 const double* q0, const double* v0, double* q1, double* v1,
                                 bool reverse) {
    const Parts parts(n);
    for (int i = 0; i < parts.count; ++i) {
      const auto [begin, end] = parts.range(reverse ? parts.count - 1 - i : i);
      int j = begin;
#pragma GCC unroll 2
      for (; j + W <= end; j += W) {
        const V<W> q = at<W>(q0 + j).v;
        const V<W> v = at<W>(e + j).v * at<W>(v0 + j).v - at<W>(n_over_h + j).v * q;
        at<W>(v1 + j).v = v;
        at<W>(q1 + j).v = q + h * v;
      }
      for (; j < end; ++j) {
        const double q = q0[j], v = e[j] * v0[j] - n_over_h[j] * q;
        v1[j] = v;
        q1[j] = q + h * v;
      }
    }
  }

  static SALTUS_INLINE void kick(int n, double h, const double* inv_mass_beta, const double* r,
                                 double* q, double* v) {
    int j = 0;
    for (; j + W <= n; j += W) {
      const V<W> dv = at<W>(inv_mass_beta + j).v * at<W>(r + j).v;
      at<W>(v + j).v += dv;
      at<W>(q + j).v += h * dv;
    }
    for (; j < n; ++j) {
      const double dv = inv_mass_beta[j] * r[j];
      v[j] += dv;
      q[j] += h * dv;
    }
  }

  /// s_m = sum_j a_m(j) b_m(j) over eight slots in each part. term(j, a, b) is called for a
  /// register and, in the tail, for one element, which is never fused. `reverse` processes the
  /// parts from last to first, which does not change the result.
  template <int M, bool Fused, class Term>
  static SALTUS_INLINE std::array<double, M> sums(int n, Term term, bool reverse = false) {
    const Parts parts(n);
    double part[kParts][M][8];
    for (int i = 0; i < parts.count; ++i) {
      const int at_part = reverse ? parts.count - 1 - i : i;
      const auto [begin, end] = parts.range(at_part);
      Pack sum[M] = {};
      int j = begin;
      for (; j + 8 <= end; j += 8) {
#pragma GCC unroll 4
        for (int k = 0; k < K; ++k) {
          V<W> a[M], b[M];
          term.template operator()<W>(j + k * W, a, b);
#pragma GCC unroll 3
          for (int m = 0; m < M; ++m)
            if constexpr (Fused)
              add_product<W>(sum[m][k], a[m], b[m]);
            else
              sum[m][k] += a[m] * b[m];
        }
      }
      double(&slot)[M][8] = part[at_part];
      for (int m = 0; m < M; ++m) spill(sum[m], slot[m]);
      for (int l = 0; j + l < end; ++l) {
        V<1> a[M], b[M];
        term.template operator()<1>(j + l, a, b);
        for (int m = 0; m < M; ++m) slot[m][l] += a[m][0] * b[m][0];
      }
    }
    std::array<double, M> total;
    for (std::size_t m = 0; m < M; ++m) {
      Pack sum = {};
      for (int i = 0; i < parts.count; ++i)
#pragma GCC unroll 4
        for (int k = 0; k < K; ++k) sum[k] += at<W>(part[i][m] + k * W).v;
      double slot[8];
      spill(sum, slot);
      total[m] = simd::sum_pack(slot);
    }
    return total;
  }

  static SALTUS_INLINE ModalEnergy energy(int n, const double* e, const double* n_over_h,
                                          const double* g, double h, const double* q1,
                                          const double* v1) {
    const auto s = sums<2, true>(
        n, [=]<int U>(int j, V<U>* a, V<U>* b) __attribute__((always_inline)) {
          const V<U> q = at<U>(q1 + j).v, v = at<U>(v1 + j).v, gj = at<U>(g + j).v;
          a[0] = gj + gj * at<U>(e + j).v, b[0] = v * v;
          a[1] = gj * at<U>(n_over_h + j).v, b[1] = q * (q - h * v);
        });
    return {0.5 * s[0], s[1] / h};
  }

  static SALTUS_INLINE ModalBalance balance(int n, const double* e, const double* n_over_h,
                                            const double* g, double h, const double* q0,
                                            const double* v0, const double* q1, const double* v1) {
    const auto s = sums<3, true>(
        n, [=]<int U>(int j, V<U>* a, V<U>* b) __attribute__((always_inline)) {
          const V<U> v = at<U>(v1 + j).v, w = v + at<U>(v0 + j).v;
          const V<U> gj = at<U>(g + j).v, ej = at<U>(e + j).v;
          const V<U> ge = gj * ej;
          a[0] = gj + ge, b[0] = v * v;
          a[1] = gj * (at<U>(n_over_h + j).v * at<U>(q0 + j).v), b[1] = at<U>(q1 + j).v;
          a[2] = gj - ge, b[2] = w * w;
        });
    return {0.5 * s[0], s[1] / h, -0.5 * s[2]};
  }

  static SALTUS_INLINE ModalBalance step_balance(int n, double h, const double* e,
                                                 const double* n_over_h, const double* g,
                                                 const double* q0, const double* v0, double* q1,
                                                 double* v1, bool reverse) {
    const auto s = sums<3, true>(
        n,
        [=]<int U>(int j, V<U>* a, V<U>* b) __attribute__((always_inline)) {
          const V<U> q_old = at<U>(q0 + j).v, v_old = at<U>(v0 + j).v;
          const V<U> ej = at<U>(e + j).v, nj = at<U>(n_over_h + j).v, gj = at<U>(g + j).v;
          const V<U> nq = nj * q_old, v = ej * v_old - nq, w = v + v_old, q = q_old + h * v;
          at<U>(v1 + j).v = v;
          at<U>(q1 + j).v = q;
          const V<U> ge = gj * ej;
          a[0] = gj + ge, b[0] = v * v;
          a[1] = gj * nq, b[1] = q;
          a[2] = gj - ge, b[2] = w * w;
        },
        reverse);
    return {0.5 * s[0], s[1] / h, -0.5 * s[2]};
  }

  /// With one set of slots each addition would wait for the previous one.
  static SALTUS_INLINE double dot(int n, const double* x, const double* y) {
    constexpr int C = 4;
    Pack sum[C] = {};
    int j = 0;
    const auto add = [&](Pack & chain) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) chain[k] += at<W>(x + j + k * W).v * at<W>(y + j + k * W).v;
      j += 8;
    };
    while (j + 8 * C <= n)
#pragma GCC unroll 4
      for (Pack& chain : sum) add(chain);
#pragma GCC unroll 3
    for (int c = 0; c < C - 1; ++c)
      if (j + 8 <= n) add(sum[c]);
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) sum[0][k] = (sum[0][k] + sum[2][k]) + (sum[1][k] + sum[3][k]);
    double slot[8];
    spill(sum[0], slot);
    for (int l = 0; j + l < n; ++l) slot[l] += x[j + l] * y[j + l];
    return simd::sum_pack(slot);
  }

  static SALTUS_INLINE double dot_sum(int n, const double* r, const double* v0, const double* v1) {
    return 0.5 * sums<1, false>(
                     n, [=]<int U>(int j, V<U>* a, V<U>* b) __attribute__((always_inline)) {
                       a[0] = at<U>(r + j).v, b[0] = at<U>(v0 + j).v + at<U>(v1 + j).v;
                     })[0];
  }
};

}  // namespace saltus::simd
