// Elimination of a few rows of a dense symmetric front. Results are bitwise identical on every
// machine, whatever its register width.
#pragma once
#include <cstddef>

namespace saltus {

/// U: the first `rows` rows of a symmetric matrix, rows x width, row by row; only its upper
/// triangle is read. From row `first` on, with the multipliers of the rows above it,
///     U <- D L^T,  inverse_i <- 1 / D_ii
/// up to the first row whose D_ii does not exceed the value given in inverse_i: returns that row,
/// whose U is complete, or `rows`. The caller then sets inverse_i of the returned row, to 0 if the
/// row is not to update others, and continues with the next row. Entries left of the diagonal are
/// not changed.
int eliminate_panel(int first, int rows, int width, double* U, double* inverse);

/// C <- C - A B on and above the diagonal: C rows x columns (rows <= columns), A rows x inner,
/// contiguous, B inner x columns; the strides are those of rows. Entries of C below the diagonal
/// are undefined.
void subtract_upper(int rows, int columns, int inner, const double* A, const double* B,
                    std::ptrdiff_t stride_B, double* C, std::ptrdiff_t stride_C);

}  // namespace saltus
