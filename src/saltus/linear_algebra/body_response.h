// Response of one body with 6 velocities that is constrained by rows. Results are bitwise identical
// on every machine, whatever its register width.
#pragma once
#include <cstddef>

namespace saltus {

inline constexpr int kResponseStride = 8;  ///< stride of the rows of D
/// Size of the work space of held_response().
inline std::size_t held_response_work(int rows) {
  return 2 * static_cast<std::size_t>(kResponseStride) * static_cast<std::size_t>(rows + 6);
}

/// D = A - A G^T Z G A:  G rows x 6, Z rows x rows, A 6 x 6, symmetric, all stored row by row;  D
/// 6 x 8, columns 6 and 7 zero.
void held_response(int rows, const double* G, const double* Z, const double* A, double* D,
                   double* work);

/// out_i += h_i . D h_i  for the rows h_i of H, rows x 6
void add_row_responses(int rows, const double* H, const double* D, double* out);

}  // namespace saltus
