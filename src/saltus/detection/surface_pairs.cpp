// Boundary surfaces against facet surfaces: fixed or rigid meshes, other boundary surfaces and
// themselves.
#include <cmath>

#include "saltus/detection/surface_detector_internal.h"

namespace saltus {
namespace {

constexpr double kCrossing = 0.02;  // sine of the smallest angle at which edges cross

}  // namespace

// Edges of a boundary surface in the world against those of a surface at pose `at`. With points
// p + s u and q + r w on them:
//
//     n = +- u x w/|u x w|,   from the second to the first,
//         -n between the facet normals at the first, n between those at the second,
//     gap = n . (p + s u - q - r w),   0 < s, r < 1.
template <class Take>
void SurfaceDetector::Search::cross_edges(const FacetSurface& first, const Bounds& box,
                                          const FacetSurface& second, const Pose& at,
                                          const Take& take) const {
  if (first.edges().empty() || second.edges().empty()) return;
  const Pose back = at.inverse();
  const double reach = std::max({margin, first.deepest(), second.deepest()});
  first.edges_in(box, [&](int i) {
    const FacetSurface::Edge& e = first.edges()[static_cast<std::size_t>(i)];
    const auto [a, b] = first.ends(e);
    const Vector3 p = first.place(a), u = first.place(b) - p;
    Bounds near = first.box_of(e);
    widen(near, reach);
    second.edges_in(placed(near, back), [&](int j) {
      const FacetSurface::Edge& f = second.edges()[static_cast<std::size_t>(j)];
      const auto [c, d] = second.ends(f);
      const Vector3 q = at * second.place(c), w = at.R * (second.place(d) - second.place(c)),
                    across = u.cross(w);
      const double sine2 = across.squaredNorm(), uu = u.squaredNorm(), ww = w.squaredNorm();
      if (!(sine2 > kCrossing * kCrossing * uu * ww)) return;
      const double s = (q - p).cross(w).dot(across) / sine2,
                   r = (q - p).cross(u).dot(across) / sine2;
      if (!(std::min(s, r) > kAtCorner && std::max(s, r) < 1.0 - kAtCorner)) return;
      Vector3 n = across / std::sqrt(sine2);
      if (!first.stands_out(e, -n)) n = -n;
      if (!first.stands_out(e, -n) || !second.stands_out(f, at.R.transpose() * n)) return;
      const double gap = n.dot(p + s * u - q - r * w);
      if (gap <= margin && gap >= -std::min(first.depth(e.triangle), second.depth(f.triangle)))
        take(i, s, j, r, n, gap);
    });
  });
}

// A mesh or height field that does not deform: vertices of the boundary surface against it, in its
// frame, then its own vertices against the boundary surface.
void SurfaceDetector::Search::on_surface(int s, int c) {
  BoundarySurface& own = boundaries[static_cast<std::size_t>(s)];
  const FacetSurface& boundary = own.surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  const FacetSurface& surface = *other.surface;
  const Matrix3& R = other.at.R;
  const auto any = [](int) { return false; };
  FacetSurface::Point point;
  boundary.vertices_in(other.box, [&](int v) {
    if (!surface.nearest(
            R.transpose() * (boundary.place(v) - other.at.x), margin,
            [&](const Vector3& d) { return boundary.looks(v, R * d); }, any, point))
      return;
    own.touched[static_cast<std::size_t>(v)] = pair;
    SurfaceSide b;
    b.collider = c;
    add_vertex(s, v, c, b, R * point.normal, point.gap);
  });
  if (boundary.facets() == 0) return;
  surface.vertices_in(placed(own.box, other.at.inverse()), [&](int v) {
    if (!boundary.nearest(
            other.at * surface.place(v), margin,
            [&](const Vector3& d) { return surface.looks(v, R.transpose() * d); }, any, point))
      return;
    const SurfaceSide a = side_of(s, boundary, point);
    const int vertex = at_vertex(boundary, a);
    if (vertex >= 0 && own.touched[static_cast<std::size_t>(vertex)] == pair) return;
    SurfaceSide b;
    b.collider = c;
    add(s, c, a, b, -point.normal, point.gap, kOtherWay | static_cast<std::uint32_t>(v), 0);
  });
  cross_edges(boundary, other.box, surface, other.at,
              [&](int i, double along, int j, double, const Vector3& n, double gap) {
                SurfaceSide b;
                b.collider = c;
                add_edges(
                    s, i, c, j, surface.edges().size(),
                    on_edge(s, boundary, boundary.edges()[static_cast<std::size_t>(i)], along), b,
                    n, gap);
              });
}

void SurfaceDetector::Search::on_boundary(int s, int r) {
  BoundarySurface &first = boundaries[static_cast<std::size_t>(s)],
                  &second = boundaries[static_cast<std::size_t>(r)];
  const auto any = [](int) { return false; };
  FacetSurface::Point point;
  first.surface.vertices_in(second.box, [&](int v) {
    if (!second.surface.nearest(
            first.surface.place(v), margin,
            [&](const Vector3& d) { return first.surface.looks(v, d); }, any, point))
      return;
    first.touched[static_cast<std::size_t>(v)] = pair;
    add_vertex(s, v, number(r), side_of(r, second.surface, point), point.normal, point.gap);
  });
  second.surface.vertices_in(first.box, [&](int v) {
    if (!first.surface.nearest(
            second.surface.place(v), margin,
            [&](const Vector3& d) { return second.surface.looks(v, d); }, any, point))
      return;
    const SurfaceSide a = side_of(s, first.surface, point);
    const int vertex = at_vertex(first.surface, a);
    if (vertex >= 0 && first.touched[static_cast<std::size_t>(vertex)] == pair) return;
    SurfaceSide b;
    b.boundary = r;
    b.vertex = v;
    add(s, number(r), a, b, -point.normal, point.gap, kOtherWay | static_cast<std::uint32_t>(v), 0);
  });
  cross_edges(first.surface, second.box, second.surface, Pose{},
              [&](int i, double along, int j, double beside, const Vector3& n, double gap) {
                const auto e = static_cast<std::size_t>(i), f = static_cast<std::size_t>(j);
                add_edges(s, i, number(r), j, second.surface.edges().size(),
                          on_edge(s, first.surface, first.surface.edges()[e], along),
                          on_edge(r, second.surface, second.surface.edges()[f], beside), n, gap);
              });
}

// Of two vertices in contact with each other, the first one counts.
void SurfaceDetector::Search::on_itself(int s) {
  BoundarySurface& own = boundaries[static_cast<std::size_t>(s)];
  const FacetSurface& boundary = own.surface;
  FacetSurface::Point point;
  for (int v = 0; v < boundary.vertices(); ++v) {
    const std::span<const int> beside = boundary.beside(v);
    if (beside.empty()) continue;
    const auto near = [&](int facet) {
      for (const int w : boundary.corners(facet))
        if (w == v || (w >= 0 && std::binary_search(beside.begin(), beside.end(), w))) return true;
      return boundary.was_behind(v, facet);
    };
    if (!boundary.nearest(
            boundary.place(v), margin, [&](const Vector3& d) { return boundary.looks(v, d); }, near,
            point))
      continue;
    const SurfaceSide b = side_of(s, boundary, point);
    const int vertex = at_vertex(boundary, b);
    if (vertex >= 0 && vertex < v && own.touched[static_cast<std::size_t>(vertex)] == pair)
      continue;
    own.touched[static_cast<std::size_t>(v)] = pair;
    add_vertex(s, v, number(s), b, point.normal, point.gap);
  }
}

}  // namespace saltus
