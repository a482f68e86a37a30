// Rules of the narrow phase by kinds of shapes. All work in the frame of a: B places b there, the
// points found and their normals (from b to a) are in that frame and come in any order.
#pragma once
#include "saltus/detection/narrow_phase.h"
#include "saltus/shapes/convex.h"

namespace saltus {

using ContactPoints = std::vector<ContactPoint>;

/// A normal where two points coincide: a fixed axis of shape a.
inline Vector3 normal_of(const Vector3& difference, double& length, const Vector3& otherwise) {
  length = difference.norm();
  return length > 0.0 ? Vector3(difference / length) : otherwise;
}

/// Appends the contact of a ball of radius r_a about a and one of r_b about b, with n for a = b.
void add_round(const Vector3& a, double r_a, const Vector3& b, double r_b, const Vector3& n,
               std::uint32_t feature, double margin, ContactPoints& out);
/// Way from the point p of a core along the unit vector d to the surface at distance `radius`
/// around it: the radius for a point and where d leaves the end of a segment, more where it leaves
/// the mantle about it at an angle.
double way_out(const Vector3& p, const Vector3& end0, const Vector3& end1, double radius,
               const Vector3& d);
inline double way_out(const Polyhedron& core, double radius, const Vector3& p, const Vector3& d) {
  if (radius == 0.0 || core.vertices() != 2) return radius;
  return way_out(p, core.vertex[0], core.vertex[1], radius, d);
}
/// Appends the point of core points a and b, of which a - b is along n, with ways r_a and r_b to
/// the surfaces.
inline void add_along(const Vector3& a, double r_a, const Vector3& b, double r_b, const Vector3& n,
                      double core_gap, std::uint32_t feature, double margin, ContactPoints& out) {
  const double gap = core_gap - r_a - r_b;
  if (gap <= margin) out.push_back({0.5 * (a - r_a * n + b + r_b * n), n, gap, feature});
}

/// Where n points from b to a and lies within some degrees of the normal of a face, that face
/// counts as touching.
inline constexpr double kAligned = 0.95;

// Closed forms
void contacts(const Sphere& a, const Sphere& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Sphere& a, const Capsule& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Sphere& a, const Cylinder& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Sphere& a, const Box& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Sphere& a, const ConvexHull& b, const Pose& B, double margin,
              ContactPoints& out);
void contacts(const Capsule& a, const Capsule& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Sphere& a, const Plane& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Ellipsoid& a, const Plane& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Capsule& a, const Plane& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Cylinder& a, const Plane& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const Box& a, const Plane& b, const Pose& B, double margin, ContactPoints& out);
void contacts(const ConvexHull& a, const Plane& b, const Pose& B, double margin,
              ContactPoints& out);

/// Boxes, hulls, triangles and at most one segment, with balls of radii r_a and r_b around their
/// points.
void polyhedron_contacts(const Polyhedron& a, double r_a, const Polyhedron& b, double r_b,
                         double margin, ContactPoints& out);

/// Any two cores of which one is an ellipsoid or a cylinder.
void smooth_contacts(const Convex& a, const Convex& b, double margin, ContactPoints& out);

/// Convex shapes over the front of a triangle, along its normal, as far as they lie over it.
void contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                            ContactPoints& out);
void smooth_contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                                   ContactPoints& out);

/// A convex shape against a surface of triangles, in the frame of the surface; normals from the
/// surface to the shape.
void surface_contacts(const TriangleMesh& mesh, const Convex& shape, double margin,
                      ContactPoints& out);
void surface_contacts(const HeightField& field, const Convex& shape, double margin,
                      ContactPoints& out);

/// The same with the triangle of each point, into `out`, which is cleared.
void surface_touches(const TriangleMesh& mesh, const Convex& shape, double margin,
                     std::vector<SurfaceTouch>& out);

/// Number of a pair of features out of codes_a x codes_b, below 2^24.
std::uint32_t feature_pair(int code_a, int codes_a, int code_b, int codes_b);

/// Keeps at most eight points of one normal from out[begin] on: the deepest and the outermost ones
/// in eight fixed directions across `u` of the frame of a. The first of those that are equal up to
/// `tolerance` [m] stays.
void keep_eight(ContactPoints& out, std::size_t begin, double tolerance);

}  // namespace saltus
