#include "saltus/fem/nodal_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <numeric>
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

Matrix fit_of(ElementKind kind) {
  std::vector<Vector3> at;
  for (const RulePoint& p : stiffness_rule(kind)) at.push_back(p.xi);
  const Matrix B = design(kind, at);
  const Eigen::Index points = B.rows();
  const Matrix fit = least_squares(B, Matrix::Identity(points, points));
  return design(kind, natural_nodes(kind)) * fit;
}

/// Green's strain at a point; D: dN/dxi there.
Matrix3 green_strain(const Mesh& mesh, std::span<const int> node, View u, const ShapeGradients& D,
                     int dimension) {
  const Matrix3 g = displacement_gradient(mesh, node, u, D, dimension);
  if (dimension > 1) return 0.5 * (g + g.transpose() + g.transpose() * g);
  Vector3 a = Vector3::Zero();  // along a: (|F a|^2 - 1)/2
  for (int k = 0; k < D.cols(); ++k)
    a += D(0, k) * mesh.nodes.col(node[static_cast<std::size_t>(k)]);
  a.normalize();
  const Vector3 h = g * a;
  return (a.dot(h) + 0.5 * h.squaredNorm()) * a * a.transpose();
}

}  // namespace

const Matrix& nodal_fit(ElementKind kind) {
  constexpr auto kKinds = static_cast<std::size_t>(kElementKinds);
  static const std::array<Matrix, kKinds> all = [] {
    std::array<Matrix, kKinds> made;
    for (std::size_t k = 0; k < kKinds; ++k) made[k] = fit_of(static_cast<ElementKind>(k));
    return made;
  }();
  return all[static_cast<std::size_t>(kind)];
}

Matrix3 symmetric_of(Eigen::Ref<const Eigen::Matrix<double, 6, 1>> s) {
  Matrix3 m;
  m << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  return m;
}

NodalMean::NodalMean(Eigen::Index count, std::span<const int> nodes, Eigen::Ref<Matrix> mean)
    : nodes_(nodes), mean_(mean) {
  const Eigen::Index columns = nodes.empty() ? count : std::ssize(nodes);
  expects(mean.rows() == 6 && mean.cols() == columns, "means at nodes need 6 numbers per node");
  mean_.setZero();
  volume_.setZero(columns);
}

void NodalMean::add(ElementKind kind, std::span<const int> node, const Matrix& at, double volume) {
  there_.noalias() = at * nodal_fit(kind).transpose();
  for (std::size_t a = 0; a < node.size(); ++a) {
    Eigen::Index column = node[a];
    if (!nodes_.empty()) {
      const auto found = std::ranges::find(nodes_, node[a]);
      if (found == nodes_.end()) continue;
      column = found - nodes_.begin();
    }
    mean_.col(column) += volume * there_.col(static_cast<Eigen::Index>(a));
    volume_[column] += volume;
  }
}

void NodalMean::finish() {
  for (Eigen::Index a = 0; a < volume_.size(); ++a)
    if (volume_[a] > 0.0) mean_.col(a) /= volume_[a];
}

void nodal_strain(const Mesh& mesh, View u, Eigen::Ref<Matrix> out) {
  std::vector<int> all(static_cast<std::size_t>(mesh.elements()));
  std::iota(all.begin(), all.end(), 0);
  nodal_strain(mesh, u, all, {}, out);
}

void nodal_strain(const Mesh& mesh, View u, std::span<const int> elements,
                  std::span<const int> nodes, Eigen::Ref<Matrix> out) {
  expects(u.size() == 3 * mesh.nodes.cols(), "nodal strain: each node needs three displacements");
  NodalMean mean(mesh.nodes.cols(), nodes, out);
  std::size_t i = 0;
  int first = 0;  // the first element of the block
  Matrix at(6, 0);
  for (const ElementBlock& block : mesh.blocks) {
    const auto rule = stiffness_rule(block.kind);
    const int dimension = info(block.kind).dimension;
    std::vector<ShapeGradients> slope;
    if (i < elements.size() && elements[i] < first + block.elements())
      for (const RulePoint& p : rule) slope.push_back(shape_gradients(block.kind, p.xi));
    at.resize(6, std::ssize(rule));
    for (; i < elements.size() && elements[i] < first + block.elements(); ++i) {
      const auto node = block.element(elements[i] - first);
      double size = 0.0;
      for (std::size_t p = 0; p < rule.size(); ++p) {
        const Matrix3 E = green_strain(mesh, node, u, slope[p], dimension);
        at.col(static_cast<Eigen::Index>(p)) << E(0, 0), E(1, 1), E(2, 2), E(0, 1), E(1, 2),
            E(2, 0);
        size += rule[p].weight * jacobian(mesh, elements[i], rule[p].xi);
      }
      mean.add(block.kind, node, at, size);
    }
    first += block.elements();
  }
  mean.finish();
}

}  // namespace saltus
