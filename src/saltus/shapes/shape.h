// Geometry of bodies in their own frame, lengths in m. Shapes are independent of bodies.
//
// Every shape is placed by a Pose. Planes, meshes and height fields bound a solid that lies behind
// them; meshes and height fields belong to bodies that do not move, unless they are given as convex
// pieces.
//
// Faults of a shape are reported as a UsageError whose text mentions no source location, because a
// scene prints it after the name of the body. Vertices, triangles and heights are counted from 0.
// Lengths lie between 1e-50 m and 1e50 m, so that volumes and inertias neither overflow nor
// underflow.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "saltus/math/rotation.h"

namespace saltus {

struct Sphere {
  double radius = 0.0;
};
/// Half axes along x, y, z.
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};
/// All points within `radius` of the segment from -half_length to half_length on the z axis.
struct Capsule {
  double radius = 0.0, half_length = 0.0;
};
/// Along z, flat ends at -half_length and half_length.
struct Cylinder {
  double radius = 0.0, half_length = 0.0;
};
struct Box {
  Vector3 half = Vector3::Zero();
};
/// The half space z <= 0.
struct Plane {};

/// A convex polyhedron, created by convex_hull(). Equal points give bit-identical results in any
/// order.
struct ConvexHull {
  /// All vertices are corners, none lies inside a face or an edge; sorted by x, then y, then z.
  std::vector<Vector3> vertices;
  /// Corners of face f, counter-clockwise as seen from outside, the smallest index first:
  /// corner[first[f]] .. corner[first[f + 1] - 1]. Faces are maximal: a region that is flat to
  /// within 1e-9 of the thickness of the hull is one face.
  std::vector<int> first{0}, corner;
  std::vector<Vector3> normal;  ///< of each face, unit, outwards
  std::vector<double> offset;   ///< largest n . x of the corners of each face [m]
  /// Edges (i, j), i < j, in increasing order, and the two faces at each edge: first the one to the
  /// left of the direction from i to j, as seen from outside.
  std::vector<std::array<int, 2>> edge, edge_faces;
  /// Edges at vertex i, in increasing order, each with its other end: star[star_first[i]] ..
  /// star[star_first[i + 1] - 1].
  struct Ray {
    int edge = 0, end = 0;
  };
  std::vector<int> star_first;
  std::vector<Ray> star;
  Vector3 centre = Vector3::Zero();  ///< mean of the vertices
  double uneven = 0.0;               ///< largest distance of a face's corner below its plane [m]
  double radius = 0.0;  ///< radius of the sphere about the origin that contains the hull

  int faces() const { return static_cast<int>(normal.size()); }
};
/// The hull of at least four points that are not coplanar, computed by Qhull. Points may repeat and
/// may lie inside. Throws UsageError: too few points, a point that is not finite, all points
/// coincident, on a line or in a plane to within 1e-10 of their size.
std::shared_ptr<const ConvexHull> convex_hull(std::span<const Vector3> points);

/// Triangles with a tree of boxes. `closed`: every edge belongs to two triangles with opposite
/// directions along it; only closed meshes have a volume.
struct TriangleMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise as seen from outside
  std::vector<Vector3> normal;                ///< of each triangle, unit
  bool closed = false;
  /// Triangles adjacent to the edges (0 1), (1 2), (2 0) of each triangle; -1: none with the
  /// opposite direction along the edge, or more than one.
  std::vector<std::array<int, 3>> neighbour;
  /// A leaf contains the triangles order[first] .. order[first + count - 1], at most four; for
  /// other nodes count is 0 and the children are first and first + 1.
  struct Node {
    Vector3 low, high;
    int first = 0, count = 0;
  };
  std::vector<Node> tree;  ///< the root first
  std::vector<int> order;
};
/// Keeps all vertices and triangles as given. Throws UsageError for vertices that are not finite,
/// indices out of range, triangles without area (a height below 1e-12 of the longest side), or if
/// there is no triangle.
std::shared_ptr<const TriangleMesh> triangle_mesh(std::vector<Vector3> vertices,
                                                  std::vector<std::array<int, 3>> triangles);
/// Why a mesh is not closed, for a message: "3 edges are open, the first from vertex 4 to vertex
/// 7"; "" if it is closed.
std::string why_open(const TriangleMesh& mesh);
/// True if the mesh is closed, oriented outwards, and no vertex is in front of the plane of any
/// triangle by more than 1e-9 of the diagonal of the bounding box. Such a mesh may be replaced by
/// the hull of its vertices, which can move. The cost is triangles times vertices.
bool is_convex(const TriangleMesh& mesh);

/// Heights [m] at (origin_x + i spacing_x, origin_y + j spacing_y), stored by rows of constant j:
/// height[i + columns j]. The solid lies below. Each cell is divided into two triangles by its
/// diagonal from (i, j) to (i + 1, j + 1).
struct HeightField {
  int columns = 0, rows = 0;                ///< number of nodes, at least 2
  double spacing_x = 0.0, spacing_y = 0.0;  ///< > 0
  double origin_x = 0.0, origin_y = 0.0;
  std::vector<double> height;
  double lowest = 0.0, highest = 0.0;  ///< set by height_field()

  int triangles() const { return 2 * (columns - 1) * (rows - 1); }
};
/// Checks the field and computes its lowest and highest point. Throws UsageError that names a
/// height that is not finite.
std::shared_ptr<const HeightField> height_field(HeightField field);
/// Corners of triangle t, counter-clockwise as seen from above, in cell t/2 (counted by rows). Even
/// t, below the diagonal: (i j), (i+1 j), (i+1 j+1); odd t, above it: (i j), (i+1 j+1), (i j+1).
std::array<Vector3, 3> height_triangle(const HeightField& field, int t);

using Shape = std::variant<Sphere, Ellipsoid, Capsule, Cylinder, Box, Plane,
                           std::shared_ptr<const ConvexHull>, std::shared_ptr<const TriangleMesh>,
                           std::shared_ptr<const HeightField>>;

/// "sphere", "convex hull", ...
std::string_view shape_name(const Shape& shape);
/// False for planes, meshes and height fields, which must be fixed.
bool can_move(const Shape& shape);
/// Throws UsageError such as "the radius must be positive and finite, not -1"; for a box the name
/// is "the half lengths".
void check(const Shape& shape);

/// An axis-aligned box in the world.
struct Bounds {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();
};
/// Distance of two boxes; 0 if they overlap.
inline double distance(const Bounds& a, const Bounds& b) {
  return (a.low - b.high).cwiseMax(b.low - a.high).cwiseMax(0.0).norm();
}
/// Bounding box of a placed shape, exact up to round-off. Planes extend to infinity, except along
/// an axis that is parallel to their normal. A height field is bounded by the box of its surface,
/// from its lowest to its highest point.
Bounds bounds(const Shape& shape, const Pose& at);

/// The point of a convex shape (sphere, ellipsoid, capsule, cylinder, box, hull) farthest along d,
/// in its own frame. If there are several, it is a corner, for a hull the first one; if d is 0, it
/// is any point. Throws UsageError for other shapes.
Vector3 support(const Shape& shape, const Vector3& d);

/// Volume, centre and inertia of a solid of density 1.
struct SolidMoments {
  double volume = 0.0;                ///< [m^3]
  Vector3 centre = Vector3::Zero();   ///< [m]
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, axes of the shape [m^5]
  /// int (X - centre)(X - centre)^T dV [m^5]
  Matrix3 euler() const { return 0.5 * inertia.trace() * Matrix3::Identity() - inertia; }
};
/// Computed by closed forms or exact sums over tetrahedra. Throws UsageError for shapes without a
/// volume: planes, height fields, and meshes that are open, inside out or flat.
SolidMoments moments(const Shape& shape);
/// Moments of several placed pieces as one solid, in the frame of the poses; overlaps count twice.
/// At least one piece is required.
SolidMoments joined(std::span<const SolidMoments> pieces, std::span<const Pose> at);

}  // namespace saltus
