// From facets to maximal faces: facets are grouped by planes, and the groups alone determine the
// remaining surface. A vertex is a corner if three groups meet there, lies inside an edge if there
// are two, and inside a face if there is one; so two faces always agree on their common edge.
#include <algorithm>
#include <numeric>

#include "saltus/shapes/geometry.h"
#include "saltus/shapes/hull_facets.h"

namespace saltus {
namespace {

// The facets of each group lie within `flat` of the plane of its first facet, the largest one not
// yet grouped.
std::vector<int> group_by_planes(std::span<const Vector3> points, const Polygons& facets,
                                 const std::vector<DirectedEdge>& edges, double flat) {
  const int count = facets.count();
  std::vector<double> size(count);
  for (int f = 0; f < count; ++f) size[f] = polygon_area(points, facets[f]).norm();
  std::vector<int> by_size(count), group(count, -1), queue;
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, [&](int f, int g) { return size[f] > size[g]; });
  for (int seed : by_size) {
    if (group[seed] >= 0) continue;
    group[seed] = seed;
    const Vector3 n = polygon_normal(points, facets[seed]);
    const Vector3& x0 = points[facets[seed][0]];
    const auto in_plane = [&](int f) {
      return std::ranges::all_of(facets[f],
                                 [&](int v) { return std::abs(n.dot(points[v] - x0)) <= flat; });
    };
    queue.assign(1, seed);
    while (!queue.empty()) {
      const auto polygon = facets[queue.back()];
      queue.pop_back();
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        const int beside = polygon_along(edges, polygon[(k + 1) % polygon.size()], polygon[k]);
        if (beside < 0 || group[beside] >= 0 || !in_plane(beside)) continue;
        group[beside] = seed;
        queue.push_back(beside);
      }
    }
  }
  return group;
}

// Whether three or more groups meet at each vertex.
std::vector<char> find_corners(std::size_t vertices, const Polygons& facets,
                               const std::vector<int>& group) {
  std::vector<std::array<int, 2>> at;  // vertex, group
  for (int f = 0; f < facets.count(); ++f)
    for (int v : facets[f]) at.push_back({v, group[f]});
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  std::vector<int> met(vertices, 0);
  for (const auto& [vertex, g] : at) ++met[vertex];
  std::vector<char> corner(vertices);
  std::ranges::transform(met, corner.begin(), [](int groups) { return groups >= 3 ? 1 : 0; });
  return corner;
}

// A directed edge on the border between two groups.
struct BorderEdge {
  int group = 0, from = 0, to = 0;
  auto operator<=>(const BorderEdge&) const = default;
};

bool is_sphere(const Polygons& faces) {
  const std::vector<DirectedEdge> edges = directed_edges(faces);
  for (const DirectedEdge& e : edges)
    if (polygon_along(edges, e.to, e.from) < 0 || polygon_along(edges, e.from, e.to) < 0)
      return false;
  std::vector<int> used = faces.corner;
  std::ranges::sort(used);
  const auto vertices = std::unique(used.begin(), used.end()) - used.begin();
  return vertices - static_cast<std::ptrdiff_t>(edges.size() / 2) + faces.count() == 2;
}

}  // namespace

Vector3 polygon_area(std::span<const Vector3> points, std::span<const int> polygon) {
  Vector3 area = Vector3::Zero();
  const Vector3& x0 = points[polygon[0]];
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
    area += (points[polygon[k]] - x0).cross(points[polygon[k + 1]] - x0);
  return area;
}

Vector3 polygon_normal(std::span<const Vector3> points, std::span<const int> polygon) {
  const Vector3& x0 = points[polygon[0]];
  const auto distance = [&](int v) { return (points[v] - x0).stableNorm(); };
  const int farthest = *std::ranges::max_element(polygon, {}, distance);
  return face_normal(polygon_area(points, polygon), points[farthest] - x0);
}

std::vector<DirectedEdge> directed_edges(const Polygons& polygons) {
  std::vector<DirectedEdge> edges;
  edges.reserve(polygons.corner.size());
  for (int f = 0; f < polygons.count(); ++f) {
    const auto polygon = polygons[f];
    for (std::size_t k = 0; k < polygon.size(); ++k)
      edges.push_back({polygon[k], polygon[(k + 1) % polygon.size()], f});
  }
  std::ranges::sort(edges);
  return edges;
}

int polygon_along(std::span<const DirectedEdge> edges, int from, int to) {
  const auto found = std::ranges::lower_bound(edges, DirectedEdge{from, to, 0});
  const auto is_it = [&](auto e) { return e != edges.end() && e->from == from && e->to == to; };
  return is_it(found) && !is_it(found + 1) ? found->polygon : -1;
}

Faces maximal_faces(std::span<const Vector3> points, const Polygons& facets, double flat) {
  const std::vector<DirectedEdge> edges = directed_edges(facets);
  const std::vector<int> group = group_by_planes(points, facets, edges, flat);
  const std::vector<char> corner = find_corners(points.size(), facets, group);
  std::vector<BorderEdge> border;
  for (const DirectedEdge& e : edges) {
    const int beside = polygon_along(edges, e.to, e.from);
    if (beside < 0) return {};
    if (group[beside] != group[e.polygon]) border.push_back({group[e.polygon], e.from, e.to});
  }
  std::ranges::sort(border);

  Faces result;
  Polygons& faces = result.polygons;
  for (auto first = border.begin(); first != border.end();) {
    const int g = first->group;
    const auto last = std::find_if(first, border.end(), [&](auto& e) { return e.group != g; });
    std::ptrdiff_t steps = 0;
    auto at = first;
    do {
      if (corner[at->to]) faces.corner.push_back(at->to);
      const auto next = std::lower_bound(first, last, BorderEdge{g, at->to, 0});
      if (next == last || next->from != at->to) return {};
      at = next;
    } while (++steps < last - first && at != first);
    if (at != first || steps != last - first) return {};  // the border is more than one loop
    if (static_cast<int>(faces.corner.size()) - faces.first.back() < 3) return {};
    faces.first.push_back(static_cast<int>(faces.corner.size()));
    result.facet.push_back(g);
    first = last;
  }
  return is_sphere(faces) ? result : Faces{};
}

}  // namespace saltus
