#include "saltus/linear_algebra/body_product.h"

#include "saltus/math/pack.h"

namespace saltus {
namespace {

using simd::V;

/// Each slot processes one row of G: Y = A G^T, T_i = sum_k Y_ki G_k, every entry summed in order
/// of increasing k.
template <int W>
SALTUS_INLINE void body_rows_product(int rows, const double* G, const double* A, double* T,
                                     double* work) {
  const int stride = body_product_stride(rows);
  double* const g = work;
  double* const y = work + 6 * stride;
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) g[k * stride + i] = G[6 * i + k];
  for (int i = rows; i < stride; ++i)
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) g[k * stride + i] = 0.0;
  for (int j = 0; j < stride; j += W) {
    V<W> column[6];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) column[k] = simd::at<W>(g + k * stride + j).v;
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      V<W> sum = A[6 * i] * column[0];
#pragma GCC unroll 6
      for (int k = 1; k < 6; ++k) sum += A[6 * i + k] * column[k];
      simd::at<W>(y + i * stride + j).v = sum;
    }
  }
  for (int j = 0; j < stride; j += W) {
    V<W> column[6];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) column[k] = simd::at<W>(g + k * stride + j).v;
    const int end = j + W < rows ? j + W : rows;
    for (int i = 0; i < end; ++i) {
      V<W> sum = y[i] * column[0];
#pragma GCC unroll 6
      for (int k = 1; k < 6; ++k) sum += y[k * stride + i] * column[k];
      simd::at<W>(T + i * stride + j).v = sum;
    }
  }
}

// One function per instruction set; see kernels.cpp. Joints have too few rows for registers of 8.
#define SALTUS_PRODUCT(set, W)                                                                  \
  SALTUS_TARGET_##set void product_##set(int rows, const double* G, const double* A, double* T, \
                                         double* work) {                                        \
    body_rows_product<W>(rows, G, A, T, work);                                                  \
  }
SALTUS_PRODUCT(baseline, 2)
#if SALTUS_CLONES
SALTUS_PRODUCT(avx2, 4)
#endif
#undef SALTUS_PRODUCT

decltype(&product_baseline) widest() {
#if SALTUS_CLONES
  if (simd::register_width() >= 4) return product_avx2;
#endif
  return product_baseline;
}

}  // namespace

void body_product(int rows, const double* G, const double* A, double* T, double* work) {
  static const auto function = widest();
  function(rows, G, A, T, work);
}

}  // namespace saltus
