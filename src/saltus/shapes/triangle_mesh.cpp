#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/shapes/geometry.h"

namespace saltus {
namespace {

constexpr int kLeaf = 4;  // triangles per leaf

void check_vertices(std::span<const Vector3> vertices) {
  for (std::size_t k = 0; k < vertices.size(); ++k)
    if (!is_place(vertices[k]))
      throw UsageError(
          fmt::format("vertex {} is ({}, {}, {}): coordinates must be finite and at most 1e50 m", k,
                      vertices[k].x(), vertices[k].y(), vertices[k].z()));
}

void check_triangles(std::span<const Vector3> vertices,
                     std::span<const std::array<int, 3>> triangles) {
  if (triangles.empty()) throw UsageError("the mesh has no triangles");
  const int count = static_cast<int>(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    for (int vertex : triangles[t])
      if (vertex < 0 || vertex >= count)
        throw UsageError(fmt::format("triangle {} names vertex {}, but there are {} vertices", t,
                                     vertex, count));
    if (!has_area(vertices[a], vertices[b], vertices[c]))
      throw UsageError(
          fmt::format("triangle {} between the vertices {}, {} and {} has no area", t, a, b, c));
  }
}

// One side of a triangle, given by its two vertices in increasing order.
struct Side {
  int low = 0, high = 0, triangle = 0, place = 0;
  bool upwards = false;  ///< the triangle's direction along the side is from low to high
  auto operator<=>(const Side&) const = default;
};

std::vector<Side> sides_of(std::span<const std::array<int, 3>> triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int from = triangles[t][k], to = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int>(t), k, from < to});
    }
  std::ranges::sort(sides);
  return sides;
}

// Calls use(sides of one edge) for every edge.
template <class Use>
void for_edges(std::span<const Side> sides, Use use) {
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].low == sides[first].low &&
           sides[last].high == sides[first].high)
      ++last;
    use(sides.subspan(first, last - first));
  }
}

bool is_regular(std::span<const Side> edge) {
  return edge.size() == 2 && edge[0].upwards != edge[1].upwards;
}

void set_neighbours(TriangleMesh& mesh) {
  mesh.neighbour.assign(mesh.triangles.size(), {-1, -1, -1});
  mesh.closed = true;
  const std::vector<Side> sides = sides_of(mesh.triangles);
  for_edges(sides, [&](std::span<const Side> edge) {
    if (!is_regular(edge)) {
      mesh.closed = false;
      return;
    }
    mesh.neighbour[edge[0].triangle][edge[0].place] = edge[1].triangle;
    mesh.neighbour[edge[1].triangle][edge[1].place] = edge[0].triangle;
  });
}

// Splits at the median along the longest side of the box of the triangle centres, down to leaves.
class TreeBuilder {
 public:
  explicit TreeBuilder(TriangleMesh& mesh) : mesh_(mesh) {
    for (const auto& t : mesh.triangles)
      middle_.push_back((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3.0);
    mesh.order.resize(mesh.triangles.size());
    std::iota(mesh.order.begin(), mesh.order.end(), 0);
  }
  void build() {
    mesh_.tree.emplace_back();
    fill(0, 0, static_cast<int>(mesh_.order.size()));
  }

 private:
  void fill(int node, int first, int count) {
    const auto begin = mesh_.order.begin() + first, end = begin + count;
    set_box(node, {begin, end});
    if (count <= kLeaf) {
      std::sort(begin, end);
      mesh_.tree[node].first = first;
      mesh_.tree[node].count = count;
      return;
    }
    Bounds box{middle_[*begin], middle_[*begin]};
    for (auto t = begin; t != end; ++t) {
      box.low = box.low.cwiseMin(middle_[*t]);
      box.high = box.high.cwiseMax(middle_[*t]);
    }
    Eigen::Index axis = 0;
    (box.high - box.low).maxCoeff(&axis);
    const auto before = [&](int t, int u) {
      const double x = middle_[t][axis], y = middle_[u][axis];
      return x != y ? x < y : t < u;
    };
    const int half = count / 2;
    std::nth_element(begin, begin + half, end, before);
    const int children = static_cast<int>(mesh_.tree.size());
    mesh_.tree[node].first = children;
    mesh_.tree.resize(mesh_.tree.size() + 2);
    fill(children, first, half);
    fill(children + 1, first + half, count - half);
  }

  void set_box(int node, std::span<const int> triangles) {
    const Vector3& x0 = mesh_.vertices[mesh_.triangles[triangles.front()][0]];
    Bounds box{x0, x0};
    for (int t : triangles)
      for (int vertex : mesh_.triangles[t]) {
        box.low = box.low.cwiseMin(mesh_.vertices[vertex]);
        box.high = box.high.cwiseMax(mesh_.vertices[vertex]);
      }
    mesh_.tree[node].low = box.low;
    mesh_.tree[node].high = box.high;
  }

  TriangleMesh& mesh_;
  std::vector<Vector3> middle_;
};

// "3 edges are open, the first from vertex 4 to vertex 7"
struct EdgeFault {
  int count = 0;
  Side first;

  void add(const Side& side) {
    if (count++ == 0) first = side;
  }
  void tell(const char* one, const char* many, std::string& text) const {
    if (count == 0) return;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}, {}from vertex {} to vertex {}", count, count == 1 ? one : many,
                        count == 1 ? "" : "the first ", first.low, first.high);
  }
};

// Number of vertices of triangles that coincide with an earlier one.
std::size_t repeated_places(const TriangleMesh& mesh) {
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const auto& t : mesh.triangles)
    for (int vertex : t) used[static_cast<std::size_t>(vertex)] = 1;
  std::vector<Vector3> places;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k]) places.push_back(mesh.vertices[k]);
  std::ranges::sort(places, [](const Vector3& a, const Vector3& b) {
    return std::ranges::lexicographical_compare(a, b);
  });
  const auto different = std::unique(places.begin(), places.end()) - places.begin();
  return places.size() - static_cast<std::size_t>(different);
}

// Solid angle of a triangle as seen from the origin (Van Oosterom and Strackee), > 0 from inside:
//     tan(Omega/2) = a . b x c/(|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|)
double solid_angle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double A = a.norm(), B = b.norm(), C = c.norm();
  return 2.0 *
         std::atan2(a.dot(b.cross(c)), A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B);
}

}  // namespace

std::shared_ptr<const TriangleMesh> triangle_mesh(std::vector<Vector3> vertices,
                                                  std::vector<std::array<int, 3>> triangles) {
  check_vertices(vertices);
  check_triangles(vertices, triangles);
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = std::move(vertices);
  mesh->triangles = std::move(triangles);
  for (const auto& [i, j, k] : mesh->triangles) {
    const Vector3 &a = mesh->vertices[i], &b = mesh->vertices[j], &c = mesh->vertices[k];
    Vector3 longest = b - a;
    for (const Vector3& side : {Vector3(c - b), Vector3(a - c)})
      if (side.stableNorm() > longest.stableNorm()) longest = side;
    mesh->normal.push_back(face_normal(area_vector(a, b, c), longest));
  }
  set_neighbours(*mesh);
  TreeBuilder(*mesh).build();
  return mesh;
}

std::string why_open(const TriangleMesh& mesh) {
  EdgeFault open, crowded, turned;
  const std::vector<Side> sides = sides_of(mesh.triangles);
  for_edges(sides, [&](std::span<const Side> edge) {
    if (edge.size() == 1)
      open.add(edge[0]);
    else if (edge.size() > 2)
      crowded.add(edge[0]);
    else if (!is_regular(edge))
      turned.add(edge[0]);
  });
  std::string text;
  open.tell("edge is open", "edges are open", text);
  crowded.tell("edge belongs to more than two triangles", "edges belong to more than two triangles",
               text);
  turned.tell("edge lies between triangles of opposite orientation",
              "edges lie between triangles of opposite orientation", text);
  if (open.count > 0)
    if (const std::size_t repeated = repeated_places(mesh); repeated > 0)
      text += fmt::format("; {} vertices coincide with another one", repeated);
  return text;
}

// The planes of all triangles have all vertices behind them, so the surface lies on the hull of its
// vertices; its solid angle about the centre shows that it encloses the centre exactly once.
bool is_convex(const TriangleMesh& mesh) {
  if (!mesh.closed) return false;
  const TriangleMesh::Node& root = mesh.tree.front();
  const double size = (root.high - root.low).norm();
  const Vector3 middle = 0.5 * root.low + 0.5 * root.high;
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const auto& t : mesh.triangles)
    for (int vertex : t) used[static_cast<std::size_t>(vertex)] = 1;
  std::vector<Vector3> places;
  Vector3 inside = Vector3::Zero();
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k]) {
      places.emplace_back((mesh.vertices[k] - middle) / size);
      inside += places.back();
    }
  inside /= static_cast<double>(places.size());
  const double vertex_round_off = 1e-15 * (1.0 + middle.norm() / size);

  double round = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vector3 a = (mesh.vertices[mesh.triangles[t][0]] - middle) / size;
    const Vector3 b = (mesh.vertices[mesh.triangles[t][1]] - middle) / size;
    const Vector3 c = (mesh.vertices[mesh.triangles[t][2]] - middle) / size;
    const Vector3& n = mesh.normal[t];
    // the round-off of a normal is that of the vertices divided by the height of the triangle
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const double round_off = vertex_round_off * longest / area_vector(a, b, c).norm();
    for (const Vector3& x : places)
      if (n.dot(x - a) > 1e-9 + round_off) return false;
    round += solid_angle(a - inside, b - inside, c - inside);
  }
  return round > 2.0 * std::numbers::pi && round < 6.0 * std::numbers::pi;
}

}  // namespace saltus
