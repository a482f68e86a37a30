// Linear systems S lambda = rhs of constraint rows, S = B M^-1 B^T, of which some rows may be
// redundant.
#pragma once
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Pivots below this are round-off, in a matrix that is scaled to ones on its diagonal: such rows
/// are redundant.
constexpr double kRedundantPivot = 1e-11;

/// 1/sqrt of the diagonal of B X: the scale of rows B, X = M^-1 B^T.
Vector row_scale(const Matrix& B, const Matrix& X);
/// 1/sqrt of |S_ii|, 1 where S_ii is 0.
Vector diagonal_scale(const Matrix& S);
/// The first row of the block of every row: rows of different blocks have zeros in common.
std::vector<Eigen::Index> row_groups(const Matrix& S);
/// lambda with S lambda = rhs; where S is singular the least one. `scale`: of rows and columns,
/// row_scale() of them without other constraints; empty: diagonal_scale(S). Returns the rank.
int solve_rows(const Matrix& S, const Vector& rhs, Vector& lambda, const Vector& scale = {});

}  // namespace saltus
