// Boxes and cylinders: bricks first, split into the wanted kind, middle nodes of edges added, sides named.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/bodies/mesh.h"

namespace saltus {
namespace {

using Cell = std::vector<int>;  // nodes of a bar2, quad4 or hex8

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Cells {
  int dimension = 3;
  std::vector<Vector3> nodes;
  std::vector<Cell> cells;
};

// Corners of the parts of a brick, of a pair of triangles, of itself; pyramids (base first) meet in the centre, node 8.
std::vector<Cell> split(ElementKind linear) {
  switch (linear) {
    case ElementKind::tri3:
      return {{0, 1, 2}, {0, 2, 3}};
    case ElementKind::tet4:
    case ElementKind::wedge6:
      return {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    case ElementKind::pyramid5:
      return {{0, 1, 2, 3, 8}, {4, 7, 6, 5, 8}, {0, 4, 5, 1, 8},
              {1, 5, 6, 2, 8}, {2, 6, 7, 3, 8}, {3, 7, 4, 0, 8}};
    case ElementKind::hex8:
      return {{0, 1, 2, 3, 4, 5, 6, 7}};
    case ElementKind::quad4:
      return {{0, 1, 2, 3}};
    default:
      return {{0, 1}};
  }
}

// A wedge in three tetrahedra, each of its quadrilaterals cut from the corner of the lowest number, so that neighbours
// agree (J. Dompierre et al. 1999).
std::vector<Cell> tetrahedra(const Cell& wedge) {
  static constexpr int kTurn[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                      {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
  const auto first = std::ranges::min_element(wedge) - wedge.begin();
  Cell w;
  for (int k : kTurn[first]) w.push_back(wedge[index(k)]);
  if (std::min(w[1], w[5]) < std::min(w[2], w[4]))
    return {{w[0], w[1], w[2], w[5]}, {w[0], w[1], w[5], w[4]}, {w[0], w[4], w[5], w[3]}};
  return {{w[0], w[1], w[2], w[4]}, {w[0], w[4], w[2], w[5]}, {w[0], w[4], w[5], w[3]}};
}

Mesh elements_of(Cells cells, ElementKind kind) {
  const ElementKind linear = linear_kind(kind);
  Mesh mesh;
  mesh.dimension = cells.dimension;
  ElementBlock block{kind, 0, {}};
  std::map<std::pair<int, int>, int> middle;
  const std::vector<Cell> parts = split(linear);
  for (Cell cell : cells.cells) {
    if (linear == ElementKind::pyramid5) {
      Vector3 centre = Vector3::Zero();
      for (int a : cell) centre += cells.nodes[index(a)] / 8.0;
      cell.push_back(static_cast<int>(cells.nodes.size()));
      cells.nodes.push_back(centre);
    }
    for (const Cell& part : parts) {
      Cell corner;
      for (int a : part) corner.push_back(cell[index(a)]);
      for (Cell node :
           linear == ElementKind::tet4 ? tetrahedra(corner) : std::vector<Cell>{corner}) {
        for (const auto& [a, b] : middle_nodes(kind)) {
          const std::pair<int, int> ends = std::minmax(node[index(a)], node[index(b)]);
          const auto [at, fresh] = middle.try_emplace(ends, static_cast<int>(cells.nodes.size()));
          if (fresh)
            cells.nodes.push_back(
                0.5 * (cells.nodes[index(ends.first)] + cells.nodes[index(ends.second)]));
          node.push_back(at->second);
        }
        block.nodes.insert(block.nodes.end(), node.begin(), node.end());
      }
    }
  }
  mesh.blocks.push_back(std::move(block));
  mesh.nodes.resize(3, static_cast<Eigen::Index>(cells.nodes.size()));
  for (std::size_t i = 0; i < cells.nodes.size(); ++i)
    mesh.nodes.col(static_cast<Eigen::Index>(i)) = cells.nodes[i];
  return mesh;
}

// Nodes, and faces of the boundary all of whose nodes, satisfy the condition.
void name_side(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
               const std::function<bool(const Vector3&)>& on) {
  std::vector<int>& nodes = mesh.node_sets[name];
  for (int i = 0; i < static_cast<int>(mesh.nodes.cols()); ++i)
    if (on(mesh.nodes.col(i))) nodes.push_back(i);
  if (outside.empty()) return;
  std::vector<MeshFace>& faces = mesh.face_sets[name];
  for (const MeshFace& face : outside)
    if (std::ranges::all_of(mesh.face_nodes(face), [&](int a) { return on(mesh.nodes.col(a)); }))
      faces.push_back(face);
}

}  // namespace

Mesh box_mesh(const BoxMesh& box) {
  const int d = info(box.kind).dimension;
  expects(box.size.head(d).minCoeff() > 0.0 && box.size.allFinite() && box.origin.allFinite(),
          "box mesh: the size is positive and finite");
  expects(*std::min_element(box.cells.begin(), box.cells.begin() + d) > 0,
          "box mesh: at least one cell along each axis");
  std::array<int, 3> n{0, 0, 0};
  std::copy(box.cells.begin(), box.cells.begin() + d, n.begin());
  Cells cells;
  cells.dimension = d;
  const auto node = [&](int i, int j, int k) { return (k * (n[1] + 1) + j) * (n[0] + 1) + i; };
  const auto along = [&](int axis, int i) {  // the last plane exactly at origin + size
    if (axis >= d) return 0.0;
    return i == n[index(axis)] ? box.origin[axis] + box.size[axis]
                               : box.origin[axis] + box.size[axis] * i / n[index(axis)];
  };
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i)
        cells.nodes.push_back({along(0, i), along(1, j), along(2, k)});
  for (int k = 0; k < std::max(n[2], 1); ++k)
    for (int j = 0; j < std::max(n[1], 1); ++j)
      for (int i = 0; i < n[0]; ++i) {
        Cell cell{node(i, j, k), node(i + 1, j, k)};
        if (d > 1) cell.insert(cell.end(), {node(i + 1, j + 1, k), node(i, j + 1, k)});
        if (d > 2)
          cell.insert(cell.end(), {node(i, j, k + 1), node(i + 1, j, k + 1),
                                   node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)});
        cells.cells.push_back(std::move(cell));
      }
  Mesh mesh = elements_of(std::move(cells), box.kind);
  const std::vector<MeshFace> outside = boundary(mesh);
  for (int axis = 0; axis < d; ++axis)
    for (int end : {0, 1}) {
      const double at = along(axis, end * n[index(axis)]);
      name_side(mesh, outside, fmt::format("{}{}", "xyz"[axis], end),
                [&](const Vector3& X) { return X[axis] == at; });
    }
  return mesh;
}

// The section: a square core whose half diagonal is half the radius, and from each of its four sides `rings` cells out
// to the circle. Places of the core and of the rings are shared by index, not by distance.
Mesh cylinder_mesh(const CylinderMesh& c) {
  expects(info(c.kind).dimension == 3, "cylinder mesh: an element of three dimensions");
  expects(c.radius > 0.0 && c.height > 0.0 && std::isfinite(c.radius) && std::isfinite(c.height),
          "cylinder mesh: radius and height are positive and finite");
  expects(c.cells > 0 && c.rings > 0 && c.layers > 0,
          "cylinder mesh: at least one cell everywhere");
  const int m = 2 * c.cells, around = 4 * m;
  const double half = 0.5 * c.radius / std::numbers::sqrt2;
  std::vector<Vector3> section;
  const auto core = [&](int i, int j) { return j * (m + 1) + i; };
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= m; ++i)
      section.emplace_back(half * (2.0 * i / m - 1.0), half * (2.0 * j / m - 1.0), 0.0);
  // place k of the border of the core, counterclockwise from its corner at -135 degrees
  const auto border = [&](int k) {
    const int side = (k % around) / m, s = k % m;
    const std::array<int, 4> at{core(s, 0), core(m, s), core(m - s, m), core(0, m - s)};
    return at[index(side)];
  };
  const int first = static_cast<int>(section.size());
  for (int ring = 1; ring <= c.rings; ++ring)
    for (int k = 0; k < around; ++k) {
      const double angle = -0.75 * std::numbers::pi + 2.0 * std::numbers::pi * k / around,
                   t = static_cast<double>(ring) / c.rings;
      const Vector3 out(c.radius * std::cos(angle), c.radius * std::sin(angle), 0.0);
      section.push_back((1.0 - t) * section[index(border(k))] + t * out);
    }
  const auto ring = [&](int r, int k) {
    return r == 0 ? border(k) : first + (r - 1) * around + k % around;
  };
  std::vector<std::array<int, 4>> flat;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i)
      flat.push_back({core(i, j), core(i + 1, j), core(i + 1, j + 1), core(i, j + 1)});
  for (int r = 0; r < c.rings; ++r)
    for (int k = 0; k < around; ++k)
      flat.push_back({ring(r, k), ring(r + 1, k), ring(r + 1, k + 1), ring(r, k + 1)});

  Cells cells;
  const int layer = static_cast<int>(section.size());
  for (int l = 0; l <= c.layers; ++l)
    for (const Vector3& X : section)
      cells.nodes.emplace_back(X.x(), X.y(), l == c.layers ? c.height : c.height * l / c.layers);
  for (int l = 0; l < c.layers; ++l)
    for (const auto& q : flat) {
      Cell cell;
      for (int up : {l, l + 1})
        for (int a : q) cell.push_back(up * layer + a);
      cells.cells.push_back(std::move(cell));
    }
  Mesh mesh = elements_of(std::move(cells), c.kind);
  // middle nodes of edges between places of the circle move out to it
  const double near = (1.0 - 1e-9) * c.radius * std::cos(std::numbers::pi / around);
  const auto on_side = [&](const Vector3& X) { return X.head<2>().norm() >= near; };
  if (info(c.kind).quadratic())
    for (Eigen::Index i = 0; i < mesh.nodes.cols(); ++i)
      if (const Vector3 X = mesh.nodes.col(i); on_side(X))
        mesh.nodes.col(i).head<2>() *= c.radius / X.head<2>().norm();
  const std::vector<MeshFace> outside = boundary(mesh);
  name_side(mesh, outside, "side", on_side);
  name_side(mesh, outside, "z0", [](const Vector3& X) { return X.z() == 0.0; });
  name_side(mesh, outside, "z1", [&](const Vector3& X) { return X.z() == c.height; });
  return mesh;
}

}  // namespace saltus
