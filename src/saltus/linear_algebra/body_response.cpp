#include "saltus/linear_algebra/body_response.h"

#include "saltus/math/pack.h"

namespace saltus {
namespace {

using simd::V;
constexpr int kS = kResponseStride;

/// to = from with columns 6 and 7 zero
SALTUS_INLINE void widen(int rows, const double* from, double* to) {
  for (int i = 0; i < rows; ++i, from += 6, to += kS) {
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) to[k] = from[k];
    to[6] = to[7] = 0.0;
  }
}

/// Y = Z G,  X = G^T Y,  Y = A X,  D = A - Y A, every entry summed in order of increasing index;
/// each slot processes one column.
template <int W>
SALTUS_INLINE void respond(int rows, const double* G, const double* Z, const double* A, double* D,
                           double* work) {
  double* const g = work;
  double* const y = g + kS * rows;
  double* const a = y + kS * rows;
  double* const x = a + kS * 6;
  widen(rows, G, g);
  widen(6, A, a);
  for (int c = 0; c < kS; c += W) {
    for (int i = 0; i < rows; ++i) {
      V<W> sum = {};
      for (int j = 0; j < rows; ++j) sum += Z[i * rows + j] * simd::at<W>(g + j * kS + c).v;
      simd::at<W>(y + i * kS + c).v = sum;
    }
    V<W> X[6] = {};
    for (int i = 0; i < rows; ++i) {
      const V<W> y_i = simd::at<W>(y + i * kS + c).v;
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k) X[k] += G[6 * i + k] * y_i;
    }
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      V<W> sum = {};
#pragma GCC unroll 6
      for (int l = 0; l < 6; ++l) sum += A[6 * k + l] * X[l];
      simd::at<W>(x + k * kS + c).v = sum;
    }
  }
  for (int c = 0; c < kS; c += W)
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      V<W> sum = {};
#pragma GCC unroll 6
      for (int l = 0; l < 6; ++l) sum += x[k * kS + l] * simd::at<W>(a + l * kS + c).v;
      simd::at<W>(D + k * kS + c).v = simd::at<W>(a + k * kS + c).v - sum;
    }
}

template <int W>
SALTUS_INLINE void add_rows(int rows, const double* H, const double* D, double* out) {
  for (int i = 0; i < rows; ++i, H += 6) {
    double y[kS];
#pragma GCC unroll 4
    for (int c = 0; c < kS; c += W) {
      V<W> sum = {};
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k) sum += H[k] * simd::at<W>(D + k * kS + c).v;
      simd::at<W>(y + c).v = sum;
    }
    double sum = 0.0;
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) sum += H[k] * y[k];
    out[i] += sum;
  }
}

// One function per instruction set; see kernels.cpp.
#define SALTUS_RESPONSE(set, W)                                                       \
  SALTUS_TARGET_##set void respond_##set(int rows, const double* G, const double* Z,  \
                                         const double* A, double* D, double* work) {  \
    respond<W>(rows, G, Z, A, D, work);                                               \
  }                                                                                   \
  SALTUS_TARGET_##set void add_rows_##set(int rows, const double* H, const double* D, \
                                          double* out) {                              \
    add_rows<W>(rows, H, D, out);                                                     \
  }
SALTUS_RESPONSE(baseline, 2)
#if SALTUS_CLONES
SALTUS_RESPONSE(avx2, 4)
#endif
#undef SALTUS_RESPONSE

decltype(&respond_baseline) widest_respond() {
#if SALTUS_CLONES
  if (simd::register_width() >= 4) return respond_avx2;
#endif
  return respond_baseline;
}

decltype(&add_rows_baseline) widest_add_rows() {
#if SALTUS_CLONES
  if (simd::register_width() >= 4) return add_rows_avx2;
#endif
  return add_rows_baseline;
}

}  // namespace

void held_response(int rows, const double* G, const double* Z, const double* A, double* D,
                   double* work) {
  static const auto function = widest_respond();
  function(rows, G, Z, A, D, work);
}

void add_row_responses(int rows, const double* H, const double* D, double* out) {
  static const auto function = widest_add_rows();
  function(rows, H, D, out);
}

}  // namespace saltus
