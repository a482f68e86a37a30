// Where two placed shapes touch or come near each other.
//
// A contact point lies midway between the two surfaces, x = (x_a + x_b)/2, with n the unit normal
// from b to a and gap = n . (x_a - x_b) [m], negative in penetration. Flat and round parts give
// manifolds: the corners of the overlap of two faces, the two ends of parallel edges, up to eight
// points that span it; each with a gap up to the margin.
#pragma once
#include <cstdint>

#include "saltus/shapes/shape.h"

namespace saltus {

struct ContactPoint {
  Vector3 x = Vector3::Zero();        ///< [m]
  Vector3 normal = Vector3::UnitZ();  ///< from b to a, unit
  double gap = 0.0;                   ///< [m]
  /// Names the features that touch (corner, edge, face, triangle of each shape): the same from step
  /// to step as long as they do, whatever the round-off; below 2^24; different for the points of
  /// one pair.
  std::uint32_t feature = 0;
  /// The least depth of the pair may be below the deepest gap found by as much [m]; 0: proven up to
  /// 1e-12 of the size. Ellipsoids and cylinders deep in other shapes only, where all directions of
  /// some cone are equally good.
  double doubt = 0.0;
};

/// Appends the contact points of a against b with gap <= margin (>= 0), in order of their features.
/// A pair that has no rule (plane, mesh or height field against each other) appends nothing.
void collide(const Shape& a, const Pose& at_a, const Shape& b, const Pose& at_b, double margin,
             std::vector<ContactPoint>& out);

/// Features of the points of one pair, from `begin` on, below 2^bits: those that are not are
/// scattered.
void fold_features(int bits, std::size_t begin, std::vector<ContactPoint>& out);

/// Where a convex shape touches a triangle of a mesh; the normal points to the shape.
struct SurfaceTouch {
  ContactPoint point;
  int triangle = 0;
  bool corner = false;  ///< a corner of the shape touches
};
/// Those with gap <= margin, into `out`, which is cleared, in order of their features. Planes,
/// meshes and height fields touch nothing.
void touches(const TriangleMesh& mesh, const Shape& shape, const Pose& at, double margin,
             std::vector<SurfaceTouch>& out);

}  // namespace saltus
