#include "saltus/linear_algebra/dense_panel.h"

#include "saltus/math/pack.h"

namespace saltus {
namespace {

using simd::V;

/// C -= A B from column `j` on, R rows in registers of width W, remaining columns in narrower ones;
/// every entry is summed in order of increasing k.
template <int W, int R>
SALTUS_INLINE void panel_strip(int j, int columns, int inner, const double* A, const double* B,
                               std::ptrdiff_t stride_B, double* C, std::ptrdiff_t stride_C) {
  for (; j + W <= columns; j += W) {
    V<W> sum[R] = {};
    for (int k = 0; k < inner; ++k) {
      const V<W> b = simd::at<W>(B + k * stride_B + j).v;
#pragma GCC unroll 4
      for (int i = 0; i < R; ++i) sum[i] += A[i * inner + k] * b;
    }
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) simd::at<W>(C + i * stride_C + j).v -= sum[i];
  }
  if constexpr (W > 1) panel_strip<W / 2, R>(j, columns, inner, A, B, stride_B, C, stride_C);
}

template <int W>
SALTUS_INLINE void subtract_block(int rows, int columns, int inner, const double* A,
                                  const double* B, std::ptrdiff_t stride_B, double* C,
                                  std::ptrdiff_t stride_C) {
  int i = 0;
  for (; i + 4 <= rows; i += 4)
    panel_strip<W, 4>(i, columns, inner, A + i * inner, B, stride_B, C + i * stride_C, stride_C);
  if (i + 2 <= rows) {
    panel_strip<W, 2>(i, columns, inner, A + i * inner, B, stride_B, C + i * stride_C, stride_C);
    i += 2;
  }
  if (i < rows)
    panel_strip<W, 1>(i, columns, inner, A + i * inner, B, stride_B, C + i * stride_C, stride_C);
}

template <int W>
SALTUS_INLINE int panel(int first, int rows, int width, double* U, double* inverse) {
  constexpr int kTogether = 16;  // pivots whose multipliers stay (almost) in registers
  double l[kTogether];
  for (int t = first; t < rows; ++t) {
    double* const u = U + std::ptrdiff_t{t} * width;
    for (int s = 0; s < t; s += kTogether) {
      const int count = t - s < kTogether ? t - s : kTogether;
      const double* const above = U + std::ptrdiff_t{s} * width;
      for (int k = 0; k < count; ++k) l[k] = above[std::ptrdiff_t{k} * width + t] * inverse[s + k];
      panel_strip<W, 1>(t, width, count, l, above, width, u, width);
    }
    if (!(u[t] > inverse[t])) return t;
    inverse[t] = 1.0 / u[t];
  }
  return rows;
}

// One function per instruction set; see kernels.cpp.
#define SALTUS_PANEL(set, W)                                                                   \
  SALTUS_TARGET_##set int panel_##set(int first, int rows, int width, double* U,               \
                                      double* inverse) {                                       \
    return panel<W>(first, rows, width, U, inverse);                                           \
  }                                                                                            \
  SALTUS_TARGET_##set void subtract_##set(int rows, int columns, int inner, const double* A,   \
                                          const double* B, std::ptrdiff_t stride_B, double* C, \
                                          std::ptrdiff_t stride_C) {                           \
    subtract_block<W>(rows, columns, inner, A, B, stride_B, C, stride_C);                      \
  }
SALTUS_PANEL(baseline, 2)
#if SALTUS_CLONES
SALTUS_PANEL(avx2, 4)
SALTUS_PANEL(avx512f, 8)
#endif
#undef SALTUS_PANEL

struct PanelFunctions {
  decltype(&panel_baseline) panel;
  decltype(&subtract_baseline) subtract;
};

PanelFunctions widest_panel() {
#if SALTUS_CLONES
  if (simd::register_width() >= 8) return {panel_avx512f, subtract_avx512f};
  if (simd::register_width() >= 4) return {panel_avx2, subtract_avx2};
#endif
  return {panel_baseline, subtract_baseline};
}

const PanelFunctions& best() {
  static const PanelFunctions functions = widest_panel();
  return functions;
}

constexpr int kNarrowPanel = 16;  ///< widths up to this are slower with wide registers

}  // namespace

int eliminate_panel(int first, int rows, int width, double* U, double* inverse) {
  if (width <= kNarrowPanel) return panel_baseline(first, rows, width, U, inverse);
  return best().panel(first, rows, width, U, inverse);
}

void subtract_upper(int rows, int columns, int inner, const double* A, const double* B,
                    std::ptrdiff_t stride_B, double* C, std::ptrdiff_t stride_C) {
  if (columns <= kNarrowPanel)
    return subtract_baseline(rows, columns, inner, A, B, stride_B, C, stride_C);
  best().subtract(rows, columns, inner, A, B, stride_B, C, stride_C);
}

}  // namespace saltus
