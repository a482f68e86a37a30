// Narrow-phase rules for each combination of shapes. All work in the frame of a: B is the pose of b
// in that frame. Points and normals (from b to a) are in that frame and come in any order.
#pragma once
#include "saltus/detection/narrow_phase.h"
#include "saltus/shapes/convex.h"

namespace saltus {

using ContactPoints = std::vector<ContactPoint>;

/// Unit vector of a difference of points; where they coincide, `otherwise`, an axis fixed to shape
/// a.
inline Vector3 normal_of(const Vector3& difference, double& length, const Vector3& otherwise) {
  length = difference.norm();
  return length > 0.0 ? Vector3(difference / length) : otherwise;
}

/// Appends the contact of a ball with radius r_a at a and one with radius r_b at b; n is used for
/// a = b.
void add_round(const Vector3& a, double r_a, const Vector3& b, double r_b, const Vector3& n,
               std::uint32_t feature, double margin, ContactPoints& out);
/// Distance from the point p of a core along the unit vector d to the surface at distance `radius`
/// from the core: equal to the radius for a point and where d leaves the end of a segment, larger
/// where d crosses the cylindrical part at an angle.
double way_out(const Vector3& p, const Vector3& end0, const Vector3& end1, double radius,
               const Vector3& d);
inline double way_out(const Polyhedron& core, double radius, const Vector3& p, const Vector3& d) {
  if (radius == 0.0 || core.vertices() != 2) return radius;
  return way_out(p, core.vertex[0], core.vertex[1], radius, d);
}
/// Appends the contact point of core points a and b, with a - b along n; r_a and r_b are the
/// distances from the cores to the surfaces.
inline void add_along(const Vector3& a, double r_a, const Vector3& b, double r_b, const Vector3& n,
                      double core_gap, std::uint32_t feature, double margin, ContactPoints& out) {
  const double gap = core_gap - r_a - r_b;
  if (gap <= margin) out.push_back({0.5 * (a - r_a * n + b + r_b * n), n, gap, feature});
}

/// Cosine. If n, which points from b to a, is closer than this to the normal of a face, the face
/// counts as being in contact.
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

/// Boxes, hulls, triangles and at most one segment, each rounded with a ball of radius r_a or r_b.
void polyhedron_contacts(const Polyhedron& a, double r_a, const Polyhedron& b, double r_b,
                         double margin, ContactPoints& out);

/// Any two cores, at least one of which is an ellipsoid or a cylinder.
void smooth_contacts(const Convex& a, const Convex& b, double margin, ContactPoints& out);

/// Contacts of convex shapes with the front of a triangle along its normal, for the part of the
/// shape that lies over the triangle.
void contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                            ContactPoints& out);
void smooth_contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                                   ContactPoints& out);

/// A convex shape against a triangle surface, in the frame of the surface; normals point from the
/// surface to the shape.
void surface_contacts(const TriangleMesh& mesh, const Convex& shape, double margin,
                      ContactPoints& out);
void surface_contacts(const HeightField& field, const Convex& shape, double margin,
                      ContactPoints& out);

/// As surface_contacts, with the triangle of each point; clears `out` first.
void surface_touches(const TriangleMesh& mesh, const Convex& shape, double margin,
                     std::vector<SurfaceTouch>& out);

/// Number of a pair of features among codes_a x codes_b, below 2^24.
std::uint32_t feature_pair(int code_a, int codes_a, int code_b, int codes_b);

/// Keeps at most eight points with one normal from out[begin] on: the deepest one and the outermost
/// ones in eight fixed directions across `u` of the frame of a. Of points that are equal up to
/// `tolerance` [m], the first is kept.
void keep_eight(ContactPoints& out, std::size_t begin, double tolerance);

}  // namespace saltus
