// Separating axes over faces and pairs of edges; then the overlap of the two faces along the axis.
// The largest separation s over the axes is minus the depth in penetration, and otherwise a lower
// bound of the distance. If no point with this gap is found, the distance is between corners or
// edges that none of the axes gives, and the closest points are searched for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/detection/contact_rules.h"
#include "saltus/detection/face_overlap.h"
#include "saltus/detection/separating_axes.h"

namespace saltus {
namespace {

constexpr double kSnap = 1e-7;  // of the size: points this close to the side of a face are on it
constexpr double kSameSpot = 1e-9;  // of the size: corners this close along n act together

/// Of the faces at the corners farthest along d, the one whose normal is closest to d; the first of
/// equal ones. For boxes and triangles no other face can be closer, and all are tried.
int face_along(const Polyhedron& P, const Vector3& d, double tie) {
  int best = -1;
  double most = 0.0;
  const auto look = [&](int f) {
    const double along = P.normal[f].dot(d);
    if (!(along > most + 1e-9)) return;
    best = f;
    most = along;
  };
  if (P.star_first.empty()) {
    for (int f = 0; f < P.faces(); ++f) look(f);
    return best;
  }
  static thread_local std::vector<int> faces;  // written before it is read
  faces.clear();
  faces.reserve(256);
  for (const int i : P.level(d, P.farthest(d), tie))
    P.for_edges_at(i, [&](int e, int) {
      faces.insert(faces.end(), P.edge_faces[e].begin(), P.edge_faces[e].end());
    });
  std::ranges::sort(faces);
  for (const int f : faces) look(f);
  return best;
}

/// The feature of P with the given corners, padded with -1: a vertex, an edge, or 0.
int feature_code(const Polyhedron& P, int i, int j, int k) {
  if (j < 0) return P.vertex_code(i);
  return k < 0 ? P.edge_code(P.edge_between(i, j)) : 0;
}

/// Distinct corners of the simplex.
template <class Corner>
int simplex_feature(const Polyhedron& P, const Closest& c, const Corner& corner) {
  int distinct[4] = {-1, -1, -1, -1}, count = 0;
  for (int i = 0; i < c.count; ++i) {
    const int vertex = corner(c.simplex[i]);
    if (std::find(distinct, distinct + count, vertex) == distinct + count)
      distinct[count++] = vertex;
  }
  return feature_code(P, distinct[0], distinct[1], distinct[2]);
}

/// Parameters of the closest points p + t u, q + r w of two lines that are not parallel.
std::array<double, 2> line_parameters(const Vector3& p, const Vector3& u, const Vector3& q,
                                      const Vector3& w) {
  const double uu = u.dot(u), uw = u.dot(w), ww = w.dot(w);
  const Vector3 d = p - q;
  const double determinant = uu * ww - uw * uw, du = d.dot(u), dw = d.dot(w);
  return {(uw * dw - ww * du) / determinant, (uu * dw - uw * du) / determinant};
}

class PolyhedronContacts {
 public:
  struct Pair {
    const Polyhedron &a, &b;
    double size, tie, snap;
  };

  PolyhedronContacts(const Polyhedron& a, double r_a, const Polyhedron& b, double r_b,
                     double margin, ContactPoints& out)
      : pair_{a, b, a.size + b.size, kAxisTie * (a.size + b.size), kSnap * (a.size + b.size)},
        r_a_(r_a),
        r_b_(r_b),
        margin_(margin),
        out_(out),
        begin_(out.size()) {}

  void find() {
    const double reach = margin_ + r_a_ + r_b_;
    const Axis axis = separating_axis(pair_.a, pair_.b, pair_.tie, reach);
    if (axis.s > reach) return;
    if (axis.of_a < 0 && axis.of_b < 0)
      on_closest();
    else if (axis.of_a >= 0 && axis.of_b >= 0)
      on_edges(axis);
    else
      on_faces(axis);
    keep_eight(out_, begin_, pair_.snap);
  }

  /// Contact along the normal of a face of b, regardless of the other axes.
  void over_face(int face_b) {
    const Vector3& n = pair_.b.normal[face_b];
    const double s = -pair_.a.reach(-n) - pair_.b.face_offset(face_b);
    overlap(n, face_along(pair_.a, -n, pair_.tie), face_b, false, s);
    keep_eight(out_, begin_, pair_.snap);
  }

 private:
  void add(const Vector3& a, const Vector3& b, const Vector3& n, double gap, int code_a,
           int code_b) {
    add_along(a, way_out(pair_.a, r_a_, a, -n), b, way_out(pair_.b, r_b_, b, n), n, gap,
              feature_pair(code_a, pair_.a.codes(), code_b, pair_.b.codes()), margin_, out_);
    least_ = std::min(least_, gap);
  }

  /// Corners of the overlap of two faces along n, with gaps no less than s, cut against the plane
  /// of `clip_a ? a : b`.
  void overlap(const Vector3& n, int face_a, int face_b, bool clip_a, double s) {
    const Polyhedron &subject = clip_a ? pair_.b : pair_.a, &clip = clip_a ? pair_.a : pair_.b;
    const Vector3 k = clip_a ? Vector3(-n) : n;
    for (const OverlapCorner& c : face_overlap(subject, clip_a ? face_b : face_a, clip,
                                               clip_a ? face_a : face_b, k, pair_.snap)) {
      const Vector3 under = c.x - c.height * k;
      const double gap = std::max(c.height, s);
      if (clip_a)
        add(under, c.x, n, gap, c.clip, c.subject);
      else
        add(c.x, under, n, gap, c.subject, c.clip);
    }
  }

  bool touches(double s) const { return least_ <= s + pair_.tie; }

  void on_faces(const Axis& axis) {
    const Vector3& n = axis.n;
    const bool clip_a = axis.of_a >= 0;
    const int face_a = clip_a ? axis.of_a : face_along(pair_.a, -n, pair_.tie);
    const int face_b = clip_a ? face_along(pair_.b, n, pair_.tie) : axis.of_b;
    overlap(n, face_a, face_b, clip_a, axis.s);
    if (touches(axis.s)) return;
    if (axis.s > 0.0 && on_closest()) return;
    // round-off: use the deepest corner
    out_.resize(begin_);
    const Polyhedron& P = clip_a ? pair_.b : pair_.a;
    const int i = P.farthest(clip_a ? n : Vector3(-n));
    if (clip_a)
      add(P.vertex[i] + axis.s * n, P.vertex[i], n, axis.s, 0, P.vertex_code(i));
    else
      add(P.vertex[i], P.vertex[i] - axis.s * n, n, axis.s, P.vertex_code(i), 0);
  }

  void on_edges(const Axis& axis) {
    const Vector3& n = axis.n;
    const Polyhedron &a = pair_.a, &b = pair_.b;
    const int face_a = face_along(a, -n, pair_.tie), face_b = face_along(b, n, pair_.tie);
    const bool flat_a = face_a >= 0 && -a.normal[face_a].dot(n) > kAligned;
    const bool flat_b = face_b >= 0 && b.normal[face_b].dot(n) > kAligned;
    if ((flat_a && flat_b) || (flat_a && b.faces() == 0) || (flat_b && a.faces() == 0))
      overlap(n, face_a, face_b, flat_a, axis.s);
    if (touches(axis.s)) return;
    out_.resize(begin_);
    const Vector3 &p = a.vertex[a.edge[axis.of_a][0]], &q = b.vertex[b.edge[axis.of_b][0]];
    const Vector3 u = a.vertex[a.edge[axis.of_a][1]] - p, w = b.vertex[b.edge[axis.of_b][1]] - q;
    const auto [t, r] = line_parameters(p, u, q, w);
    const bool inside = t >= 0.0 && t <= 1.0 && r >= 0.0 && r <= 1.0;
    if (!inside && axis.s > 0.0 && on_closest()) return;
    const Vector3 x = p + std::clamp(t, 0.0, 1.0) * u, y = q + std::clamp(r, 0.0, 1.0) * w;
    add(x, y, n, axis.s, a.edge_code(axis.of_a), b.edge_code(axis.of_b));
  }

  /// False if the two are in contact, so that the closest points give no direction.
  bool on_closest() {
    out_.resize(begin_);
    const Polyhedron &a = pair_.a, &b = pair_.b;
    const Closest c = closest_points(convex(a), convex(b), margin_ + r_a_ + r_b_, 1e-15);
    if (!c.apart || !(c.distance > 1e-12 * pair_.size)) return false;
    const Vector3 n = (c.on_a - c.on_b) / c.distance;
    if (parallel_edges(n)) return true;
    add(c.on_a, c.on_b, n, c.distance,
        simplex_feature(a, c, [](const DifferencePoint& p) { return p.corner_a; }),
        simplex_feature(b, c, [](const DifferencePoint& p) { return p.corner_b; }));
    return true;
  }

  /// The edge whose two corners are together farthest along d; -1 if the number of such corners is
  /// not two.
  int edge_along(const Polyhedron& P, const Vector3& d) const {
    const auto ends = P.level(d, P.farthest(d), kSameSpot * pair_.size);
    return ends.size() == 2 ? P.edge_between(ends[0], ends[1]) : -1;
  }

  /// Both ends of the overlap of two edges that are parallel and perpendicular to n.
  bool parallel_edges(const Vector3& n) {
    const Polyhedron &a = pair_.a, &b = pair_.b;
    const int e = edge_along(a, -n), f = edge_along(b, n);
    if (e < 0 || f < 0) return false;
    const Vector3 &p0 = a.vertex[a.edge[e][0]], &p1 = a.vertex[a.edge[e][1]];
    const Vector3 &q0 = b.vertex[b.edge[f][0]], &q1 = b.vertex[b.edge[f][1]];
    const double length = (p1 - p0).norm();
    const Vector3 u = (p1 - p0) / length;
    if ((q1 - q0).cross(u).norm() > kSnap * (q1 - q0).norm()) return false;
    const bool along = (q1 - q0).dot(u) > 0.0;
    const int low_b = b.edge[f][along ? 0 : 1], high_b = b.edge[f][along ? 1 : 0];
    const double low = u.dot(b.vertex[low_b] - p0), high = u.dot(b.vertex[high_b] - p0);
    if (std::min(high, length) - std::max(low, 0.0) <= pair_.snap) return false;
    const auto end = [&](bool of_b, int vertex_a, int vertex_b) {
      const double q_length2 = (q1 - q0).squaredNorm();
      if (of_b) {
        const Vector3& y = b.vertex[vertex_b];
        const Vector3 x = p0 + u.dot(y - p0) * u;
        add(x, y, n, n.dot(x - y), a.edge_code(e), b.vertex_code(vertex_b));
      } else {
        const Vector3& x = a.vertex[vertex_a];
        const Vector3 y = q0 + (q1 - q0).dot(x - q0) / q_length2 * (q1 - q0);
        add(x, y, n, n.dot(x - y), a.vertex_code(vertex_a), b.edge_code(f));
      }
    };
    end(low > pair_.snap, a.edge[e][0], low_b);
    end(high < length - pair_.snap, a.edge[e][1], high_b);
    return true;
  }

  Pair pair_;
  double r_a_, r_b_, margin_;
  ContactPoints& out_;
  std::size_t begin_;
  double least_ = std::numeric_limits<double>::infinity();  ///< least gap of the cores so far
};

}  // namespace

void polyhedron_contacts(const Polyhedron& a, double r_a, const Polyhedron& b, double r_b,
                         double margin, ContactPoints& out) {
  PolyhedronContacts(a, r_a, b, r_b, margin, out).find();
}

void contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                            ContactPoints& out) {
  if (a.kind == Convex::Kind::polyhedron)
    PolyhedronContacts(a.poly, a.radius, triangle.poly, triangle.radius, margin, out).over_face(0);
  else
    smooth_contacts_over_triangle(a, triangle, margin, out);
}

}  // namespace saltus
