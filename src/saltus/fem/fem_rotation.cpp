#include <Eigen/Geometry>
#include <Eigen/LU>

#include "saltus/fem/fem_internal.h"

namespace saltus::fem {
namespace {

/// R - I of a unit quaternion
Matrix3 turn_of(const Eigen::Quaterniond& Q) {
  const Matrix3 x = skew(Q.vec());
  return 2.0 * (Q.w() * x + x * x);
}

/// Q (1, w/2), of length 1
Eigen::Quaterniond turned_by(const Eigen::Quaterniond& Q, const Vector3& w) {
  Eigen::Quaterniond P;
  P.w() = Q.w() - 0.5 * Q.vec().dot(w);
  P.vec() = Q.vec() + 0.5 * (Q.w() * w + Q.vec().cross(w));
  return P.normalized();
}

Vector3 axial(const Matrix3& A) {
  return {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)};
}

/// (tr(U) I - U)^-1, U the symmetric part of R^T S
Matrix3 turning_of(const Matrix3& R, const Matrix3& S) {
  const Matrix3 RS = R.transpose() * S, U = 0.5 * (RS + RS.transpose());
  return (U.trace() * Matrix3::Identity() - U).inverse();
}

}  // namespace

void BodyRotation::set(const Mesh& mesh, const Vector& mass) {
  dimension_ = mesh.dimension;
  mass_ = mass;
  const Eigen::Index nodes = mesh.nodes.cols();
  const Vector3 centre = mesh.nodes * mass / mass.sum();
  Z_.resize(3 * nodes);
  for (Eigen::Index a = 0; a < nodes; ++a) Z_.segment<3>(3 * a) = mesh.nodes.col(a) - centre;
  S0_.setZero();
  for (Eigen::Index a = 0; a < nodes; ++a)
    S0_ += mass_[a] * Z_.segment<3>(3 * a) * Z_.segment<3>(3 * a).transpose();
  d.setZero(3 * nodes);
}

// With S = S0 + S_u, S0 = sum m_a Z_a Z_a^T and S_u = sum m_a (u_a - shift) Z_a^T, R^T S is
// symmetric where
//     ax[(R^T - I) S0 + R^T S_u] = 0,      d_a = R^T (u_a - shift) + (R^T - I) Z_a:
// Newton's method on the quaternion of R, starting at the identity if the rotation is small, gives
// R - I and d as exact as u.
void BodyRotation::place(const Vector& u) {
  Vector3 shift = Vector3::Zero();
  for (Eigen::Index a = 0; a < mass_.size(); ++a) shift += mass_[a] * u.segment<3>(3 * a);
  shift /= mass_.sum();
  Matrix3 S_u = Matrix3::Zero();
  for (Eigen::Index a = 0; a < mass_.size(); ++a)
    S_u += (mass_[a] * (u.segment<3>(3 * a) - shift)) * Z_.segment<3>(3 * a).transpose();
  Matrix3 S = S0_ + S_u;
  if (dimension_ == 2) S(2, 2) = S.norm();  // rotates about z only
  constexpr double kSmallTurn = 0.1;
  constexpr int kPasses = 8;
  Eigen::Quaterniond Q = Eigen::Quaterniond::Identity();
  if (!(S_u.norm() <= kSmallTurn * S0_.norm())) Q = rotation_of(S);
  Matrix3 turn = turn_of(Q);
  for (int pass = 0; pass < kPasses; ++pass) {
    R = Matrix3::Identity() + turn;
    const Vector3 w = turning_of(R, S) * axial(turn.transpose() * S0_ + R.transpose() * S_u);
    Q = turned_by(Q, w);
    turn = turn_of(Q);
    if (!(w.norm() > 1e-9 * Q.vec().norm())) break;  // the next correction would be round-off
  }
  R = Matrix3::Identity() + turn;
  D_ = turning_of(R, S);
  for (Eigen::Index a = 0; a < mass_.size(); ++a)
    d.segment<3>(3 * a) =
        R.transpose() * (u.segment<3>(3 * a) - shift) + turn.transpose() * Z_.segment<3>(3 * a);
}

void BodyRotation::into(const Vector& in, Vector& out) const {
  for (Eigen::Index i = 0; i < in.size(); i += 3)
    out.segment<3>(i) = R.transpose() * in.segment<3>(i);
}

void BodyRotation::add_out(double scale, const Vector& in, Vector& out) const {
  for (Eigen::Index i = 0; i < in.size(); i += 3)
    out.segment<3>(i) += scale * (R * in.segment<3>(i));
}

void BodyRotation::strip(Vector& w) const {
  Vector3 sum = Vector3::Zero();
  for (Eigen::Index a = 0; a < mass_.size(); ++a)
    sum += mass_[a] * Vector3(Z_.segment<3>(3 * a)).cross(Vector3(w.segment<3>(3 * a)));
  const Vector3 Omega = D_ * sum;
  for (Eigen::Index i = 0; i < w.size(); i += 3)
    w.segment<3>(i) -= Omega.cross(Vector3(Z_.segment<3>(i) + d.segment<3>(i)));
}

// (Q^T f)_a = f_a - m_a (D m) x Z_a,  m = sum (Z_a + d_a) x f_a
void BodyRotation::strip_transposed(Vector& f) const {
  Vector3 moment = Vector3::Zero();
  for (Eigen::Index i = 0; i < f.size(); i += 3)
    moment += Vector3(Z_.segment<3>(i) + d.segment<3>(i)).cross(Vector3(f.segment<3>(i)));
  const Vector3 turning = D_ * moment;
  for (Eigen::Index a = 0; a < mass_.size(); ++a)
    f.segment<3>(3 * a) -= mass_[a] * turning.cross(Vector3(Z_.segment<3>(3 * a)));
}

}  // namespace saltus::fem
