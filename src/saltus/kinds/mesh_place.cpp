#include "saltus/kinds/mesh_place.h"

#include <Eigen/Geometry>
#include <cmath>

#include "saltus/math/dense.h"

namespace saltus {
namespace {

constexpr double kNear = 1e-9;

/// Solves X(xi) = X by Newton's method; nothing if it does not converge or xi is outside the
/// element.
std::optional<Vector3> natural_of(const Mesh& mesh, int element, const Vector3& X, double size) {
  const ElementKind kind = mesh.kind(element);
  const ElementInfo& of = info(kind);
  const auto node = mesh.element(element);
  Vector3 xi = Vector3::Zero();
  for (const Vector3& corner : natural_nodes(kind).first(static_cast<std::size_t>(of.corners)))
    xi += corner / of.corners;
  for (int pass = 0; pass < 50; ++pass) {
    const ShapeValues N = shape_values(kind, xi);
    const ShapeGradients D = shape_gradients(kind, xi);
    Vector3 gap = X;
    Matrix3 J = Matrix3::Zero();
    for (Eigen::Index a = 0; a < N.size(); ++a) {
      const auto x = mesh.nodes.col(node[static_cast<std::size_t>(a)]);
      gap -= N[a] * x;
      J += x * D.col(a).transpose();
    }
    const auto Jd = J.leftCols(of.dimension);  // least squares for bars in space
    const Vector step = solve_definite(Jd.transpose() * Jd, Jd.transpose() * gap);
    if (!step.allFinite()) return std::nullopt;
    xi.head(of.dimension) += step;
    if (!(xi.norm() < 10.0)) return std::nullopt;
    if (step.norm() > 1e-13) continue;
    if ((gap - Jd * step).norm() > kNear * size || !inside(kind, xi, kNear)) return std::nullopt;
    return xi;
  }
  return std::nullopt;
}

}  // namespace

double size_of(const Mesh& mesh) {
  return (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
}

int nearest_node(const Mesh& mesh, const Vector3& X) {
  Eigen::Index node = 0;
  (mesh.nodes.colwise() - X).colwise().squaredNorm().minCoeff(&node);
  return static_cast<int>(node);
}

std::optional<MeshPlace> find_place(const Mesh& mesh, const Vector3& X) {
  const double size = size_of(mesh);
  const int node = nearest_node(mesh, X);
  if ((mesh.nodes.col(node) - X).norm() <= kNear * size) return MeshPlace{node, -1, {}};
  int number = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e, ++number) {
      Eigen::AlignedBox3d box;
      for (int a : block.element(e)) box.extend(Vector3(mesh.nodes.col(a)));
      // quadratic edges may extend beyond the bounding box of their nodes by at most an eighth of
      // it
      const double reach =
          kNear * size + (info(block.kind).quadratic() ? 0.25 : 0.0) * box.diagonal().norm();
      if (box.exteriorDistance(X) > reach) continue;
      if (const auto xi = natural_of(mesh, number, X, size)) return MeshPlace{-1, number, *xi};
    }
  return std::nullopt;
}

}  // namespace saltus
