// Boxes, hulls, triangles and segments as convex polyhedra in the frame of a pair.
#pragma once
#include <span>
#include <vector>

#include "saltus/shapes/shape.h"

namespace saltus {

/// Places or directions of a shape; they may be moved when they are read.
class Moved {
 public:
  Moved() = default;
  explicit Moved(std::span<const Vector3> own) : own_(own) {}
  /// The same moved by `at`, which has to stay.
  Moved moved(const Pose& at, bool places) const {
    Moved m(own_);
    m.at_ = &at;
    m.places_ = places;
    return m;
  }
  std::size_t size() const { return own_.size(); }
  Vector3 operator[](int i) const {
    const Vector3& v = own_[static_cast<std::size_t>(i)];
    if (!at_) return v;
    return places_ ? *at_ * v : Vector3(at_->R * v);
  }

 private:
  std::span<const Vector3> own_;
  const Pose* at_ = nullptr;
  bool places_ = true;
};

/// A convex polyhedron; a triangle has two faces, a segment one edge and no face. It points into
/// arrays of others.
struct Polyhedron {
  Moved vertex;
  std::span<const int> first, corner;  ///< corners of the faces, as in ConvexHull
  Moved normal;
  std::span<const double> offset;                        ///< of the faces, before `at` moves them
  std::span<const std::array<int, 2>> edge, edge_faces;  ///< edges in increasing order
  std::span<const int> star_first;                       ///< of a hull, as there; else empty
  std::span<const ConvexHull::Ray> star;
  const Pose* at = nullptr;          ///< moves vertices and normals when they are read
  Vector3 centre = Vector3::Zero();  ///< a point of it
  double size = 0.0;                 ///< no vertex is farther from the centre
  double uneven = 0.0;               ///< no corner of a face is farther below its plane
  bool box = false;                  ///< vertices, faces, edges as polyhedron(Box) has them

  int vertices() const { return static_cast<int>(vertex.size()); }
  int faces() const { return static_cast<int>(normal.size()); }
  int edges() const { return static_cast<int>(edge.size()); }
  int face_size(int f) const { return first[f + 1] - first[f]; }
  int face_corner(int f, int k) const { return corner[first[f] + k]; }
  /// Largest n . x over face f, with n its normal.
  double face_offset(int f) const { return at ? offset[f] + normal[f].dot(at->x) : offset[f]; }
  /// The first of the vertices farthest along d. A large hull climbs to it along edges, from vertex
  /// `start` if that is given, and adds to `looked` how many vertices it compared.
  int farthest(const Vector3& d, int start = -1, int* looked = nullptr) const;
  /// Vertices with d . x of at least that of vertex `from` less `slack`, which are connected to it
  /// by edges between such vertices; in increasing order. The list belongs to the thread and lives
  /// until the next call.
  std::span<const int> level(const Vector3& d, int from, double slack) const;
  /// Largest d . x.
  double reach(const Vector3& d, int start = -1) const { return d.dot(vertex[farthest(d, start)]); }
  /// The edge between two vertices; -1 if there is none.
  int edge_between(int i, int j) const;
  /// use(e, j) for every edge e that ends in vertex i, with its other end j.
  template <class Use>
  void for_edges_at(int i, const Use& use) const {
    if (star_first.empty()) {
      for (int e = 0; e < edges(); ++e)
        for (std::size_t end = 0; end < 2; ++end)
          if (edge[e][end] == i) use(e, edge[e][1 - end]);
    } else {
      for (int k = star_first[i]; k < star_first[i + 1]; ++k) use(star[k].edge, star[k].end);
    }
  }

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
/// The same, but a large hull moves what is read of it only, by `at`, which has to stay.
Polyhedron placed_when_read(const Polyhedron& shape, const Pose& at, PolyhedronStore& store);

}  // namespace saltus
