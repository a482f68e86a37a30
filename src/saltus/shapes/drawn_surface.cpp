#include "saltus/shapes/drawn_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/shapes/geometry.h"

namespace saltus {
namespace {

using std::numbers::pi;

constexpr int kAround = 48;         // sides of a cylinder, whose rims are visible
constexpr int kAroundCapsule = 32;  // sides of a capsule, which is shaded smoothly
constexpr int kZones = 16;          // zones of its half spheres, from pole to pole; even
constexpr double kSharp = 0.8660;   // cosine of 30 degrees

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Rings of `around` points (r cos, r sin, z), from the lowest to the highest, closed at each end
/// by a fan about a point on the axis.
struct Ring {
  double radius, z;
};
void revolve(DrawnSurface& s, int around, double bottom, const std::vector<Ring>& rings,
             double top) {
  s.points.emplace_back(0.0, 0.0, bottom);
  for (const Ring& ring : rings)
    for (int k = 0; k < around; ++k) {
      const double a = 2.0 * pi * k / around;
      s.points.emplace_back(ring.radius * std::cos(a), ring.radius * std::sin(a), ring.z);
    }
  s.points.emplace_back(0.0, 0.0, top);
  const int last = static_cast<int>(s.points.size()) - 1, n = static_cast<int>(rings.size());
  const auto point = [around](int ring, int k) { return 1 + ring * around + k % around; };
  for (int k = 0; k < around; ++k) {
    s.triangles.push_back({0, point(0, k + 1), point(0, k)});
    for (int i = 0; i + 1 < n; ++i) {
      s.triangles.push_back({point(i, k), point(i, k + 1), point(i + 1, k + 1)});
      s.triangles.push_back({point(i, k), point(i + 1, k + 1), point(i + 1, k)});
    }
    s.triangles.push_back({last, point(n - 1, k), point(n - 1, k + 1)});
  }
}

DrawnSurface unit_box() {
  DrawnSurface s;
  for (int k = 0; k < 8; ++k)
    s.points.emplace_back(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
  constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& [a, b, c, d] : faces) {
    s.triangles.push_back({a, b, c});
    s.triangles.push_back({a, c, d});
  }
  s.edges = sharp_edges(s.points, s.triangles);
  return s;
}

DrawnSurface unit_cylinder() {
  DrawnSurface s;
  revolve(s, kAround, -1.0, {{1.0, -1.0}, {1.0, 1.0}}, 1.0);
  s.edges = sharp_edges(s.points, s.triangles);
  return s;
}

DrawnSurface capsule(const Capsule& c) {
  DrawnSurface s;
  std::vector<Ring> rings;
  for (int i = 1; i < kZones; ++i) {
    const double a = pi * (static_cast<double>(i) / kZones - 0.5);
    const double r = c.radius * std::cos(a), z = c.radius * std::sin(a);
    if (2 * i <= kZones) rings.push_back({r, z - c.half_length});
    if (2 * i >= kZones) rings.push_back({r, z + c.half_length});
  }
  revolve(s, kAroundCapsule, -c.radius - c.half_length, rings, c.radius + c.half_length);
  return s;
}

DrawnSurface hull(const ConvexHull& h) {
  DrawnSurface s;
  s.points = h.vertices;
  s.edges = h.edge;
  for (int f = 0; f < h.faces(); ++f)
    for (int i = h.first[at(f)] + 1; i + 1 < h.first[at(f) + 1]; ++i)
      s.triangles.push_back({h.corner[at(h.first[at(f)])], h.corner[at(i)], h.corner[at(i + 1)]});
  return s;
}

DrawnSurface field(const HeightField& h) {
  DrawnSurface s;
  for (int j = 0; j < h.rows; ++j)
    for (int i = 0; i < h.columns; ++i)
      s.points.emplace_back(h.origin_x + i * h.spacing_x, h.origin_y + j * h.spacing_y,
                            h.height[at(i + h.columns * j)]);
  for (int j = 0; j + 1 < h.rows; ++j)
    for (int i = 0; i + 1 < h.columns; ++i) {
      const int a = i + h.columns * j, b = a + 1, d = a + h.columns, c = d + 1;
      s.triangles.push_back({a, b, c});
      s.triangles.push_back({a, c, d});
    }
  s.edges = sharp_edges(s.points, s.triangles);
  return s;
}

struct Draw {
  DrawnShape operator()(const Sphere& x) const {
    return {{DrawnSurface::Kind::sphere, {}, {}, {}}, Vector3::Constant(x.radius)};
  }
  DrawnShape operator()(const Ellipsoid& x) const {
    return {{DrawnSurface::Kind::sphere, {}, {}, {}}, x.radii};
  }
  DrawnShape operator()(const Capsule& x) const { return {capsule(x)}; }
  DrawnShape operator()(const Cylinder& x) const {
    return {unit_cylinder(), {x.radius, x.radius, x.half_length}};
  }
  DrawnShape operator()(const Box& x) const { return {unit_box(), x.half}; }
  DrawnShape operator()(const Plane&) const { return {{DrawnSurface::Kind::plane, {}, {}, {}}}; }
  DrawnShape operator()(const std::shared_ptr<const ConvexHull>& x) const { return {hull(*x)}; }
  DrawnShape operator()(const std::shared_ptr<const TriangleMesh>& x) const {
    return {{DrawnSurface::Kind::mesh, x->vertices, x->triangles,
             sharp_edges(x->vertices, x->triangles)}};
  }
  DrawnShape operator()(const std::shared_ptr<const HeightField>& x) const { return {field(*x)}; }
};

}  // namespace

DrawnShape drawn(const Shape& shape) { return std::visit(Draw{}, shape); }

std::vector<std::array<int, 2>> sharp_edges(const std::vector<Vector3>& points,
                                            const std::vector<std::array<int, 3>>& triangles) {
  struct Side {
    std::array<int, 2> edge;
    int triangle;
  };
  std::vector<Vector3> normal;
  std::vector<Side> sides;
  for (const auto& [a, b, c] : triangles) {
    const Vector3 n = area_vector(points[at(a)], points[at(b)], points[at(c)]).stableNormalized();
    const int number = static_cast<int>(normal.size());
    normal.push_back(n);
    if (n.isZero(0.0)) continue;
    for (const auto& [i, j] : {std::array{a, b}, std::array{b, c}, std::array{c, a}})
      sides.push_back({{std::min(i, j), std::max(i, j)}, number});
  }
  std::ranges::sort(sides, [](const Side& x, const Side& y) {
    return x.edge != y.edge ? x.edge < y.edge : x.triangle < y.triangle;
  });
  std::vector<std::array<int, 2>> sharp;
  for (std::size_t i = 0, end; i < sides.size(); i = end) {
    for (end = i + 1; end < sides.size() && sides[end].edge == sides[i].edge;) ++end;
    const bool smooth = end - i == 2 && normal[at(sides[i].triangle)].dot(
                                            normal[at(sides[i + 1].triangle)]) >= kSharp;
    if (!smooth) sharp.push_back(sides[i].edge);
  }
  return sharp;
}

}  // namespace saltus
