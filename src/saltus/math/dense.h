// Decompositions of dense matrices of any size. Each is compiled once, here: in the files that use
// them Eigen's templates cost 5 to 10 seconds each.
#pragma once
#include "saltus/base/base.h"
#include "saltus/math/rotation.h"

namespace saltus {

/// A x = lambda x or A x = lambda B x, lambda increasing; x are columns, x^T x = 1 or x^T B x = 1.
struct SymmetricPairs {
  Vector values;
  Matrix vectors;
};
/// Of symmetric A (the lower triangle is read).
SymmetricPairs symmetric_pairs(const Matrix& A);
/// B symmetric positive definite too.
SymmetricPairs symmetric_pairs(const Matrix& A, const Matrix& B);
Vector symmetric_values(const Matrix& A);
Vector3 symmetric_values(const Matrix3& A);

/// A <- L with L L^T = A; only its lower triangle is read and written. False where A is not
/// positive definite.
bool cholesky_lower(Matrix& A);
/// X <- L^-1 X
void solve_lower(const Matrix& L, Eigen::Ref<Matrix> X);

/// The X of the least |A X - B|, A of full rank, by QR with column exchanges.
Matrix least_squares(const Matrix& A, const Matrix& B);
/// The shortest x of the least |A x - b|; pivots below `threshold` of the largest are none.
Vector shortest_solution(const Matrix& A, const Vector& b, double threshold);
struct RankedSolution {
  Vector x;
  int rank = 0;
  double pivot = 0.0;  ///< the largest
};
/// The same with what was found on the way.
RankedSolution ranked_solution(const Matrix& A, const Vector& b, double threshold);
/// A x = b of few unknowns, kept on the stack. False, and x as it was, where a pivot is not above
/// `least`.
constexpr int kFewUnknowns = 24;
using FewByFew =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kFewUnknowns, kFewUnknowns>;
using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kFewUnknowns, 1>;
bool solve_few(const FewByFew& A, const Few& b, double least, Vector& x);
/// The X of A X = B, A symmetric and definite.
Matrix solve_definite(const Matrix& A, const Matrix& B);

/// Columns that span the x with A x = 0; pivots below `threshold` of the largest are none.
Matrix kernel(const Matrix& A, double threshold);
/// Columns of length 1, at right angles, that span what those of A span. A has full rank and no
/// more columns than rows.
Matrix orthonormal(const Matrix& A);

/// The turn that takes the direction of `from` to that of `to` by the shortest way.
Quaternion turn_between(const Vector3& from, const Vector3& to);

}  // namespace saltus
