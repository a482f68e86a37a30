#include "saltus/fem/mode_surface.h"

#include <map>

#include "saltus/base/error.h"

namespace saltus {
namespace {

void add_element(std::map<ElementKind, ElementBlock>& blocks, ElementKind kind,
                 std::span<const int> nodes) {
  ElementBlock& block = blocks.try_emplace(kind, ElementBlock{kind, 0, {}}).first->second;
  block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
}

}  // namespace

ModeSurface mode_boundary(const Mesh& mesh, const Matrix& basis) {
  expects(basis.rows() == 3 * mesh.nodes.cols(),
          "mode_boundary: the basis must have three rows per node");
  std::map<ElementKind, ElementBlock> blocks;
  for (const ElementBlock& block : mesh.blocks)
    if (info(block.kind).dimension < 3)
      for (int e = 0; e < block.elements(); ++e) add_element(blocks, block.kind, block.element(e));
  for (const MeshFace& face : boundary(mesh)) {
    const ElementKind element = mesh.kind(face.element);
    if (info(element).dimension != 3) continue;
    const ElementKind kind = faces(element)[static_cast<std::size_t>(face.face)].kind;
    add_element(blocks, kind, mesh.face_nodes(face));
  }
  ModeSurface boundary;
  boundary.mesh.dimension = mesh.dimension;
  std::vector<int> number(static_cast<std::size_t>(mesh.nodes.cols()), -1);
  const auto of = [&](int a) -> int& { return number[static_cast<std::size_t>(a)]; };
  for (const auto& [kind, block] : blocks)
    for (int a : block.nodes) of(a) = 0;
  for (int a = 0; a < static_cast<int>(mesh.nodes.cols()); ++a)
    if (of(a) == 0) {
      of(a) = static_cast<int>(boundary.node.size());
      boundary.node.push_back(a);
    }
  for (auto& [kind, block] : blocks) {
    for (int& a : block.nodes) a = of(a);
    boundary.mesh.blocks.push_back(std::move(block));
  }
  const auto n = static_cast<Eigen::Index>(boundary.node.size());
  boundary.mesh.nodes.resize(3, n);
  boundary.shape.resize(3 * n, basis.cols());
  for (Eigen::Index i = 0; i < n; ++i) {
    const int a = boundary.node[static_cast<std::size_t>(i)];
    boundary.mesh.nodes.col(i) = mesh.nodes.col(a);
    boundary.shape.middleRows<3>(3 * i) = basis.middleRows<3>(3 * Eigen::Index{a});
  }
  for (const auto& [name, set] : mesh.node_sets) {
    std::vector<int> seen;
    for (int a : set)
      if (of(a) >= 0) seen.push_back(of(a));
    if (!seen.empty()) boundary.mesh.node_sets[name] = std::move(seen);
  }
  return boundary;
}

}  // namespace saltus
