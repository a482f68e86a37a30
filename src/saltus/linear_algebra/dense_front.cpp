#include "saltus/linear_algebra/dense_front.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/stop.h"
#include "saltus/math/pack.h"

namespace saltus {
namespace {

using simd::V;

struct Strides {
  std::ptrdiff_t A, B, C;
};

/// C -= A B for R rows and K registers of W columns; every entry is summed in order of increasing
/// k.
template <int W, int R, int K>
SALTUS_INLINE void tile(int inner, const double* A, const double* B, double* C, Strides s) {
  V<W> sum[R][K] = {};
  for (int k = 0; k < inner; ++k) {
    V<W> b[K];
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) b[j] = simd::at<W>(B + k * s.B + j * W).v;
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const double a = A[i * s.A + k];
#pragma GCC unroll 4
      for (int j = 0; j < K; ++j) sum[i][j] += a * b[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) simd::at<W>(C + i * s.C + j * W).v -= sum[i][j];
}

template <int W, int R>
SALTUS_INLINE void strip(int columns, int inner, const double* A, const double* B, double* C,
                         Strides s) {
  int j = 0;
  if constexpr (W == 2) {
    for (; j + 2 * W <= columns; j += 2 * W) tile<W, R, 2>(inner, A, B + j, C + j, s);
  } else {
    for (; j + 3 * W <= columns; j += 3 * W) tile<W, R, 3>(inner, A, B + j, C + j, s);
    if (j + 2 * W <= columns) tile<W, R, 2>(inner, A, B + j, C + j, s), j += 2 * W;
  }
  if (j + W <= columns) tile<W, R, 1>(inner, A, B + j, C + j, s), j += W;
  if constexpr (W > 4)
    if (j + 4 <= columns) tile<4, R, 1>(inner, A, B + j, C + j, s), j += 4;
  if constexpr (W > 2)
    if (j + 2 <= columns) tile<2, R, 1>(inner, A, B + j, C + j, s), j += 2;
  for (; j < columns; ++j)
    for (int i = 0; i < R; ++i) {
      double sum = 0.0;
      for (int k = 0; k < inner; ++k) sum += A[i * s.A + k] * B[k * s.B + j];
      C[i * s.C + j] -= sum;
    }
}

template <int W>
SALTUS_INLINE void product(int rows, int columns, int inner, const double* A, const double* B,
                           double* C, Strides s) {
  int i = 0;
  for (; i + 4 <= rows; i += 4) strip<W, 4>(columns, inner, A + i * s.A, B, C + i * s.C, s);
  if (i + 2 <= rows) strip<W, 2>(columns, inner, A + i * s.A, B, C + i * s.C, s), i += 2;
  if (i < rows) strip<W, 1>(columns, inner, A + i * s.A, B, C + i * s.C, s);
}

constexpr int kNarrow = 16;  ///< fronts with at most this many rows are slower with wide registers
constexpr int kFrontPanel = 8;  ///< pivots eliminated before the rest is updated
constexpr int kFrontRows = 64;  ///< rows of F22 updated together, a multiple of the strip

template <int W>
SALTUS_INLINE bool eliminate_front(int p, int q, double* upper, double* lower, double* F22,
                                   int* exchange, Stop* stop) {
  const int m = p + q;
  for (int begin = 0; begin < p; begin += kFrontPanel) {
    if (stop_requested(stop)) return false;
    const int end = std::min(begin + kFrontPanel, p);
    for (int s = begin; s < end; ++s) {  // columns of the panel
      double* const u = upper + std::ptrdiff_t{s} * m;
      int best = s;
      double largest = std::abs(u[s]);
      for (int i = s + 1; i < p; ++i) {
        const double a = std::abs(upper[std::ptrdiff_t{i} * m + s]);
        if (a > largest) largest = a, best = i;
      }
      exchange[s] = best;
      if (!(largest > 0.0) || !std::isfinite(largest)) return false;
      if (best != s) std::swap_ranges(u, u + m, upper + std::ptrdiff_t{best} * m);
      const double pivot = u[s];
      for (int i = s + 1; i < p; ++i) {
        double* const a = upper + std::ptrdiff_t{i} * m;
        const double l = a[s] /= pivot;
        for (int j = s + 1; j < end; ++j) a[j] -= l * u[j];
      }
    }
    for (int s = begin + 1; s < end; ++s)  // rows of U right of the panel
      product<W>(1, m - end, s - begin, upper + std::ptrdiff_t{s} * m + begin,
                 upper + std::ptrdiff_t{begin} * m + end, upper + std::ptrdiff_t{s} * m + end,
                 {m, m, m});
    const double* const U = upper + std::ptrdiff_t{begin} * m;
    product<W>(p - end, m - end, end - begin, upper + std::ptrdiff_t{end} * m + begin, U + end,
               upper + std::ptrdiff_t{end} * m + end, {m, m, m});
    double inverse[kFrontPanel];
    for (int s = begin; s < end; ++s) inverse[s - begin] = 1.0 / upper[std::ptrdiff_t{s} * m + s];
    for (int i = 0; i < q; ++i) {  // L21 within the panel
      double* const a = lower + std::ptrdiff_t{i} * p;
      for (int s = begin; s < end; ++s) {
        const double* const u = upper + std::ptrdiff_t{s} * m;
        const double l = a[s] *= inverse[s - begin];
        for (int j = s + 1; j < end; ++j) a[j] -= l * u[j];
      }
    }
    product<W>(q, p - end, end - begin, lower + begin, U + end, lower + end, {p, m, p});
  }
  for (int i = 0; i < q; i += kFrontRows) {
    if (stop_requested(stop)) return false;
    product<W>(std::min(kFrontRows, q - i), q, p, lower + std::ptrdiff_t{i} * p, upper + p,
               F22 + std::ptrdiff_t{i} * q, {p, m, q});
  }
  return true;
}

constexpr int padded(int columns) { return (columns + 3) & ~3; }

/// to <- to - a from, in whole registers
template <int W>
SALTUS_INLINE void subtract(int columns, double a, const double* from, double* to) {
  for (int k = 0; k < columns; k += W) simd::at<W>(to + k).v -= a * simd::at<W>(from + k).v;
}

/// Rows of work space are padded; those of upper, Z22 and Z are not.
template <int W>
SALTUS_INLINE void invert_front(int p, int q, const double* upper, const int* exchange,
                                const double* Z22, double* Z, double* work) {
  const int m = p + q, P = padded(p), Q = padded(q);
  double* const inverse = work;       // F11^-1, p x P
  double* const X = inverse + p * P;  // p x Q
  double* const XT = X + p * Q;       // q x P
  double* const border = XT + q * P;  // q x Q
  double* const z = border + q * Q;   // a row of Z12
  std::fill(work, z, 0.0);
  for (int i = 0; i < p; ++i) inverse[i * P + i] = 1.0;
  for (int i = 0; i < p; ++i)
    if (const int k = exchange[i]; k != i)
      std::swap_ranges(inverse + i * P, inverse + i * P + p, inverse + k * P);
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < i; ++j) subtract<W>(P, upper[i * m + j], inverse + j * P, inverse + i * P);
    std::copy_n(upper + i * m + p, q, X + i * Q);
  }
  for (int i = p - 1; i >= 0; --i) {
    for (int j = i + 1; j < p; ++j) {
      subtract<W>(P, upper[i * m + j], inverse + j * P, inverse + i * P);
      subtract<W>(Q, upper[i * m + j], X + j * Q, X + i * Q);
    }
    for (int k = 0; k < P; ++k) inverse[i * P + k] /= upper[i * m + i];
    for (int k = 0; k < Q; ++k) X[i * Q + k] /= upper[i * m + i];
    for (int k = 0; k < q; ++k) XT[k * P + i] = X[i * Q + k];
  }
  for (int i = 0; i < q; ++i) {
    std::copy_n(Z22 + i * q, q, border + i * Q);
    std::copy_n(Z22 + i * q, q, Z + (p + i) * m + p);
  }
  for (int i = 0; i < p; ++i) {
    std::fill(z, z + Q, 0.0);
    for (int j = 0; j < q; ++j) subtract<W>(Q, X[i * Q + j], border + j * Q, z);
    for (int j = 0; j < q; ++j) Z[i * m + p + j] = Z[(p + j) * m + i] = z[j];
    double* const row = inverse + i * P;
    for (int k = 0; k < q; ++k) subtract<W>(P, z[k], XT + k * P, row);
    std::copy_n(row, p, Z + i * m);
  }
}

// One function per instruction set; see kernels.cpp.
#define SALTUS_FRONT(set, W)                                                           \
  SALTUS_TARGET_##set bool eliminate_##set(int p, int q, double* upper, double* lower, \
                                           double* F22, int* exchange, Stop* stop) {   \
    return eliminate_front<W>(p, q, upper, lower, F22, exchange, stop);                \
  }
#define SALTUS_INVERSE(set, W)                                                                  \
  SALTUS_TARGET_##set void invert_##set(int p, int q, const double* upper, const int* exchange, \
                                        const double* Z22, double* Z, double* work) {           \
    invert_front<W>(p, q, upper, exchange, Z22, Z, work);                                       \
  }
SALTUS_FRONT(baseline, 2)
SALTUS_INVERSE(baseline, 2)
#if SALTUS_CLONES
SALTUS_FRONT(avx2, 4)
SALTUS_FRONT(avx512f, 8)
SALTUS_INVERSE(avx2, 4)
#endif
#undef SALTUS_FRONT
#undef SALTUS_INVERSE

using Eliminate = bool (*)(int, int, double*, double*, double*, int*, Stop*);

Eliminate widest() {
#if SALTUS_CLONES
  if (simd::register_width() >= 8) return eliminate_avx512f;
  if (simd::register_width() >= 4) return eliminate_avx2;
#endif
  return eliminate_baseline;
}

decltype(&invert_baseline) widest_inverse() {
#if SALTUS_CLONES
  if (simd::register_width() >= 4) return invert_avx2;
#endif
  return invert_baseline;
}

}  // namespace

bool eliminate(int p, int q, double* upper, double* lower, double* F22, int* exchange, Stop* stop) {
  static const Eliminate best = widest();
  if (p + q <= kNarrow) return eliminate_baseline(p, q, upper, lower, F22, exchange, stop);
  return best(p, q, upper, lower, F22, exchange, stop);
}

std::size_t invert_work(int p, int q) {
  return static_cast<std::size_t>((p + q) * (padded(p) + padded(q)) + padded(q));
}

void invert(int p, int q, const double* upper, const int* exchange, const double* Z22, double* Z,
            double* work) {
  static const auto best = widest_inverse();
  best(p, q, upper, exchange, Z22, Z, work);
}

}  // namespace saltus
