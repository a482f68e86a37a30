// Boxes and cylinders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/mesh/mesh_cells_internal.h"

namespace saltus {
namespace {

using namespace cells;

}  // namespace

Mesh box_mesh(const BoxMesh& box) {
  const int d = info(box.kind).dimension;
  expects(box.size.head(d).minCoeff() > 0.0 && box.size.allFinite() && box.origin.allFinite(),
          "box mesh: the size must be positive and finite");
  expects(*std::min_element(box.cells.begin(), box.cells.begin() + d) > 0,
          "box mesh: at least one cell along each axis is required");
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

// The cross section: a square core whose half diagonal is half the radius, and from each of its
// four sides `rings` cells out to the circle. Nodes of the core and of the rings are shared by
// index, not by distance.
Mesh cylinder_mesh(const CylinderMesh& c) {
  expects(info(c.kind).dimension == 3, "cylinder mesh: the element must have three dimensions");
  expects(c.radius > 0.0 && c.height > 0.0 && std::isfinite(c.radius) && std::isfinite(c.height),
          "cylinder mesh: radius and height must be positive and finite");
  expects(c.cells > 0 && c.rings > 0 && c.layers > 0,
          "cylinder mesh: at least one cell in each direction is required");
  const int m = 2 * c.cells, around = 4 * m;
  const double half = 0.5 * c.radius / std::numbers::sqrt2;
  std::vector<Vector3> section;
  const auto core = [&](int i, int j) { return j * (m + 1) + i; };
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= m; ++i)
      section.emplace_back(half * (2.0 * i / m - 1.0), half * (2.0 * j / m - 1.0), 0.0);
  // node k of the border of the core, counterclockwise from its corner at -135 degrees
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
  // mid-edge nodes between nodes on the circle move out to it
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
