#include "saltus/detection/facet_surface.h"

#include <cmath>

#include "saltus/detection/facet_surface_internal.h"
#include "saltus/shapes/geometry.h"

namespace saltus {
namespace {

constexpr double kDeep = 0.5;         // of the longest side of a facet
constexpr double kThrough = 0.25;     // of the initial thickness behind it
constexpr double kSamePlace = 1e-9;   // of the size
constexpr double kSharp = 0.94;       // cosine of 20 degrees
constexpr double kBesideCone = 0.25;  // sine: possible tilt of faces that lie on each other
constexpr int kFacetLeaf = 8;

std::vector<std::array<int, 3>> triangles_of(const HeightField& field) {
  std::vector<std::array<int, 3>> triangles;
  const int cells = field.columns - 1;
  for (int t = 0; t < field.triangles(); ++t) {
    const int i = (t / 2) % cells, j = (t / 2) / cells, at = i + field.columns * j;
    const int across = at + 1 + field.columns;
    triangles.push_back(t % 2 == 0 ? std::array{at, at + 1, across}
                                   : std::array{at, across, at + field.columns});
  }
  return triangles;
}
std::vector<Vector3> nodes_of(const HeightField& field) {
  std::vector<Vector3> nodes;
  for (int j = 0; j < field.rows; ++j)
    for (int i = 0; i < field.columns; ++i)
      nodes.emplace_back(field.origin_x + i * field.spacing_x, field.origin_y + j * field.spacing_y,
                         field.height[static_cast<std::size_t>(i + field.columns * j)]);
  return nodes;
}

}  // namespace

FacetSurface::FacetSurface(std::vector<Vector3> vertices,
                           std::span<const std::array<int, 3>> facets, double width)
    : width_(width), place_(std::move(vertices)), facets_(facets.begin(), facets.end()) {
  flat_ = !facets_.empty() && facets_[0][2] < 0;
  if (!facets_.empty()) {
    std::vector<Vector3> corners = place_;
    std::vector<std::array<int, 3>> triangles = facets_;
    if (flat_) {  // vertices i and i + n: at -width and +width along z
      const int n = static_cast<int>(place_.size());
      for (Vector3& x : corners) x.z() -= width_;
      for (int i = 0; i < n; ++i) corners.push_back(corners[i] + 2.0 * width_ * Vector3::UnitZ());
      triangles.clear();
      for (const auto& [a, b, none] : facets_) {
        triangles.push_back({a, b, b + n});
        triangles.push_back({a, b + n, a + n});
      }
    }
    mesh_ = *triangle_mesh(std::move(corners), std::move(triangles));
  }
  prepare();
}

FacetSurface::FacetSurface(const TriangleMesh& mesh)
    : mesh_(mesh), place_(mesh.vertices), facets_(mesh.triangles) {
  prepare();
}

FacetSurface::FacetSurface(const HeightField& field)
    : FacetSurface(nodes_of(field), triangles_of(field), 1.0) {}

void FacetSurface::prepare() {
  const std::size_t n = place_.size();
  vertex_tree_.build(place_, kFacetLeaf);
  // triangles at each vertex, vertices adjacent to it
  first_about_.assign(n + 1, 0);
  first_beside_.assign(1, 0);
  const int per = flat_ ? 2 : 1;
  for (const auto& corners : facets_)
    for (int v : corners)
      if (v >= 0) ++first_about_[static_cast<std::size_t>(v) + 1];
  for (std::size_t v = 0; v < n; ++v) first_about_[v + 1] += first_about_[v];
  about_.resize(first_about_[n]);
  std::vector<std::size_t> next(first_about_.begin(), first_about_.end() - 1);
  for (int f = 0; f < facets(); ++f)
    for (int v : facets_[f])
      if (v >= 0) about_[next[v]++] = f * per;
  for (std::size_t v = 0; v < n; ++v) {
    const std::size_t begin = beside_.size();
    for (std::size_t k = first_about_[v]; k < first_about_[v + 1]; ++k)
      for (int w : facets_[about_[k] / per])
        if (w >= 0 && w != static_cast<int>(v)) beside_.push_back(w);
    const auto from = beside_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(from, beside_.end());
    beside_.erase(std::unique(from, beside_.end()), beside_.end());
    first_beside_.push_back(beside_.size());
  }
  refit();
  if (n > 0) size_ = (box().high - box().low).norm();
  tie_ = kSamePlace * size_;
  set_depths();
  start_ = place_;
  find_edges();
}

void FacetSurface::find_edges() {
  if (flat_) return;
  std::vector<Vector3> middle;
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t)
    for (int side = 0; side < 3; ++side) {
      const int other = mesh_.neighbour[t][side];
      if (other < t) continue;
      const Edge edge{t, side, other};
      const auto [a, b] = ends(edge);
      const Vector3 &n = mesh_.normal[t], &m = mesh_.normal[other];
      if (n.dot(m) >= kSharp || n.cross(m).dot(place_[b] - place_[a]) <= 0.0) continue;
      edges_.push_back(edge);
      middle.push_back(0.5 * (place_[a] + place_[b]));
    }
  edge_tree_.build(middle, kFacetLeaf);
  refit();
}

bool FacetSurface::stands_out(const Edge& edge, const Vector3& d) const {
  const Vector3 &n = mesh_.normal[edge.triangle], &m = mesh_.normal[edge.beside];
  if (!has_area(edge.triangle) || !has_area(edge.beside)) return false;
  const Vector3 along = n.cross(m);
  const double tie = kBesideCone * along.norm();
  return n.cross(d).dot(along) >= -tie && d.cross(m).dot(along) >= -tie;
}

void FacetSurface::set_depths() {
  depth_.clear();
  longest_.clear();
  deepest_ = 0.0;
  for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
    const auto& corners = facets_[facet(t)];
    double longest = 0.0;
    for (int k = 0; k < 3; ++k)
      if (const int a = corners[k], b = corners[(k + 1) % 3]; a >= 0 && b >= 0)
        longest = std::max(longest, (place_[a] - place_[b]).norm());
    longest_.push_back(longest);
    depth_.push_back(std::min(kDeep * longest, kThrough * thickness(t)));
    deepest_ = std::max(deepest_, depth_.back());
  }
}

void FacetSurface::refit() {
  saltus::refit(vertex_tree_.nodes, vertex_tree_.order, [&](int v) {
    return Bounds{place_[v], place_[v]};
  });
  if (mesh_.triangles.empty()) return;
  saltus::refit(edge_tree_.nodes, edge_tree_.order, [&](int e) { return box_of(edges_[e]); });
  const std::size_t n = place_.size();
  for (std::size_t v = 0; v < n; ++v) {
    mesh_.vertices[v] = place_[v];
    if (!flat_) continue;
    mesh_.vertices[v].z() -= width_;
    mesh_.vertices[n + v] = place_[v] + width_ * Vector3::UnitZ();
  }
  for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
    const auto& [i, j, k] = mesh_.triangles[t];
    const Vector3 area = area_vector(mesh_.vertices[i], mesh_.vertices[j], mesh_.vertices[k]);
    const double norm = area.norm();
    // a zero normal, not one of an earlier step: equal places give equal contacts
    mesh_.normal[t] = norm > 0.0 ? Vector3(area / norm) : Vector3(Vector3::Zero());
  }
  saltus::refit(mesh_.tree, mesh_.order, [&](int t) {
    const auto& [i, j, k] = mesh_.triangles[t];
    const Vector3 &a = mesh_.vertices[i], &b = mesh_.vertices[j], &c = mesh_.vertices[k];
    return Bounds{a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
  });
}

double FacetSurface::looks(int vertex, const Vector3& d) const {
  const std::size_t begin = first_about_[vertex], end = first_about_[vertex + 1];
  double most = -1.0;
  bool any = false;
  Vector3 mean = Vector3::Zero();
  for (std::size_t k = begin; k < end; ++k) {
    if (!has_area(about_[k])) continue;
    const Vector3& n = mesh_.normal[about_[k]];
    most = std::max(most, n.dot(d));
    mean += n;
    any = true;
  }
  if (!any) return 1.0;
  const double length = mean.norm();
  return length > 0.0 ? std::max(most, mean.dot(d) / length) : most;
}

bool FacetSurface::was_behind(int vertex, int facet) const {
  const int t = flat_ ? 2 * facet : facet;
  const auto& corners = facets_[facet];
  const Vector3 &a = start_[corners[0]], &b = start_[corners[1]];
  std::array<Vector3, 3> c{a, b, flat_ ? Vector3(b + Vector3::UnitZ()) : start_[corners[2]]};
  const Vector3 n = area_vector(c[0], c[1], c[2]).normalized(), &x = start_[vertex];
  if (n.dot(x - a) > tie_) return false;
  if (flat_) {
    const double s = std::clamp((b - a).dot(x - a) / (b - a).squaredNorm(), 0.0, 1.0);
    return (x - a - s * (b - a)).norm() <= longest_[t];
  }
  int at = 0;
  return (x - closest(c, n, x, at)).norm() <= longest_[t];
}

bool FacetSurface::goes_on(int triangle, int side) const {
  const int other = mesh_.neighbour[triangle][side];
  return other >= 0 && mesh_.normal[triangle].dot(mesh_.normal[other]) > kSharp;
}

Vector3 FacetSurface::weights(int triangle, const Vector3& x) const {
  const auto& [i, j, k] = mesh_.triangles[triangle];
  const Vector3 &a = mesh_.vertices[i], u = mesh_.vertices[j] - a, v = mesh_.vertices[k] - a;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), ux = u.dot(x - a), vx = v.dot(x - a);
  const double det = uu * vv - uv * uv;
  Vector3 w(0.0, (vv * ux - uv * vx) / det, (uu * vx - uv * ux) / det);
  w[0] = 1.0 - w[1] - w[2];
  if (flat_)  // corners a- b- b+ and a- b+ a+ of the strip for an edge a b
    w = triangle % 2 == 0 ? Vector3(w[0], w[1] + w[2], 0.0) : Vector3(w[0] + w[2], w[1], 0.0);
  w = w.cwiseMax(0.0);
  return w / w.sum();
}

bool FacetSurface::meet(int t, const Vector3& x, double margin, Point& point) const {
  if (!has_area(t)) return false;
  const auto& corner = mesh_.triangles[t];
  const std::array<Vector3, 3> c{mesh_.vertices[corner[0]], mesh_.vertices[corner[1]],
                                 mesh_.vertices[corner[2]]};
  const Vector3& n = mesh_.normal[t];
  const double height = n.dot(x - c[0]);
  if (height > margin || height < -depth_[t]) return false;
  int at = 0;
  const Vector3 y = closest(c, n, x, at), d = x - y;
  const double distance = d.norm(), aside = (d - height * n).norm();
  point.triangle = t;
  point.y = y;
  point.normal = n;
  point.gap = height;
  if (at == 0 || aside <= tie_) return true;  // directly above or below the facet
  if (height >= 0.0) {
    point.normal = d / distance;
    point.gap = distance;
    return distance <= margin;
  }
  // behind the facet and beside it: counts only at a concave side, where x is also behind and
  // beside the adjacent triangle
  const auto hollow = [&](int side) {
    const int other = mesh_.neighbour[t][side];
    if (other < 0) return false;
    const Vector3 &m = mesh_.normal[other], e = c[side] - c[(side + 1) % 3];
    return m.dot(d) <= 0.0 && e.cross(m).dot(d) >= -tie_ * e.norm();
  };
  if (!(at >= 4 ? hollow(at - 4) : hollow(at - 1) && hollow((at + 1) % 3)) || distance > depth_[t])
    return false;
  point.normal = -d / distance;
  point.gap = -distance;
  return true;
}

}  // namespace saltus
