// Boxes, hulls, triangles and segments as convex polyhedra in the frame of a pair.
#pragma once
#include <span>
#include <vector>

#include "saltus/shapes/shape.h"

namespace saltus {

/// A convex polyhedron; a triangle has two faces, a segment one edge and no face. It points into arrays of others.
struct Polyhedron {
  std::span<const Vector3> vertex;
  std::span<const int> first, corner;  ///< corners of the faces, as in ConvexHull
  std::span<const Vector3> normal;
  std::span<const double> offset;
  std::span<const std::array<int, 2>> edge, edge_faces;  ///< edges in increasing order
  Vector3 centre = Vector3::Zero();                      ///< a point of it
  double size = 0.0;                                     ///< no vertex is farther from the centre
  bool box = false;  ///< vertices, faces, edges as polyhedron(Box) has them

  int vertices() const { return static_cast<int>(vertex.size()); }
  int faces() const { return static_cast<int>(normal.size()); }
  int edges() const { return static_cast<int>(edge.size()); }
  int face_size(int f) const { return first[f + 1] - first[f]; }
  int face_corner(int f, int k) const { return corner[first[f] + k]; }
  /// The first of the vertices farthest along d.
  int farthest(const Vector3& d) const;
  /// Largest d . x.
  double reach(const Vector3& d) const { return d.dot(vertex[farthest(d)]); }
  /// The edge between two vertices; -1 if there is none.
  int edge_between(int i, int j) const;

  /// Numbers of features for ids: 0 any face, then vertices, then edges.
  int codes() const { return 1 + vertices() + edges(); }
  int vertex_code(int i) const { return 1 + i; }
  int edge_code(int e) const { return e < 0 ? 0 : 1 + vertices() + e; }
};

/// Room for the vertices and planes of a polyhedron that is moved or made for one pair.
struct PolyhedronStore {
  std::vector<Vector3> vertex, normal;
  std::vector<double> offset;
};

/// Box in its own frame; vertex i has the signs of the bits of i, face 2 k + 1 lies at +half[k].
Polyhedron polyhedron(const Box& box, PolyhedronStore& store);
Polyhedron polyhedron(const ConvexHull& hull, PolyhedronStore& store);
/// The segment of a capsule.
Polyhedron polyhedron(const Capsule& capsule, PolyhedronStore& store);
/// Face 0 is seen counter-clockwise; `normal` is its unit normal.
Polyhedron triangle_polyhedron(const std::array<Vector3, 3>& corners, const Vector3& normal,
                               PolyhedronStore& store);
/// The polyhedron moved by `at`, in another store.
Polyhedron placed(const Polyhedron& shape, const Pose& at, PolyhedronStore& store);

}  // namespace saltus
