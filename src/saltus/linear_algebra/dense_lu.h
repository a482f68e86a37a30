// LU of a small dense matrix, in memory owned by the caller.
#pragma once

namespace saltus {

class Stop;

/// P A = L U with partial pivoting, overwriting A, k x k, row by row; rows: k integers for P.
/// Returns false if a pivot is 0 or `stop` is requested.
bool lu_factorise(int k, double* A, int* rows, Stop* stop = nullptr);

/// x <- A^-1 x; work: k doubles.
void lu_solve(int k, const double* LU, const int* rows, double* x, double* work);

}  // namespace saltus
