// Linear systems of Newton's method and interior points for a cone problem.
#pragma once
#include <span>

#include "saltus/solvers/cone_problem.h"

namespace saltus {

/// Rows of K that belong to one cone, K = A W~ + B; A and B size x size, with row stride 3.
struct ConeRows {
  double A[9] = {}, B[9] = {};

  void set(int i, double a, double b) {
    A[4 * i] = a;
    B[4 * i] = b;
  }
};

/// W~ of a cone problem, and K x = r. Allocates nothing when a size and a pattern are used again.
class ConeSystem {
 public:
  virtual ~ConeSystem() = default;
  /// Reads `contact`, including W, and converts it to `problem`.
  virtual void begin(const ContactProblem& contact, ConeProblem& problem) = 0;
  virtual void apply(View x, Out v) const = 0;  ///< v = W~ x
  /// rows[k] belong to cone k. Returns false if K is singular.
  virtual bool factorise(std::span<const ConeRows> rows) = 0;
  /// x <- K^-1 x, with `refinements` steps of iterative refinement.
  virtual void solve(Vector& x, int refinements) = 0;
};

}  // namespace saltus
