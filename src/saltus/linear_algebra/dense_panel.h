// The elimination of a few rows of a dense symmetric front. The same bits on every machine,
// whatever registers it has.
#pragma once
#include <cstddef>

namespace saltus {

/// U: the first `rows` rows of a symmetric matrix, rows x width, row by row, of which the upper
/// triangle is read. From row `first` on, with the multipliers of the rows above it,
///     U <- D L^T,  inverse_i <- 1 / D_ii
/// up to the first row whose D_ii does not exceed what stands in inverse_i: returns it, its U done,
/// or `rows`. The caller sets its inverse, 0 for a row that updates nothing, and goes on from the
/// next. What stands left of the diagonal is left as it is.
int eliminate_panel(int first, int rows, int width, double* U, double* inverse);

/// C <- C - A B on and above the diagonal: C rows x columns (rows <= columns), A rows x inner
/// without gaps, B inner x columns; strides of rows. Below the diagonal C changes in places that
/// are not to be relied on.
void subtract_upper(int rows, int columns, int inner, const double* A, const double* B,
                    std::ptrdiff_t stride_B, double* C, std::ptrdiff_t stride_C);

}  // namespace saltus
