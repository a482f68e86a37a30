// Stress and resultants.
//
// To the nodes of an element stress is carried by the polynomial of least squares through its points of integration: constant,
// linear, bilinear or trilinear in xi, as many terms as the points can tell apart.
#include <Eigen/QR>

#include "saltus/base/error.h"
#include "saltus/bodies/fem_internal.h"

namespace saltus {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

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

/// Values at nodes from values at the points of the rule, nodes x points.
Matrix extrapolation(ElementKind kind) {
  std::vector<Vector3> at;
  for (const RulePoint& p : stiffness_rule(kind)) at.push_back(p.xi);
  const Matrix B = design(kind, at);
  const Eigen::Index points = B.rows();
  const Matrix fit = B.colPivHouseholderQr().solve(Matrix::Identity(points, points));
  return design(kind, natural_nodes(kind)) * fit;
}

}  // namespace

int Fem::stress_points(int element) const { return data_->block_of(element).points; }

Vector3 Fem::stress_place(int element, int point) const {
  const fem::Block& b = data_->block_of(element);
  expects(point >= 0 && point < b.points, "fem: a point of integration of the element");
  const ShapeValues N = shape_values(b.kind, stiffness_rule(b.kind)[index(point)].xi);
  Vector3 X = Vector3::Zero();
  for (int a = 0; a < b.n; ++a)
    X += N[a] * data_->system.mesh.nodes.col(b.node[index((element - b.first) * b.n + a)]);
  return X;
}

Matrix3 Fem::stress(double t, View q, int element, int point) const {
  const Data& d = *data_;
  const fem::Block& b = d.block_of(element);
  expects(point >= 0 && point < b.points, "fem: a point of integration of the element");
  d.put(t, q);
  const int e = element - b.first, p = e * b.points + point;
  return fem::cauchy(b.law, fem::deformation(b, e, p, d.u.data()), b.axis_of(p));
}

void Fem::nodal_stress(double t, View q, Eigen::Ref<Matrix> out) const {
  const Data& d = *data_;
  expects(out.rows() == 6 && out.cols() == d.nodes, "fem: stress of nodes is 6 x nodes");
  d.put(t, q);
  out.setZero();
  Vector volume = Vector::Zero(d.nodes);
  for (const fem::Block& b : d.blocks) {
    const Matrix E = extrapolation(b.kind);
    Matrix at(6, b.points), there(6, b.n);
    for (int e = 0; e < b.elements; ++e) {
      double size = 0.0;
      for (int g = 0; g < b.points; ++g) {
        const int p = e * b.points + g;
        const Matrix3 s = fem::cauchy(b.law, fem::deformation(b, e, p, d.u.data()), b.axis_of(p));
        at.col(g) << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0);
        size += b.weight[index(p)];
      }
      there.noalias() = at * E.transpose();
      for (int a = 0; a < b.n; ++a) {
        const int node = b.node[index(e * b.n + a)];
        out.col(node) += size * there.col(a);
        volume[node] += size;
      }
    }
  }
  for (int a = 0; a < d.nodes; ++a) out.col(a) /= volume[a];
}

Resultant Fem::resultant(double t, View q, std::span<const int> elements,
                         std::span<const int> nodes, const Vector3& about) const {
  const Data& d = *data_;
  d.put(t, q);
  d.f.setZero();
  for (int element : elements) {
    const fem::Block& b = d.block_of(element);
    const int e = element - b.first;
    fem::add_elastic(b, e, e + 1, -1.0, d.u.data(), d.f.data());
  }
  Resultant sum;
  for (int a : nodes) {
    expects(a >= 0 && a < d.nodes, "fem: nodes of the mesh");
    const Vector3 x = d.system.mesh.nodes.col(a) + d.u.segment<3>(3 * a), f = d.f.segment<3>(3 * a);
    sum.force += f;
    sum.moment += (x - about).cross(f);
  }
  return sum;
}

Resultant Fem::momentum(double t, View q, View v) const {
  const Data& d = *data_;
  d.put(t, q, v);
  d.f.setZero();
  d.mass_product(1.0, d.v, d.f);
  Resultant sum;
  for (int a = 0; a < d.nodes; ++a) {
    const Vector3 x = d.system.mesh.nodes.col(a) + d.u.segment<3>(3 * a), p = d.f.segment<3>(3 * a);
    sum.force += p;
    sum.moment += x.cross(p);
  }
  return sum;
}

double Fem::total_mass() const { return data_->nodal.sum(); }

}  // namespace saltus
