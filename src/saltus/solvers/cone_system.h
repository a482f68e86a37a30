// The linear systems that Newton's method and interior points make of a cone problem.
#pragma once
#include <span>

#include "saltus/solvers/cone_problem.h"

namespace saltus {

/// Rows of K that belong to one cone, K = A W~ + B; A and B size x size, row by row, 3 wide.
struct ConeRows {
  double A[9] = {}, B[9] = {};

  void set(int i, double a, double b) {
    A[4 * i] = a;
    B[4 * i] = b;
  }
};

/// W~ of a cone problem, and K x = r. Takes nothing from the heap once it has seen a size and a
/// pattern.
class ConeSystem {
 public:
  virtual ~ConeSystem() = default;
  /// Reads `contact`, W included, and makes `problem` of it.
  virtual void begin(const ContactProblem& contact, ConeProblem& problem) = 0;
  virtual void apply(View x, Out v) const = 0;  ///< v = W~ x
  /// rows[k] are those of cone k. False if K is singular.
  virtual bool factorise(std::span<const ConeRows> rows) = 0;
  /// x <- K^-1 x, refined with the residual `refinements` times.
  virtual void solve(Vector& x, int refinements) = 0;
};

}  // namespace saltus
