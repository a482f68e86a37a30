// With q = q0 + X z,  X^T M X = I,  X^T K X = diag(omega^2):
//
//     z_j'' + 2 sigma_j z_j' + omega_j^2 z_j = x_j.f(q0) + x_j.r
//
// Craig and Bampton (1968), with b the kept and i the remaining degrees of freedom, Phi the modes
// of (K_ii, M_ii):
//
//     T = [ I 0; Psi Phi ],   Psi = -K_ii^-1 K_ib
//
// With W = [Psi Phi] and P = A_ib,
//
//     T^T A T = [A_bb 0; 0 0] + [P^T W; 0] + [P^T W; 0]^T + W^T A_ii W.
//
// For K this gives K_bb + K_bi Psi, then omega^2, and no coupling between them.
#include "saltus/fem/reduction.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/fem/mode_surface.h"

namespace saltus {
namespace {

std::size_t index(Eigen::Index i) { return static_cast<std::size_t>(i); }

struct Line {
  ModalPlacement placement;
  std::vector<double> x;  // coordinate of each point
};

// The line through two points: the farthest from the first, and the farthest from that one.
Line line_through(const Vector& places) {
  const Eigen::Index n = places.size() / 3;
  const auto at = [&](Eigen::Index i) -> Vector3 { return places.segment<3>(3 * i); };
  const auto farthest = [&](const Vector3& from) {
    Eigen::Index most = 0;
    for (Eigen::Index i = 1; i < n; ++i)
      if ((at(i) - from).norm() > (at(most) - from).norm()) most = i;
    return most;
  };
  Line line;
  const Eigen::Index end = farthest(at(0)), start = farthest(at(end));
  line.placement.origin = at(start);
  const double length = (at(end) - at(start)).norm();
  if (n > 1) line.placement.axis = (at(end) - at(start)) / length;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vector3 way = at(i) - line.placement.origin;
    line.x.push_back(line.placement.axis.dot(way));
    expects((way - line.x.back() * line.placement.axis).norm() <= 1e-6 * length,
            "reduce_to_modes: the points must lie on a straight line");
  }
  return line;
}

/// Row i is direction . d(position of point i)/dq.
Matrix rows_along(const Dynamics& body, const Vector& q, std::span<const PointRef> points,
                  const Vector3& direction) {
  PointRows J;
  body.point_rows(q, q, points, J);
  Matrix rows = Matrix::Zero(static_cast<Eigen::Index>(points.size()), body.velocities());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
      for (int axis = 0; axis < 3; ++axis)
        for (int c = 0; c < J.width; ++c)
          rows(static_cast<Eigen::Index>(i), J.column[index(k)] + c) +=
              direction[axis] * J.value[index((3 * k + axis) * J.width + c)];
  return rows;
}

Matrix product(const Dynamics& body, Combination s, const Vector& q, const Vector& v,
               const Matrix& X) {
  Matrix Y(X.rows(), X.cols());
  Vector x(X.rows());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    x = X.col(j);
    body.multiply(s, 0.0, q, v, x, Y.col(j));
  }
  return Y;
}

Matrix even(const Matrix& A) { return 0.5 * (A + A.transpose()); }

/// For a mesh, adds the displacements of its boundary surface in the modes X, for drawing.
std::unique_ptr<const ModeShapes> with_boundary(std::unique_ptr<const ModeShapes> along,
                                                const Dynamics& body, View q, const Matrix& X) {
  const auto* fem = dynamic_cast<const Fem*>(&body);
  if (!fem) return along;
  Mesh mesh = fem->mesh();
  Vector u(3 * mesh.nodes.cols());
  fem->full(0.0, q, u);
  mesh.nodes.reshaped() += u;
  Matrix basis = Matrix::Zero(u.size(), X.cols());
  for (Eigen::Index dof = 0; dof < u.size(); ++dof)
    if (const int i = fem->free_index(static_cast<int>(dof)); i >= 0) basis.row(dof) = X.row(i);
  return std::make_unique<SurfaceModeShapes>(std::move(along), mode_boundary(mesh, basis));
}

void expect_reducible(const FemSystem& system, View u, std::span<const int> kept, int modes) {
  const auto nodes = static_cast<int>(system.mesh.nodes.cols());
  expects(u.size() == 3 * nodes, "craig_bampton: u must have 3 numbers per node");
  expects(!kept.empty(), "craig_bampton: at least one degree of freedom must be kept");
  expects(modes >= 0, "craig_bampton: modes must be >= 0");
  for (const Prescribed& p : system.prescribed)
    expects(p.signal.is_constant(),
            "craig_bampton: prescribed degrees of freedom must be constant");
  for (const int dof : kept)
    if (dof < 0 || dof >= 3 * nodes) [[unlikely]]
      expects(false, fmt::format("craig_bampton: kept degree of freedom {} must be in 0 to {}", dof,
                                 3 * nodes - 1));
}

/// The body with its kept degrees of freedom prescribed, at rest at the displacements u: blocks of
/// A = m M + c C + k K.
class KeptAndRest {
 public:
  KeptAndRest(FemSystem system, View u, std::span<const int> kept)
      : held_(static_cast<Eigen::Index>(system.prescribed.size())),
        b_(static_cast<Eigen::Index>(kept.size())),
        body_(with_kept(std::move(system), u, kept)),
        q_(body_.positions()),
        still_(Vector::Zero(body_.positions())) {
    for (int dof = 0; dof < u.size(); ++dof)
      if (const int i = body_.free_index(dof); i >= 0) q_[i] = u[dof];
  }
  const Fem& rest() const { return body_; }
  /// A_ib, A_bb
  std::pair<Matrix, Matrix> kept_columns(Combination s) const {
    Matrix all(body_.positions() + body_.prescribed(), body_.prescribed());
    body_.prescribed_columns(s, 0.0, q_, still_, all);
    return {all.topRightCorner(body_.positions(), b_), all.bottomRightCorner(b_, b_)};
  }
  /// Psi = -K_ii^-1 K_ib
  Matrix static_modes(const Matrix& K_ib) const {
    Matrix psi = -K_ib;
    Factor K_ii;
    body_.factorise({0.0, 0.0, 1.0}, 0.0, q_, still_, K_ii);
    solve(K_ii, psi);
    return psi;
  }
  NaturalModes lowest_modes(int count) const { return natural_modes(body_, q_, count); }
  /// T^T A T with W = [Psi Phi]
  Matrix project(Combination s, const Matrix& W) const {
    const auto [P, A_bb] = kept_columns(s);
    Matrix A = W.transpose() * product(body_, s, q_, still_, W);
    const Matrix side = P.transpose() * W;
    A.topLeftCorner(b_, b_) += A_bb;
    A.topRows(b_) += side;
    A.leftCols(b_) += side.transpose();
    return even(A);
  }
  /// T^T f of gravity and of the stress at u; empty means 0
  Vector project_force(const Matrix& W) const {
    Vector f(body_.positions()), R(body_.prescribed());
    body_.force(0.0, q_, still_, f);
    body_.reactions(0.0, q_, still_, still_, R);
    Vector load = W.transpose() * f;
    load.head(b_) -= R.segment(held_, b_);
    if (load.isZero(0.0)) load.resize(0);
    return load;
  }

 private:
  static FemSystem with_kept(FemSystem system, View u, std::span<const int> kept) {
    system.loads.clear();
    for (const int dof : kept) system.prescribed.push_back({dof, Signal::constant(u[dof])});
    return system;
  }

  const Eigen::Index held_, b_;  // number of prescribed and of kept degrees of freedom
  const Fem body_;
  Vector q_, still_;
};

/// Loads projected to the reduced degrees of freedom by T.
std::vector<Load> project_loads(std::span<const Load> loads, const Matrix& T) {
  std::vector<Load> reduced;
  for (const Load& load : loads) {
    Vector weight = Vector::Zero(T.cols());
    for (const auto& [dof, w] : load.pattern) {
      expects(dof >= 0 && dof < T.rows(), "craig_bampton: loads must act on nodes of the mesh");
      weight += w * T.row(dof).transpose();
    }
    Load on{{}, load.signal};
    for (int j = 0; j < static_cast<int>(weight.size()); ++j)
      if (weight[j] != 0.0) on.pattern.emplace_back(j, weight[j]);
    if (!on.pattern.empty()) reduced.push_back(std::move(on));
  }
  return reduced;
}

}  // namespace

ModalReduced reduce_to_modes(const Dynamics& body, View q, const ModalReduction& reduction) {
  expects(!reduction.points.empty(), "reduce_to_modes: at least one point is required");
  expects(std::abs(reduction.direction.norm() - 1.0) <= 1e-9,
          "reduce_to_modes: the direction must be a unit vector");
  ModalReduced reduced;
  const auto n = static_cast<Eigen::Index>(reduction.points.size());
  const Vector at = q, still = Vector::Zero(body.velocities());
  Vector places(3 * n);
  body.points(0.0, at, reduction.points, places);
  Line line = line_through(places);
  line.placement.direction = reduction.direction;
  reduced.place = line.x;

  reduced.modes = natural_modes(body, at, reduction.modes);
  const Matrix& X = reduced.modes.shape;
  const Matrix C = even(X.transpose() * product(body, {0.0, 1.0, 0.0}, at, still, X));
  for (Eigen::Index i = 0; i < C.cols(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (const double both = C(i, i) * C(j, j); both > 0.0)
        reduced.coupling = std::max(reduced.coupling, std::abs(C(i, j)) / std::sqrt(both));
  if (reduced.coupling < 1e-9) reduced.coupling = 0.0;  // round-off
  const Vector sigma = (0.5 * C.diagonal()).cwiseMax(0.0);

  Vector f(body.velocities());
  body.force(0.0, at, still, f);
  Vector load = X.transpose() * f;
  if (load.norm() <= 1e-14 * f.norm()) load.resize(0);

  std::vector<Eigen::Index> order(reduction.points.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, {}, [&](Eigen::Index i) { return line.x[index(i)]; });
  const Matrix along = rows_along(body, at, reduction.points, reduction.direction) * X;
  Matrix shape(n, X.cols());
  std::vector<double> x;
  for (const Eigen::Index i : order) {
    expects(x.empty() || line.x[index(i)] > x.back(),
            "reduce_to_modes: the points must not coincide");
    shape.row(static_cast<Eigen::Index>(x.size())) = along.row(i);
    x.push_back(line.x[index(i)]);
  }
  reduced.body = std::make_unique<Modal>(
      Vector::Ones(X.cols()), reduced.modes.omega, sigma,
      with_boundary(tabulated_shapes(std::move(x), std::move(shape)), body, at, X), line.placement,
      std::move(load));
  return reduced;
}

CraigBampton craig_bampton(FemSystem system, View u, std::span<const int> kept, int modes) {
  expect_reducible(system, u, kept, modes);
  const auto b = static_cast<Eigen::Index>(kept.size());
  const auto m = static_cast<Eigen::Index>(modes);
  const std::vector<Load> loads = std::move(system.loads);
  const bool rates = system.viscosity == Viscosity::strain_rate;
  const Rayleigh given = system.rayleigh;
  const Mesh mesh = system.mesh;
  const KeptAndRest body(std::move(system), u, kept);

  // W = [Psi Phi]
  CraigBampton reduced;
  Matrix W(body.rest().positions(), b + m);
  const auto [K_ib, K_bb] = body.kept_columns({0.0, 0.0, 1.0});
  const Matrix psi = body.static_modes(K_ib);
  const NaturalModes lowest = body.lowest_modes(std::max(modes, 1));
  if (!psi.allFinite() || lowest.omega[0] == 0.0) [[unlikely]]
    expects(false,
            "craig_bampton: kept and prescribed degrees of freedom together must restrain the rest "
            "of the body");
  W.leftCols(b) = psi;
  W.rightCols(m) = lowest.shape.leftCols(m);
  reduced.omega = lowest.omega.head(m);

  Matrix M = body.project({1.0, 0.0, 0.0}, W);
  M.bottomRightCorner(m, m).setIdentity();
  Matrix K = Matrix::Zero(b + m, b + m);
  K.topLeftCorner(b, b) = even(K_bb + K_ib.transpose() * psi);
  K.bottomRightCorner(m, m).diagonal() = reduced.omega.array().square();
  LinearSystem& to = reduced.system;
  to.mass = SparseMatrix::from(M);
  to.stiffness = SparseMatrix::from(K);
  to.rayleigh = given;
  if (rates && given.stiffness > 0.0) {
    to.rayleigh.stiffness = 0.0;
    to.damping = SparseMatrix::from(body.project({0.0, 1.0, 0.0}, W) - given.mass * M);
  }

  // displacements of all nodes in terms of the reduced degrees of freedom
  Matrix& T = reduced.basis;
  T.setZero(u.size(), b + m);
  for (int dof = 0; dof < u.size(); ++dof)
    if (const int i = body.rest().free_index(dof); i >= 0) T.row(dof) = W.row(i);
  for (Eigen::Index j = 0; j < b; ++j) {
    T(kept[index(j)], j) = 1.0;
    const int a = kept[index(j)] / 3;
    to.points.push_back(
        {mesh.nodes.col(a) + u.segment<3>(3 * a), Vector3::Unit(kept[index(j)] % 3)});
  }
  to.points.resize(index(b + m));
  to.load = body.project_force(W);
  to.loads = project_loads(loads, T);
  return reduced;
}

}  // namespace saltus
