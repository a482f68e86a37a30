// Convex shapes against the half space z <= 0 of the frame of b. With n = B e_z, a point p of a has
// the gap n . (p - x_B).
#include <cmath>

#include "saltus/detection/contact_rules.h"

namespace saltus {
namespace {

constexpr double kLooksDown = 0.02;  // sine: a corner counts if a face there points down by more
// sine of the tilt up to which the end of a cylinder is supported as a whole
constexpr double kFlatEnd = 0.1;
// of the radius: the deepest point of a rim counts if it is deeper than the fixed ones by this
constexpr double kDeeper = 1e-10;

struct HalfSpace {
  Vector3 n, x;
  explicit HalfSpace(const Pose& B) : n(B.R.col(2)), x(B.x) {}
  double over(const Vector3& p) const { return n.dot(p - x); }
  void add(const Vector3& p, std::uint32_t feature, double margin, ContactPoints& out) const {
    const double gap = over(p);
    if (gap <= margin) out.push_back({p - 0.5 * gap * n, n, gap, feature});
  }
};

}  // namespace

void contacts(const Sphere& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  plane.add(-a.radius * plane.n, 0, margin, out);
}

void contacts(const Ellipsoid& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  const Vector3 scaled = a.radii.cwiseProduct(plane.n);
  plane.add(-a.radii.cwiseProduct(scaled / scaled.norm()), 0, margin, out);
}

void contacts(const Capsule& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  for (int end = 0; end < 2; ++end) {
    const Vector3 centre(0.0, 0.0, end == 0 ? -a.half_length : a.half_length);
    plane.add(centre - a.radius * plane.n, static_cast<std::uint32_t>(end), margin, out);
  }
}

// The deepest point of each rim (features 0 and 5). For an end that faces down, also the points at
// 0, 90, 180 and 270 degrees in the frame of the cylinder; where the end lies flat, they replace
// the deepest point.
void contacts(const Cylinder& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  const Vector3& n = plane.n;
  const double across = std::hypot(n.x(), n.y());
  for (int end = 0; end < 2; ++end) {
    const double z = end == 0 ? -a.half_length : a.half_length;
    const auto first = static_cast<std::uint32_t>(5 * end);
    const bool flat = across < kFlatEnd && n.z() * z < 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; flat && k < 4; ++k) {
      const double c = k == 0 ? 1.0 : k == 2 ? -1.0 : 0.0, s = k == 1 ? 1.0 : k == 3 ? -1.0 : 0.0;
      const Vector3 p(a.radius * c, a.radius * s, z);
      plane.add(p, first + 1 + static_cast<std::uint32_t>(k), margin, out);
      least = std::min(least, plane.over(p));
    }
    if (!(across > 0.0)) {
      if (!flat) plane.add({a.radius, 0.0, z}, first, margin, out);
      continue;
    }
    const Vector3 deepest(-a.radius * n.x() / across, -a.radius * n.y() / across, z);
    if (plane.over(deepest) < least - kDeeper * a.radius) plane.add(deepest, first, margin, out);
  }
}

// The corners of the face that points down most; the first of equal ones.
void contacts(const Box& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(plane.n[i]) > std::abs(plane.n[k]) + 1e-9) k = i;
  const int side = plane.n[k] > 0.0 ? 0 : 1;
  for (int i = 0; i < 8; ++i) {
    if (((i >> k) & 1) != side) continue;
    const Vector3 p((i & 1) ? a.half.x() : -a.half.x(), (i & 2) ? a.half.y() : -a.half.y(),
                    (i & 4) ? a.half.z() : -a.half.z());
    plane.add(p, static_cast<std::uint32_t>(i), margin, out);
  }
}

// All corners within the margin, except those on the far side of a thin hull.
void contacts(const ConvexHull& a, const Plane&, const Pose& B, double margin, ContactPoints& out) {
  const HalfSpace plane(B);
  const std::size_t begin = out.size();
  const auto looks_down = [&](int i) {
    for (int k = a.star_first[i]; k < a.star_first[i + 1]; ++k)
      for (const int f : a.edge_faces[a.star[k].edge])
        if (a.normal[f].dot(plane.n) < -kLooksDown) return true;
    return false;
  };
  const int count = static_cast<int>(a.vertices.size());
  for (int i = 0; i < count; ++i)
    if (plane.over(a.vertices[i]) <= margin && looks_down(i))
      plane.add(a.vertices[i], static_cast<std::uint32_t>(i), margin, out);
  keep_eight(out, begin, 1e-7 * a.radius);
}

}  // namespace saltus
