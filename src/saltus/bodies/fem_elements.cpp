// Loops over elements:  F = I + sum_a u_a grad0 N_a^T,  f_a = int P grad0 N_a dV,  K_ab = int grad0 N_a . dP/dF . grad0 N_b dV.
//
// One function for each number of nodes, elements in their order, points in the order of the rule.
#include <Eigen/LU>

#include "saltus/base/error.h"
#include "saltus/bodies/fem_internal.h"

namespace saltus::fem {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

template <int N>
using Nodal = Eigen::Matrix<double, 3, N>;  ///< a column a node

/// action(Nodes<N>{}) with N the nodes of an element of the block.
template <int N>
struct Nodes {
  static constexpr int n = N;
};
template <class Action>
void dispatch(const Block& block, Action&& action) {
  switch (block.n) {
    case 2:
      return action(Nodes<2>{});
    case 3:
      return action(Nodes<3>{});
    case 4:
      return action(Nodes<4>{});
    case 5:
      return action(Nodes<5>{});
    case 6:
      return action(Nodes<6>{});
    case 8:
      return action(Nodes<8>{});
    case 10:
      return action(Nodes<10>{});
    default:
      return action(Nodes<20>{});
  }
}

template <int N>
Nodal<N> gather(const int* node, const double* x) {
  Nodal<N> U;
  for (int a = 0; a < N; ++a) U.col(a) = Eigen::Map<const Vector3>(x + 3 * node[a]);
  return U;
}

template <int N>
void scatter(const int* node, const Nodal<N>& part, double* f) {
  for (int a = 0; a < N; ++a) Eigen::Map<Vector3>(f + 3 * node[a]) += part.col(a);
}

// grad0 N_a of a point, counted through the block
template <int N>
auto gradients(const Block& block, int point) {
  return Eigen::Map<const Nodal<N>>(block.gradient.data() + index(point) * (3 * N));
}

/// sum_a x_a grad0 N_a^T
template <int N, class G>
Matrix3 spread(const Nodal<N>& U, const G& g) {
  return U * g.transpose();
}

// dP = A : dF
Matrix3 contract(const Matrix9& A, const Matrix3& dF) {
  Eigen::Matrix<double, 9, 1> x;
  for (int k = 0; k < 3; ++k)
    for (int L = 0; L < 3; ++L) x[3 * k + L] = dF(k, L);
  const Eigen::Matrix<double, 9, 1> y = A * x;
  Matrix3 dP;
  for (int k = 0; k < 3; ++k)
    for (int L = 0; L < 3; ++L) dP(k, L) = y[3 * k + L];
  return dP;
}

// k dP/dF + c dP_v/dF'
void combined(const Constitution& law, const Matrix3& F, const Vector3& axis, double k, double c,
              Matrix9& A) {
  if (k != 0.0) {
    tangent(law, F, axis, A);
    A *= k;
  } else {
    A.setZero();
  }
  if (c != 0.0) add_viscous_tangent(law, F, axis, c, A);
}

}  // namespace

Block::Block(const Mesh& mesh, int number, const FemMaterial& material, double rate, Viscosity form)
    : kind(mesh.blocks[index(number)].kind),
      n(info(kind).nodes),
      points(static_cast<int>(stiffness_rule(kind).size())),
      elements(mesh.blocks[index(number)].elements()),
      node(mesh.blocks[index(number)].nodes) {
  const bool objective =
      form == Viscosity::strain_rate && material.material.law != MaterialLaw::linear;
  law = Constitution(material, info(kind).dimension, objective ? rate : 0.0);
  tangent_rate = objective ? 0.0 : rate;
  for (int b = 0; b < number; ++b) first += mesh.blocks[index(b)].elements();
  const int d = info(kind).dimension;
  const double factor = d == 1 ? material.area : d == 2 ? material.thickness : 1.0;
  std::vector<ShapeGradients> natural;
  for (const RulePoint& p : stiffness_rule(kind)) natural.push_back(shape_gradients(kind, p.xi));
  gradient.reserve(index(3 * n) * index(points) * index(elements));
  for (int e = 0; e < elements; ++e)
    for (int g = 0; g < points; ++g) {
      const ShapeGradients& D = natural[index(g)];
      Matrix3 J = Matrix3::Zero();  // dX_i/dxi_k
      for (int a = 0; a < n; ++a)
        J += mesh.nodes.col(node[index(e * n + a)]) * D.col(a).transpose();
      for (int k = d; k < 3; ++k) J(k, k) = 1.0;
      double det = J.determinant();
      Matrix3 inverse = J.inverse();
      if (d == 1) {  // along the axis, ds = |dX/dxi| dxi
        det = J.col(0).norm();
        axis.push_back(J.col(0) / det);
        inverse.setZero();
        inverse.row(0) = axis.back().transpose() / det;
      }
      weight.push_back(stiffness_rule(kind)[index(g)].weight * det * factor);
      for (int a = 0; a < n; ++a) {
        const Vector3 at = inverse.transpose() * D.col(a);
        gradient.insert(gradient.end(), at.data(), at.data() + 3);
      }
    }
}

void add_elastic(const Block& block, int from, int to, double scale, const double* u, double* f) {
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    for (int e = from; e < to; ++e) {
      const int* node = block.node.data() + index(e) * N;
      const Nodal<N> U = gather<N>(node, u);
      Nodal<N> sum = Nodal<N>::Zero();
      for (int g = 0, p = e * block.points; g < block.points; ++g, ++p) {
        const auto G = gradients<N>(block, p);
        const Matrix3 F = Matrix3::Identity() + spread<N>(U, G);
        const Matrix3 P = (scale * block.weight[index(p)]) * stress(block.law, F, block.axis_of(p));
        sum.noalias() += P * G;
      }
      scatter<N>(node, sum, f);
    }
  });
}

void add_viscous(const Block& block, double scale, const double* u, const double* v, double* f) {
  if (block.law.viscosity == 0.0) return;
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    for (int e = 0; e < block.elements; ++e) {
      const int* node = block.node.data() + index(e) * N;
      const Nodal<N> U = gather<N>(node, u), V = gather<N>(node, v);
      Nodal<N> sum = Nodal<N>::Zero();
      for (int g = 0, p = e * block.points; g < block.points; ++g, ++p) {
        const auto G = gradients<N>(block, p);
        const Matrix3 F = Matrix3::Identity() + spread<N>(U, G), rate = spread<N>(V, G);
        const Matrix3 P =
            (scale * block.weight[index(p)]) * viscous_stress(block.law, F, block.axis_of(p), rate);
        sum.noalias() += P * G;
      }
      scatter<N>(node, sum, f);
    }
  });
}

double stored_energy(const Block& block, const double* u) {
  double sum = 0.0;
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    for (int e = 0; e < block.elements; ++e) {
      const Nodal<N> U = gather<N>(block.node.data() + index(e) * N, u);
      double element = 0.0;
      for (int g = 0, p = e * block.points; g < block.points; ++g, ++p) {
        const Matrix3 F = Matrix3::Identity() + spread<N>(U, gradients<N>(block, p));
        element += block.weight[index(p)] * energy(block.law, F, block.axis_of(p));
      }
      sum += element;
    }
  });
  return sum;
}

void add_product(const Block& block, double k, double c, const double* u, const double* x,
                 double* y) {
  if (block.law.viscosity == 0.0) c = 0.0;
  if (k == 0.0 && c == 0.0) return;
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    Matrix9 A;
    for (int e = 0; e < block.elements; ++e) {
      const int* node = block.node.data() + index(e) * N;
      const Nodal<N> U = gather<N>(node, u), X = gather<N>(node, x);
      Nodal<N> sum = Nodal<N>::Zero();
      for (int g = 0, p = e * block.points; g < block.points; ++g, ++p) {
        const auto G = gradients<N>(block, p);
        const Matrix3 F = Matrix3::Identity() + spread<N>(U, G);
        combined(block.law, F, block.axis_of(p), k, c, A);
        const Matrix3 dP = block.weight[index(p)] * contract(A, spread<N>(X, G));
        sum.noalias() += dP * G;
      }
      scatter<N>(node, sum, y);
    }
  });
}

// T_b = A . grad0 N_b (9 x 3), then K_ab = grad0 N_a . T_b for a <= b; the other half is its mirror.
void element_matrix(const Block& block, int element, double k, double c, const double* u,
                    double* matrix) {
  if (block.law.viscosity == 0.0) c = 0.0;
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    Eigen::Map<Eigen::Matrix<double, 3 * N, 3 * N>> K(matrix);
    K.setZero();
    if (k == 0.0 && c == 0.0) return;
    const Nodal<N> U = gather<N>(block.node.data() + index(element) * N, u);
    Matrix9 A;
    Eigen::Matrix<double, 9, 3> T;
    for (int g = 0, p = element * block.points; g < block.points; ++g, ++p) {
      const auto G = gradients<N>(block, p);
      const Matrix3 F = Matrix3::Identity() + spread<N>(U, G);
      combined(block.law, F, block.axis_of(p), k, c, A);
      A *= block.weight[index(p)];
      for (int b = 0; b < N; ++b) {
        for (int j = 0; j < 3; ++j)
          T.col(j) =
              A.col(3 * j) * G(0, b) + A.col(3 * j + 1) * G(1, b) + A.col(3 * j + 2) * G(2, b);
        for (int a = 0; a <= b; ++a)
          for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
              K(3 * a + i, 3 * b + j) +=
                  G(0, a) * T(3 * i, j) + G(1, a) * T(3 * i + 1, j) + G(2, a) * T(3 * i + 2, j);
      }
    }
    for (int j = 0; j < 3 * N; ++j)
      for (int i = 0; i < j; ++i) K(j, i) = K(i, j);
  });
}

Matrix3 deformation(const Block& block, int element, int point, const double* u) {
  Matrix3 F = Matrix3::Identity();
  dispatch(block, [&](auto nodes) {
    constexpr int N = decltype(nodes)::n;
    F +=
        spread<N>(gather<N>(block.node.data() + index(element) * N, u), gradients<N>(block, point));
  });
  return F;
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
