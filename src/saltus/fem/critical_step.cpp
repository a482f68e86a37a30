// Symplectic Euler with damping at the start velocity, and def-exp written at its half steps,
// applied to M q'' + C q' + K q = 0:
//
//     M (q+ - 2 q + q-) + h C (q - q-) + h^2 K q = 0                                   (1)
//
// For a root z with vector x, let k = x*K x/x*M x and c = x*C x/x*M x. Then
//
//     z^2 - (2 - h^2 k - h c) z + 1 - h c = 0,
//
// where k and c are real and not negative for symmetric K, C >= 0. Both roots lie in the unit
// circle if h^2 k + 2 h c <= 4. So no step grows if the largest eigenvalue of (h^2 K + 2 h C, M) is
// below 4; where it reaches 4, z = -1 is a root. With k <= omega^2 and c <= damping,
//
//     h = 2/omega (sqrt(1 + xi^2) - xi),   xi = damping/(2 omega).
#include "saltus/fem/critical_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kStepRoundOff = 1e-13;  // relative error of the eigenvalues of an element

// Upper bound of the largest eigenvalue of a symmetric B; `enough` where the bound is below
// `enough`.
double largest_eigenvalue(const Matrix& B, double enough) {
  if (!B.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double norm = std::min(B.norm(), B.cwiseAbs().rowwise().sum().maxCoeff());
  if (norm <= enough) return enough;
  return std::max(enough, symmetric_values(B)[B.rows() - 1] + kStepRoundOff * norm);
}

/// The lumped mass of each node, split between its elements in the ratio of their stiffness there.
/// Any split gives a bound; this one is tighter than a split by masses, above all on meshes with
/// elements of unequal size.
struct LumpedSplit {
  std::vector<double> weight;  // one per node of an element, in the order of the blocks
  Vector sum;                  // sum of the weights at each node

  /// Evaluated at the displacements u. Returns the first element whose stiffness is not finite, or
  /// -1.
  int set(std::span<const fem::Block> blocks, Eigen::Index nodes, const Vector& u) {
    sum = Vector::Zero(nodes);
    Matrix K;
    for (const fem::Block& block : blocks) {
      K.resize(3 * block.n, 3 * block.n);
      for (int e = 0; e < block.elements; ++e) {
        fem::element_matrix(block, e, 1.0, 0.0, u.data(), K.data());
        if (!K.allFinite()) return block.first + e;
        const double least = 1e-3 * K.diagonal().cwiseAbs().maxCoeff();
        for (int a = 0; a < block.n; ++a) {
          weight.push_back(std::max(least, K.diagonal().segment<3>(3 * a).sum()));
          sum[block.node[index(e * block.n + a)]] += weight.back();
        }
      }
    }
    return -1;
  }
};

/// Matrices of one element, restricted to its free degrees of freedom. The mass is stored as L of L
/// L^T, or as the square roots of a diagonal.
class FreeElement {
 public:
  /// False if the element has no free degree of freedom.
  bool set(const fem::Block& block, int element, const FreeDofs& dofs) {
    block_ = &block;
    element_ = element;
    local_.clear();
    for (int i = 0; i < 3 * block.n; ++i)
      if (dofs[3 * node(i / 3) + i % 3] >= 0) local_.push_back(i);
    return !local_.empty();
  }
  /// The element's part of the lumped masses `nodal`, with weights from number `first` on. False if
  /// a node has no mass.
  bool set_lumped(const LumpedSplit& split, std::size_t first, const Vector& nodal) {
    diagonal_ = true;
    inverse_root_.resize(size());
    for (std::size_t i = 0; i < local_.size(); ++i) {
      const int a = local_[i] / 3;
      inverse_root_[static_cast<Eigen::Index>(i)] =
          1.0 / std::sqrt(split.weight[first + index(a)] * nodal[node(a)] / split.sum[node(a)]);
    }
    return inverse_root_.allFinite();
  }
  /// `across`: area of a bar, thickness of a plane element, 1 for a solid.
  void set_consistent(const Mesh& mesh, double across) {
    diagonal_ = false;
    const int rows = 3 * block_->n;
    fem::element_mass(mesh, *block_, element_, across, m_);
    all_.setZero(rows, rows);
    for (int j = 0; j < rows; ++j)
      for (int a = 0; a < block_->n; ++a)
        all_(3 * a + j % 3, j) = 0.5 * (m_(a, j / 3) + m_(j / 3, a));
    restrict_to(factor_);
    cholesky_lower(factor_);
  }
  /// Largest eigenvalue of (k K + c C_v, M) at the displacements u, or `enough` as in
  /// largest_eigenvalue.
  double largest(double k, double c, const Vector& u, double enough) {
    all_.resize(3 * block_->n, 3 * block_->n);
    fem::element_matrix(*block_, element_, k, c, u.data(), all_.data());
    restrict_to(part_);
    scale(part_);
    return largest_eigenvalue(part_, enough);
  }

 private:
  int node(int a) const { return block_->node[index(element_ * block_->n + a)]; }
  Eigen::Index size() const { return static_cast<Eigen::Index>(local_.size()); }
  void restrict_to(Matrix& out) const {
    out.resize(size(), size());
    Eigen::Index j = 0;
    for (const int column : local_) {
      Eigen::Index i = 0;
      for (const int row : local_) out(i++, j) = all_(row, column);
      ++j;
    }
  }
  /// K <- L^-1 K L^-T
  void scale(Matrix& K) const {
    if (diagonal_) {
      K.array().colwise() *= inverse_root_.array();
      K.array().rowwise() *= inverse_root_.transpose().array();
      return;
    }
    solve_lower(factor_, K);
    K.transposeInPlace();
    solve_lower(factor_, K);
  }

  const fem::Block* block_ = nullptr;
  int element_ = 0;
  std::vector<int> local_;  // free rows of the element matrices
  bool diagonal_ = true;
  Vector inverse_root_;
  Matrix factor_, all_, part_, m_;
};

double across_element(const ElementBlock& block, const FemMaterial& m) {
  const int d = info(block.kind).dimension;
  return d == 1 ? m.area : d == 2 ? m.thickness : 1.0;
}

}  // namespace

MotionBound motion_bound(const Fem& body, double t, View q) {
  const Fem::Elements& d = *body.elements_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  MotionBound bound;
  const auto unknown = [&](int element, double omega, double damping) {
    bound.omega = omega;
    bound.damping = damping;
    bound.at = element;
    return bound;
  };
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  LumpedSplit split;
  if (d.lumped)
    if (const int bad = split.set(d.blocks, d.nodes, w->u); bad >= 0)
      return unknown(bad, kNaN, kNaN);

  bool proportional = true;
  double omega2 = 0.0, damping = 0.0;
  FreeElement element;
  std::size_t weights = 0;  // number of weights of the previous elements
  for (std::size_t b = 0; b < d.blocks.size(); ++b) {
    const fem::Block& block = d.blocks[b];
    const ElementBlock& given = d.system.mesh.blocks[b];
    const double across = across_element(given, d.system.materials[index(given.material)]);
    const bool viscous = block.law.viscosity > 0.0;
    proportional = proportional && !viscous;
    for (int e = 0; e < block.elements; ++e, weights += index(block.n)) {
      if (!element.set(block, e, d.dofs)) continue;
      if (!d.lumped)
        element.set_consistent(d.system.mesh, across);
      else if (!element.set_lumped(split, weights, d.nodal))
        return unknown(block.first + e, kInfinite, d.damped() ? kInfinite : 0.0);
      const double lambda = element.largest(1.0, 0.0, w->u, omega2);
      if (std::isnan(lambda)) return unknown(block.first + e, kNaN, kNaN);
      if (lambda > omega2) {
        omega2 = lambda;
        bound.at = block.first + e;
      }
      damping = viscous ? element.largest(block.tangent_rate, 1.0, w->u, damping)
                        : std::max(damping, block.tangent_rate * lambda);
    }
  }
  bound.omega = std::sqrt(omega2);
  bound.damping = d.rayleigh().mass + damping;
  if (proportional) bound.proportional = d.rayleigh();
  return bound;
}

// M = kron(I, E0) and m I: with E0 = L L^T the problem for F' is symmetric. Multiplying with nine
// unit vectors in all bodies at once gives the blocks of all bodies.
MotionBound motion_bound(const PseudoRigid& body, double t, View q) {
  const PseudoRigidSystem& system = body.system();
  const int n = body.bodies();
  const Vector v = Vector::Zero(body.velocities());
  Vector x(v.size()), y(v.size());
  const auto blocks = [&](Combination s) {
    std::vector<Matrix> block(index(n), Matrix(9, 9));
    for (int j = 0; j < 9; ++j) {
      x.setZero();
      for (int b = 0; b < n; ++b) x[12 * b + j] = 1.0;
      body.multiply(s, t, q, v, x, y);
      for (int b = 0; b < n; ++b) block[index(b)].col(j) = y.segment<9>(12 * b);
    }
    for (int b = 0; b < n; ++b) {
      Matrix& B = block[index(b)];
      B = (0.5 * (B + B.transpose())).eval();
      Matrix L = system.bodies[index(b)].euler, inverse = Matrix::Zero(9, 9);
      cholesky_lower(L);
      Matrix one = Matrix::Identity(3, 3);
      solve_lower(L, one);
      for (int i = 0; i < 3; ++i) inverse.block<3, 3>(3 * i, 3 * i) = one;
      B = (inverse * B * inverse.transpose()).eval();
    }
    return block;
  };
  MotionBound bound;
  bound.exact = true;
  double omega2 = 0.0;
  const std::vector<Matrix> K = blocks({0.0, 0.0, 1.0});
  for (int b = 0; b < n; ++b) {
    const double lambda = largest_eigenvalue(K[index(b)], omega2);
    if (lambda <= omega2) continue;
    omega2 = lambda;
    bound.at = b;
  }
  bound.omega = std::sqrt(omega2);
  if (system.viscosity == Viscosity::current_tangent || system.eta == 0.0) {
    bound.proportional = Rayleigh{0.0, system.eta};
    bound.damping = system.eta * omega2;
  } else {
    for (const Matrix& C : blocks({0.0, 1.0, 0.0}))
      bound.damping = largest_eigenvalue(C, bound.damping);
  }
  return bound;
}

std::optional<MotionBound> motion_bound(const Dynamics& body, double t, View q) {
  if (const auto* fem = dynamic_cast<const Fem*>(&body)) return motion_bound(*fem, t, q);
  if (const auto* whole = dynamic_cast<const PseudoRigid*>(&body))
    return motion_bound(*whole, t, q);
  return std::nullopt;
}

// Each step takes the largest theta in the span of x, the preconditioned residual w = M^-1 (K x -
// theta M x) and the previous direction p (Knyazev 2001, with the mass as preconditioner). Products
// with M and K are updated together with the vectors.
MotionEstimate motion_estimate(const Dynamics& body, double t, View q, View v, double tolerance,
                               int most) {
  expects(has(body.traits(), Trait::symmetric) && has(body.traits(), Trait::tangents),
          "motion_estimate: the body must have symmetric tangents");
  MotionEstimate found;
  const int n = body.velocities();
  if (n == 0) return found;
  Factor mass;
  body.factorise({1.0, 0.0, 0.0}, t, q, v, mass);
  Matrix S(n, 3), KS(n, 3), MS(n, 3);  // x, w, p
  Vector work(n);
  const auto products = [&](int j) {
    work = S.col(j);
    body.multiply({0.0, 0.0, 1.0}, t, q, v, work, KS.col(j));
    body.multiply({1.0, 0.0, 0.0}, t, q, v, work, MS.col(j));
    ++found.products;
  };
  const auto scale = [&](int j, double factor) {
    S.col(j) *= factor;
    KS.col(j) *= factor;
    MS.col(j) *= factor;
  };
  const auto take = [&](int j, int i, double factor) {
    S.col(j) -= factor * S.col(i);
    KS.col(j) -= factor * KS.col(i);
    MS.col(j) -= factor * MS.col(i);
  };
  // false if the vector is numerically dependent on the previous ones
  const auto make_unit = [&](int j) {
    const double before = S.col(j).dot(MS.col(j));
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < j; ++i) take(j, i, S.col(j).dot(MS.col(i)));
    const double norm2 = S.col(j).dot(MS.col(j));
    if (!(norm2 > 1e-20 * before) || !std::isfinite(norm2)) return false;
    scale(j, 1.0 / std::sqrt(norm2));
    return true;
  };
  for (int i = 0; i < n; ++i)  // a component along every mode
    S(i, 0) = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.5 * std::sin(12.9898 * (i + 1)));
  products(0);
  if (!make_unit(0)) return found;
  double theta = S.col(0).dot(KS.col(0));
  bool direction = false;
  while (true) {
    work = KS.col(0) - theta * MS.col(0);
    S.col(1) = work;
    solve(mass, S.col(1));
    found.residual = std::sqrt(std::max(work.dot(S.col(1)), 0.0)) / std::abs(theta);
    if (found.residual <= tolerance || !std::isfinite(found.residual) || found.products >= most)
      break;
    products(1);
    if (!make_unit(1)) break;
    const int m = direction && make_unit(2) ? 3 : 2;
    Matrix T = S.leftCols(m).transpose() * KS.leftCols(m);
    T = (0.5 * (T + T.transpose())).eval();
    const Vector s = symmetric_pairs(T).vectors.col(m - 1);
    // p is the displacement from the old x; the new x is x s_0 + p
    for (Matrix* A : {&S, &KS, &MS}) {
      work = A->col(1) * s[1];
      if (m == 3) work += A->col(2) * s[2];
      A->col(2) = work;
      A->col(0) = (A->col(0) * s[0] + work).eval();
    }
    direction = true;
    if (!make_unit(0)) break;
    theta = S.col(0).dot(KS.col(0));
  }
  if (!(theta > 0.0) || !std::isfinite(theta)) return {0.0, 0.0, 0.0, found.products};
  found.omega = std::sqrt(theta);
  work = S.col(0);
  Vector Cx(n);
  body.multiply({0.0, 1.0, 0.0}, t, q, v, work, Cx);
  found.damping = work.dot(Cx) / work.dot(MS.col(0));
  return found;
}

double critical_step(const Scheme& scheme, const MotionBound& bound) {
  if (!(bound.omega > 0.0)) return std::isnan(bound.omega) ? bound.omega : kInfinite;
  if (std::isinf(bound.omega)) return std::isinf(scheme.stability_limit(0.0)) ? kInfinite : 0.0;
  double h = kInfinite;
  const auto mode = [&](double omega, double c) {
    h = std::min(h, scheme.stability_limit(0.5 * c / omega) / omega);
  };
  constexpr int kOmegas = 48, kDampings = 8;  // omegas cover three decades
  for (int i = 0; i <= kOmegas; ++i) {
    const double omega = bound.omega * std::pow(10.0, -3.0 * i / kOmegas);
    if (bound.proportional) {
      mode(omega, bound.proportional->mass + bound.proportional->stiffness * omega * omega);
      continue;
    }
    for (int k = 0; k <= kDampings; ++k) mode(omega, bound.damping * k / kDampings);
  }
  return h;
}

double critical_step(const Scheme& scheme, const MotionEstimate& estimate) {
  if (!(estimate.omega > 0.0)) return kInfinite;
  const double xi = 0.5 * estimate.damping / estimate.omega;
  return scheme.stability_limit(std::max(xi, 0.0)) / estimate.omega;
}

}  // namespace saltus
