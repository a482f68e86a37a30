#include "saltus/linear_algebra/dense_lu.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/stop.h"

namespace saltus {

bool lu_factorise(int k, double* A, int* rows, Stop* stop) {
  const auto row = [&](int i) { return A + static_cast<long>(i) * k; };
  for (int i = 0; i < k; ++i) rows[i] = i;
  for (int s = 0; s < k; ++s) {
    if (stop_requested(stop)) return false;
    int best = s;
    for (int i = s + 1; i < k; ++i)
      if (std::abs(row(i)[s]) > std::abs(row(best)[s])) best = i;
    if (!(std::abs(row(best)[s]) > 0.0)) return false;
    if (best != s) {
      std::swap_ranges(row(s), row(s) + k, row(best));
      std::swap(rows[s], rows[best]);
    }
    const double* const u = row(s);
    for (int i = s + 1; i < k; ++i) {  // L_is = A_is/U_ss,  A_ij <- A_ij - L_is U_sj
      double* const a = row(i);
      const double l = a[s] /= u[s];
      if (l == 0.0) continue;
      for (int j = s + 1; j < k; ++j) a[j] -= l * u[j];
    }
  }
  return true;
}

void lu_solve(int k, const double* LU, const int* rows, double* x, double* work) {
  const auto row = [&](int i) { return LU + static_cast<long>(i) * k; };
  for (int i = 0; i < k; ++i) {  // L y = P x
    double sum = x[rows[i]];
    for (int j = 0; j < i; ++j) sum -= row(i)[j] * work[j];
    work[i] = sum;
  }
  for (int i = k - 1; i >= 0; --i) {  // U x = y
    double sum = work[i];
    for (int j = i + 1; j < k; ++j) sum -= row(i)[j] * x[j];
    x[i] = sum / row(i)[i];
  }
}

}  // namespace saltus
