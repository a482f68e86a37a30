#include <Eigen/Geometry>
#include <Eigen/LU>

#include "saltus/bodies/fem_internal.h"

namespace saltus::fem {

void BodyRotation::set(const Mesh& mesh, const Vector& mass) {
  dimension_ = mesh.dimension;
  mass_ = mass;
  const Eigen::Index nodes = mesh.nodes.cols();
  const Vector3 centre = mesh.nodes * mass / mass.sum();
  Z_.resize(3 * nodes);
  for (Eigen::Index a = 0; a < nodes; ++a) Z_.segment<3>(3 * a) = mesh.nodes.col(a) - centre;
  for (Vector* x : {&d, &turned, &product}) x->setZero(3 * nodes);
}

void BodyRotation::place(const Vector& u) {
  Vector3 shift = Vector3::Zero();
  for (Eigen::Index a = 0; a < mass_.size(); ++a) shift += mass_[a] * u.segment<3>(3 * a);
  shift /= mass_.sum();
  Matrix3 S = Matrix3::Zero();
  for (Eigen::Index a = 0; a < mass_.size(); ++a) {
    const Vector3 Z = Z_.segment<3>(3 * a);
    S += (mass_[a] * (Z + u.segment<3>(3 * a) - shift)) * Z.transpose();
  }
  if (dimension_ == 2) S(2, 2) = S.norm();  // turns about z alone
  R = rotation_of(S);
  const Matrix3 RS = R.transpose() * S, U = 0.5 * (RS + RS.transpose());
  D_ = (U.trace() * Matrix3::Identity() - U).inverse();
  for (Eigen::Index a = 0; a < mass_.size(); ++a) {
    const Vector3 Z = Z_.segment<3>(3 * a);
    d.segment<3>(3 * a) = R.transpose() * (Z + u.segment<3>(3 * a) - shift) - Z;
  }
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
