// Contact points of two placed shapes that are in contact or near each other.
//
// A contact point lies midway between the two surfaces, x = (x_a + x_b)/2. n is the unit normal
// from b to a, and gap = n . (x_a - x_b) [m], negative in penetration. Flat and round parts give
// contact manifolds: the corners of the overlap of two faces or the two ends of parallel edges,
// reduced to at most eight points that span the manifold; each has a gap up to the margin.
#pragma once
#include <cstdint>

#include "saltus/shapes/shape.h"

namespace saltus {

struct ContactPoint {
  Vector3 x = Vector3::Zero();        ///< [m]
  Vector3 normal = Vector3::UnitZ();  ///< from b to a, unit
  double gap = 0.0;                   ///< [m]
  /// Identifies the features in contact (corner, edge, face, triangle of each shape): constant from
  /// step to step while they are in contact, independent of round-off; below 2^24; different for
  /// the points of one pair.
  std::uint32_t feature = 0;
  /// The true depth of the pair may be less than the deepest gap found by up to this amount [m]; 0:
  /// proven to within 1e-12 of the size. Nonzero only for ellipsoids and cylinders deep in other
  /// shapes, if all directions of some cone are equally good.
  double doubt = 0.0;
};

/// Appends the contact points of a against b with gap <= margin (>= 0), ordered by feature. Pairs
/// without a rule (plane, mesh or height field against each other) append nothing.
void collide(const Shape& a, const Pose& at_a, const Shape& b, const Pose& at_b, double margin,
             std::vector<ContactPoint>& out);

/// Reduces the features of the points of one pair, from `begin` on, to values below 2^bits;
/// features that do not fit are hashed.
void fold_features(int bits, std::size_t begin, std::vector<ContactPoint>& out);

/// Contact of a convex shape with a triangle of a mesh; the normal points to the shape.
struct SurfaceTouch {
  ContactPoint point;
  int triangle = 0;
  bool corner = false;  ///< a corner of the shape is in contact
};
/// Contacts with gap <= margin, ordered by feature; clears `out` first. Planes, meshes and height
/// fields give no contacts.
void touches(const TriangleMesh& mesh, const Shape& shape, const Pose& at, double margin,
             std::vector<SurfaceTouch>& out);

}  // namespace saltus
