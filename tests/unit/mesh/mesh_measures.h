// Volume of a mesh and area of its faces by integration.
#pragma once
#include <cmath>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus_test {

using namespace saltus;

inline double volume(const Mesh& mesh) {
  double sum = 0.0;
  for (int e = 0; e < mesh.elements(); ++e) sum += measure(mesh, e);
  return sum;
}

inline double area(const Mesh& mesh, const std::vector<MeshFace>& faces) {
  double sum = 0.0;
  for (const MeshFace& face : faces) {
    Mesh one;
    one.nodes = mesh.nodes;
    const std::vector<int> nodes = mesh.face_nodes(face);
    const ElementKind kind =
        saltus::faces(mesh.kind(face.element))[static_cast<std::size_t>(face.face)].kind;
    // as a shell of three dimensions: |X_1 x X_2|
    for (const RulePoint& p : mass_rule(kind)) {
      const ShapeGradients D = shape_gradients(kind, p.xi);
      Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a)
        J += mesh.nodes.col(nodes[a]) * D.col(static_cast<Eigen::Index>(a)).transpose();
      const Vector3 u = J.col(0), v = J.col(1);
      sum += p.weight * (info(kind).dimension == 1
                             ? u.norm()
                             : std::sqrt(u.squaredNorm() * v.squaredNorm() - u.dot(v) * u.dot(v)));
    }
  }
  return sum;
}

}  // namespace saltus_test
