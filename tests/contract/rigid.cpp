#include <Eigen/Geometry>
#include <cmath>

#include "small_kinds.h"

namespace saltus::contract {
namespace {

Eigen::Matrix3d hat(const Vector3& a) {
  Eigen::Matrix3d m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

Eigen::Quaterniond quaternion(View q) { return {q[3], q[4], q[5], q[6]}; }

}  // namespace

Rigid::Rigid(Data data, Units u) : d_(data) {
  d_.mass *= u.mass;
  d_.gravity *= u.acceleration();
  d_.inertia *= u.mass * u.length * u.length;
}

unsigned Rigid::traits() const {
  const unsigned bits =
      Trait::tangents | Trait::rotations | Trait::second_order | Trait::constant_mass;
  return d_.tangent == Tangent::symmetrised ? bits | Trait::symmetric : bits;
}

Eigen::Matrix3d Rigid::rotation(View q) { return quaternion(q).toRotationMatrix(); }

Vector3 Rigid::angular_momentum(View q, View v) const {
  const Vector3 spin = v.tail<3>();
  return rotation(q) * d_.inertia.cwiseProduct(spin);
}

// x + w_x,  Q exp(w_R),  exp(d) = (cos(a/2), sin(a/2)/a d)
void Rigid::retract(View q, View w, Out out) const {
  const Vector3 turn = w.tail<3>();
  const double a = turn.norm();
  const Vector3 axis = (a > 1e-6 ? std::sin(0.5 * a) / a : 0.5 - a * a / 48.0) * turn;
  const Eigen::Quaterniond Q =
      (quaternion(q) * Eigen::Quaterniond(std::cos(0.5 * a), axis.x(), axis.y(), axis.z()))
          .normalized();
  out.head<3>() = q.head<3>() + w.head<3>();
  out.tail<4>() << Q.w(), Q.x(), Q.y(), Q.z();
}

// dexp^-1:  w' = Omega + w x Omega/2 + c w x (w x Omega),  c = (1 - (a/2) cot(a/2))/a^2
void Rigid::increment_rate(View w, View v, Out rate) const {
  const Vector3 turn = w.tail<3>(), spin = v.tail<3>();
  const double a = turn.norm();
  const double c =
      a > 1e-3 ? (1.0 - 0.5 * a / std::tan(0.5 * a)) / (a * a) : 1.0 / 12.0 + a * a / 720.0;
  rate.head<3>() = v.head<3>();
  rate.tail<3>() = spin + 0.5 * turn.cross(spin) + c * turn.cross(turn.cross(spin));
}

void Rigid::force(double, View, View v, Out f) const {
  const Vector3 spin = v.tail<3>();
  f.head<3>() = Vector3(0.0, 0.0, -d_.mass * d_.gravity);
  f.tail<3>() = -spin.cross(d_.inertia.cwiseProduct(spin));
}

Eigen::Matrix<double, 6, 6> Rigid::combine(Combination s, View v) const {
  Eigen::Matrix<double, 6, 6> A = Eigen::Matrix<double, 6, 6>::Zero();
  const Vector3 spin = v.tail<3>(), momentum = d_.inertia.cwiseProduct(spin);
  const Eigen::Matrix3d J = d_.inertia.asDiagonal();
  A.topLeftCorner<3, 3>() = s.m * d_.mass * Eigen::Matrix3d::Identity();
  A.bottomRightCorner<3, 3>() = s.m * J;
  if (d_.tangent == Tangent::exact)
    A.bottomRightCorner<3, 3>() += s.c * (hat(spin) * J - hat(momentum));
  return A;
}

void Rigid::multiply(Combination s, double, View, View v, View x, Out y) const {
  y = combine(s, v) * x;
}

void Rigid::factorise(Combination s, double, View, View v, Factor& A) const {
  if (!std::holds_alternative<Blocks6>(A.form)) A.form = Blocks6{};
  std::get<Blocks6>(A.form).inverse.assign(1, combine(s, v).inverse());
}

void Rigid::points(double, View q, std::span<const PointRef> at, Out x) const {
  const Eigen::Matrix3d R = rotation(q);
  for (std::size_t i = 0; i < at.size(); ++i)
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = q.head<3>() + R * at[i].local;
}

// x' = v - (R X)^ R_axes Omega
void Rigid::point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const {
  const Eigen::Matrix3d R = rotation(q), R_axes = rotation(axes);
  J.width = 6;
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.resize(18 * at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> block(&J.value[18 * i]);
    block.leftCols<3>().setIdentity();
    block.rightCols<3>() = -hat(R * at[i].local) * R_axes;
    J.offset.push_back(J.offset.back() + 1);
  }
}

Energy Rigid::energy(double, View q, View v) const {
  const Vector3 spin = v.tail<3>();
  return {0.5 * d_.mass * v.head<3>().squaredNorm() + 0.5 * spin.dot(d_.inertia.cwiseProduct(spin)),
          d_.mass * d_.gravity * q[2]};
}

void Rigid::power(double, std::optional<double>, View, View v, View w,
                  std::span<double> by_source) const {
  const Vector3 spin = v.tail<3>();
  by_source[0] = -d_.mass * d_.gravity * w[2];
  by_source[1] = -spin.cross(d_.inertia.cwiseProduct(spin)).dot(w.tail<3>());
}

}  // namespace saltus::contract
