// G A G^T for the rows that act on one body with 6 velocities. Results are bitwise identical on
// every machine, whatever its register width.
#pragma once
#include <cstddef>

namespace saltus {

/// Columns of the results: the number of rows rounded up to a multiple of the widest register used.
inline int body_product_stride(int rows) { return (rows + 3) & ~3; }
/// Size of the work space.
inline std::size_t body_product_work(int rows) {
  return 12 * static_cast<std::size_t>(body_product_stride(rows));
}

/// T = G A G^T on and above the diagonal: G rows x 6, row by row; A 6 x 6, symmetric; T
/// rows x stride. Entries of T below the diagonal and right of the last column are undefined.
void body_product(int rows, const double* G, const double* A, double* T, double* work);

}  // namespace saltus
