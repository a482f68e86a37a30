// Spheres and capsules: closed forms.
#include <algorithm>
#include <cmath>

#include "saltus/detection/contact_rules.h"

namespace saltus {
namespace {

// sine of the largest angle at which capsules have line contact
constexpr double kNearlyParallel = 0.1;
constexpr double kSameEnd = 1e-7;  // of the length: ends this close have equal height

/// The same contact with the ball centre c in the frame of b: x = B X.
void add_to_ball(const Vector3& on_core, double height, const Vector3& N, double radius,
                 const Pose& B, double margin, ContactPoints& out) {
  const double gap = height - radius;
  if (gap > margin) return;
  const Vector3 n = B.R * N;
  // surface of the ball about 0: -radius n; surface of b: on_core
  out.push_back({0.5 * (B * on_core - radius * n), n, gap, 0});
}

/// Closest point to x on the convex polygon of a face; x lies in front of the face.
Vector3 closest_on_face(const ConvexHull& hull, int f, const Vector3& x) {
  const Vector3& n = hull.normal[f];
  const int begin = hull.first[f], end = hull.first[f + 1];
  double best = std::numeric_limits<double>::infinity();
  Vector3 closest = x - (n.dot(x) - hull.offset[f]) * n;
  bool inside = true;
  Vector3 on_border = closest;
  for (int k = begin; k < end; ++k) {
    const Vector3& p = hull.vertices[hull.corner[k]];
    const Vector3 e = hull.vertices[hull.corner[k + 1 < end ? k + 1 : begin]] - p;
    if (!(e.cross(n).dot(x - p) > 0.0)) continue;
    inside = false;
    const Vector3 y = p + std::clamp(e.dot(x - p) / e.squaredNorm(), 0.0, 1.0) * e;
    const double d2 = (x - y).squaredNorm();
    if (d2 < best) {
      best = d2;
      on_border = y;
    }
  }
  return inside ? closest : on_border;
}

struct Line {
  Vector3 centre, direction;
  double half_length;
  Vector3 at(double t) const { return centre + t * direction; }
  double clamp(double t) const { return std::clamp(t, -half_length, half_length); }
  double project(const Vector3& x) const { return clamp(direction.dot(x - centre)); }
};

/// Parameters of closest points of two segments with unit directions u, w: the minimum of a
/// quadratic over a rectangle. If parallel segments have several closest points, the middle of
/// their overlap.
std::array<double, 2> closest_parameters(const Line& a, const Line& b) {
  const Vector3 d = a.centre - b.centre;
  const double c = a.direction.dot(b.direction), du = d.dot(a.direction), dw = d.dot(b.direction);
  const double sine2 = a.direction.cross(b.direction).squaredNorm();
  double t = 0.0;
  if (sine2 > 1e-14) {
    t = a.clamp((c * dw - du) / sine2);
  } else {  // ends of b along a
    const double one = -du - std::abs(c) * b.half_length, two = -du + std::abs(c) * b.half_length;
    t = a.clamp(0.5 * (std::max(one, -a.half_length) + std::min(two, a.half_length)));
  }
  const double r = b.clamp(dw + t * c);
  t = a.clamp(c * r - du);
  return {t, b.clamp(dw + t * c)};
}

}  // namespace

// With t the position of p along the segment and c = d . u: on the mantle the distance is r/sqrt(1
// - c^2) while that position lies within the segment; otherwise d leaves through the ball at the
// end.
double way_out(const Vector3& p, const Vector3& end0, const Vector3& end1, double radius,
               const Vector3& d) {
  const Vector3 axis = end1 - end0;
  const double length = axis.norm();
  if (!(length > 0.0)) return radius;
  const double c = d.dot(axis) / length, sine2 = 1.0 - c * c;
  const double ahead = c > 0.0 ? (end1 - p).norm() : (end0 - p).norm();  // of the segment, along d
  if (sine2 > 0.0) {
    const double way = radius / std::sqrt(sine2);
    if (way * std::abs(c) <= ahead) return way;
  }
  return ahead * std::abs(c) + std::sqrt(std::max(radius * radius - ahead * ahead * sine2, 0.0));
}

void add_round(const Vector3& a, double r_a, const Vector3& b, double r_b, const Vector3& otherwise,
               std::uint32_t feature, double margin, ContactPoints& out) {
  double distance = 0.0;
  const Vector3 n = normal_of(a - b, distance, otherwise);
  add_along(a, r_a, b, r_b, n, distance, feature, margin, out);
}

void contacts(const Sphere& a, const Sphere& b, const Pose& B, double margin, ContactPoints& out) {
  add_round(Vector3::Zero(), a.radius, B.x, b.radius, Vector3::UnitZ(), 0, margin, out);
}

void contacts(const Sphere& a, const Capsule& b, const Pose& B, double margin, ContactPoints& out) {
  const Line line{B.x, B.R.col(2), b.half_length};
  const Vector3 closest = line.at(line.project(Vector3::Zero()));
  add_round(Vector3::Zero(), a.radius, closest, b.radius, B.R.col(0), 0, margin, out);
}

// c: centre in the frame of the cylinder, rho: its distance from the axis. Inside, the nearer of
// mantle and ends is used.
void contacts(const Sphere& a, const Cylinder& b, const Pose& B, double margin,
              ContactPoints& out) {
  const Vector3 c = -(B.R.transpose() * B.x);
  const double rho = std::hypot(c.x(), c.y());
  const Vector3 out_of_axis = rho > 0.0 ? Vector3(c.x() / rho, c.y() / rho, 0.0) : Vector3::UnitX();
  const Vector3 end = c.z() < 0.0 ? Vector3(-Vector3::UnitZ()) : Vector3::UnitZ();
  const double over_mantle = rho - b.radius, over_end = std::abs(c.z()) - b.half_length;
  double height = 0.0;
  Vector3 n = end;
  if (over_mantle > 0.0 && over_end > 0.0) {
    height = std::hypot(over_mantle, over_end);
    n = (over_mantle * out_of_axis + over_end * end) / height;
  } else if (over_end >= over_mantle) {
    height = over_end;
  } else {
    height = over_mantle;
    n = out_of_axis;
  }
  add_to_ball(c - height * n, height, n, a.radius, B, margin, out);
}

// Outside, the point of the box closest to the centre c; inside, the first of the closest faces.
void contacts(const Sphere& a, const Box& b, const Pose& B, double margin, ContactPoints& out) {
  const Vector3 c = -(B.R.transpose() * B.x);
  const Vector3 closest = c.cwiseMax(-b.half).cwiseMin(b.half);
  const Vector3 d = c - closest;
  if (!d.isZero(0.0)) {
    const double height = d.norm();
    return add_to_ball(closest, height, d / height, a.radius, B, margin, out);
  }
  int best = 0;
  const Vector3 over = c.cwiseAbs() - b.half;
  for (int k = 1; k < 3; ++k)
    if (over[k] > over[best] + 1e-10 * b.half.sum()) best = k;
  Vector3 n = Vector3::Zero();
  n[best] = c[best] < 0.0 ? -1.0 : 1.0;
  add_to_ball(c - over[best] * n, over[best], n, a.radius, B, margin, out);
}

void contacts(const Sphere& a, const ConvexHull& b, const Pose& B, double margin,
              ContactPoints& out) {
  const Vector3 c = -(B.R.transpose() * B.x);
  int best = 0;
  double height = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < b.faces(); ++f) {
    const double h = b.normal[f].dot(c) - b.offset[f];
    if (h > a.radius + margin) return;
    if (h > height + 1e-10 * b.radius) {
      height = h;
      best = f;
    }
  }
  if (height <= 0.0)
    return add_to_ball(c - height * b.normal[best], height, b.normal[best], a.radius, B, margin,
                       out);
  double nearest2 = std::numeric_limits<double>::infinity();
  Vector3 closest = c;
  for (int f = 0; f < b.faces(); ++f) {
    if (!(b.normal[f].dot(c) > b.offset[f])) continue;
    const Vector3 y = closest_on_face(b, f, c);
    const double d2 = (c - y).squaredNorm();
    if (d2 < nearest2) {
      nearest2 = d2;
      closest = y;
    }
  }
  double distance = 0.0;
  const Vector3 n = normal_of(c - closest, distance, b.normal[best]);
  add_to_ball(closest, distance, n, a.radius, B, margin, out);
}

// The closest points of the two segments (feature 0). If they are nearly parallel, both ends of
// their overlap (features 1 and 2: an end of a, 3 and 4: of b) with their closest points on the
// other segment; then feature 0 counts only if it is deeper than both.
void contacts(const Capsule& a, const Capsule& b, const Pose& B, double margin,
              ContactPoints& out) {
  const Line A{Vector3::Zero(), Vector3::UnitZ(), a.half_length};
  const Line L{B.x, B.R.col(2), b.half_length};
  const auto [t, r] = closest_parameters(A, L);
  const Vector3 p = A.at(t), q = L.at(r);
  const double r_a = a.radius, r_b = b.radius, size = a.half_length + b.half_length;
  const double c = L.direction.z(), sine = std::hypot(L.direction.x(), L.direction.y());
  // coincident axes: perpendicular to both if they cross, otherwise along x of a
  const Vector3 across = sine > kSameEnd
                             ? Vector3(-L.direction.y() / sine, L.direction.x() / sine, 0.0)
                             : Vector3::UnitX();
  double distance = 0.0;
  const Vector3 n = normal_of(p - q, distance, across);
  if (distance - r_a - r_b > margin) return;
  const double middle = B.x.z(), reach = std::abs(c) * b.half_length;
  const double low = std::max(middle - reach, -a.half_length);
  const double high = std::min(middle + reach, a.half_length);
  double least = std::numeric_limits<double>::infinity();
  const auto end = [&](double z, double own, int sign) {
    // the end of a lies within the overlap
    const bool of_a = own * sign <= z * sign + kSameEnd * size;
    const Vector3 x = of_a ? A.at(own) : L.at(c * sign < 0.0 ? -b.half_length : b.half_length);
    const Vector3 p_end = of_a ? x : A.at(A.project(x)), q_end = of_a ? L.at(L.project(x)) : x;
    double height = 0.0;
    const Vector3 n_end = normal_of(p_end - q_end, height, across);
    if (!(n_end.dot(n) > kAligned)) return;  // the axes nearly cross
    const double way_a = way_out(p_end, A.at(-A.half_length), A.at(A.half_length), r_a, -n_end);
    const double way_b = way_out(q_end, L.at(-L.half_length), L.at(L.half_length), r_b, n_end);
    const double gap = std::max(height - way_a - way_b, distance - r_a - r_b);
    const std::uint32_t feature = (sign < 0 ? 1 : 2) + (of_a ? 0 : 2);
    least = std::min(least, gap);
    if (gap > margin) return;
    out.push_back({0.5 * (p_end - way_a * n_end + q_end + way_b * n_end), n_end, gap, feature});
  };
  if (sine <= kNearlyParallel && high - low > kSameEnd * size) {
    end(low, -a.half_length, -1);
    end(high, a.half_length, 1);
  }
  if (distance - r_a - r_b < least - 1e-10 * size)
    add_along(p, r_a, q, r_b, n, distance, 0, margin, out);
}

}  // namespace saltus
