// Forces of redundant contacts: selects, among the many forces that give the same accelerations,
// some that obey the laws.
//
//     lambda(y) = lambda_0 + K y,   P M^-1 D K = 0                  the same accelerations
//     N >= phi,   mu N - |T| >= phi,   bound - |T| >= phi           the margin phi of the laws at y
//
// The modes of contacts may last if some y has phi >= 0: then they solve the contact problem of
// accelerations with that lambda. The largest phi and, if it is positive, the analytic centre y are
// computed by an interior-point method,
//
//     phi/tau + sum of log(margin of each law) - |lambda|^2/2  ->  max,   tau -> 0
//
// Source: S. Boyd, L. Vandenberghe, Convex Optimization (2004) 11.3 and 11.4.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Contacts whose forces are mutually redundant, given by modes; their rows of lambda, increasing;
/// and K of these rows.
struct RedundantGroup {
  std::vector<std::size_t> modes;
  std::vector<Eigen::Index> rows;
  Matrix K;
  bool contains(std::size_t mode) const { return std::ranges::find(modes, mode) != modes.end(); }
};

/// The groups of A = D^T P M^-1 D, A K = 0; mode_of_row: one entry per row of A, increasing.
std::vector<RedundantGroup> redundant_groups(Matrix A, std::span<const std::size_t> mode_of_row);

/// Restriction of a law on the rows of lambda from `first` on.
struct ForceLimit {
  enum class Kind { unilateral, cone, bounded };  ///< N >= 0; |T| <= mu N; |T| <= bound
  Kind kind = Kind::unilateral;
  int first = 0, size = 1;  ///< cone: N and its tangents
  double bound = 0.0;       ///< mu, or the bound
};

struct DistributedForces {
  /// Largest phi as a fraction of the largest force of lambda_0. If it is positive and `exact` was
  /// false: a lower bound.
  double margin = 0.0;
  Vector lambda;  ///< at the analytic centre, or where the violation of the laws is smallest
};

/// exact: compute the largest phi; otherwise its sign is sufficient. lambda_0 and K have the same
/// unit.
DistributedForces distribute_forces(const Vector& lambda_0, const Matrix& K,
                                    std::span<const ForceLimit> limits, bool exact);
/// The smallest margin of the laws at lambda: N, mu N - |T|, bound - |T|.
double least_margin(const Vector& lambda, std::span<const ForceLimit> limits);

}  // namespace saltus
