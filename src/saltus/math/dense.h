// Decompositions of dense matrices of any size. Each is compiled only once, here: Eigen's templates
// would add 5 to 10 seconds of compile time to every file that uses them.
#pragma once
#include "saltus/base/base.h"
#include "saltus/math/rotation.h"

namespace saltus {

/// A x = lambda x or A x = lambda B x, lambda increasing; x are columns, x^T x = 1 or x^T B x = 1.
struct SymmetricPairs {
  Vector values;
  Matrix vectors;
};
/// For symmetric A (the lower triangle is read).
SymmetricPairs symmetric_pairs(const Matrix& A);
/// With B symmetric and positive definite.
SymmetricPairs symmetric_pairs(const Matrix& A, const Matrix& B);
Vector symmetric_values(const Matrix& A);
Vector3 symmetric_values(const Matrix3& A);

/// A <- L with L L^T = A; only the lower triangle is read and written. False if A is not positive
/// definite.
bool cholesky_lower(Matrix& A);
/// X <- L^-1 X
void solve_lower(const Matrix& L, Eigen::Ref<Matrix> X);

/// The X that minimises |A X - B|, for A of full rank, by QR with column pivoting.
Matrix least_squares(const Matrix& A, const Matrix& B);
/// The shortest x that minimises |A x - b|; pivots below `threshold` of the largest count as zero.
Vector shortest_solution(const Matrix& A, const Vector& b, double threshold);
struct RankedSolution {
  Vector x;
  int rank = 0;
  double pivot = 0.0;  ///< the largest pivot
};
/// As shortest_solution(), with the rank and the largest pivot.
RankedSolution ranked_solution(const Matrix& A, const Vector& b, double threshold);
constexpr int kFewUnknowns = 24;
using FewByFew =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kFewUnknowns, kFewUnknowns>;
using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kFewUnknowns, 1>;
/// Solves A x = b for few unknowns, on the stack. Returns false, with x unchanged, if a pivot is
/// not above `least`.
bool solve_few(const FewByFew& A, const Few& b, double least, Vector& x);
/// The X of A X = B, for A symmetric and definite.
Matrix solve_definite(const Matrix& A, const Matrix& B);

/// Columns that span the solutions of A x = 0; pivots below `threshold` of the largest count as
/// zero.
Matrix kernel(const Matrix& A, double threshold);
/// Orthonormal columns that span the range of A. A has full rank and no more columns than rows.
Matrix orthonormal(const Matrix& A);

/// The shortest rotation that takes the direction of `from` to that of `to`.
Quaternion turn_between(const Vector3& from, const Vector3& to);

}  // namespace saltus
