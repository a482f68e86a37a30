// Boxes, hulls, triangles and segments as convex polyhedra in the frame of a pair.
#pragma once
#include <span>
#include <vector>

#include "saltus/shapes/shape.h"

namespace saltus {

/// Points or directions of a shape, optionally transformed when they are read.
class Moved {
 public:
  Moved() = default;
  explicit Moved(std::span<const Vector3> own) : own_(own) {}
  /// The same data transformed by `at`, which must outlive the result.
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

/// A convex polyhedron; a triangle has two faces, a segment one edge and no face. It refers to
/// arrays owned by others.
struct Polyhedron {
  Moved vertex;
  std::span<const int> first, corner;  ///< corners of the faces, as in ConvexHull
  Moved normal;
  std::span<const double> offset;  ///< of the faces, before the transformation by `at`
  std::span<const std::array<int, 2>> edge, edge_faces;  ///< edges in increasing order
  std::span<const int> star_first;  ///< for a hull, as in ConvexHull; otherwise empty
  std::span<const ConvexHull::Ray> star;
  const Pose* at = nullptr;          ///< transforms vertices and normals when they are read
  Vector3 centre = Vector3::Zero();  ///< a point inside
  double size = 0.0;                 ///< distance of the farthest vertex from the centre
  double uneven = 0.0;               ///< largest distance of a face's corner below its plane
  bool box = false;  ///< vertices, faces and edges are numbered as in polyhedron(Box)

  int vertices() const { return static_cast<int>(vertex.size()); }
  int faces() const { return static_cast<int>(normal.size()); }
  int edges() const { return static_cast<int>(edge.size()); }
  int face_size(int f) const { return first[f + 1] - first[f]; }
  int face_corner(int f, int k) const { return corner[first[f] + k]; }
  /// Largest n . x over face f, where n is its normal.
  double face_offset(int f) const { return at ? offset[f] + normal[f].dot(at->x) : offset[f]; }
  /// The first of the vertices farthest along d. For a large hull, climbs along edges, from vertex
  /// `start` if given, and adds the number of compared vertices to `looked`.
  int farthest(const Vector3& d, int start = -1, int* looked = nullptr) const;
  /// Vertices whose d . x is at least that of vertex `from` minus `slack`, and which are connected
  /// to it by edges between such vertices; in increasing order. The list belongs to the thread and
  /// is valid until the next call.
  std::span<const int> level(const Vector3& d, int from, double slack) const;
  /// Largest d . x.
  double reach(const Vector3& d, int start = -1) const { return d.dot(vertex[farthest(d, start)]); }
  /// The edge between two vertices; -1 if there is none.
  int edge_between(int i, int j) const;
  /// Calls use(e, j) for every edge e at vertex i, where j is its other end.
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

  /// Feature numbers: 0 any face, then vertices, then edges.
  int codes() const { return 1 + vertices() + edges(); }
  int vertex_code(int i) const { return 1 + i; }
  int edge_code(int e) const { return e < 0 ? 0 : 1 + vertices() + e; }
};

/// Storage for the vertices and planes of a polyhedron that is transformed or created for one pair.
struct PolyhedronStore {
  std::vector<Vector3> vertex, normal;
  std::vector<double> offset;
};

/// Box in its own frame; bit k of i gives the sign of vertex i along axis k, and face 2 k + 1 lies
/// at +half[k].
Polyhedron polyhedron(const Box& box, PolyhedronStore& store);
Polyhedron polyhedron(const ConvexHull& hull, PolyhedronStore& store);
/// The segment of a capsule.
Polyhedron polyhedron(const Capsule& capsule, PolyhedronStore& store);
/// Face 0 has its corners counter-clockwise; `normal` is its unit normal.
Polyhedron triangle_polyhedron(const std::array<Vector3, 3>& corners, const Vector3& normal,
                               PolyhedronStore& store);
/// The polyhedron transformed by `at`, in another store.
Polyhedron placed(const Polyhedron& shape, const Pose& at, PolyhedronStore& store);
/// As placed(), but a large hull transforms only the data that are read; `at` must outlive the
/// result.
Polyhedron placed_when_read(const Polyhedron& shape, const Pose& at, PolyhedronStore& store);

}  // namespace saltus
