// Proves that no motion shorter than the given one separates two overlapping convex shapes.
#pragma once
#include "saltus/shapes/convex.h"

namespace saltus {

/// Result for h(u) = -s(-u), the width of the overlap along the unit vector u, over all u.
struct DepthProof {
  bool proven = false;  ///< h >= depth - tolerance everywhere
  bool better = false;  ///< otherwise: some direction has h(-n) < depth - tolerance
  /// if better: a normal from b to a that separates over a shorter distance
  Vector3 n = Vector3::Zero();
  double doubt = 0.0;  ///< if neither: h >= depth - doubt everywhere [m]
};

/// Bounds h from below over the whole sphere, given a local minimum: depth = h(-n) [m]. Works best
/// on cores without their balls (Convex::rounding).
DepthProof prove_depth(const Convex& a, const Convex& b, const Vector3& n, double depth,
                       double tolerance);

}  // namespace saltus
