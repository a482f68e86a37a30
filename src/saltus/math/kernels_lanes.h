// The kernels of kernels.h over registers of W doubles; included by kernels.cpp only.
#pragma once
#include <array>
#include <cstddef>

#include "saltus/math/kernels.h"
#include "saltus/math/lanes.h"

namespace saltus::lanes {

/// The kernels for registers of W doubles; K registers make the eight lanes.
template <int W>
struct Kernels {
  static constexpr int K = 8 / W;
  using Lanes = V<W>[K];

  /// Sum of the eight lanes.
  static SALTUS_INLINE void spill(const Lanes& a, double (&lane)[8]) {
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) at<W>(lane + k * W).v = a[k];
  }

  /// y_r = sum_j row_r[j] x_j for R rows at once, so that x is loaded once.
  template <int R>
  static SALTUS_INLINE void multiply_block(const double* const* row, int cols, const double* x,
                                           double* y) {
    Lanes sum[R] = {};
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
      double lane[8];
      spill(sum[r], lane);
      for (int l = 0; j + l < cols; ++l) lane[l] += row[r][j + l] * x[j + l];
      y[r] = lanes::sum_lanes(lane);
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
                                 const double* q0, const double* v0, double* q1, double* v1) {
    int j = 0;
#pragma GCC unroll 2
    for (; j + W <= n; j += W) {
      const V<W> q = at<W>(q0 + j).v;
      const V<W> v = at<W>(e + j).v * at<W>(v0 + j).v - at<W>(n_over_h + j).v * q;
      at<W>(v1 + j).v = v;
      at<W>(q1 + j).v = q + h * v;
    }
    for (; j < n; ++j) {
      const double q = q0[j], v = e[j] * v0[j] - n_over_h[j] * q;
      v1[j] = v;
      q1[j] = q + h * v;
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

  /// s_m = sum_j term(j)[m] over eight lanes; term(j, out) is called for a register and, in the
  /// tail, for one element.
  template <int M, class Term>
  static SALTUS_INLINE std::array<double, M> sums(int n, Term term) {
    Lanes sum[M] = {};
    int j = 0;
    for (; j + 8 <= n; j += 8) {
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) {
        V<W> t[M];
        term.template operator()<W>(j + k * W, t);
#pragma GCC unroll 3
        for (int m = 0; m < M; ++m) sum[m][k] += t[m];
      }
    }
    double lane[M][8];
    for (int m = 0; m < M; ++m) spill(sum[m], lane[m]);
    for (int l = 0; j + l < n; ++l) {
      V<1> t[M];
      term.template operator()<1>(j + l, t);
      for (int m = 0; m < M; ++m) lane[m][l] += t[m][0];
    }
    std::array<double, M> total;
    for (std::size_t m = 0; m < M; ++m) total[m] = lanes::sum_lanes(lane[m]);
    return total;
  }

  static SALTUS_INLINE ModalEnergy energy(int n, const double* e, const double* n_over_h,
                                          const double* g, double h, const double* q1,
                                          const double* v1) {
    const auto s = sums<2>(
        n, [=]<int U>(int j, V<U>* t) __attribute__((always_inline)) {
          const V<U> q = at<U>(q1 + j).v, v = at<U>(v1 + j).v, gj = at<U>(g + j).v;
          t[0] = gj * (1.0 + at<U>(e + j).v) * (v * v);
          t[1] = gj * at<U>(n_over_h + j).v * (q * (q - h * v));
        });
    return {0.5 * s[0], s[1] / h};
  }

  static SALTUS_INLINE ModalBalance balance(int n, const double* e, const double* n_over_h,
                                            const double* g, double h, const double* q0,
                                            const double* v0, const double* q1, const double* v1) {
    const auto s = sums<3>(
        n, [=]<int U>(int j, V<U>* t) __attribute__((always_inline)) {
          const V<U> v = at<U>(v1 + j).v, w = v + at<U>(v0 + j).v;
          const V<U> gj = at<U>(g + j).v, ej = at<U>(e + j).v;
          t[0] = gj * (1.0 + ej) * (v * v);
          t[1] = gj * (at<U>(n_over_h + j).v * at<U>(q0 + j).v * at<U>(q1 + j).v);
          t[2] = gj * (1.0 - ej) * (w * w);
        });
    return {0.5 * s[0], s[1] / h, -0.5 * s[2]};
  }

  static SALTUS_INLINE ModalBalance step_balance(int n, double h, const double* e,
                                                 const double* n_over_h, const double* g,
                                                 const double* q0, const double* v0, double* q1,
                                                 double* v1) {
    const auto s = sums<3>(
        n, [=]<int U>(int j, V<U>* t) __attribute__((always_inline)) {
          const V<U> q_old = at<U>(q0 + j).v, v_old = at<U>(v0 + j).v;
          const V<U> ej = at<U>(e + j).v, nj = at<U>(n_over_h + j).v, gj = at<U>(g + j).v;
          const V<U> nq = nj * q_old, v = ej * v_old - nq, w = v + v_old, q = q_old + h * v;
          at<U>(v1 + j).v = v;
          at<U>(q1 + j).v = q;
          t[0] = gj * (1.0 + ej) * (v * v);
          t[1] = gj * (nq * q);
          t[2] = gj * (1.0 - ej) * (w * w);
        });
    return {0.5 * s[0], s[1] / h, -0.5 * s[2]};
  }

  static SALTUS_INLINE double dot(int n, const double* x, const double* y) {
    return sums<1>(
        n, [=]<int U>(int j, V<U>* t)
               __attribute__((always_inline)) { t[0] = at<U>(x + j).v * at<U>(y + j).v; })[0];
  }

  static SALTUS_INLINE double dot_sum(int n, const double* r, const double* v0, const double* v1) {
    return 0.5 * sums<1>(
                     n, [=]<int U>(int j, V<U>* t) __attribute__((always_inline)) {
                       t[0] = at<U>(r + j).v * (at<U>(v0 + j).v + at<U>(v1 + j).v);
                     })[0];
  }
};

}  // namespace saltus::lanes
