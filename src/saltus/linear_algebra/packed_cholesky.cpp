#include "saltus/linear_algebra/packed_cholesky.h"

#include <cmath>

namespace saltus {
namespace {

/// Four partial sums in fixed order: fast without permission to reorder, and independent of
/// alignment, so that a copy of the data gives the same bits.
double dot(const double* a, const double* b, int n) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s2) + (s1 + s3);
}

/// Applies rotations first .. last - 1 to `Rows` rows at once. Within a row each rotation depends
/// on the previous one; processing several rows side by side hides that latency.
template <int Rows>
void rotate(double* const* rows, const double* cs, int first, int last) {
  double carry[Rows];
  for (int k = 0; k < Rows; ++k) carry[k] = rows[k][first];
  for (int q = first; q < last; ++q) {
    const double c = cs[2 * q], s = cs[2 * q + 1];
    for (int k = 0; k < Rows; ++k) {
      const double y = rows[k][q + 1];
      rows[k][q] = c * carry[k] + s * y;
      carry[k] = c * y - s * carry[k];
    }
  }
  for (int k = 0; k < Rows; ++k) rows[k][last] = carry[k];
}

}  // namespace

PackedCholesky::PackedCholesky(std::vector<double>& packed) : packed_(&packed) {
  while (start(rows_ + 1) <= packed.size()) ++rows_;
}

void PackedCholesky::clear() {
  packed_->clear();
  rows_ = 0;
}

void PackedCholesky::forward(double* x) const {
  for (int i = 0; i < rows_; ++i) x[i] = (x[i] - dot(row(i), x, i)) / row(i)[i];
}

void PackedCholesky::backward(double* x) const {
  for (int i = rows_ - 1; i >= 0; --i) {
    const double* const l = row(i);
    const double x_i = x[i] /= l[i];
    for (int j = 0; j < i; ++j) x[j] -= l[j] * x_i;
  }
}

//     [L  0] [L^T l]   [G   g]
//     [l^T d] [0  d] = [g^T gamma],     l = L^-1 g,   d^2 = gamma - l^T l  (Schur complement)
bool PackedCholesky::append(double* g, double diagonal) {
  forward(g);
  const double schur = diagonal - dot(g, g, rows_);
  if (!(schur > kDependent * diagonal)) return false;
  packed_->insert(packed_->end(), g, g + rows_);
  packed_->push_back(std::sqrt(schur));
  ++rows_;
  return true;
}

// L without row m is lower triangular down to row m - 1; every later row has one entry above the
// diagonal. Rotation q of columns q and q + 1 removes that entry in the row with new index q:
//     [L_iq  L_i,q+1] <- [L_iq  L_i,q+1] [c -s; s c],     L L^T unchanged
void PackedCholesky::remove(int m, double* work) {
  double* const cs = work;
  for (int i = m + 1; i < rows_; i += 4) {
    const int block = rows_ - i < 4 ? rows_ - i : 4;
    double* rows[4] = {};
    for (int k = 0; k < block; ++k) rows[k] = row(i + k);
    const int known = i - 1;  // rotations m .. known - 1 have been computed
    if (known > m) {
      if (block == 4)
        rotate<4>(rows, cs, m, known);
      else
        for (int k = 0; k < block; ++k) rotate<1>(rows + k, cs, m, known);
    }
    for (int k = 0; k < block; ++k) {  // the corner, in which each row defines one rotation
      const int q = known + k;
      if (k > 0) rotate<1>(rows + k, cs, known, q);
      const double x = rows[k][q], y = rows[k][q + 1], r = std::sqrt(x * x + y * y);
      cs[2 * q] = x / r;
      cs[2 * q + 1] = y / r;
      rows[k][q] = r;
    }
  }
  // Row i becomes row i - 1, without the entry that is now zero.
  for (int i = m + 1; i < rows_; ++i) {
    const double* const from = row(i);
    double* const to = row(i - 1);
    for (int j = 0; j < i; ++j) to[j] = from[j];
  }
  --rows_;
  packed_->resize(start(rows_));
}

}  // namespace saltus
