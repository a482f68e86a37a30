// The lowest eigenvalues of K x = mu M x of a group in an equilibrium: with one below 0, the
// equilibrium is unstable unless contacts hold it.
#pragma once
#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct Stability {
  double lowest = 0.0;  ///< of the eigenvalues found, the lowest [1/s^2]
  int negative = 0;     ///< number of those below 0
};

/// The eigenvalues of smallest magnitude, at most four, by subspace iteration with a factor of
/// (epsilon M + K) at (t, q); near 0 to many digits, others roughly. The result is finite if K is
/// regular; K counts as symmetric.
Stability stability_of(const Dynamics& body, double t, View q, const Factor& A, double scale);

}  // namespace saltus
