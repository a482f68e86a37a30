#include "saltus/event_driven/constraint_rows.h"

#include <algorithm>
#include <cmath>

#include "saltus/math/dense.h"

namespace saltus {
namespace {

/// In a matrix scaled to ones on its diagonal, larger pivots prove that all rows are independent.
constexpr double kSound = 1e-5;

/// Solves one block of rows that are coupled by bodies.
int solve_block(const Matrix& S, const Vector& rhs, const Vector& scale, Vector& lambda) {
  const RankedSolution found = ranked_solution(scale.asDiagonal() * S * scale.asDiagonal(),
                                               scale.cwiseProduct(rhs), kRedundantPivot);
  if (!(found.pivot > kRedundantPivot)) {
    lambda.setZero(rhs.size());
    return 0;
  }
  lambda = scale.cwiseProduct(found.x);
  return found.rank;
}

/// True: all rows are independent, and lambda is computed.
bool solve_sound(const Matrix& S, const Vector& rhs, const Vector& scale, Vector& lambda) {
  if (rhs.size() > kFewUnknowns) return false;
  const FewByFew A = scale.asDiagonal() * S * scale.asDiagonal();
  if (!solve_few(A, scale.cwiseProduct(rhs), kSound, lambda)) return false;
  lambda.array() *= scale.array();
  return true;
}

}  // namespace

Vector diagonal_scale(const Matrix& S) {
  return S.diagonal().cwiseAbs().unaryExpr(
      [](double x) { return x > 0.0 ? 1.0 / std::sqrt(x) : 1.0; });
}

Vector row_scale(const Matrix& B, const Matrix& X) {
  Vector scale(B.rows());
  for (Eigen::Index r = 0; r < B.rows(); ++r) {
    const double size = std::abs(B.row(r).dot(X.col(r)));
    scale[r] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
  }
  return scale;
}

std::vector<Eigen::Index> row_groups(const Matrix& S) {
  std::vector<Eigen::Index> group(static_cast<std::size_t>(S.rows()));
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    group[static_cast<std::size_t>(i)] = i;
    for (Eigen::Index j = 0; j < i; ++j) {
      const auto a = group[static_cast<std::size_t>(j)], b = group[static_cast<std::size_t>(i)];
      if (a == b || (S(i, j) == 0.0 && S(j, i) == 0.0)) continue;
      for (Eigen::Index k = 0; k <= i; ++k)
        if (group[static_cast<std::size_t>(k)] == std::max(a, b))
          group[static_cast<std::size_t>(k)] = std::min(a, b);
    }
  }
  return group;
}

int solve_rows(const Matrix& S, const Vector& rhs, Vector& lambda, const Vector& given) {
  const auto m = rhs.size();
  lambda.resize(m);
  if (m == 0) return 0;
  const Vector scale = given.size() == m ? given : diagonal_scale(S);
  if (m == 1) {
    const bool held = std::abs(S(0, 0)) * scale[0] * scale[0] > kRedundantPivot;
    lambda[0] = held ? rhs[0] / S(0, 0) : 0.0;
    return held ? 1 : 0;
  }
  if (solve_sound(S, rhs, scale, lambda)) return static_cast<int>(m);
  // Blocks of rows without a common body are independent systems.
  const std::vector<Eigen::Index> group = row_groups(S);
  int rank = 0;
  std::vector<Eigen::Index> rows;
  Matrix part;
  Vector r, x, part_scale;
  for (Eigen::Index g = 0; g < m; ++g) {
    rows.clear();
    for (Eigen::Index i = g; i < m; ++i)
      if (group[static_cast<std::size_t>(i)] == g) rows.push_back(i);
    if (rows.empty()) continue;
    if (std::ssize(rows) == m) return solve_block(S, rhs, scale, lambda);
    part = S(rows, rows);
    r = rhs(rows);
    part_scale = scale(rows);
    if (solve_sound(part, r, part_scale, x))
      rank += static_cast<int>(r.size());
    else
      rank += solve_block(part, r, part_scale, x);
    lambda(rows) = x;
  }
  return rank;
}

}  // namespace saltus
