// What a body looks like: geometry in its own frame, lengths in m. Shapes know no bodies.
//
// Every shape is placed by a Pose. Planes, meshes and height fields bound a solid that lies behind
// them; meshes and height fields belong to bodies that do not move unless they are given by convex
// pieces.
//
// What is wrong with a shape is a UsageError whose text names no place in the source, for a scene
// prints it behind the name of the body. Vertices, triangles and heights count from 0. Lengths lie
// between 1e-50 m and 1e50 m, so that volumes and inertias are numbers.
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

/// A convex polyhedron, made by convex_hull(). Equal bits for equal points, in whatever order they
/// were given.
struct ConvexHull {
  /// Each is a corner, none is inside a face or an edge; by increasing x, then y, then z.
  std::vector<Vector3> vertices;
  /// Corners of face f, counter-clockwise seen from outside, the least first: corner[first[f]] ..
  /// corner[first[f + 1] - 1]. Faces are maximal: what is flat up to 1e-9 of the thickness of the
  /// hull is one face.
  std::vector<int> first{0}, corner;
  std::vector<Vector3> normal;  ///< of each face, unit, outwards
  std::vector<double> offset;   ///< largest n . x of the corners of each face [m]
  /// Edges (i, j), i < j, in increasing order, and the two faces beside each: first the one to the
  /// left of the way from i to j, seen from outside.
  std::vector<std::array<int, 2>> edge, edge_faces;
  /// Edges that end in vertex i, in increasing order, each with its other end: star[star_first[i]]
  /// .. star[star_first[i + 1] - 1].
  struct Ray {
    int edge = 0, end = 0;
  };
  std::vector<int> star_first;
  std::vector<Ray> star;
  Vector3 centre = Vector3::Zero();  ///< mean of the vertices
  double uneven = 0.0;               ///< no corner of a face is farther below its plane [m]
  double radius = 0.0;               ///< of the sphere about the origin that holds it

  int faces() const { return static_cast<int>(normal.size()); }
};
/// The hull of at least four points that are not in a plane, found by Qhull. Points may repeat and
/// lie inside. Throws UsageError: too few points, one that is not finite, all in one place, on a
/// line or in a plane up to 1e-10 of their size.
std::shared_ptr<const ConvexHull> convex_hull(std::span<const Vector3> points);

/// Triangles with a tree of boxes over them. `closed`: every edge belongs to two triangles that run
/// along it in opposite directions; only closed meshes have a volume.
struct TriangleMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
  std::vector<Vector3> normal;                ///< of each triangle, unit
  bool closed = false;
  /// Triangles beside the edges (0 1), (1 2), (2 0) of each triangle; -1: none that runs along the
  /// edge in the opposite direction, or more than one.
  std::vector<std::array<int, 3>> neighbour;
  /// A leaf holds the triangles order[first] .. order[first + count - 1], at most four; elsewhere
  /// count is 0 and the children are first and first + 1.
  struct Node {
    Vector3 low, high;
    int first = 0, count = 0;
  };
  std::vector<Node> tree;  ///< the root first
  std::vector<int> order;
};
/// Drops and joins nothing: throws UsageError for vertices that are not finite, indices out of
/// range, triangles without area (a height below 1e-12 of the longest side), and where there is no
/// triangle.
std::shared_ptr<const TriangleMesh> triangle_mesh(std::vector<Vector3> vertices,
                                                  std::vector<std::array<int, 3>> triangles);
/// What keeps a mesh from being closed, for a message: "3 edges are open, the first from vertex 4
/// to vertex 7"; "" where it is closed.
std::string why_open(const TriangleMesh& mesh);
/// Closed, outwards, and no vertex farther than 1e-9 of the diagonal of its box in front of the
/// plane of any triangle. Such a mesh may be replaced by the hull of its vertices, which can move.
/// Time: triangles times vertices.
bool is_convex(const TriangleMesh& mesh);

/// Heights [m] at (origin_x + i spacing_x, origin_y + j spacing_y), row by row of constant j:
/// height[i + columns j]. The solid lies below. Every cell is cut into two triangles by its
/// diagonal from (i, j) to (i + 1, j + 1).
struct HeightField {
  int columns = 0, rows = 0;                ///< of nodes, at least 2
  double spacing_x = 0.0, spacing_y = 0.0;  ///< > 0
  double origin_x = 0.0, origin_y = 0.0;
  std::vector<double> height;
  double lowest = 0.0, highest = 0.0;  ///< set by height_field()

  int triangles() const { return 2 * (columns - 1) * (rows - 1); }
};
/// Checks the field and finds its lowest and highest point. Throws UsageError naming the height
/// that is not finite.
std::shared_ptr<const HeightField> height_field(HeightField field);
/// Corners of triangle t, counter-clockwise seen from above: cell t/2 (row by row), below its
/// diagonal for even t, (i j), (i+1 j), (i+1 j+1); above it for odd t, (i j), (i+1 j+1), (i j+1).
std::array<Vector3, 3> height_triangle(const HeightField& field, int t);

using Shape = std::variant<Sphere, Ellipsoid, Capsule, Cylinder, Box, Plane,
                           std::shared_ptr<const ConvexHull>, std::shared_ptr<const TriangleMesh>,
                           std::shared_ptr<const HeightField>>;

/// "sphere", "convex hull", ...
std::string_view shape_name(const Shape& shape);
/// False for planes, meshes and height fields, which may only stand still.
bool can_move(const Shape& shape);
/// Throws UsageError("the radius must be positive and finite, not -1") and the like, for a box "the
/// half lengths".
void check(const Shape& shape);

/// An axis-aligned box in the world.
struct Bounds {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();
};
/// 0 where they overlap.
inline double distance(const Bounds& a, const Bounds& b) {
  return (a.low - b.high).cwiseMax(b.low - a.high).cwiseMax(0.0).norm();
}
/// Of a placed shape, exact up to round-off. Planes reach to infinity, except along an axis that is
/// their normal. Of a height field the surface counts, by the box from its lowest to its highest
/// point.
Bounds bounds(const Shape& shape, const Pose& at);

/// The point of a convex shape (sphere, ellipsoid, capsule, cylinder, box, hull) farthest along d,
/// in its own frame; of several a corner, of a hull the first. Any point where d is 0. Throws
/// UsageError for other shapes.
Vector3 support(const Shape& shape, const Vector3& d);

/// Volume, centre and inertia of a solid of density 1.
struct SolidMoments {
  double volume = 0.0;                ///< [m^3]
  Vector3 centre = Vector3::Zero();   ///< [m]
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, axes of the shape [m^5]
  /// int (X - centre)(X - centre)^T dV [m^5]
  Matrix3 euler() const { return 0.5 * inertia.trace() * Matrix3::Identity() - inertia; }
};
/// Closed forms, and exact sums over tetrahedra. Throws UsageError for shapes without a volume:
/// planes, height fields, meshes that are open, turned inside out or flat.
SolidMoments moments(const Shape& shape);
/// Several placed pieces as one solid, in the frame of the poses; overlaps count twice. At least
/// one piece.
SolidMoments joined(std::span<const SolidMoments> pieces, std::span<const Pose> at);

}  // namespace saltus
