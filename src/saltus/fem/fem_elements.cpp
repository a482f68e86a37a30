// Matrices and forces of single elements: F = I + sum_a u_a grad0 N_a^T, f_a = int P grad0 N_a dV,
// K_ab = int grad0 N_a . dP/dF . grad0 N_b dV,  grad0 N_a = (dxi/dX)^T dN_a/dxi.
#include <Eigen/LU>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"

namespace saltus::fem {
namespace {

/// One column per node.
using Nodal = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMaxElementNodes>;

Nodal gather(const Block& b, int element, const double* x) {
  Nodal U(3, b.n);
  for (int a = 0; a < b.n; ++a)
    U.col(a) = Eigen::Map<const Vector3>(x + 3 * b.node[index(element * b.n + a)]);
  return U;
}

/// grad0 N_a at a point of the rule, one column per node
Nodal gradients(const Block& b, int element, int point) {
  const double* const T =
      b.inverse.data() + 72 * (index(element / 8) * index(b.points) + index(point)) + element % 8;
  Matrix3 inverse;  // dxi_k/dX_j
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j) inverse(k, j) = T[8 * (3 * k + j)];
  return inverse.transpose() *
         Eigen::Map<const Nodal>(b.natural.data() + 3 * index(point) * index(b.n), 3, b.n);
}

}  // namespace

Block::Block(const Mesh& mesh, int number, const FemMaterial& material, double rate, Viscosity form,
             CorotatedTangent tangent)
    : kind(mesh.blocks[index(number)].kind),
      n(info(kind).nodes),
      points(static_cast<int>(stiffness_rule(kind).size())),
      elements(mesh.blocks[index(number)].elements()),
      node(mesh.blocks[index(number)].nodes),
      batches((elements + 7) / 8) {
  const bool objective =
      form == Viscosity::strain_rate && material.material.law != MaterialLaw::linear;
  law = Constitution(material, info(kind).dimension, objective ? rate : 0.0);
  law.warped = tangent == CorotatedTangent::warped;
  pack_law = PackLaw(law);
  tangent_rate = objective ? 0.0 : rate;
  for (int b = 0; b < number; ++b) first += mesh.blocks[index(b)].elements();
  const int d = info(kind).dimension;
  const double factor = d == 1 ? material.area : d == 2 ? material.thickness : 1.0;
  std::vector<ShapeGradients> at;
  for (const RulePoint& p : stiffness_rule(kind)) {
    at.push_back(shape_gradients(kind, p.xi));
    natural.insert(natural.end(), at.back().data(), at.back().data() + 3 * n);
  }
  inverse.resize(72 * index(batches) * index(points));
  pack_weight.resize(8 * index(batches) * index(points));
  pack_node.resize(8 * index(batches) * index(n));
  for (int place = 0; place < 8 * batches; ++place) {
    const int e = std::min(place, elements - 1);
    for (int a = 0; a < n; ++a)
      pack_node[8 * index(place / 8 * n + a) + index(place % 8)] = node[index(e * n + a)];
    for (int g = 0; g < points; ++g) {
      const ShapeGradients& D = at[index(g)];
      Matrix3 J = Matrix3::Zero();  // dX_i/dxi_k
      for (int a = 0; a < n; ++a)
        J += mesh.nodes.col(node[index(e * n + a)]) * D.col(a).transpose();
      for (int k = d; k < 3; ++k) J(k, k) = 1.0;
      double det = J.determinant();
      Matrix3 T = J.inverse();
      Vector3 along = Vector3::Zero();
      if (d == 1) {  // along the axis, ds = |dX/dxi| dxi
        det = J.col(0).norm();
        along = J.col(0) / det;
        T.setZero();
        T.row(0) = along.transpose() / det;
      }
      const std::size_t p = index(place / 8) * index(points) + index(g);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
          inverse[72 * p + 8 * index(3 * k + j) + index(place % 8)] = T(k, j);
      const double w = stiffness_rule(kind)[index(g)].weight * det * factor;
      pack_weight[8 * p + index(place % 8)] = place < elements ? w : 0.0;
      if (place >= elements) continue;
      weight.push_back(w);
      if (d == 1) axis.push_back(along);
    }
  }
  make_chunks(static_cast<int>(mesh.nodes.cols()));
}

Vector3 Block::gradient(int element, int point, int a) const {
  return gradients(*this, element, point).col(a);
}

void add_elastic(const Block& block, int from, int to, double scale, const double* u, double* f) {
  for (int e = from; e < to; ++e) {
    const Nodal U = gather(block, e, u);
    Nodal sum = Nodal::Zero(3, block.n);
    for (int g = 0, p = e * block.points; g < block.points; ++g, ++p) {
      const Nodal G = gradients(block, e, g);
      const Matrix3 H = U * G.transpose();
      const Matrix3 P = (scale * block.weight[index(p)]) * stress(block.law, H, block.axis_of(p));
      sum.noalias() += P * G;
    }
    for (int a = 0; a < block.n; ++a)
      Eigen::Map<Vector3>(f + 3 * block.node[index(e * block.n + a)]) += sum.col(a);
  }
}

// T_b = A . grad0 N_b (9 x 3), then K_ab = grad0 N_a . T_b for a <= b; the other half follows by
// symmetry.
void element_matrix(const Block& block, int element, double k, double c, const double* u,
                    double* matrix) {
  if (block.law.viscosity == 0.0) c = 0.0;
  const int n = block.n;
  Eigen::Map<Matrix> K(matrix, 3 * n, 3 * n);
  K.setZero();
  if (k == 0.0 && c == 0.0) return;
  const Nodal U = gather(block, element, u);
  Matrix9 A;
  Eigen::Matrix<double, 9, 3> T;
  for (int g = 0, p = element * block.points; g < block.points; ++g, ++p) {
    const Nodal G = gradients(block, element, g);
    const Matrix3 F = Matrix3::Identity() + U * G.transpose();
    combined_tangent(block.law, F, block.axis_of(p), k, c, A);
    A *= block.weight[index(p)];
    for (int b = 0; b < n; ++b) {
      for (int j = 0; j < 3; ++j)
        T.col(j) = A.col(3 * j) * G(0, b) + A.col(3 * j + 1) * G(1, b) + A.col(3 * j + 2) * G(2, b);
      for (int a = 0; a <= b; ++a)
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i)
            K(3 * a + i, 3 * b + j) +=
                G(0, a) * T(3 * i, j) + G(1, a) * T(3 * i + 1, j) + G(2, a) * T(3 * i + 2, j);
    }
  }
  for (int j = 0; j < 3 * n; ++j)
    for (int i = 0; i < j; ++i) K(j, i) = K(i, j);
}

Matrix3 displacement_gradient(const Block& block, int element, int point, const double* u) {
  return gather(block, element, u) *
         gradients(block, element, point - element * block.points).transpose();
}

Matrix3 deformation(const Block& block, int element, int point, const double* u) {
  return Matrix3::Identity() + displacement_gradient(block, element, point, u);
}

void element_mass(const Mesh& mesh, const Block& block, int element, double factor, Matrix& mass) {
  mass.setZero(block.n, block.n);
  for (const RulePoint& p : mass_rule(block.kind)) {
    const ShapeValues N = shape_values(block.kind, p.xi);
    const double w = block.law.material.density * factor * p.weight *
                     jacobian(mesh, block.first + element, p.xi);
    for (int b = 0; b < block.n; ++b)
      for (int a = 0; a < block.n; ++a) mass(a, b) += w * (N[a] * N[b]);
  }
}

}  // namespace saltus::fem
