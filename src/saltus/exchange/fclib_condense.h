// Condenses a problem in the velocities of bodies to the velocities of its contacts.
#pragma once
#include <span>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus {

/// u = W p + b
struct CondensedProblem {
  std::vector<Entry> W;
  Vector b;
};

/// Condenses  M v = H p + f,  u = H^T v + w  to  W = H^T M^-1 H,  b = H^T M^-1 f + w. H is size of
/// M x size of w. W is symmetric bit by bit if M is symmetric. Returns false if M is singular or
/// the result is not finite.
bool condense(const SparseMatrix& M, std::span<const Entry> H, View f, View w,
              CondensedProblem& out);

}  // namespace saltus
