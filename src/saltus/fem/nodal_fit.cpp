#include "saltus/fem/nodal_fit.h"

#include <Eigen/LU>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

std::vector<double> terms(ElementKind kind, const Vector3& x) {
  switch (kind) {
    case ElementKind::bar2:
    case ElementKind::tri3:
    case ElementKind::tet4:
      return {1.0};
    case ElementKind::bar3:
      return {1.0, x[0]};
    case ElementKind::tri6:
    case ElementKind::pyramid5:
      return {1.0, x[0], x[1]};
    case ElementKind::quad4:
    case ElementKind::quad8:
      return {1.0, x[0], x[1], x[0] * x[1]};
    case ElementKind::tet10:
      return {1.0, x[0], x[1], x[2]};
    case ElementKind::wedge6:
      return {1.0, x[0], x[1], x[2], x[0] * x[2], x[1] * x[2]};
    default:
      return {1.0, x[0], x[1], x[2], x[0] * x[1], x[1] * x[2], x[2] * x[0], x[0] * x[1] * x[2]};
  }
}

template <class Places>
Matrix design(ElementKind kind, const Places& places) {
  const auto columns = static_cast<Eigen::Index>(terms(kind, Vector3::Zero()).size());
  Matrix B(static_cast<Eigen::Index>(places.size()), columns);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::vector<double> row = terms(kind, places[i]);
    B.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  return B;
}

// Sum u_a dN_a/dX at a point, within the space of the element: along the axis of a bar, in the
// plane of plane elements.
Matrix3 displacement_gradient(const Mesh& mesh, std::span<const int> node, View u,
                              const ShapeGradients& D, int dimension) {
  Matrix3 J = Matrix3::Zero(), H = Matrix3::Zero();  // dX/dxi, du/dxi
  for (int a = 0; a < D.cols(); ++a) {
    const int i = node[static_cast<std::size_t>(a)];
    J += mesh.nodes.col(i) * D.col(a).transpose();
    H += u.segment<3>(3 * i) * D.col(a).transpose();
  }
  if (dimension == 1) return H.col(0) * J.col(0).transpose() / J.col(0).squaredNorm();
  if (dimension == 2) J(2, 2) = 1.0;
  return H * J.inverse();
}

}  // namespace

Matrix nodal_fit(ElementKind kind) {
  std::vector<Vector3> at;
  for (const RulePoint& p : stiffness_rule(kind)) at.push_back(p.xi);
  const Matrix B = design(kind, at);
  const Eigen::Index points = B.rows();
  const Matrix fit = least_squares(B, Matrix::Identity(points, points));
  return design(kind, natural_nodes(kind)) * fit;
}

void nodal_strain(const Mesh& mesh, View u, Eigen::Ref<Matrix> out) {
  const Eigen::Index nodes = mesh.nodes.cols();
  expects(u.size() == 3 * nodes && out.rows() == 6 && out.cols() == nodes,
          "nodal strain: each node needs three displacements and six strains");
  out.setZero();
  Vector volume = Vector::Zero(nodes);
  int number = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const Matrix fit = nodal_fit(block.kind);
    const auto rule = stiffness_rule(block.kind);
    const int dimension = info(block.kind).dimension;
    std::vector<ShapeGradients> slope;
    for (const RulePoint& p : rule) slope.push_back(shape_gradients(block.kind, p.xi));
    Matrix at(6, std::ssize(rule)), there(6, info(block.kind).nodes);
    for (int e = 0; e < block.elements(); ++e, ++number) {
      const auto node = block.element(e);
      double size = 0.0;
      for (std::size_t p = 0; p < rule.size(); ++p) {
        const Matrix3 g = displacement_gradient(mesh, node, u, slope[p], dimension);
        Matrix3 E;
        if (dimension == 1) {  // along a: (|F a|^2 - 1)/2
          Vector3 a = Vector3::Zero();
          for (int k = 0; k < slope[p].cols(); ++k)
            a += slope[p](0, k) * mesh.nodes.col(node[static_cast<std::size_t>(k)]);
          a.normalize();
          const Vector3 h = g * a;
          E = (a.dot(h) + 0.5 * h.squaredNorm()) * a * a.transpose();
        } else {
          E = 0.5 * (g + g.transpose() + g.transpose() * g);
        }
        at.col(static_cast<Eigen::Index>(p)) << E(0, 0), E(1, 1), E(2, 2), E(0, 1), E(1, 2),
            E(2, 0);
        size += rule[p].weight * jacobian(mesh, number, rule[p].xi);
      }
      there.noalias() = at * fit.transpose();
      for (std::size_t a = 0; a < node.size(); ++a) {
        out.col(node[a]) += size * there.col(static_cast<Eigen::Index>(a));
        volume[node[a]] += size;
      }
    }
  }
  for (Eigen::Index a = 0; a < nodes; ++a)
    if (volume[a] > 0.0) out.col(a) /= volume[a];
}

}  // namespace saltus
