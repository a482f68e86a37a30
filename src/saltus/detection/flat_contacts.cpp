// Flat parts: of a cylinder, its end as a disc and its mantle as the line that faces the normal; of
// a polyhedron, a face; of a capsule, a segment. Contact points of a disc are its rim points at 0,
// 90, 180 and 270 degrees in the frame of the cylinder, the points where the rim crosses the border
// of the other part, and the corners of the other part inside the rim. All of them are on both
// surfaces, and none moves along the rim while the two shapes rest.
#include "saltus/detection/flat_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/detection/face_overlap.h"

namespace saltus {
namespace {

// sine of the tilt of an end or a mantle that is supported as a whole
constexpr double kFlat = 0.1;

/// The flat part of a shape that faces d.
struct Part {
  enum class Kind { none, face, segment, disc };
  Kind kind = Kind::none;
  int face = -1;                                       ///< of a polyhedron
  Vector3 p0 = Vector3::Zero(), p1 = Vector3::Zero();  ///< ends of a segment
  int code0 = 0, code1 = 0, code = 0;  ///< of the ends, and of the interior of a segment
  Vector3 centre = Vector3::Zero(), w = Vector3::UnitZ(), u = Vector3::UnitX(),
          v = Vector3::UnitY();
  double radius = 0.0;  ///< of a disc with outward normal w
  int end = 0;

  Vector3 normal(const Convex& c) const { return kind == Kind::disc ? w : c.poly.normal[face]; }
  /// The point above or below x along n on the plane of a disc or face.
  Vector3 on_plane(const Convex& c, const Vector3& x, const Vector3& n) const {
    const Vector3 m = normal(c);
    const double offset = kind == Kind::disc ? m.dot(centre) : c.poly.face_offset(face);
    return x + (offset - m.dot(x)) / m.dot(n) * n;
  }
};

Part part_of(const Convex& c, const Vector3& d, double tie) {
  Part part;
  if (c.kind == Convex::Kind::cylinder) {
    const Vector3 axis = c.R.col(2);
    const double along = axis.dot(d);
    part.end = along < 0.0 ? 0 : 1;
    if (std::abs(along) < kFlat) {
      const Vector3 across = c.radii.x() * (d - along * axis).normalized();
      part.kind = Part::Kind::segment;
      part.p0 = c.centre + across - c.radii.z() * axis;
      part.p1 = c.centre + across + c.radii.z() * axis;
      part.code0 = SmoothCodes::line_end(0);
      part.code1 = SmoothCodes::line_end(1);
      part.code = SmoothCodes::kMantle;
    } else if (axis.cross(d).norm() < kFlat) {
      part.kind = Part::Kind::disc;
      part.w = part.end == 0 ? Vector3(-axis) : axis;
      part.u = c.R.col(0);
      part.v = c.R.col(1);
      part.centre = c.centre + c.radii.z() * part.w;
      part.radius = c.radii.x();
    }
    return part;
  }
  if (c.kind != Convex::Kind::polyhedron) return part;
  const Polyhedron& P = c.poly;
  if (P.faces() == 0) {
    if (P.edges() == 0) return part;
    part.p0 = P.vertex[0];
    part.p1 = P.vertex[1];
    part.code0 = P.vertex_code(0);
    part.code1 = P.vertex_code(1);
    part.code = P.edge_code(0);
    if (std::abs((part.p1 - part.p0).dot(d)) < kFlat * (part.p1 - part.p0).norm())
      part.kind = Part::Kind::segment;
    return part;
  }
  const double reach = P.reach(d) - tie;
  double most = kAligned;
  for (int f = 0; f < P.faces(); ++f) {
    if (!(P.normal[f].dot(d) > most + 1e-9)) continue;
    for (int k = 0; k < P.face_size(f); ++k)
      if (d.dot(P.vertex[P.face_corner(f, k)]) >= reach) {
        part.kind = Part::Kind::face;
        part.face = f;
        most = P.normal[f].dot(d);
        break;
      }
  }
  return part;
}

class FlatContacts {
 public:
  FlatContacts(const Convex& a, const Convex& b, const Touch& touch, double margin,
               ContactPoints& out)
      : a_(a), b_(b), touch_(touch), margin_(margin), out_(out), size_(a.size + b.size) {}

  double find() {
    flat_parts();
    return least_;
  }

 private:
  using Kind = Part::Kind;

  void add(const Vector3& x, const Vector3& y, int code_a, int code_b) {
    least_ = std::min(least_, add_smooth(a_, b_, touch_, x, y, code_a, code_b, margin_, out_));
  }
  /// As add(), with the parts in the order of a loop: `first` belongs to a unless `turned` is set.
  void add_turned(bool turned, const Vector3& x, const Vector3& y, int code_x, int code_y) {
    if (turned)
      add(y, x, code_y, code_x);
    else
      add(x, y, code_x, code_y);
  }

  void flat_parts() {
    if (a_.kind == Convex::Kind::ellipsoid || b_.kind == Convex::Kind::ellipsoid) return;
    const double tie = kTouching * size_;
    const Part A = part_of(a_, -touch_.n, tie), B = part_of(b_, touch_.n, tie);
    if (A.kind == Kind::none || B.kind == Kind::none) return;
    if (A.kind == Kind::disc)
      disc(A, B, false);
    else if (B.kind == Kind::disc)
      disc(B, A, true);
    else if (A.kind == Kind::segment && B.kind == Kind::segment)
      lines(A, B);
    else if (A.kind == Kind::segment)
      line_and_face(A, B, false);
    else if (B.kind == Kind::segment)
      line_and_face(B, A, true);
  }

  void disc(const Part& D, const Part& other, bool turned) {
    switch (other.kind) {
      case Kind::face:
        disc_and_face(D, other, turned);
        break;
      case Kind::disc:
        disc_and_disc(D, other, turned);
        break;
      case Kind::segment:
        disc_and_line(D, other, turned);
        break;
      case Kind::none:
        break;
    }
  }

  /// Position of x in the plane of the disc, projected along n, relative to its centre.
  Eigen::Vector2d in_disc(const Part& D, const Vector3& x) const {
    const Vector3 d = x + D.w.dot(D.centre - x) / D.w.dot(touch_.n) * touch_.n - D.centre;
    return {d.dot(D.u), d.dot(D.v)};
  }
  Vector3 rim_point(const Part& D, int quarter) const {
    constexpr double kCos[4] = {1.0, 0.0, -1.0, 0.0}, kSin[4] = {0.0, 1.0, 0.0, -1.0};
    return D.centre + D.radius * (kCos[quarter] * D.u + kSin[quarter] * D.v);
  }

  /// True if the projection of x is one of the four fixed points of the rim.
  bool at_fixed_point(const Part& D, const Vector3& x) const {
    const Eigen::Vector2d p = in_disc(D, x).cwiseAbs();
    return std::abs(p.maxCoeff() - D.radius) <= kOnRim * size_ &&
           p.minCoeff() <= std::sqrt(kOnRim * size_ * D.radius);
  }

  /// The part of the segment from x to y, projected to the disc, that lies inside: from and to in
  /// [0, 1]. Ends on the rim count as inside.
  bool inside(const Part& D, const Vector3& x, const Vector3& y, double& from, double& to) const {
    const double snap = kOnRim * size_;
    const Eigen::Vector2d p = in_disc(D, x), q = in_disc(D, y), e = q - p;
    const bool p_in = p.norm() <= D.radius + snap, q_in = q.norm() <= D.radius + snap;
    from = 0.0;
    to = 1.0;
    if (p_in && q_in) return true;
    const double ee = e.squaredNorm(), middle = -p.dot(e) / ee;
    const double away2 = (p + middle * e).squaredNorm(), r = D.radius;
    if (std::sqrt(away2) >= r - snap) return p_in || q_in ? end_alone(p_in, from, to) : false;
    const double half = std::sqrt((r * r - away2) / ee);
    if (!p_in) from = middle - half;
    if (!q_in) to = middle + half;
    if (from < 0.0 || to > 1.0 || from > 1.0 || to < 0.0 || from >= to) {
      if (p_in || q_in) return end_alone(p_in, from, to);
      return false;
    }
    return true;
  }
  static bool end_alone(bool first, double& from, double& to) {
    from = to = first ? 0.0 : 1.0;
    return true;
  }

  void disc_and_face(const Part& D, const Part& F, bool turned) {
    const Convex& c = turned ? a_ : b_;  // the shape with the face
    const Polyhedron& P = c.poly;
    const Vector3& n = touch_.n;
    const Vector3 outwards = turned ? Vector3(-n) : n;
    const double snap = kOnRim * size_;
    bool rim[4] = {true, true, true, true};
    const int corners = P.face_size(F.face);
    for (int i = 0; i < corners; ++i) {
      const int from = P.face_corner(F.face, i),
                to = P.face_corner(F.face, i + 1 < corners ? i + 1 : 0);
      const Vector3 &p = P.vertex[from], &q = P.vertex[to];
      const Vector3 m = (q - p).cross(outwards).normalized();
      for (int k = 0; k < 4; ++k) rim[k] = rim[k] && m.dot(rim_point(D, k) - p) <= snap;
      double t0 = 0.0, t1 = 1.0;
      if (!inside(D, p, q, t0, t1)) continue;
      const int edge = P.edge_code(P.edge_between(from, to));
      const auto crossing = [&](double t, bool leaving) {
        const Vector3 y = p + t * (q - p);
        if (!at_fixed_point(D, y))
          add_turned(turned, D.on_plane(c, y, n), y, SmoothCodes::crossing(D.end, leaving), edge);
      };
      if (t0 == 0.0) {
        add_turned(turned, D.on_plane(c, p, n), p, SmoothCodes::kInside, P.vertex_code(from));
      } else if (t0 < 1.0) {
        crossing(t0, false);
      }
      if (t1 < 1.0 && t1 > 0.0) crossing(t1, true);
    }
    for (int k = 0; k < 4; ++k)
      if (rim[k]) {
        const Vector3 x = rim_point(D, k);
        add_turned(turned, x, F.on_plane(c, x, n), SmoothCodes::fixed(D.end, k), 0);
      }
  }

  void disc_and_disc(const Part& D, const Part& E, bool turned) {
    const Vector3& n = touch_.n;
    const double snap = kOnRim * size_;
    for (int k = 0; k < 4; ++k) {
      const Vector3 x = rim_point(D, k), y = rim_point(E, k);
      if (in_disc(E, x).norm() <= E.radius + snap)
        add_turned(turned, x, E.on_plane(b_, x, n), SmoothCodes::fixed(D.end, k),
                   SmoothCodes::kInside);
      if (in_disc(D, y).norm() <= D.radius - snap)
        add_turned(turned, D.on_plane(a_, y, n), y, SmoothCodes::kInside,
                   SmoothCodes::fixed(E.end, k));
    }
    // the rims cross: start in the plane of D, with the other rim taken as a circle of its radius
    const Eigen::Vector2d c = in_disc(D, E.centre);
    const double d = c.norm(), r = D.radius, R = E.radius;
    if (d <= snap || d >= r + R - snap || d <= std::abs(r - R) + snap) return;
    const double along = (d * d + r * r - R * R) / (2.0 * d);
    const double across = std::sqrt(std::max(0.0, r * r - along * along));
    for (const bool second : {false, true}) {
      const Eigen::Vector2d e = c / d, f(-e.y(), e.x());
      const Eigen::Vector2d p = along * e + (second ? -across : across) * f;
      double angle = std::atan2(p.y(), p.x());
      if (!cross_rim(D, E, angle)) continue;
      const Vector3 x = D.centre + r * (std::cos(angle) * D.u + std::sin(angle) * D.v);
      add_turned(turned, x, E.on_plane(b_, x, n), SmoothCodes::crossing(D.end, second),
                 SmoothCodes::rim(E.end));
    }
  }

  /// The angle on the rim of D where the line along n meets the rim of E, by Newton's method on
  /// |y - c|^2 = R^2 with y over E; false if the rims do not cross.
  bool cross_rim(const Part& D, const Part& E, double& angle) const {
    const Vector3& n = touch_.n;
    const double R = E.radius, slope = E.w.dot(n);
    for (int k = 0; k < 20; ++k) {
      const Vector3 out = std::cos(angle) * D.u + std::sin(angle) * D.v;
      const Vector3 along = D.radius * (std::cos(angle) * D.v - std::sin(angle) * D.u);
      const Vector3 y = E.on_plane(b_, D.centre + D.radius * out, n) - E.centre;
      const double excess = y.squaredNorm() - R * R;
      if (std::abs(excess) <= 1e-14 * R * R) return true;
      const double turn = excess / (2.0 * y.dot(along - E.w.dot(along) / slope * n));
      if (!(std::abs(turn) < 0.5)) return false;
      angle -= turn;
      if (std::abs(turn) < 1e-15) return std::abs(excess) <= kOnRim * size_ * R;
    }
    return false;
  }

  void disc_and_line(const Part& D, const Part& L, bool turned) {
    const Convex& c = turned ? b_ : a_;
    double t0 = 0.0, t1 = 1.0;
    if (!inside(D, L.p0, L.p1, t0, t1)) return;
    const int rim = SmoothCodes::rim(D.end);
    for (const bool second : {false, true}) {
      const double t = second ? t1 : t0;
      if (second && !(t1 > t0)) break;
      const Vector3 y = L.p0 + t * (L.p1 - L.p0);
      const bool at_end = t == 0.0 || t == 1.0;
      const int code = !at_end ? L.code : t == 0.0 ? L.code0 : L.code1;
      const int code_disc = at_end   ? SmoothCodes::kInside
                            : second ? SmoothCodes::crossing(D.end, true)
                                     : rim;
      add_turned(turned, D.on_plane(c, y, touch_.n), y, code_disc, code);
    }
  }

  void line_and_face(const Part& L, const Part& F, bool turned) {
    const Convex& c = turned ? a_ : b_;  // the shape with the face
    const std::array<Vector3, 2> ends{L.p0, L.p1};
    constexpr std::array<std::array<int, 2>, 1> kEdge{{{0, 1}}};
    Polyhedron segment;
    segment.vertex = Moved(ends);
    segment.edge = kEdge;
    const Vector3 k = turned ? Vector3(-touch_.n) : touch_.n;
    for (const OverlapCorner& o : face_overlap(segment, -1, c.poly, F.face, k, kOnRim * size_)) {
      const int code = o.subject == segment.edge_code(0)     ? L.code
                       : o.subject == segment.vertex_code(0) ? L.code0
                                                             : L.code1;
      add_turned(turned, o.x, o.x - o.height * k, code, o.clip);
    }
  }

  /// Parallel lines are in contact at the ends of their overlap.
  void lines(const Part& L, const Part& M) {
    const double length = (L.p1 - L.p0).norm(), snap = kOnRim * size_;
    const Vector3 u = (L.p1 - L.p0) / length, w = M.p1 - M.p0;
    const double along = w.dot(u);
    if (u.cross(w).norm() > 1e-3 * w.norm()) return;
    const bool same = along > 0.0;
    const Vector3 &low_end = same ? M.p0 : M.p1, &high_end = same ? M.p1 : M.p0;
    const double low = u.dot(low_end - L.p0), high = u.dot(high_end - L.p0);
    if (std::min(high, length) - std::max(low, 0.0) <= snap) return;
    const auto end = [&](bool of_b, const Vector3& p, int code_p, const Vector3& q, int code_q) {
      if (of_b)
        add(L.p0 + u.dot(q - L.p0) * u, q, L.code, code_q);
      else
        add(p, M.p0 + u.dot(p - M.p0) / along * w, code_p, M.code);
    };
    end(low > snap, L.p0, L.code0, low_end, same ? M.code0 : M.code1);
    end(high < length - snap, L.p1, L.code1, high_end, same ? M.code1 : M.code0);
  }

  const Convex &a_, &b_;
  const Touch& touch_;
  double margin_;
  ContactPoints& out_;
  double size_, least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

double add_smooth(const Convex& a, const Convex& b, const Touch& touch, const Vector3& x,
                  const Vector3& y, int code_a, int code_b, double margin, ContactPoints& out) {
  const Vector3& n = touch.n;
  const double gap = std::max(n.dot(x - y), touch.s);
  add_along(x, way_out(a.poly, a.radius, x, -n), y, way_out(b.poly, b.radius, y, n), n, gap,
            feature_pair(code_a, codes(a), code_b, codes(b)), margin, out);
  return gap;
}

double flat_contacts(const Convex& a, const Convex& b, const Touch& touch, double margin,
                     ContactPoints& out) {
  return FlatContacts(a, b, touch, margin, out).find();
}

}  // namespace saltus
