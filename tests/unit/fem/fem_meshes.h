// Elements times laws, on meshes whose inner nodes are out of place.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "saltus/fem/fem.h"

namespace saltus::test {

/// Middle nodes of edges put back into their middle.
inline void straighten(Mesh& mesh) {
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.element(e);
      auto at = static_cast<std::size_t>(info(block.kind).corners);
      for (const auto& [a, b] : middle_nodes(block.kind))
        mesh.nodes.col(node[at++]) = 0.5 * (mesh.nodes.col(node[static_cast<std::size_t>(a)]) +
                                            mesh.nodes.col(node[static_cast<std::size_t>(b)]));
    }
}

inline std::vector<int> outer_nodes(const Mesh& mesh) {
  std::vector<int> nodes;
  for (const auto& [side, set] : mesh.node_sets) nodes.insert(nodes.end(), set.begin(), set.end());
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// A unit box of two elements along each axis, the inner corners moved by up to 0.08.
inline Mesh distorted(ElementKind kind) {
  Mesh mesh = box_mesh({kind, {2, 2, 2}, Vector3::Ones(), Vector3::Zero()});
  const std::vector<int> outer = outer_nodes(mesh);
  for (int a = 0; a < static_cast<int>(mesh.nodes.cols()); ++a)
    if (!std::ranges::binary_search(outer, a))
      for (int axis = 0; axis < mesh.dimension; ++axis)
        mesh.nodes(axis, a) += 0.08 * std::sin(3.0 + 1.3 * a + 2.1 * axis);
  straighten(mesh);
  return mesh;
}

struct FemCase {
  ElementKind kind;
  MaterialLaw law;
  PlaneState plane;
  std::string name;

  Material material() const {
    Material m;
    m.law = law;
    m.young = 100.0;
    m.poisson = 0.3;
    m.c10 = 15.0;
    m.c01 = 5.0;
    m.bulk = 80.0;
    m.density = 2.0;
    return m;
  }
  FemSystem system(Mesh mesh) const {
    FemSystem s;
    s.mesh = std::move(mesh);
    s.materials.push_back({material(), plane, 0.5, 0.4});
    return s;
  }
  /// A deformation gradient of large strains in the dimensions of the element, with a turn where there are two.
  Matrix3 stretch() const {
    Matrix3 F;
    F << 1.15, 0.1, -0.05, 0.02, 0.92, 0.08, 0.06, -0.04, 1.1;
    Matrix3 out = Matrix3::Identity();
    const int d = info(kind).dimension;
    out.topLeftCorner(d, d) = F.topLeftCorner(d, d);
    return out;
  }
};

inline std::vector<FemCase> fem_cases() {
  std::vector<FemCase> cases;
  for (const ElementInfo& e : element_kinds())
    for (const MaterialLaw law :
         {MaterialLaw::linear, MaterialLaw::st_venant_kirchhoff, MaterialLaw::neo_hooke,
          MaterialLaw::mooney_rivlin, MaterialLaw::corotated})
      for (const PlaneState plane : {PlaneState::strain, PlaneState::stress}) {
        if (e.dimension != 2 && plane == PlaneState::stress) continue;
        const std::string state = e.dimension != 2              ? ""
                                  : plane == PlaneState::strain ? " plane strain"
                                                                : " plane stress";
        cases.push_back(
            {e.kind, law, plane, std::string(e.name) + " " + std::string(name_of(law)) + state});
      }
  return cases;
}

}  // namespace saltus::test
