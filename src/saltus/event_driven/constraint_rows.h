// Linear systems S lambda = rhs of constraint rows, S = B M^-1 B^T, in which some rows may be
// redundant.
#pragma once
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// In a matrix scaled to ones on its diagonal, smaller pivots are round-off: such rows are
/// redundant.
constexpr double kRedundantPivot = 1e-11;

/// 1/sqrt of the diagonal of B X: the scale of rows B, with X = M^-1 B^T.
Vector row_scale(const Matrix& B, const Matrix& X);
/// 1/sqrt of |S_ii|, 1 where S_ii is 0.
Vector diagonal_scale(const Matrix& S);
/// The first row of each row's block: rows of different blocks are coupled only by zeros.
std::vector<Eigen::Index> row_groups(const Matrix& S);
/// Solves S lambda = rhs; if S is singular, for the lambda of smallest norm. `scale`: of rows and
/// columns, row_scale() computed without other constraints; empty: diagonal_scale(S). Returns the
/// rank.
int solve_rows(const Matrix& S, const Vector& rhs, Vector& lambda, const Vector& scale = {});

}  // namespace saltus
