// Meshes and height fields: contacts are computed for each triangle near the shape, then filtered
// by its neighbours. A normal that leaves the surface at an edge or corner must lie between the
// normals of the triangles there: the neighbours must fall away below the plane perpendicular to
// it. Where they do not, the edge is internal to the surface and the triangle acts along its own
// normal. Contacts from behind do not count.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/detection/contact_rules.h"
#include "saltus/detection/normal_search.h"

namespace saltus {
namespace {

constexpr double kFlatEdge = 1e-6;   // sine between triangles that count as coplanar
constexpr double kSamePoint = 1e-7;  // of the size of the shape
constexpr int kTriangleCodes = 7;    // Polyhedron::codes() of a triangle
constexpr int kMostAround = 64;  // triangles around a vertex that are examined, in each direction

struct MeshTriangles {
  const TriangleMesh& mesh;
  int count() const { return static_cast<int>(mesh.triangles.size()); }
  std::array<Vector3, 3> corners(int t) const {
    const auto& v = mesh.triangles[t];
    return {mesh.vertices[v[0]], mesh.vertices[v[1]], mesh.vertices[v[2]]};
  }
  Vector3 normal(int t) const { return mesh.normal[t]; }
  int neighbour(int t, int side) const { return mesh.neighbour[t][side]; }

  template <class Use>
  void near(const Bounds& box, const Use& use) const {
    std::array<int, 64> open{};  // a median tree is no deeper than 32
    int waiting = 1;
    while (waiting > 0) {
      const TriangleMesh::Node& node = mesh.tree[open[--waiting]];
      if (!((node.low.array() <= box.high.array()).all() &&
            (box.low.array() <= node.high.array()).all()))
        continue;
      if (node.count == 0) {
        open[waiting++] = node.first + 1;
        open[waiting++] = node.first;
      }
      for (int k = node.first; k < node.first + node.count; ++k) use(mesh.order[k]);
    }
  }
};

struct FieldTriangles {
  const HeightField& field;
  int count() const { return field.triangles(); }
  std::array<Vector3, 3> corners(int t) const { return height_triangle(field, t); }
  Vector3 normal(int t) const {
    const auto c = corners(t);
    return (c[1] - c[0]).cross(c[2] - c[0]).normalized();
  }
  /// Below the diagonal: the triangle below, the one to the right, the other one of the cell; above
  /// it: the other one, above, left.
  int neighbour(int t, int side) const {
    const int cells = field.columns - 1, cell = t / 2, i = cell % cells, j = cell / cells;
    if (t % 2 == 0) {
      if (side == 0) return j > 0 ? 2 * (cell - cells) + 1 : -1;
      if (side == 1) return i + 1 < cells ? 2 * (cell + 1) + 1 : -1;
      return t + 1;
    }
    if (side == 0) return t - 1;
    if (side == 1) return j + 2 < field.rows ? 2 * (cell + cells) : -1;
    return i > 0 ? 2 * (cell - 1) : -1;
  }

  template <class Use>
  void near(const Bounds& box, const Use& use) const {
    if (box.low.z() > field.highest || box.high.z() < field.lowest) return;
    const auto cell = [](double x, double origin, double spacing, int cells) {
      return static_cast<int>(
          std::clamp(std::floor((x - origin) / spacing), -1.0, static_cast<double>(cells)));
    };
    const int nx = field.columns - 1, ny = field.rows - 1;
    const int i0 = std::max(cell(box.low.x(), field.origin_x, field.spacing_x, nx), 0);
    const int i1 = std::min(cell(box.high.x(), field.origin_x, field.spacing_x, nx), nx - 1);
    const int j0 = std::max(cell(box.low.y(), field.origin_y, field.spacing_y, ny), 0);
    const int j1 = std::min(cell(box.high.y(), field.origin_y, field.spacing_y, ny), ny - 1);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i)
        for (int t = 0; t < 2; ++t) use(2 * (i + nx * j) + t);
  }
};

/// The point of a triangle closest to x, and the feature it is on.
Vector3 closest_on_triangle(const Polyhedron& T, const Vector3& x, int& code) {
  double best = std::numeric_limits<double>::infinity();
  Vector3 closest = x - (T.normal[0].dot(x) - T.face_offset(0)) * T.normal[0];
  code = 0;
  Vector3 border = closest;
  bool inside = true;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Vector3 &p = T.vertex[i], e = T.vertex[j] - p;
    if (e.cross(T.normal[0]).dot(x - p) <= 0.0) continue;
    inside = false;
    const double t = e.dot(x - p) / e.squaredNorm();
    const Vector3 y = t <= 0.0 ? p : t >= 1.0 ? T.vertex[j] : Vector3(p + t * e);
    const double d2 = (x - y).squaredNorm();
    if (d2 >= best) continue;
    best = d2;
    border = y;
    code = t <= 0.0   ? T.vertex_code(i)
           : t >= 1.0 ? T.vertex_code(j)
                      : T.edge_code(T.edge_between(i, j));
  }
  return inside ? closest : border;
}

template <class Triangles>
class SurfaceContacts {
 public:
  /// Contacts are written to `out`, which is cleared first.
  SurfaceContacts(const Triangles& triangles, const Convex& shape, double margin,
                  std::vector<SurfaceTouch>& out)
      : triangles_(triangles),
        shape_(shape),
        margin_(margin),
        out_(out),
        ball_(shape.kind == Convex::Kind::polyhedron && shape.poly.vertices() == 1),
        codes_(codes(shape)) {}

  void find() {
    out_.clear();
    Bounds box;
    for (int k = 0; k < 3; ++k) {
      box.low[k] = shape_.support(-Vector3::Unit(k))[k] - shape_.radius - margin_;
      box.high[k] = shape_.support(Vector3::Unit(k))[k] + shape_.radius + margin_;
    }
    triangles_.near(box, [&](int t) { meet(t); });
    merge();
  }

 private:
  void meet(int t) {
    static thread_local PolyhedronStore store;  // written before it is read
    static thread_local ContactPoints found;    // likewise
    const Vector3 n = triangles_.normal(t);
    const Polyhedron T = triangle_polyhedron(triangles_.corners(t), n, store);
    const double low = n.dot(shape_.support(-n)) - T.face_offset(0) - shape_.radius;
    const double high = n.dot(shape_.support(n)) - T.face_offset(0) + shape_.radius;
    if (!(low <= margin_) || !(high > 0.0)) return;
    found.clear();
    if (ball_) return meet_ball(t, T);
    const Convex triangle = convex(T);
    if (shape_.kind == Convex::Kind::polyhedron)
      polyhedron_contacts(shape_.poly, shape_.radius, T, 0.0, margin_, found);
    else
      smooth_contacts(shape_, triangle, margin_, found);
    if (found.empty()) return;
    const Vector3 along = found.front().normal;
    const bool flat = along.dot(n) > 0.0 && along.cross(n).squaredNorm() < kFlatEdge * kFlatEdge;
    if (!flat && !leaves(t, T, along)) {
      found.clear();
      contacts_over_triangle(shape_, triangle, margin_, found);
      take(t, found, true);
      return;
    }
    take(t, found, flat);
  }

  void meet_ball(int t, const Polyhedron& T) {
    const Vector3 c = shape_.centre;
    int code = 0;
    const Vector3 p = closest_on_triangle(T, c, code);
    const double height = T.normal[0].dot(c) - T.face_offset(0);
    if (code == 0)
      return add({0.5 * (p + c - shape_.radius * T.normal[0]), T.normal[0], height - shape_.radius},
                 t, 0, false);
    double distance = 0.0;
    const Vector3 n = normal_of(c - p, distance, T.normal[0]);
    if (distance - shape_.radius > margin_ || !leaves(t, T, n)) return;
    if (n.cross(T.normal[0]).norm() < kFlatEdge) code = 0;  // beyond a side within a plane
    add({0.5 * (p + c - shape_.radius * n), n, distance - shape_.radius}, t,
        static_cast<std::uint32_t>(code), false);
  }

  void add(ContactPoint point, int t, std::uint32_t local, bool corner) {
    if (point.gap > margin_) return;
    point.feature =
        feature_pair(t, triangles_.count(), static_cast<int>(local), codes_ * kTriangleCodes);
    out_.push_back({point, t, corner});
  }

  /// Discards points inside a plane of several triangles that arise only from common sides.
  void take(int t, const ContactPoints& found, bool flat) {
    for (const ContactPoint& p : found) {
      const int code = static_cast<int>(p.feature % kTriangleCodes);
      const bool corner = is_corner(static_cast<int>(p.feature / kTriangleCodes));
      if (!(flat && !corner && inside_plane(t, code))) add(p, t, p.feature, corner);
    }
  }
  bool is_corner(int code) const {
    return shape_.kind == Convex::Kind::polyhedron && code >= 1 && code <= shape_.poly.vertices();
  }
  /// Side of the triangle (neighbour()) for an edge code 4, 5, 6: the edges are (0 1), (0 2), (1
  /// 2).
  static int side_of_edge(int code) { return code == 4 ? 0 : code == 5 ? 2 : 1; }
  bool flat_side(int t, int side) const {
    const int other = triangles_.neighbour(t, side);
    return other >= 0 && triangles_.normal(t).cross(triangles_.normal(other)).norm() < kFlatEdge &&
           triangles_.normal(t).dot(triangles_.normal(other)) > 0.0;
  }
  bool inside_plane(int t, int code) const {
    if (code == 0) return false;
    if (code >= 4) return flat_side(t, side_of_edge(code));
    const int vertex = code - 1;  // between the sides vertex and vertex + 2
    return flat_side(t, vertex) && flat_side(t, (vertex + 2) % 3);
  }

  /// True if n leaves the surface at the feature of T that lies farthest along it: at an edge the
  /// adjacent triangle must fall away, at a corner all triangles around it.
  bool leaves(int t, const Polyhedron& T, const Vector3& n) const {
    if (!(n.dot(T.normal[0]) > -kFlatEdge)) return false;
    const double reach = T.reach(n) - kFlatEdge * T.size;
    int corner = -1, other = -1, count = 0;
    for (int i = 0; i < 3; ++i) {
      if (n.dot(T.vertex[i]) < reach)
        other = i;
      else
        corner = i;
      count += n.dot(T.vertex[i]) < reach ? 0 : 1;
    }
    if (count == 1) return falls_away(t, T.vertex[corner], corner, n);
    if (count == 3) return true;
    const int beside = triangles_.neighbour(t, (other + 1) % 3);
    return beside < 0 || lies_behind(beside, T.vertex[corner], n);
  }
  bool lies_behind(int t, const Vector3& x, const Vector3& n) const {
    for (const Vector3& v : triangles_.corners(t))
      if (n.dot(v - x) > kFlatEdge * (v - x).norm()) return false;
    return true;
  }
  /// True if all triangles at corner i of t lie behind the plane through x perpendicular to n.
  bool falls_away(int t, const Vector3& x, int i, const Vector3& n) const {
    for (const bool left : {true, false}) {
      int triangle = t, corner = i;
      for (int k = 0; k < kMostAround; ++k) {
        // sides `corner` and `corner + 2` of a triangle share its corner `corner`
        const int side = left ? corner : (corner + 2) % 3;
        triangle = triangles_.neighbour(triangle, side);
        if (triangle < 0) break;
        if (triangle == t) return true;
        const auto v = triangles_.corners(triangle);
        corner = 0;
        for (int c = 1; c < 3; ++c)
          if ((v[c] - x).squaredNorm() < (v[corner] - x).squaredNorm()) corner = c;
        if (!lies_behind(triangle, x, n)) return false;
      }
    }
    return true;
  }

  /// Of coincident points with equal normals, keeps the one of the first triangle.
  void merge() {
    const double same = kSamePoint * (shape_.size + shape_.radius);
    const auto first = out_.begin();
    std::sort(first, out_.end(), [](const SurfaceTouch& p, const SurfaceTouch& q) {
      return p.point.feature < q.point.feature;
    });
    auto end = first;
    for (auto i = first; i != out_.end(); ++i) {
      const Vector3 &x = i->point.x, &n = i->point.normal;
      const bool again = std::any_of(first, end, [&](const SurfaceTouch& p) {
        return (p.point.x - x).norm() <= same && p.point.normal.dot(n) > 0.0 &&
               p.point.normal.cross(n).norm() < 10.0 * kFlatEdge;
      });
      if (!again) *end++ = *i;
    }
    out_.erase(end, out_.end());
  }

  const Triangles& triangles_;
  const Convex& shape_;
  double margin_;
  std::vector<SurfaceTouch>& out_;
  bool ball_;
  int codes_;
};

template <class Triangles>
void append(const Triangles& triangles, const Convex& shape, double margin, ContactPoints& out) {
  static thread_local std::vector<SurfaceTouch> found;  // written before it is read
  SurfaceContacts(triangles, shape, margin, found).find();
  for (const SurfaceTouch& touch : found) out.push_back(touch.point);
}

}  // namespace

void surface_contacts(const TriangleMesh& mesh, const Convex& shape, double margin,
                      ContactPoints& out) {
  append(MeshTriangles{mesh}, shape, margin, out);
}
void surface_contacts(const HeightField& field, const Convex& shape, double margin,
                      ContactPoints& out) {
  append(FieldTriangles{field}, shape, margin, out);
}
void surface_touches(const TriangleMesh& mesh, const Convex& shape, double margin,
                     std::vector<SurfaceTouch>& out) {
  SurfaceContacts(MeshTriangles{mesh}, shape, margin, out).find();
}

}  // namespace saltus
