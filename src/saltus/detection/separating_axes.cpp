#include "saltus/detection/separating_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/detection/difference_facets.h"

namespace saltus {
namespace {

constexpr int kMostPairs = 1000;  // of edges: up to this number, trying all is faster than a search

/// The face of `faces` above which `other` lies highest; stops at a face with a height above
/// `limit`.
Axis face_axis(const Polyhedron& faces, const Polyhedron& other, double tie, double limit,
               bool of_a) {
  Axis best;
  for (int f = 0; f < faces.faces(); ++f) {
    const double s = -other.reach(-faces.normal[f]) - faces.face_offset(f);
    if (!(s > best.s + tie)) continue;
    best.s = s;
    (of_a ? best.of_a : best.of_b) = f;
    best.n = of_a ? Vector3(-faces.normal[f]) : faces.normal[f];
    if (s > limit) break;
  }
  return best;
}

/// True if the arc of the normals at edge u of a and the reversed arc at edge w of b cross on the
/// sphere: only then do the two edges form a face of a - b. The arc of a segment is the great
/// circle perpendicular to u.
bool arcs_cross(const Polyhedron& a, int e, const Vector3& u, const Polyhedron& b, int f,
                const Vector3& w) {
  const bool arc_a = a.faces() > 2, arc_b = b.faces() > 2;
  double c_u = 0.0, d_u = 0.0, a_w = 0.0, b_w = 0.0;
  if (arc_b) {
    c_u = b.normal[b.edge_faces[f][0]].dot(u);
    d_u = b.normal[b.edge_faces[f][1]].dot(u);
    if (!(c_u * d_u < 0.0)) return false;
  }
  if (arc_a) {
    a_w = a.normal[a.edge_faces[e][0]].dot(w);
    b_w = a.normal[a.edge_faces[e][1]].dot(w);
    if (!(a_w * b_w < 0.0)) return false;
  }
  if (!arc_a || !arc_b) return true;
  // both arcs in one hemisphere; u is along (left normal) x (right normal), and so is w; the
  // normals of b are reversed
  return c_u * b_w < 0.0;
}

Axis edge_axis(const Polyhedron& a, const Polyhedron& b, double tie, double least) {
  Axis best;
  best.s = least;
  for (int e = 0; e < a.edges(); ++e)
    for (int f = 0; f < b.edges(); ++f) {
      Vector3 n;
      if (!edge_normal(a, e, b, f, n)) continue;
      const double bound = n.dot(a.vertex[a.edge[e][0]] - b.vertex[b.edge[f][0]]);
      if (!(bound > best.s + tie)) continue;
      const double s = separation(a, b, n);
      if (s > best.s + tie) best = {s, n, e, f};
    }
  return best;
}

/// A box given by its centre, axes and half lengths along them.
struct BoxAxes {
  Vector3 centre, half;
  std::array<Vector3, 3> axes;
  const Polyhedron& P;
  explicit BoxAxes(const Polyhedron& box) : centre(box.centre), P(box) {
    for (int k = 0; k < 3; ++k) {
      half[k] = 0.5 * (box.face_offset(2 * k) + box.face_offset(2 * k + 1));
      axes[static_cast<std::size_t>(k)] = box.normal[2 * k + 1];
    }
  }
  const Vector3& axis(int k) const { return axes[static_cast<std::size_t>(k)]; }
  /// Half the width along n.
  double width(const Vector3& n) const {
    return half.x() * std::abs(n.dot(axis(0))) + half.y() * std::abs(n.dot(axis(1))) +
           half.z() * std::abs(n.dot(axis(2)));
  }
};

/// Faces of `faces` towards the other box, whose centre is at d relative to its own.
Axis box_face_axis(const BoxAxes& faces, const BoxAxes& other, const Vector3& d, double tie,
                   double limit, bool of_a) {
  Axis best;
  for (int k = 0; k < 3; ++k) {
    const double along = d.dot(faces.axis(k));
    const double s = std::abs(along) - faces.half[k] - other.width(faces.axis(k));
    if (!(s > best.s + tie)) continue;
    const int face = 2 * k + (along > tie ? 1 : 0);
    best.s = s;
    (of_a ? best.of_a : best.of_b) = face;
    best.n = of_a ? Vector3(-faces.P.normal[face]) : faces.P.normal[face];
    if (s > limit) break;
  }
  return best;
}

/// The edge along axis k through the corner farthest along d; where d does not decide, the lower
/// side is taken.
int edge_along(const BoxAxes& box, int k, const Vector3& d) {
  int corner = 0;
  for (int i = 0; i < 3; ++i)
    if (i != k && d.dot(box.axis(i)) > kAxisTie) corner |= 1 << i;
  return box.P.edge_between(corner, corner | 1 << k);
}

Axis box_edge_axis(const BoxAxes& a, const BoxAxes& b, double tie, double least) {
  const Vector3 d = a.centre - b.centre;
  Axis best;
  best.s = least;
  int at_i = -1, at_j = -1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vector3 n = a.axis(i).cross(b.axis(j));
      const double length2 = n.squaredNorm();
      if (!(length2 > 1e-24)) continue;
      n /= std::sqrt(length2);
      const double along = n.dot(d), s = std::abs(along) - a.width(n) - b.width(n);
      if (!(s > best.s + tie)) continue;
      best.s = s;
      best.n = along < 0.0 ? Vector3(-n) : n;
      at_i = i;
      at_j = j;
    }
  if (at_i < 0) return best;
  best.of_a = edge_along(a, at_i, -best.n);
  best.of_b = edge_along(b, at_j, best.n);
  return best;
}

}  // namespace

double separation(const Polyhedron& a, const Polyhedron& b, const Vector3& n) {
  return -a.reach(-n) - b.reach(n);
}

bool edge_normal(const Polyhedron& a, int e, const Polyhedron& b, int f, Vector3& n) {
  const Vector3 &p = a.vertex[a.edge[e][0]], &q = b.vertex[b.edge[f][0]];
  const Vector3 u = a.vertex[a.edge[e][1]] - p, w = b.vertex[b.edge[f][1]] - q;
  if (!arcs_cross(a, e, u, b, f, w)) return false;
  n = u.cross(w);
  const double length2 = n.squaredNorm();
  if (!(length2 > 1e-24 * u.squaredNorm() * w.squaredNorm())) return false;
  n /= std::sqrt(length2);
  if (n.dot((q - b.centre) - (p - a.centre)) < 0.0) n = -n;
  return true;
}

Axis best_of_all_axes(const Polyhedron& a, const Polyhedron& b, double tie, double limit) {
  const auto choose = [&](const auto& of_faces, const auto& of_edges) {
    const Axis by_a = of_faces(true);
    if (by_a.s > limit) return by_a;
    const Axis by_b = of_faces(false);
    if (by_b.s > limit) return by_b;
    const double faces = std::max(by_a.s, by_b.s);
    const Axis by_edges = of_edges(faces);
    if (by_edges.of_a >= 0) return by_edges;
    return by_a.s >= faces - tie ? by_a : by_b;
  };
  if (a.box && b.box) {
    const BoxAxes A(a), B(b);
    const Vector3 d = B.centre - A.centre;
    return choose(
        [&](bool of_a) {
          return of_a ? box_face_axis(A, B, d, tie, limit, true)
                      : box_face_axis(B, A, -d, tie, limit, false);
        },
        [&](double least) { return box_edge_axis(A, B, tie, least); });
  }
  return choose(
      [&](bool of_a) {
        return of_a ? face_axis(a, b, tie, limit, true) : face_axis(b, a, tie, limit, false);
      },
      [&](double least) { return edge_axis(a, b, tie, least); });
}

Axis separating_axis(const Polyhedron& a, const Polyhedron& b, double tie, double limit) {
  if (a.edges() * b.edges() > kMostPairs)
    if (const auto axis = nearest_facet(a, b, tie, limit)) return *axis;
  return best_of_all_axes(a, b, tie, limit);
}

}  // namespace saltus
