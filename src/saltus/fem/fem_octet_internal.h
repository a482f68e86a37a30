// Numbers and 3 x 3 matrices for eight elements, in registers of W doubles.
//
// Every operation acts on each element separately, so that slots never mix and results do not
// depend on W. Registers are passed by value between functions that are always inlined; files that
// include this header must silence -Wpsabi.
#pragma once
#include "saltus/math/pack.h"

namespace saltus::fem {

/// One number for each of eight elements.
template <int W>
struct Octet {
  simd::V<W> v[8 / W];
};

#define SALTUS_OCTET_OPERATION(op)                                                     \
  template <int W>                                                                     \
  SALTUS_INLINE Octet<W> operator op(const Octet<W>& a, const Octet<W>& b) {           \
    Octet<W> c;                                                                        \
    _Pragma("GCC unroll 4") for (int k = 0; k < 8 / W; ++k) c.v[k] = a.v[k] op b.v[k]; \
    return c;                                                                          \
  }
SALTUS_OCTET_OPERATION(+)
SALTUS_OCTET_OPERATION(-)
SALTUS_OCTET_OPERATION(*)
SALTUS_OCTET_OPERATION(/)
#undef SALTUS_OCTET_OPERATION

template <int W>
SALTUS_INLINE Octet<W> operator*(double a, const Octet<W>& b) {
  Octet<W> c;
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) c.v[k] = a * b.v[k];
  return c;
}
template <int W>
SALTUS_INLINE Octet<W> operator-(const Octet<W>& a) {
  Octet<W> c;
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) c.v[k] = -a.v[k];
  return c;
}
template <int W>
SALTUS_INLINE void operator+=(Octet<W>& a, const Octet<W>& b) {
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) a.v[k] += b.v[k];
}
template <int W>
SALTUS_INLINE Octet<W> octet(double a) {
  Octet<W> c;
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) c.v[k] = simd::V<W>{} + a;
  return c;
}
template <int W>
SALTUS_INLINE Octet<W> load(const double* p) {
  Octet<W> c;
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) c.v[k] = simd::at<W>(p + k * W).v;
  return c;
}
template <int W>
SALTUS_INLINE void store(double* p, const Octet<W>& a) {
#pragma GCC unroll 4
  for (int k = 0; k < 8 / W; ++k) simd::at<W>(p + k * W).v = a.v[k];
}

/// 3 x 3 matrices, row-major.
template <int W>
struct Nine {
  Octet<W> m[3][3];
};

template <int W>
SALTUS_INLINE Octet<W> dot(const Octet<W>& a0, const Octet<W>& b0, const Octet<W>& a1,
                           const Octet<W>& b1, const Octet<W>& a2, const Octet<W>& b2) {
  return a0 * b0 + a1 * b1 + a2 * b2;
}
#define SALTUS_EACH                                   \
  _Pragma("GCC unroll 3") for (int i = 0; i < 3; ++i) \
      _Pragma("GCC unroll 3") for (int j = 0; j < 3; ++j)

template <int W>
SALTUS_INLINE Nine<W> times(const Nine<W>& A, const Nine<W>& B) {  // A B
  Nine<W> C;
  SALTUS_EACH C.m[i][j] = dot(A.m[i][0], B.m[0][j], A.m[i][1], B.m[1][j], A.m[i][2], B.m[2][j]);
  return C;
}
template <int W>
SALTUS_INLINE Nine<W> times_transposed(const Nine<W>& A, const Nine<W>& B) {  // A B^T
  Nine<W> C;
  SALTUS_EACH C.m[i][j] = dot(A.m[i][0], B.m[j][0], A.m[i][1], B.m[j][1], A.m[i][2], B.m[j][2]);
  return C;
}
template <int W>
SALTUS_INLINE Nine<W> transposed_times(const Nine<W>& A, const Nine<W>& B) {  // A^T B
  Nine<W> C;
  SALTUS_EACH C.m[i][j] = dot(A.m[0][i], B.m[0][j], A.m[1][i], B.m[1][j], A.m[2][i], B.m[2][j]);
  return C;
}
template <int W>
SALTUS_INLINE Octet<W> inner(const Nine<W>& A, const Nine<W>& B) {  // A : B
  Octet<W> sum = A.m[0][0] * B.m[0][0];
  sum += A.m[0][1] * B.m[0][1];
  sum += A.m[0][2] * B.m[0][2];
#pragma GCC unroll 2
  for (int i = 1; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) sum += A.m[i][j] * B.m[i][j];
  return sum;
}
/// Cofactors and determinant: A^-T = cofactors / det.
template <int W>
SALTUS_INLINE Octet<W> cofactors(const Nine<W>& A, Nine<W>& C) {
#define SALTUS_COFACTOR(i, j, a, b, c, d) C.m[i][j] = A.m[a][c] * A.m[b][d] - A.m[a][d] * A.m[b][c]
  SALTUS_COFACTOR(0, 0, 1, 2, 1, 2);
  SALTUS_COFACTOR(0, 1, 1, 2, 2, 0);
  SALTUS_COFACTOR(0, 2, 1, 2, 0, 1);
  SALTUS_COFACTOR(1, 0, 2, 0, 1, 2);
  SALTUS_COFACTOR(1, 1, 2, 0, 2, 0);
  SALTUS_COFACTOR(1, 2, 2, 0, 0, 1);
  SALTUS_COFACTOR(2, 0, 0, 1, 1, 2);
  SALTUS_COFACTOR(2, 1, 0, 1, 2, 0);
  SALTUS_COFACTOR(2, 2, 0, 1, 0, 1);
#undef SALTUS_COFACTOR
  return dot(A.m[0][0], C.m[0][0], A.m[0][1], C.m[0][1], A.m[0][2], C.m[0][2]);
}
template <int W>
SALTUS_INLINE Octet<W> trace(const Nine<W>& A) {
  return A.m[0][0] + A.m[1][1] + A.m[2][2];
}
template <int W>
SALTUS_INLINE void put(const Nine<W>& A, double (&slot)[9][8]) {
  SALTUS_EACH store<W>(slot[3 * i + j], A.m[i][j]);
}
template <int W>
SALTUS_INLINE Nine<W> take(const double (&slot)[9][8]) {
  Nine<W> A;
  SALTUS_EACH A.m[i][j] = load<W>(slot[3 * i + j]);
  return A;
}

}  // namespace saltus::fem
