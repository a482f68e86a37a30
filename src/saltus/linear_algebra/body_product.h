// G A G^T of the rows that take one body of 6 velocities. The same bits on every machine, whatever
// registers it has.
#pragma once
#include <cstddef>

namespace saltus {

/// Columns of the results: a multiple of the widest register in use.
inline int body_product_stride(int rows) { return (rows + 3) & ~3; }
/// Numbers of work space.
inline std::size_t body_product_work(int rows) {
  return 12 * static_cast<std::size_t>(body_product_stride(rows));
}

/// T = G A G^T on and above the diagonal: G rows x 6, row by row; A 6 x 6, symmetric; T rows x
/// stride. Below the diagonal and right of the last column T changes in places that are not to be
/// relied on.
void body_product(int rows, const double* G, const double* A, double* T, double* work);

}  // namespace saltus
