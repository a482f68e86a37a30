#include "saltus/detection/normal_search.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

// sine of the angle to a face, or across an edge, within which it is tried
constexpr double kNear = 0.35;
constexpr double kTie = 1e-12;  // of the size
constexpr int kMostRounds = 12;
constexpr int kMostSheets = 40;  // the last one is always the free sheet

/// A part of the sphere of directions d on which the farthest point of a shape varies smoothly.
struct Sheet {
  enum class Kind { face, line, free };  ///< d fixed; d perpendicular to u; d arbitrary
  Kind kind = Kind::free;
  Vector3 u = Vector3::Zero();  ///< the normal of the face, or the direction of the line
  int code = 0;
  int corner = -1;  ///< of a polyhedron; a corner of the edge or face
  int end = 1;      ///< of a cylinder
};

struct Sheets {
  std::array<Sheet, kMostSheets> list;
  int count = 0;
  using Kind = Sheet::Kind;
  void add(const Sheet& s) {
    if (count < kMostSheets - (s.kind == Kind::free ? 0 : 1))
      list[static_cast<std::size_t>(count++)] = s;
  }
  std::span<const Sheet> all() const { return {list.data(), static_cast<std::size_t>(count)}; }
};

void polyhedron_sheets(const Polyhedron& P, const Vector3& d, Sheets& out) {
  const int v = P.farthest(d);
  for (int f = 0; f < P.faces(); ++f) {
    if (!(P.normal[f].dot(d) > 0.0) || !(P.normal[f].cross(d).squaredNorm() < kNear * kNear))
      continue;
    for (int k = 0; k < P.face_size(f); ++k)
      if (P.face_corner(f, k) == v) out.add({Sheet::Kind::face, P.normal[f], 0, v});
  }
  for (int e = 0; e < P.edges(); ++e) {
    const auto [i, j] = P.edge[e];
    if (i != v && j != v) continue;
    const Vector3 u = (P.vertex[j] - P.vertex[i]).normalized();
    if (std::abs(u.dot(d)) < kNear) out.add({Sheet::Kind::line, u, P.edge_code(e), v});
  }
  out.add({Sheet::Kind::free, Vector3::Zero(), P.vertex_code(v), v});
}

void cylinder_sheets(const Convex& c, const Vector3& d, Sheets& out) {
  const Vector3 axis = c.R.col(2);
  const double along = axis.dot(d);
  const int end = along < 0.0 ? 0 : 1;
  if (axis.cross(d).squaredNorm() < kNear * kNear)
    out.add({Sheet::Kind::face, end == 0 ? Vector3(-axis) : axis, SmoothCodes::kInside, -1, end});
  if (std::abs(along) < kNear) out.add({Sheet::Kind::line, axis, SmoothCodes::kMantle, -1, end});
  out.add({Sheet::Kind::free, Vector3::Zero(), SmoothCodes::rim(end), -1, end});
}

Sheets sheets_near(const Convex& c, const Vector3& d) {
  Sheets out;
  switch (c.kind) {
    case Convex::Kind::polyhedron:
      polyhedron_sheets(c.poly, d, out);
      break;
    case Convex::Kind::cylinder:
      cylinder_sheets(c, d, out);
      break;
    case Convex::Kind::ellipsoid:
      out.add({});
      break;
  }
  return out;
}

/// The farthest point of the sheet along d, which may vary on the sheet.
Vector3 point_on(const Convex& c, const Sheet& s, const Vector3& d) {
  if (c.kind == Convex::Kind::polyhedron) return c.poly.vertex[s.corner];
  if (c.kind == Convex::Kind::ellipsoid) return c.support(d);
  const Vector3 local = c.R.transpose() * d;
  const double across = std::hypot(local.x(), local.y());
  Vector3 x(0.0, 0.0, s.kind == Sheet::Kind::line ? 0.0 : s.end == 0 ? -c.radii.z() : c.radii.z());
  if (across > 0.0) x.head<2>() = c.radii.x() / across * local.head<2>();
  return c.centre + c.R * x;
}

/// Second derivatives of h(d) = max d . x on the sheet: p^T h'' q for directions p, q perpendicular
/// to d.
class Curvature {
 public:
  Curvature(const Convex& c, const Vector3& d) : c_(c) {
    if (c.kind == Convex::Kind::polyhedron) return;
    local_ = c.R.transpose() * d;
    if (c.kind == Convex::Kind::ellipsoid) {
      scaled_ = c.radii.cwiseProduct(local_);
      length_ = scaled_.norm();
    } else {
      length_ = std::hypot(local_.x(), local_.y());
    }
  }
  double operator()(const Vector3& p, const Vector3& q) const {
    if (c_.kind == Convex::Kind::polyhedron || !(length_ > 0.0)) return 0.0;
    const Vector3 P = c_.R.transpose() * p, Q = c_.R.transpose() * q;
    if (c_.kind == Convex::Kind::ellipsoid) {  // h = |A d|
      const Vector3 AP = c_.radii.cwiseProduct(P), AQ = c_.radii.cwiseProduct(Q);
      return (AP.dot(AQ) - AP.dot(scaled_) * AQ.dot(scaled_) / (length_ * length_)) / length_;
    }
    // h = r |d_across| + ...: only rotation about the axis contributes curvature
    const double turn_p = local_.x() * P.y() - local_.y() * P.x();
    const double turn_q = local_.x() * Q.y() - local_.y() * Q.x();
    return c_.radii.x() * turn_p * turn_q / (length_ * length_ * length_);
  }

 private:
  const Convex& c_;
  Vector3 local_ = Vector3::Zero(), scaled_ = Vector3::Zero();
  double length_ = 0.0;
};

/// s(n) = n . m with m = x_a(-n) - x_b(n) for a sheet of each shape: grad s = m,
/// s'' = -(h_a'' + h_b''), and on the sphere s'' - s.
class SheetPair {
 public:
  SheetPair(const Convex& a, const Sheet& sheet_a, const Convex& b, const Sheet& sheet_b)
      : a_(a), b_(b), sheet_a_(sheet_a), sheet_b_(sheet_b) {}

  Vector3 difference(const Vector3& n) const {
    return point_on(a_, sheet_a_, -n) - point_on(b_, sheet_b_, n);
  }
  double value(const Vector3& n) const { return n.dot(difference(n)); }

  /// Newton's method on the circle of normals n perpendicular to `u`.
  Vector3 on_circle(const Vector3& start, const Vector3& u) const {
    Vector3 n = (start - u.dot(start) * u).normalized();
    double step_limit = 0.5;
    for (int k = 0; k < 40; ++k) {
      const Vector3 tau = u.cross(n), m = difference(n);
      const Curvature at_a(a_, -n), at_b(b_, n);
      const double slope = tau.dot(m);
      const double bend = -at_a(tau, tau) - at_b(tau, tau) - n.dot(m);
      double step = bend < 0.0 ? -slope / bend : slope > 0.0 ? step_limit : -step_limit;
      step = std::clamp(step, -step_limit, step_limit);
      if (std::abs(step) < 1e-17) break;
      const Vector3 next = (n + std::tan(step) * tau).normalized();
      if (std::abs(step) > 1e-7 && !(value(next) >= value(n))) {
        step_limit = 0.3 * std::abs(step);
        continue;
      }
      n = (next - u.dot(next) * u).normalized();
      if (std::abs(step) < 1e-15) break;
    }
    return n;
  }

  Vector3 anywhere(const Vector3& start) const {
    Vector3 n = start;
    double step_limit = 0.5;
    for (int k = 0; k < 60; ++k) {
      Eigen::Index least = 0;
      n.cwiseAbs().minCoeff(&least);
      const Vector3 p = n.cross(Vector3::Unit(least)).normalized(), q = n.cross(p),
                    m = difference(n);
      const Curvature at_a(a_, -n), at_b(b_, n);
      const double s = n.dot(m), g_p = p.dot(m), g_q = q.dot(m);
      const double pp = -at_a(p, p) - at_b(p, p) - s, qq = -at_a(q, q) - at_b(q, q) - s;
      const double pq = -at_a(p, q) - at_b(p, q), determinant = pp * qq - pq * pq;
      Vector3 step;
      if (pp < 0.0 && determinant > 0.0)
        step = ((pq * g_q - qq * g_p) * p + (pq * g_p - pp * g_q) * q) / determinant;
      else
        step = step_limit / std::max(std::hypot(g_p, g_q), 1e-300) * (g_p * p + g_q * q);
      double length = step.norm();
      if (length > step_limit) {
        step *= step_limit / length;
        length = step_limit;
      }
      if (!(length >= 1e-17)) break;
      const Vector3 next = (n + step).normalized();
      if (length > 1e-7 && !(value(next) >= value(n))) {
        step_limit = 0.3 * length;
        continue;
      }
      n = next;
      if (length < 1e-15) break;
    }
    return n;
  }

 private:
  const Convex &a_, &b_;
  const Sheet &sheet_a_, &sheet_b_;
};

/// Closest points of two lines, unless they are parallel.
void points_on_lines(const Vector3& p, const Vector3& u, const Vector3& q, const Vector3& w,
                     Vector3& on_p, Vector3& on_q) {
  const double c = u.dot(w), sine2 = u.cross(w).squaredNorm();
  const Vector3 d = p - q;
  const double t = (c * d.dot(w) - d.dot(u)) / sine2;
  on_p = p + t * u;
  on_q = q + w.dot(on_p - q) * w;
}

/// The farthest point along d, which need not be on the sheet, and its feature.
Vector3 farthest(const Convex& c, const Sheet& sheet, const Vector3& d, int& code) {
  int corner = -1;
  const Vector3 x = c.support(d, corner);
  code = corner >= 0 ? c.poly.vertex_code(corner) : sheet.code;
  return x;
}

Touch touch_of(const Convex& a, const Sheet& A, const Convex& b, const Sheet& B, const Vector3& n,
               double s) {
  using Kind = Sheet::Kind;
  Touch t;
  t.n = n;
  t.s = s;
  t.code_a = A.code;
  t.code_b = B.code;
  if (B.kind == Kind::face) {
    t.on_a = farthest(a, A, -n, t.code_a);
    t.on_b = t.on_a - s * n;
  } else if (A.kind == Kind::face) {
    t.on_b = farthest(b, B, n, t.code_b);
    t.on_a = t.on_b + s * n;
  } else if (A.kind == Kind::line && B.kind == Kind::line) {
    points_on_lines(point_on(a, A, -n), A.u, point_on(b, B, n), B.u, t.on_a, t.on_b);
  } else if (A.kind == Kind::line) {
    t.on_b = point_on(b, B, n);
    t.on_a = t.on_b + s * n;
  } else {
    t.on_a = point_on(a, A, -n);
    t.on_b = t.on_a - s * n;
  }
  return t;
}

}  // namespace

int codes(const Convex& shape) {
  switch (shape.kind) {
    case Convex::Kind::polyhedron:
      return shape.poly.codes();
    case Convex::Kind::cylinder:
      return SmoothCodes::kCylinder;
    case Convex::Kind::ellipsoid:
      return SmoothCodes::kEllipsoid;
  }
  return 1;
}

Touch largest_separation(const Convex& a, const Convex& b, std::span<const Vector3> starts) {
  using Kind = Sheet::Kind;
  const double tie = kTie * (a.size + b.size);
  Touch best;
  best.s = -std::numeric_limits<double>::infinity();
  for (const Vector3& start : starts) {
    Vector3 n0 = start;
    double before = -std::numeric_limits<double>::infinity();
    for (int round = 0; round < kMostRounds; ++round) {
      const Sheets of_a = sheets_near(a, -n0), of_b = sheets_near(b, n0);
      Vector3 round_n = n0, free_n = n0;
      double round_s = -std::numeric_limits<double>::infinity();
      const auto propose = [&](const Sheet& A, const Sheet& B, const Vector3& n) {
        const double s = separation(a, b, n);
        if (!(s > round_s + tie)) return;
        round_s = s;
        round_n = n;
        if (s > best.s + tie) best = touch_of(a, A, b, B, n, s);
      };
      // faces first: of equal proposals the first is kept
      for (const Sheet& B : of_b.all())
        if (B.kind == Kind::face) propose(of_a.all().back(), B, B.u);
      for (const Sheet& A : of_a.all())
        if (A.kind == Kind::face) propose(A, of_b.all().back(), -A.u);
      for (const Sheet& A : of_a.all())
        for (const Sheet& B : of_b.all()) {
          if (A.kind != Kind::line || B.kind != Kind::line) continue;
          Vector3 n = A.u.cross(B.u);
          const double sine = n.norm();
          if (!(sine > 1e-9)) continue;
          n *= (n.dot(n0) < 0.0 ? -1.0 : 1.0) / sine;
          propose(A, B, n);
        }
      for (const Sheet& A : of_a.all())
        for (const Sheet& B : of_b.all()) {
          if (A.kind == Kind::face || B.kind == Kind::face) continue;
          if (A.kind == Kind::line && B.kind == Kind::line) continue;
          const SheetPair pair(a, A, b, B);
          if (A.kind == Kind::line)
            propose(A, B, pair.on_circle(n0, A.u));
          else if (B.kind == Kind::line)
            propose(A, B, pair.on_circle(n0, B.u));
          else
            propose(A, B, free_n = pair.anywhere(n0));
        }
      // s increases from n0 towards the maximum of its own sheets, but that maximum may lie where
      // other sheets apply
      const double here = separation(a, b, n0);
      for (double part = 0.5; part > 1e-3 && !(round_s >= here - tie); part *= 0.5) {
        const Vector3 n = (n0 + part * (free_n - n0)).normalized();
        const double s = separation(a, b, n);
        if (!(s > here)) continue;
        round_s = s;
        round_n = n;
      }
      if (!(round_s > before + tie)) break;
      before = round_s;
      n0 = round_n;
    }
  }
  return best;
}

}  // namespace saltus
