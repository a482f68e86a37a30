// Ellipsoids and cylinders against convex shapes: a search for the normal, a proof of the depth
// where the shapes overlap, then the flat parts along the normal.
//
// An ellipsoid is represented as another convex body plus a ball with the least radius of
// curvature, which can roll inside the ellipsoid. Shapes that overlap little are apart without
// their balls; there the closest points give the normal, and no other normal is as good. For deeper
// overlaps the expanding polytope gives the start, Newton's method finishes the search, and branch
// and bound over all directions proves the depth or restarts the search elsewhere.
#include <algorithm>
#include <cmath>

#include "saltus/detection/contact_rules.h"
#include "saltus/detection/depth_proof.h"
#include "saltus/detection/flat_contacts.h"
#include "saltus/detection/normal_search.h"

namespace saltus {
namespace {

constexpr double kTooNear = 1e-7;  // of the size: points this close give no direction
constexpr double kClose = 1e-5;    // of the distance: relative accuracy of its bounds
constexpr double kProven = 1e-12;  // of the size: accuracy to which the depth is proven
constexpr int kMostSearches = 12;

/// The ellipsoid without the ball that rolls in it.
Convex without_ball(const Convex& c) {
  Convex core = c;
  if (c.kind != Convex::Kind::ellipsoid) return core;
  const double least = c.radii.minCoeff();
  core.rounding = least * least / c.radii.maxCoeff();
  return core;
}

/// True if x, which lies on the supporting plane of c along d, is a point of c.
bool holds(const Convex& c, const Vector3& x, const Vector3& d, double tolerance) {
  if (c.kind == Convex::Kind::ellipsoid) return (x - c.support(d)).norm() <= tolerance;
  if (c.kind == Convex::Kind::cylinder) {
    const Vector3 local = c.R.transpose() * (x - c.centre);
    return std::hypot(local.x(), local.y()) <= c.radii.x() + tolerance &&
           std::abs(local.z()) <= c.radii.z() + tolerance;
  }
  const Polyhedron& P = c.poly;
  if (P.edges() == 0) return (x - P.vertex[0]).norm() <= tolerance;
  if (P.faces() == 0) {
    const Vector3 e = P.vertex[1] - P.vertex[0];
    const double t = std::clamp(e.dot(x - P.vertex[0]) / e.squaredNorm(), 0.0, 1.0);
    return (x - P.vertex[0] - t * e).norm() <= tolerance;
  }
  for (int f = 0; f < P.faces(); ++f)
    if (!(P.normal[f].dot(x) - P.face_offset(f) <= tolerance)) return false;
  return true;
}

class SmoothContacts {
 public:
  SmoothContacts(const Convex& a, const Convex& b, double margin, ContactPoints& out)
      : a_(a), b_(b), margin_(margin), out_(out), begin_(out.size()), size_(a.size + b.size) {}

  /// Contact along the normal of face 0 of the triangle b.
  void over_triangle() {
    const Polyhedron& T = b_.poly;
    touch_.n = T.normal[0];
    touch_.on_a = a_.support(-touch_.n);
    touch_.s = touch_.n.dot(touch_.on_a) - T.face_offset(0);
    touch_.on_b = touch_.on_a - touch_.s * touch_.n;
    const double across = a_.R.col(2).cross(touch_.n).norm();
    const int end = a_.R.col(2).dot(touch_.n) > 0.0 ? 0 : 1;
    touch_.code_a = a_.kind == Convex::Kind::ellipsoid ? 0 : SmoothCodes::rim(end);
    const double least = flat_contacts(a_, b_, touch_, margin_, out_);
    // a corner of the mantle or end that is over the plane elsewhere is found by a second search
    const bool found = least <= touch_.s + kTouching * size_;
    if (!found && (across > 0.0 || a_.kind == Convex::Kind::ellipsoid) && over(T, touch_.on_b))
      add_smooth(a_, b_, touch_, touch_.on_a, touch_.on_b, touch_.code_a, 0, margin_, out_);
    keep_eight(out_, begin_, kOnRim * size_);
  }

  void find() {
    const double reach = margin_ + a_.radius + b_.radius;
    if ((a_.centre - b_.centre).norm() - size_ > reach) return;
    const Convex a = without_ball(a_), b = without_ball(b_);
    const double balls = a.rounding + b.rounding;
    const Closest close = closest_points(a, b, reach + balls, kClose);
    if (close.apart && close.distance * (1.0 - kClose) > reach + balls + kTouching * size_) return;
    double doubt = 0.0;
    if (close.apart && close.distance > kTooNear * size_) {
      const Vector3 n = (close.on_a - close.on_b).normalized();
      touch_ = largest_separation(a_, b_, {&n, 1});
      if (!is_closest(close.distance, balls)) search_on(a, b);
    } else {
      const Vector3 n = close.apart ? normal_moved_closer(a, b) : depth_normal(a, b, close);
      touch_ = largest_separation(a_, b_, {&n, 1});
      if (touch_.s <= reach) doubt = prove(a, b);
    }
    if (touch_.s > reach) return;
    if (!(flat_contacts(a_, b_, touch_, margin_, out_) <= touch_.s + kTouching * size_))
      add_smooth(a_, b_, touch_, touch_.on_a, touch_.on_b, touch_.code_a, touch_.code_b, margin_,
                 out_);
    keep_eight(out_, begin_, kOnRim * size_);
    for (std::size_t i = begin_; i < out_.size(); ++i) out_[i].doubt = doubt;
  }

 private:
  /// For shapes so close that round-off hides the direction between their closest points: the
  /// direction after moving a towards b.
  Vector3 normal_moved_closer(const Convex& a, const Convex& b) const {
    Convex moved = a;
    const Vector3 d = b.centre - a.centre;
    moved.shift = 1e-3 * size_ * d / d.norm();
    const Closest close = closest_points(moved, b, 0.0, kClose);
    return close.apart ? Vector3(-d / d.norm()) : depth_normal(moved, b, close);
  }

  bool over(const Polyhedron& T, const Vector3& x) const {
    for (int i = 0; i < 3; ++i) {
      const Vector3 &p = T.vertex[i], &q = T.vertex[(i + 1) % 3];
      if (!((q - p).cross(T.normal[0]).normalized().dot(x - p) <= kOnRim * size_)) return false;
    }
    return true;
  }

  /// True if the search ended at the points that are closest without the balls. An ellipsoid has
  /// one contact point, known to round-off; flat parts may have many.
  bool is_closest(double distance, double balls) const {
    if (!(touch_.s + balls >= distance * (1.0 - 10.0 * kClose))) return false;
    return balls == 0.0 || (holds(a_, touch_.on_a, -touch_.n, kProven * size_) &&
                            holds(b_, touch_.on_b, touch_.n, kProven * size_));
  }

  /// The search ended elsewhere: closest points are as accurate as the farthest points allow.
  void search_on(const Convex& a, const Convex& b) {
    const double balls = a.rounding + b.rounding, reach = margin_ + a_.radius + b_.radius;
    const Closest close = closest_points(a, b, 2.0 * (reach + balls) + size_, 1e-13);
    if (!close.apart) return;
    const Vector3 n = (close.on_a - close.on_b).normalized();
    touch_ = largest_separation(a_, b_, {&n, 1});
    if (touch_.s + balls >= close.distance * (1.0 - 1e-8)) return;
    touch_.n = n;
    touch_.s = close.distance - balls;
    touch_.on_a = close.on_a - a.rounding * n;
    touch_.on_b = close.on_b + b.rounding * n;
    touch_.code_a = touch_.code_b = 0;
  }

  /// Either proves that no direction separates over a shorter distance, or continues the search
  /// from one that does. Returns the remaining doubt [m].
  double prove(const Convex& a, const Convex& b) {
    for (int k = 0; k < kMostSearches; ++k) {
      const DepthProof proof = prove_depth(a, b, touch_.n, -touch_.s, kProven * size_);
      if (!proof.better) return proof.doubt;
      Touch again = largest_separation(a_, b_, {&proof.n, 1});
      if (!(again.s >= separation(a_, b_, proof.n))) {  // that part of the sphere has no maximum
        const Vector3 n = climbed(proof.n);
        again = largest_separation(a_, b_, {&n, 1});
        if (!(again.s >= separation(a_, b_, n))) again = touch_along(n);
      }
      if (!(again.s > touch_.s)) break;
      touch_ = again;
    }
    return std::max(-touch_.s, 0.0);
  }

  Touch touch_along(const Vector3& n) const {
    Touch touch;
    touch.n = n;
    touch.s = separation(a_, b_, n);
    touch.on_a = a_.support(-n);
    touch.on_b = touch.on_a - touch.s * n;
    return touch;
  }

  /// Increases s(n) by steps of decreasing length in six directions.
  Vector3 climbed(Vector3 n) const {
    double s = separation(a_, b_, n);
    for (double step = 0.1; step > 1e-9;) {
      Eigen::Index least = 0;
      n.cwiseAbs().minCoeff(&least);
      const Vector3 p = n.cross(Vector3::Unit(least)).normalized(), q = n.cross(p);
      const std::array<Vector3, 6> around{
          p, -p, 0.5 * p + 0.8 * q, -0.5 * p - 0.8 * q, 0.5 * p - 0.8 * q, 0.8 * q - 0.5 * p};
      Vector3 next = n;
      for (const Vector3& d : around) {
        const Vector3 m = (n + step * d).normalized();
        const double there = separation(a_, b_, m);
        if (!(there > s)) continue;
        s = there;
        next = m;
      }
      if (next == n) step *= 0.5;
      n = next;
    }
    return n;
  }

  const Convex &a_, &b_;
  double margin_;
  ContactPoints& out_;
  std::size_t begin_;
  double size_;
  Touch touch_;
};

}  // namespace

void smooth_contacts(const Convex& a, const Convex& b, double margin, ContactPoints& out) {
  SmoothContacts(a, b, margin, out).find();
}

void smooth_contacts_over_triangle(const Convex& a, const Convex& triangle, double margin,
                                   ContactPoints& out) {
  SmoothContacts(a, triangle, margin, out).over_triangle();
}

}  // namespace saltus
