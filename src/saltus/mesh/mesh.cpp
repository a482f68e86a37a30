#include "saltus/mesh/mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

// Nodes of a face, increasing, to find the same face of a neighbour.
std::vector<int> key(const Mesh& mesh, const MeshFace& face) {
  std::vector<int> nodes = mesh.face_nodes(face);
  std::ranges::sort(nodes);
  return nodes;
}

double size_of(const Mesh& mesh, int element) {
  const auto nodes = mesh.element(element);
  Eigen::AlignedBox3d box;
  for (int a : nodes) box.extend(Vector3(mesh.nodes.col(a)));
  return box.diagonal().norm();
}

void check_blocks(const Mesh& mesh) {
  expects(mesh.dimension >= 1 && mesh.dimension <= 3, "mesh: the dimension must be 1, 2 or 3");
  expects(mesh.nodes.allFinite(), "mesh: coordinates must be finite");
  if (mesh.dimension < 3)
    expects(mesh.nodes.bottomRows(3 - mesh.dimension).isZero(0.0),
            fmt::format("mesh: nodes of a mesh of dimension {} must lie {}", mesh.dimension,
                        mesh.dimension == 1 ? "on the x axis" : "in the plane of x and y"));
  const auto count = static_cast<int>(mesh.nodes.cols());
  int first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementInfo& kind = info(block.kind);
    expects(kind.dimension == 1 || kind.dimension == mesh.dimension,
            fmt::format(
                "mesh: {} in dimension {} (bars may be in any, other elements only in their own)",
                kind.name, mesh.dimension));
    expects(block.nodes.size() % index(kind.nodes) == 0,
            fmt::format("mesh: {} nodes do not make a whole number of {} elements",
                        block.nodes.size(), kind.name));
    for (std::size_t k = 0; k < block.nodes.size(); ++k)
      expects(block.nodes[k] >= 0 && block.nodes[k] < count,
              fmt::format("mesh: element {} ({}) has node {}; allowed: 0 to {}",
                          first + static_cast<int>(k) / kind.nodes, kind.name, block.nodes[k],
                          count - 1));
    first += block.elements();
  }
  expects(first > 0, "mesh: there are no elements");
}

void check_groups(const Mesh& mesh) {
  const auto within = [](const std::string& group, std::string_view what, int i, int count) {
    expects(i >= 0 && i < count,
            fmt::format("mesh: group '{}' has {} {}; allowed: 0 to {}", group, what, i, count - 1));
  };
  for (const auto& [name, set] : mesh.node_sets)
    for (int i : set) within(name, "node", i, static_cast<int>(mesh.nodes.cols()));
  for (const auto& [name, set] : mesh.element_sets)
    for (int i : set) within(name, "element", i, mesh.elements());
  for (const auto& [name, set] : mesh.face_sets)
    for (const MeshFace& face : set) {
      within(name, "element", face.element, mesh.elements());
      within(name, "face", face.face, static_cast<int>(faces(mesh.kind(face.element)).size()));
    }
}

}  // namespace

int Mesh::elements() const {
  int sum = 0;
  for (const ElementBlock& block : blocks) sum += block.elements();
  return sum;
}

Mesh::Place Mesh::place(int element) const {
  int left = element;
  for (int b = 0; element >= 0 && b < static_cast<int>(blocks.size()); ++b) {
    if (left < blocks[index(b)].elements()) return {b, left};
    left -= blocks[index(b)].elements();
  }
  expects(false, fmt::format("element {} does not exist; there are {}", element, elements()));
  return {};
}

std::span<const int> Mesh::element(int element) const {
  const Place at = place(element);
  return blocks[index(at.block)].element(at.element);
}

std::vector<int> Mesh::face_nodes(const MeshFace& face) const {
  const auto all = saltus::faces(kind(face.element));
  expects(face.face >= 0 && face.face < static_cast<int>(all.size()),
          "the element has no such face");
  const ElementFace& f = all[index(face.face)];
  const auto node = element(face.element);
  std::vector<int> global;
  for (int a = 0; a < info(f.kind).nodes; ++a) global.push_back(node[index(f.node[index(a)])]);
  return global;
}

double jacobian(const Mesh& mesh, int element, const Vector3& xi) {
  const ElementKind kind = mesh.kind(element);
  const ShapeGradients D = shape_gradients(kind, xi);
  const auto node = mesh.element(element);
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  // dX_i/dxi_k
  for (int a = 0; a < D.cols(); ++a) J += mesh.nodes.col(node[index(a)]) * D.col(a).transpose();
  switch (info(kind).dimension) {
    case 1:
      return J.col(0).norm();
    case 2:
      return J.topLeftCorner<2, 2>().determinant();
    default:
      return J.determinant();
  }
}

double least_jacobian(const Mesh& mesh, int element) {
  const ElementKind kind = mesh.kind(element);
  double least = std::numeric_limits<double>::infinity();
  for (const auto rule : {stiffness_rule(kind), mass_rule(kind)})
    for (const RulePoint& p : rule) least = std::min(least, jacobian(mesh, element, p.xi));
  for (int a = 0; a < info(kind).corners; ++a)
    if (kind != ElementKind::pyramid5 || a < 4)  // the apex has no gradient of its own
      least = std::min(least, jacobian(mesh, element, natural_nodes(kind)[index(a)]));
  return least;
}

std::string shape_fault(const Mesh& mesh, int element) {
  const double least = least_jacobian(mesh, element);
  const double scale = std::pow(size_of(mesh, element), info(mesh.kind(element)).dimension);
  if (least > 1e-14 * scale) return "";
  if (least < -1e-14 * scale)
    return fmt::format("inverted: its smallest Jacobian is {:.6g}, which must be > 0", least);
  return fmt::format(
      "degenerate: its smallest Jacobian is {:.3g}, below 1e-14 of its size^{} = {:.3g}", least,
      info(mesh.kind(element)).dimension, scale);
}

double measure(const Mesh& mesh, int element) {
  double sum = 0.0;
  for (const RulePoint& p : mass_rule(mesh.kind(element)))
    sum += p.weight * jacobian(mesh, element, p.xi);
  return sum;
}

void check(const Mesh& mesh) {
  check_blocks(mesh);
  check_groups(mesh);
  std::vector<bool> used(index(static_cast<int>(mesh.nodes.cols())), false);
  int number = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e, ++number) {
      for (int a : block.element(e)) used[index(a)] = true;
      if (const std::string fault = shape_fault(mesh, number); !fault.empty())
        expects(false,
                fmt::format("mesh: element {} ({}) is {}", number, info(block.kind).name, fault));
    }
  const auto unused = std::ranges::find(used, false);
  expects(unused == used.end(),
          fmt::format("mesh: no element uses node {}", unused - used.begin()));
}

std::vector<int> parts_of(const Mesh& mesh) {
  const auto count = static_cast<int>(mesh.nodes.cols());
  std::vector<int> root(index(count)), part(index(count), -1);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[index(i)] != i) i = root[index(i)] = root[index(root[index(i)])];
    return i;
  };
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.element(e);
      for (int a : node) {
        const int i = find(node[0]), j = find(a);
        root[index(std::max(i, j))] = std::min(i, j);
        part[index(a)] = 0;
      }
    }
  int parts = 0;
  for (int i = 0; i < count; ++i)
    if (part[index(i)] >= 0) part[index(i)] = find(i) == i ? parts++ : part[index(find(i))];
  return part;
}

std::vector<MeshFace> boundary(const Mesh& mesh) {
  std::vector<std::pair<std::vector<int>, MeshFace>> all;
  for (int e = 0; e < mesh.elements(); ++e)
    for (int f = 0; f < static_cast<int>(faces(mesh.kind(e)).size()); ++f)
      all.emplace_back(key(mesh, {e, f}), MeshFace{e, f});
  std::ranges::stable_sort(
      all, {}, [](const auto& entry) -> const auto& { return entry.first; });
  std::vector<MeshFace> alone;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool before = i > 0 && all[i - 1].first == all[i].first;
    const bool after = i + 1 < all.size() && all[i + 1].first == all[i].first;
    if (!before && !after) alone.push_back(all[i].second);
  }
  std::ranges::sort(alone, [](const MeshFace& a, const MeshFace& b) {
    return std::pair(a.element, a.face) < std::pair(b.element, b.face);
  });
  return alone;
}

std::vector<int> nodes_of(const Mesh& mesh, std::span<const MeshFace> faces) {
  std::vector<int> nodes;
  for (const MeshFace& face : faces)
    for (int a : mesh.face_nodes(face)) nodes.push_back(a);
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace saltus
