// Convex hull of points. The points are first sorted, translated near the origin and scaled by a
// power of 2, so that neither their order nor the position and size of the body affects Qhull's
// tolerances; all of this is exact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/shapes/geometry.h"
#include "saltus/shapes/hull_facets.h"

namespace saltus {
namespace {

constexpr double kThin = 1e-10;  // thickness over size below which points are coplanar
constexpr double kFlat = 1e-9;   // of the thickness: what is flat to within this is one face
// of the size: the noise of points that were rotated or computed
constexpr double kRoundOff = 1e-14;
// of the distance from the origin: the noise of points that were translated there
constexpr double kPlacing = 1e-15;

void check_points(std::span<const Vector3> points) {
  for (std::size_t k = 0; k < points.size(); ++k)
    if (!is_place(points[k]))
      throw UsageError(
          fmt::format("vertex {} is ({}, {}, {}): coordinates must be finite and at most 1e50 m", k,
                      points[k].x(), points[k].y(), points[k].z()));
  if (points.size() < 4)
    throw UsageError(fmt::format("a convex hull needs at least 4 points, not {}", points.size()));
}

std::vector<Vector3> sorted(std::span<const Vector3> points) {
  std::vector<Vector3> result;
  for (const Vector3& x : points) result.emplace_back(x.array() + 0.0);  // -0 becomes 0
  std::ranges::sort(result, [](const Vector3& a, const Vector3& b) {
    return std::ranges::lexicographical_compare(a, b);
  });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <class Distance>
std::size_t farthest(std::span<const Vector3> points, Distance distance) {
  std::size_t best = 0;
  double reach = -1.0;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (const double d = distance(points[k]); d > reach) {
      reach = d;
      best = k;
    }
  return best;
}

// Distance of the farthest point from a plane through three points that are far from each other.
// The point set has size 1.
double thickness(std::span<const Vector3> points) {
  const Vector3& a = points[0];
  const Vector3& b = points[farthest(points, [&](const Vector3& x) { return (x - a).norm(); })];
  const Vector3 t = (b - a).normalized();
  const auto from_line = [&](const Vector3& x) { return (x - a).cross(t).norm(); };
  const Vector3& c = points[farthest(points, from_line)];
  if (from_line(c) <= kThin) throw UsageError("the points of the convex hull lie on a line");
  const Vector3 n = (b - a).cross(c - a).normalized();
  const auto from_plane = [&](const Vector3& x) { return std::abs(n.dot(x - a)); };
  const double result = from_plane(points[farthest(points, from_plane)]);
  if (result <= kThin) throw UsageError("the points of the convex hull lie in a plane");
  return result;
}

// Vertices of the polygons that are not marked, in increasing order.
std::vector<int> vertices_of(const Polygons& polygons, std::span<const char> marked) {
  std::vector<int> used = polygons.corner;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::erase_if(used, [&](int v) { return marked[static_cast<std::size_t>(v)] != 0; });
  return used;
}

// Marks the second vertex of every edge that is shorter than `shortest`.
bool mark_short_edges(std::span<const Vector3> points, const Polygons& facets, double shortest,
                      std::vector<char>& marked) {
  marked.assign(points.size(), 0);
  bool any = false;
  for (const DirectedEdge& e : directed_edges(facets))
    if (e.from < e.to && (points[e.from] - points[e.to]).norm() <= shortest) {
      marked[static_cast<std::size_t>(e.to)] = 1;
      any = true;
    }
  return any;
}

[[noreturn]] void no_hull(const std::string& fault) {
  throw UsageError("the convex hull of the points is undetermined because of round-off: " + fault);
}

// If Qhull gives up because the noise is as small as its own round-off, the noise is increased:
// positions are rounded to a grid.
Polygons robust_facets(std::span<const Vector3> points, double flat) {
  std::string fault;
  Polygons facets = hull_facets(points, fault);
  if (facets.count() > 0) return facets;
  std::vector<Vector3> on_grid;
  const double spacing = 0.25 * flat;
  for (const Vector3& x : points) on_grid.emplace_back(spacing * (x / spacing).array().round());
  facets = hull_facets(on_grid, fault);
  if (facets.count() == 0) no_hull(fault);
  return facets;
}

// Facets with distinct vertices; corners are indices of `points`.
Polygons separate_facets(std::span<const Vector3> points, double shortest) {
  std::vector<int> index(points.size());
  std::iota(index.begin(), index.end(), 0);
  std::vector<Vector3> left(points.begin(), points.end());
  std::vector<char> marked;
  for (;;) {
    Polygons facets = robust_facets(left, shortest);
    if (!mark_short_edges(left, facets, shortest, marked)) {
      for (int& v : facets.corner) v = index[v];
      return facets;
    }
    const std::vector<int> kept = vertices_of(facets, marked);
    if (kept.size() < 4) no_hull("its corners are too close to each other");
    for (std::size_t k = 0; k < kept.size(); ++k) {  // kept[k] >= k
      index[k] = index[kept[k]];
      left[k] = left[kept[k]];
    }
    index.resize(kept.size());
    left.resize(kept.size());
  }
}

// The points that are corners, in their order. Renumbers the corners of faces accordingly.
void set_vertices(std::span<const Vector3> points, Polygons& faces, ConvexHull& hull) {
  const std::vector<int> used = vertices_of(faces, std::vector<char>(points.size(), 0));
  std::vector<int> number(points.size(), -1);
  for (int v : used) {
    number[v] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[v]);
    hull.radius = std::max(hull.radius, points[v].stableNorm());
  }
  for (int& v : faces.corner) v = number[v];
}

// Starts every face at its smallest corner, and sorts the faces. The plane of a face is that of its
// largest facet, which no point of the hull is in front of; a plane through all corners may be
// tilted by a narrow face.
void set_faces(const Polygons& faces, std::span<const Vector3> normals, ConvexHull& hull) {
  struct Face {
    std::vector<int> loop;
    Vector3 normal;
  };
  std::vector<Face> sorted_faces;
  for (int f = 0; f < faces.count(); ++f) {
    const auto polygon = faces[f];
    auto& loop = sorted_faces.emplace_back(Face{{polygon.begin(), polygon.end()}, normals[f]}).loop;
    std::rotate(loop.begin(), std::ranges::min_element(loop), loop.end());
  }
  std::ranges::sort(sorted_faces, {}, &Face::loop);
  for (const auto& [loop, n] : sorted_faces) {
    hull.corner.insert(hull.corner.end(), loop.begin(), loop.end());
    hull.first.push_back(static_cast<int>(hull.corner.size()));
    hull.normal.push_back(n);
    double offset = n.dot(hull.vertices[loop[0]]);
    for (int v : loop) offset = std::max(offset, n.dot(hull.vertices[v]));
    hull.offset.push_back(offset);
    for (int v : loop) hull.uneven = std::max(hull.uneven, offset - n.dot(hull.vertices[v]));
  }
}

void set_edges(ConvexHull& hull) {
  const std::vector<DirectedEdge> edges = directed_edges({hull.first, hull.corner});
  for (const DirectedEdge& e : edges)
    if (e.from < e.to) {
      hull.edge.push_back({e.from, e.to});
      hull.edge_faces.push_back({e.polygon, polygon_along(edges, e.to, e.from)});
    }
}

void set_stars(ConvexHull& hull) {
  std::vector<int>& first = hull.star_first;
  first.assign(hull.vertices.size() + 1, 0);
  for (const auto& ends : hull.edge)
    for (const int i : ends) ++first[i + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  hull.star.resize(2 * hull.edge.size());
  std::vector<int> next(first.begin(), first.end() - 1);
  for (std::size_t e = 0; e < hull.edge.size(); ++e)
    for (std::size_t end = 0; end < 2; ++end)
      hull.star[next[hull.edge[e][end]]++] = {static_cast<int>(e), hull.edge[e][1 - end]};
}

// The faces are determined from points of size 1; the vertices keep their original coordinates.
// noise: that of the points.
std::shared_ptr<const ConvexHull> build(std::span<const Vector3> points,
                                        std::span<const Vector3> places, double noise) {
  const double flat = std::max(kFlat * thickness(points), noise);
  const Polygons facets = separate_facets(points, flat);
  Faces faces;
  for (double tolerance : {flat, 1e-2 * flat, 0.0}) {
    faces = maximal_faces(points, facets, tolerance);
    if (faces.polygons.count() > 0) break;
  }
  if (faces.polygons.count() == 0) no_hull("its facets do not close");
  std::vector<Vector3> normals;
  for (int facet : faces.facet) normals.push_back(polygon_normal(places, facets[facet]));
  auto hull = std::make_shared<ConvexHull>();
  set_vertices(places, faces.polygons, *hull);
  set_faces(faces.polygons, normals, *hull);
  set_edges(*hull);
  set_stars(*hull);
  for (const Vector3& x : hull->vertices) hull->centre += x;
  hull->centre /= static_cast<double>(hull->vertices.size());
  return hull;
}

}  // namespace

std::shared_ptr<const ConvexHull> convex_hull(std::span<const Vector3> points) {
  check_points(points);
  const std::vector<Vector3> places = sorted(points);
  const Bounds box = box_around(places);
  const double size = (box.high - box.low).maxCoeff();
  if (!(size >= kShortestLength)) throw UsageError("all points of the convex hull coincide");
  int exponent = 0;
  std::frexp(size, &exponent);
  const double scale = std::ldexp(1.0, -exponent);
  // exact: along an axis on which the centre is farther from 0 than the size, no coordinate is more
  // than twice another
  Vector3 middle = 0.5 * box.low + 0.5 * box.high;
  for (double& m : middle)
    if (std::abs(m) <= size) m = 0.0;
  std::vector<Vector3> scaled;
  scaled.reserve(places.size());
  for (const Vector3& x : places) scaled.emplace_back(scale * (x - middle));
  return build(scaled, places, kRoundOff + kPlacing * scale * middle.norm());
}

}  // namespace saltus
