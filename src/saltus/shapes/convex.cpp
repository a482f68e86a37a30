#include "saltus/shapes/convex.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

using Weights = std::array<double, 4>;

// Closest point to 0 of a simplex with up to four points; `weight` gives it as a weighted mean of
// them.

double nearest_of_one(const DifferencePoint* p, double* weight) {
  weight[0] = 1.0;
  return p[0].w.squaredNorm();
}

double norm2_of_mean(const DifferencePoint* p, const double* weight, int count) {
  Vector3 m = Vector3::Zero();
  for (int i = 0; i < count; ++i) m += weight[i] * p[i].w;
  return m.squaredNorm();
}

double nearest_of_two(const DifferencePoint* p, double* weight) {
  const Vector3 e = p[1].w - p[0].w;
  const double length2 = e.squaredNorm();
  const double t = length2 > 0.0 ? std::clamp(-p[0].w.dot(e) / length2, 0.0, 1.0) : 0.0;
  weight[0] = 1.0 - t;
  weight[1] = t;
  return norm2_of_mean(p, weight, 2);
}

/// Interior if the areas u, v, w of all three sub-triangles, projected along the normal, are
/// positive; otherwise on an edge.
double nearest_of_three(const DifferencePoint* p, double* weight) {
  const Vector3 &a = p[0].w, &b = p[1].w, &c = p[2].w;
  const Vector3 n = (b - a).cross(c - a);
  const double n2 = n.squaredNorm();
  const double u = n.dot(b.cross(c)), v = n.dot(c.cross(a)), w = n.dot(a.cross(b));
  if (n2 > 0.0 && u >= 0.0 && v >= 0.0 && w >= 0.0) {
    const double sum = u + v + w;
    weight[0] = u / sum;
    weight[1] = v / sum;
    weight[2] = w / sum;
    const double height = n.dot(a);
    return height * height / n2;
  }
  double best = -1.0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const DifferencePoint edge[2] = {p[i], p[j]};
    double t[2];
    const double d2 = nearest_of_two(edge, t);
    if (best >= 0.0 && d2 >= best) continue;
    best = d2;
    weight[0] = weight[1] = weight[2] = 0.0;
    weight[i] = t[0];
    weight[j] = t[1];
  }
  return best;
}

/// Returns -1 if 0 lies inside.
double nearest_of_four(const DifferencePoint* p, double* weight) {
  double best = -1.0;
  bool inside = true;
  for (int left_out = 0; left_out < 4; ++left_out) {
    int index[3];
    for (int i = 0, k = 0; i < 4; ++i)
      if (i != left_out) index[k++] = i;
    const Vector3 &a = p[index[0]].w, &b = p[index[1]].w, &c = p[index[2]].w;
    const Vector3 n = (b - a).cross(c - a);
    const double here = -n.dot(a), there = n.dot(p[left_out].w - a);
    if (here * there > 0.0) continue;  // 0 and the fourth point lie on the same side of the face
    inside = false;
    const DifferencePoint face[3] = {p[index[0]], p[index[1]], p[index[2]]};
    double t[3];
    const double d2 = nearest_of_three(face, t);
    if (best >= 0.0 && d2 >= best) continue;
    best = d2;
    weight[left_out] = 0.0;
    for (int k = 0; k < 3; ++k) weight[index[k]] = t[k];
  }
  return inside ? -1.0 : best;
}

double nearest(const DifferencePoint* p, int count, double* weight) {
  switch (count) {
    case 1:
      return nearest_of_one(p, weight);
    case 2:
      return nearest_of_two(p, weight);
    case 3:
      return nearest_of_three(p, weight);
    default:
      return nearest_of_four(p, weight);
  }
}

bool holds(const Closest& c, const DifferencePoint& p) {
  for (int i = 0; i < c.count; ++i)
    if (c.simplex[i].w == p.w) return true;
  return false;
}

}  // namespace

Vector3 Convex::support(const Vector3& d, int& corner) const {
  corner = -1;
  if (kind == Kind::polyhedron) {
    corner = poly.farthest(d);
    return poly.vertex[corner] + shift;
  }
  const Vector3 local = R.transpose() * d;
  if (kind == Kind::ellipsoid) {  // x = A^2 d/|A d|
    const Vector3 scaled = radii.cwiseProduct(local);
    const double length = scaled.norm();
    if (!(length > 0.0)) return centre + shift;
    Vector3 x = radii.cwiseProduct(scaled / length);
    if (rounding > 0.0) x -= rounding / local.norm() * local;
    return centre + shift + R * x;
  }
  const double across = std::hypot(local.x(), local.y());
  Vector3 x(0.0, 0.0, local.z() < 0.0 ? -radii.z() : radii.z());
  if (across > 0.0) {
    x.x() = radii.x() * local.x() / across;
    x.y() = radii.y() * local.y() / across;
  }
  return centre + shift + R * x;
}

Convex convex(const Polyhedron& poly, double radius) {
  Convex c;
  c.poly = poly;
  c.centre = poly.centre;
  c.size = poly.size;
  c.radius = radius;
  return c;
}

Convex convex(const Cylinder& cylinder, const Pose& at) {
  Convex c;
  c.kind = Convex::Kind::cylinder;
  c.centre = at.x;
  c.R = at.R;
  c.radii = {cylinder.radius, cylinder.radius, cylinder.half_length};
  c.size = std::hypot(cylinder.radius, cylinder.half_length);
  return c;
}

Convex convex(const Ellipsoid& ellipsoid, const Pose& at) {
  Convex c;
  c.kind = Convex::Kind::ellipsoid;
  c.centre = at.x;
  c.R = at.R;
  c.radii = ellipsoid.radii;
  c.size = ellipsoid.radii.maxCoeff();
  return c;
}

double separation(const Convex& a, const Convex& b, const Vector3& n) {
  return n.dot(a.support(-n) - b.support(n));
}

DifferencePoint difference_point(const Convex& a, const Convex& b, const Vector3& d) {
  DifferencePoint p;
  p.on_a = a.support(d, p.corner_a);
  p.on_b = b.support(-d, p.corner_b);
  p.w = p.on_a - p.on_b;
  return p;
}

Closest closest_points(const Convex& a, const Convex& b, double limit, double tolerance) {
  Closest c;
  const double size = a.size + b.size + (a.centre - b.centre).norm();
  const double touching = 1e-15 * size;
  Vector3 v = a.centre + a.shift - b.centre - b.shift;
  if (v.norm() <= touching) v = Vector3::UnitX();
  c.simplex[0] = difference_point(a, b, -v);
  c.count = 1;
  v = c.simplex[0].w;
  double v2 = v.squaredNorm(), lower = 0.0;
  Weights weight{1.0};
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double length = std::sqrt(v2);
    if (length <= touching) return c;  // in contact
    const DifferencePoint p = difference_point(a, b, -v);
    lower = std::max(lower, v.dot(p.w) / length);
    if (lower > limit) break;
    if (length - lower <= tolerance * length || holds(c, p)) break;
    std::array<DifferencePoint, 4> simplex = c.simplex;
    simplex[c.count] = p;
    Weights next{};
    const double next2 = nearest(simplex.data(), c.count + 1, next.data());
    if (next2 < 0.0) {  // 0 is inside
      c.simplex = simplex;
      c.count = 4;
      return c;
    }
    if (!(next2 < v2)) break;  // round-off
    int count = 0;
    for (int i = 0; i <= c.count; ++i)
      if (next[i] > 0.0) {
        c.simplex[count] = simplex[i];
        weight[count++] = next[i];
      }
    c.count = count;
    v.setZero();
    for (int i = 0; i < count; ++i) v += weight[i] * c.simplex[i].w;
    v2 = v.squaredNorm();
  }
  c.apart = true;
  for (int i = 0; i < c.count; ++i) {
    c.on_a += weight[i] * c.simplex[i].on_a;
    c.on_b += weight[i] * c.simplex[i].on_b;
  }
  c.distance = std::max(std::sqrt(v2), lower);
  return c;
}

}  // namespace saltus
