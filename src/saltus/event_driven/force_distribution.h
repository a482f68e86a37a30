// Forces of contacts that share their load: which of the many that do the same obey the laws.
//
//     lambda(y) = lambda_0 + K y,   P M^-1 D K = 0                  the same accelerations
//     N >= phi,   mu N - |T| >= phi,   bound - |T| >= phi           the room that y leaves the laws
//
// The modes of contacts may last where some y has phi >= 0: then they are a solution of the contact problem of accelerations,
// with that lambda. The largest phi and, where there is room, the y in the middle of it come from interior points,
//
//     phi/tau + sum of log(what the laws leave) - |lambda|^2/2  ->  max,   tau -> 0
//
// Source: S. Boyd, L. Vandenberghe, Convex Optimization (2004) 11.3 and 11.4.
#pragma once
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// What a law asks of the rows of lambda from `first` on.
struct ShareLaw {
  enum class Kind { presses, cone, bounded };  ///< N >= 0; |T| <= mu N; |T| <= bound
  Kind kind = Kind::presses;
  int first = 0, size = 1;  ///< cone: N and its tangents
  double bound = 0.0;       ///< mu, or the bound
};

struct ShareRoom {
  double room =
      0.0;  ///< largest phi, of the largest force of lambda_0; of one that is positive perhaps not the largest
  Vector lambda;  ///< in the middle of the room, or where the laws are missed by least
};

/// exact: the largest phi, else its sign is enough. lambda_0 and K are of one unit.
ShareRoom share_room(const Vector& lambda_0, const Matrix& K, std::span<const ShareLaw> laws,
                     bool exact);
/// Smallest of what the laws leave of lambda: N, mu N - |T|, bound - |T|.
double share_left(const Vector& lambda, std::span<const ShareLaw> laws);

}  // namespace saltus
