// What a body looks like: geometry in its own frame, lengths in m. Shapes know no bodies.
//
// Every shape is placed by a Pose. Planes, meshes and height fields bound a solid that lies behind them; meshes and
// height fields belong to bodies that do not move unless they are given by convex pieces.
#pragma once
#include <array>
#include <memory>
#include <span>
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

/// A convex polyhedron.
struct ConvexHull {
  std::vector<Vector3> vertices;  ///< each is a corner; none is inside a face or an edge
  /// Corners of face f, counter-clockwise seen from outside: corner[first[f]] .. corner[first[f + 1] - 1]. Faces are
  /// maximal: coplanar triangles are joined.
  std::vector<int> first{0}, corner;
  std::vector<Vector3> normal;  ///< of each face, unit, outwards
  std::vector<double> offset;   ///< n . x of each face [m]
  /// Edges (i, j), i < j, and the two faces beside each.
  std::vector<std::array<int, 2>> edge, edge_faces;
  double radius = 0.0;  ///< of the sphere about the origin that holds it

  int faces() const { return static_cast<int>(normal.size()); }
};
/// The hull of at least four points that are not in a plane, found by Qhull. Throws UsageError("the points lie in a
/// plane") and the like, without a place.
std::shared_ptr<const ConvexHull> convex_hull(std::span<const Vector3> points);

/// Triangles with a tree of boxes over them. `closed`: every edge belongs to two triangles that run along it in
/// opposite directions; only closed meshes have a volume.
struct TriangleMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
  std::vector<Vector3> normal;                ///< of each triangle
  bool closed = false;
  /// Triangles beside the edges (0 1), (1 2), (2 0) of each triangle, -1: none.
  std::vector<std::array<int, 3>> neighbour;
  struct Node {
    Vector3 low, high;
    int first = 0,
        count =
            0;  ///< leaf: triangles order[first .. first + count - 1]; else count 0, children first, first + 1
  };
  std::vector<Node> tree;
  std::vector<int> order;
};
/// Drops nothing: throws UsageError for vertices that are not finite, indices out of range, triangles without area.
std::shared_ptr<const TriangleMesh> triangle_mesh(std::vector<Vector3> vertices,
                                                  std::vector<std::array<int, 3>> triangles);

/// Heights [m] at (origin + i spacing_x, origin + j spacing_y), row by row of constant j; two triangles a cell.
struct HeightField {
  int columns = 0, rows = 0;  ///< at least 2
  double spacing_x = 0.0, spacing_y = 0.0;
  double origin_x = 0.0, origin_y = 0.0;
  std::vector<double> height;
  double lowest = 0.0, highest = 0.0;
};

using Shape = std::variant<Sphere, Ellipsoid, Capsule, Cylinder, Box, Plane,
                           std::shared_ptr<const ConvexHull>, std::shared_ptr<const TriangleMesh>,
                           std::shared_ptr<const HeightField>>;

/// "sphere", "convex hull", ...
std::string_view shape_name(const Shape& shape);
/// False for planes, meshes and height fields, which may only stand still.
bool can_move(const Shape& shape);

/// An axis-aligned box in the world.
struct Bounds {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();
};
/// Of a placed shape; planes reach to infinity.
Bounds bounds(const Shape& shape, const Pose& at);

/// The point of a convex shape (sphere, ellipsoid, capsule, cylinder, box, hull) farthest along d, in its own frame.
Vector3 support(const Shape& shape, const Vector3& d);

/// Volume, centre and inertia of a solid of density 1.
struct SolidMoments {
  double volume = 0.0;                ///< [m^3]
  Vector3 centre = Vector3::Zero();   ///< [m]
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, axes of the shape [m^5]
  /// int (X - centre)(X - centre)^T dV [m^5]
  Matrix3 euler() const { return 0.5 * inertia.trace() * Matrix3::Identity() - inertia; }
};
/// Exact. Throws UsageError for shapes without a volume: planes, height fields, open meshes.
SolidMoments moments(const Shape& shape);
/// Several pieces as one solid; overlaps count twice.
SolidMoments joined(std::span<const SolidMoments> pieces, std::span<const Pose> at);

}  // namespace saltus
