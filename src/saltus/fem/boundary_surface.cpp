// Round shapes are divided into rings about z. Ring i of a cap has 4 i points, so that facets keep
// their proportions up to the pole.
#include "saltus/fem/boundary_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

using std::numbers::pi;

constexpr int kMostFacets = 1 << 22;

// Splits a face into facets of its own nodes; an edge becomes two segments.
std::vector<std::array<int, 3>> pieces(ElementKind face) {
  switch (face) {
    case ElementKind::bar2:
      return {{0, 1, -1}};
    case ElementKind::bar3:
      return {{0, 2, -1}, {2, 1, -1}};
    case ElementKind::tri3:
      return {{0, 1, 2}};
    case ElementKind::tri6:
      return {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    case ElementKind::quad4:
      return {{0, 1, 2}, {0, 2, 3}};
    default:
      return {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}};
  }
}

// Nodes that belong to only one element, in a mesh that consists of bars.
std::vector<int> bar_ends(const Mesh& mesh) {
  std::vector<int> uses(index(static_cast<int>(mesh.nodes.cols())), 0), ends;
  for (const ElementBlock& block : mesh.blocks) {
    if (info(block.kind).dimension > 1) return {};
    for (int e = 0; e < block.elements(); ++e)
      for (int a = 0; a < info(block.kind).corners; ++a) ++uses[index(block.element(e)[index(a)])];
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i] == 1) ends.push_back(static_cast<int>(i));
  return ends;
}

struct Surface {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;

  int add(const Vector3& x) {
    vertices.push_back(x);
    return static_cast<int>(vertices.size()) - 1;
  }
  double longest_side() const {
    double longest = 0.0;
    for (const auto& t : triangles)
      for (std::size_t k = 0; k < 3; ++k)
        longest =
            std::max(longest, (vertices[index(t[k])] - vertices[index(t[(k + 1) % 3])]).norm());
    return longest;
  }
};

Vector3 around(double r, double z, int j, int count) {
  // exact at quarter turns, so that the rim lies on the coordinate planes
  const double angle = 2.0 * pi * j / count;
  const int quarter = 4 * j / count;
  if (quarter * count == 4 * j) {
    const double c[4] = {1.0, 0.0, -1.0, 0.0}, s[4] = {0.0, 1.0, 0.0, -1.0};
    return {r * c[quarter % 4], r * s[quarter % 4], z};
  }
  return {r * std::cos(angle), r * std::sin(angle), z};
}

// A cap with rings 1 .. k about its pole; `profile(i)` gives radius and height of ring i. The rim
// may exist already.
template <class Profile>
std::vector<int> add_cap(Surface& s, int k, bool up, std::vector<int> rim, const Profile& profile) {
  std::vector<int> inner{s.add({0.0, 0.0, profile(0)[1]})};
  for (int i = 1; i <= k; ++i) {
    std::vector<int> outer;
    const auto [r, z] = profile(i);
    if (i == k && !rim.empty())
      outer = rim;
    else
      for (int j = 0; j < 4 * i; ++j) outer.push_back(s.add(around(r, z, j, 4 * i)));
    const auto in = [&](int j) { return inner[index(j) % inner.size()]; };
    const auto out = [&](int j) { return outer[index(j) % outer.size()]; };
    const auto add = [&](int a, int b, int c) {
      s.triangles.push_back(up ? std::array{a, b, c} : std::array{a, c, b});
    };
    for (int q = 0; q < 4; ++q)
      for (int j = 0; j < i; ++j) {
        add(in(q * (i - 1) + j), out(q * i + j), out(q * i + j + 1));
        if (j + 1 < i) add(in(q * (i - 1) + j), out(q * i + j + 1), in(q * (i - 1) + j + 1));
      }
    inner = std::move(outer);
  }
  return inner;
}

// The wall from an existing rim at height z1 down to a new rim at z0.
std::vector<int> add_wall(Surface& s, std::vector<int> upper, double r, double z1, double z0,
                          int layers) {
  const auto n = static_cast<int>(upper.size());
  for (int l = 1; l <= layers; ++l) {
    const double z = l == layers ? z0 : z1 + (z0 - z1) * l / layers;
    std::vector<int> lower;
    for (int j = 0; j < n; ++j) lower.push_back(s.add(around(r, z, j, n)));
    for (int j = 0; j < n; ++j) {
      const int a = lower[index(j)], b = lower[index((j + 1) % n)], c = upper[index((j + 1) % n)],
                d = upper[index(j)];
      s.triangles.push_back({a, b, c});
      s.triangles.push_back({a, c, d});
    }
    upper = std::move(lower);
  }
  return upper;
}

// Two caps with k rings each and the wall between them, total height 2 half_length. flat: the caps
// are discs.
Surface revolved(double r, double half_length, bool flat, int k, double size) {
  Surface s;
  const auto cap = [&](double sign) {
    return [=](int i) {
      if (flat) return std::array{r * i / k, sign * half_length};
      if (i == k) return std::array{r, sign * half_length};
      const double angle = 0.5 * pi * i / k;
      return std::array{r * std::sin(angle), sign * (half_length + r * std::cos(angle))};
    };
  };
  std::vector<int> rim = add_cap(s, k, true, {}, cap(1.0));
  if (half_length > 0.0) {
    const double chord = 2.0 * r * std::sin(0.25 * pi / k);
    const double height = std::sqrt(std::max(size * size - chord * chord, 0.25 * size * size));
    expects(half_length / height < kMostFacets,
            "boundary surface: at most 4194304 facets are allowed");
    rim = add_wall(s, std::move(rim), r, half_length, -half_length,
                   std::max(1, static_cast<int>(std::ceil(2.0 * half_length / height - 1e-9))));
  }
  add_cap(s, k, false, std::move(rim), cap(-1.0));
  return s;
}

// The coarsest revolved surface whose edges, scaled by `scale`, are no longer than `size`.
Surface revolved_to(double r, double half_length, bool flat, const Vector3& scale, double size) {
  expects(
      size > 0.0 && std::isfinite(size),
      fmt::format(
          "boundary surface: the facet size of a round shape must be positive and finite, not {}",
          size));
  int k = 1;
  while (true) {
    expects(8.0 * k * k < kMostFacets, "boundary surface: at most 4194304 facets are allowed");
    Surface s = revolved(r, half_length, flat, k, size);
    for (Vector3& x : s.vertices) x = x.cwiseProduct(scale);
    const double longest = s.longest_side();
    if (longest <= size * (1.0 + 1e-12)) return s;
    k = std::max(k + 1, static_cast<int>(0.9 * k * longest / size));
  }
}

Surface surface_of(const Sphere& x, double size) {
  return revolved_to(x.radius, 0.0, false, Vector3::Ones(), size);
}
Surface surface_of(const Ellipsoid& x, double size) {
  return revolved_to(1.0, 0.0, false, x.radii, size);
}
Surface surface_of(const Capsule& x, double size) {
  return revolved_to(x.radius, x.half_length, false, Vector3::Ones(), size);
}
Surface surface_of(const Cylinder& x, double size) {
  return revolved_to(x.radius, x.half_length, true, Vector3::Ones(), size);
}
Surface surface_of(const Box& box, double) {
  Surface s;
  for (int i = 0; i < 8; ++i)
    s.add({i & 1 ? box.half.x() : -box.half.x(), i & 2 ? box.half.y() : -box.half.y(),
           i & 4 ? box.half.z() : -box.half.z()});
  for (const auto& [a, b, c, d] :
       {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
        std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}}) {
    s.triangles.push_back({a, b, c});
    s.triangles.push_back({a, c, d});
  }
  return s;
}
Surface surface_of(const std::shared_ptr<const ConvexHull>& hull, double) {
  Surface s;
  s.vertices = hull->vertices;
  for (int f = 0; f < hull->faces(); ++f)
    for (int k = hull->first[index(f)] + 2; k < hull->first[index(f + 1)]; ++k)
      s.triangles.push_back({hull->corner[index(hull->first[index(f)])], hull->corner[index(k - 1)],
                             hull->corner[index(k)]});
  return s;
}
Surface surface_of(const std::shared_ptr<const TriangleMesh>& mesh, double) {
  return {mesh->vertices, mesh->triangles};
}
template <class Other>
Surface surface_of(const Other& shape, double) {
  expects(false, fmt::format("boundary surface: a {} cannot be the surface of a body",
                             shape_name(Shape(shape))));
  return {};
}

}  // namespace

BoundarySurface boundary_of(const Mesh& mesh, std::span<const MeshFace> faces) {
  BoundarySurface boundary;
  const auto nodes = static_cast<int>(mesh.nodes.cols());
  std::vector<int> vertex_of(index(nodes), -1);
  const auto count = static_cast<int>(mesh.elements());
  std::vector<std::array<int, 2>> given;
  for (const MeshFace& f : faces) {
    expects(f.element >= 0 && f.element < count,
            fmt::format("boundary surface: a face names element {}, but there are {} elements",
                        f.element, count));
    given.push_back({f.element, f.face});
  }
  std::ranges::sort(given);
  const auto twice = std::ranges::adjacent_find(given);
  if (twice != given.end())
    expects(false, fmt::format("boundary surface: face {} of element {} is given twice",
                               (*twice)[1], (*twice)[0]));
  for (int a : faces.empty() ? bar_ends(mesh) : nodes_of(mesh, faces)) {
    vertex_of[index(a)] = static_cast<int>(boundary.vertices.size());
    boundary.vertices.push_back({0, a, Vector3::Zero()});
  }
  for (const MeshFace& f : faces) {
    const ElementKind kind = mesh.kind(f.element);
    const ElementFace& face = saltus::faces(kind)[index(f.face)];
    const auto element = mesh.element(f.element);
    for (const auto& piece : pieces(face.kind)) {
      BoundaryFacet facet;
      facet.feature = nodes + f.element;
      for (std::size_t k = 0; k < 3; ++k) {
        if (piece[k] < 0) continue;
        const int a = face.node[index(piece[k])];
        facet.vertex[k] = vertex_of[index(element[index(a)])];
        facet.local[k] = natural_nodes(kind)[index(a)];
      }
      boundary.facets.push_back(facet);
    }
  }
  return boundary;
}

BoundarySurface boundary_of(const Shape& shape, int body, const Vector3& centre, double size) {
  const Surface s = std::visit([&](const auto& x) { return surface_of(x, size); }, shape);
  expects(s.triangles.size() <= index(kMostFacets),
          "boundary surface: at most 4194304 facets are allowed");
  BoundarySurface boundary;
  for (const Vector3& x : s.vertices) boundary.vertices.push_back({body, 0, x - centre});
  for (const auto& t : s.triangles) {
    BoundaryFacet facet{t, body, 0, {}};
    for (std::size_t k = 0; k < 3; ++k) facet.local[k] = boundary.vertices[index(t[k])].local;
    boundary.facets.push_back(facet);
  }
  return boundary;
}

}  // namespace saltus
