// Rays through a facet surface: the thickness behind a facet, and the depth of a point inside.
#include <cmath>

#include "saltus/detection/facet_surface.h"
#include "saltus/detection/facet_surface_internal.h"

namespace saltus {
namespace {

/// True if some x + s d with 0 <= s <= most is in the box.
bool on_ray(const TriangleMesh::Node& box, const Vector3& x, const Vector3& d, double most) {
  double from = 0.0, to = most;
  for (int a = 0; a < 3; ++a) {
    if (d[a] == 0.0) {
      if (x[a] < box.low[a] || x[a] > box.high[a]) return false;
      continue;
    }
    const double s = (box.low[a] - x[a]) / d[a], r = (box.high[a] - x[a]) / d[a];
    from = std::max(from, std::min(s, r));
    to = std::min(to, std::max(s, r));
  }
  return from <= to * (1.0 + 1e-12);
}

}  // namespace

// Distance from the centre of a triangle inwards to the next triangle that faces the other way;
// infinite if there is none.
double FacetSurface::thickness(int t) const {
  const auto& [i, j, k] = mesh_.triangles[t];
  const Vector3 x = (mesh_.vertices[i] + mesh_.vertices[j] + mesh_.vertices[k]) / 3.0,
                d = -mesh_.normal[t];
  double least = std::numeric_limits<double>::infinity();
  const auto meets = [&](const TriangleMesh::Node& node) { return on_ray(node, x, d, least); };
  visit(mesh_.tree, mesh_.order, meets, [&](int other) {
    const Vector3& n = mesh_.normal[other];
    const double along = n.dot(d);
    if (other == t || !(along > 0.0)) return;
    const auto& v = mesh_.triangles[other];
    const double way = n.dot(mesh_.vertices[v[0]] - x) / along;
    if (!(way > 0.0 && way < least)) return;
    const Vector3 y = x + way * d;
    for (int a = 0; a < 3; ++a) {
      const Vector3 &p = mesh_.vertices[v[a]], e = mesh_.vertices[v[(a + 1) % 3]] - p;
      if (e.cross(n).dot(y - p) > tie_ * e.norm()) return;
    }
    least = way;
  });
  return least;
}

bool FacetSurface::closed() const {
  if (!flat_) return !facets_.empty() && mesh_.closed;
  for (std::size_t v = 0; v + 1 < first_about_.size(); ++v)
    if (const auto about = first_about_[v + 1] - first_about_[v]; about != 0 && about != 2)
      return false;
  return !facets_.empty();
}

/// True if a ray from x along d crosses an odd number of triangles.
bool FacetSurface::crosses_oddly(const Vector3& x, const Vector3& d) const {
  bool odd = false;
  const auto meets = [&](const TriangleMesh::Node& node) {
    return on_ray(node, x, d, std::numeric_limits<double>::infinity());
  };
  visit(mesh_.tree, mesh_.order, meets, [&](int t) {
    const auto& [i, j, k] = mesh_.triangles[t];
    const Vector3 a = mesh_.vertices[i] - x, b = mesh_.vertices[j] - x, c = mesh_.vertices[k] - x;
    // the ray crosses the triangle if it passes all three sides with the same orientation
    const double u = d.dot(b.cross(c)), v = d.dot(c.cross(a)), w = d.dot(a.cross(b));
    const bool left = u > 0.0 && v > 0.0 && w > 0.0, right = u < 0.0 && v < 0.0 && w < 0.0;
    if ((left || right) && (u * a + v * b + w * c).dot(d) / (u + v + w) > 0.0) odd = !odd;
  });
  return odd;
}

double FacetSurface::depth_of(const Vector3& x) const {
  if (!closed()) return 0.0;
  // two rays, because one may hit an edge; within the plane of a flat surface
  const Vector3 d1(0.8412, 0.4207, flat_ ? 0.0 : 0.3394),
      d2(-0.3127, 0.9081, flat_ ? 0.0 : -0.2788);
  if (!crosses_oddly(x, d1) || !crosses_oddly(x, d2)) return 0.0;
  double best = std::numeric_limits<double>::infinity();
  visit(
      mesh_.tree, mesh_.order,
      [&](const TriangleMesh::Node& node) {
        return (node.low - x).cwiseMax(x - node.high).cwiseMax(0.0).norm() <= best;
      },
      [&](int t) {
        if (!has_area(t)) return;
        const auto& v = mesh_.triangles[t];
        int at = 0;
        const std::array<Vector3, 3> c{mesh_.vertices[v[0]], mesh_.vertices[v[1]],
                                       mesh_.vertices[v[2]]};
        best = std::min(best, (x - closest(c, mesh_.normal[t], x, at)).norm());
      });
  return best;
}

}  // namespace saltus
