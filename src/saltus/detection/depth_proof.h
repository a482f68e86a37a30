// Proof that two convex shapes that overlap come apart by no shorter motion than the one found.
#pragma once
#include "saltus/shapes/convex.h"

namespace saltus {

/// What is known about h(u) = -s(-u), the width of the overlap along the unit vector u, over all of
/// them.
struct DepthProof {
  bool proven = false;          ///< h >= depth - tolerance everywhere
  bool better = false;          ///< else: h(-n) < depth - tolerance
  Vector3 n = Vector3::Zero();  ///< where better: a normal from b to a that separates with less
  double doubt = 0.0;           ///< neither: h >= depth - doubt everywhere [m]
};

/// Bounds h from below over the whole sphere, given a local minimum: depth = h(-n) [m]. Works best
/// on cores from which balls are taken away (Convex::rounding).
DepthProof prove_depth(const Convex& a, const Convex& b, const Vector3& n, double depth,
                       double tolerance);

}  // namespace saltus
