#include <cmath>

#include "saltus/bodies/shape_table.h"
#include "small_kinds.h"

namespace saltus::contract {

Bead::Bead(Data data, Units u) : d_(data) {
  d_.pull *= u.force();
  d_.drive *= u.force();
  d_.rate /= u.time;
  d_.drift *= u.velocity();
  d_.breaks *= u.time;
  M_ << 1.1, 0.2, -0.1, 0.2, 0.9, 0.15, -0.1, 0.15,
      1.4;  // its own mass and that of the fluid it carries along
  C_ << 1.2, 0.9, -0.3, -0.7, 1.0, 0.4, 0.5, -0.2, 0.8;
  M_ *= u.mass;
  C_ *= d_.viscosity * u.mass / u.time;
}

unsigned Bead::traits() const {
  const unsigned bits = Trait::tangents | Trait::affine | Trait::constant_mass;
  return d_.fixed_points ? bits | Trait::fixed_points : bits;
}

Vector3 Bead::load(double t) const {
  if (t >= d_.breaks) return Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
  return d_.pull + d_.drive * std::sin(d_.rate * t);
}

void Bead::force(double t, View, View v, Out f) const { f = load(t) - C_ * v; }

void Bead::multiply(Combination s, double, View, View, View x, Out y) const {
  y = s.m * (M_ * x) + s.c * (C_ * x);
}

void Bead::factorise(Combination s, double, View, View, Factor& A) const {
  static thread_local Matrix dense(3, 3);
  dense = s.m * M_ + s.c * C_;
  refill(dense, A);
}

void Bead::points(double t, View q, std::span<const PointRef> at, Out x) const {
  for (std::size_t i = 0; i < at.size(); ++i)
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        at[i].local + q + Vector3(0.0, 0.0, d_.drift * t);
}

void Bead::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  J.width = 3;
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.clear();
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (double value : {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}) J.value.push_back(value);
    J.offset.push_back(J.offset.back() + 1);
  }
}

void Bead::point_drift(double, View, std::span<const PointRef> at, Out d) const {
  for (std::size_t i = 0; i < at.size(); ++i)
    d.segment<3>(3 * static_cast<Eigen::Index>(i)) = Vector3(0.0, 0.0, d_.drift);
}

std::unique_ptr<PointTable> Bead::table(std::span<const PointRef> at,
                                        std::span<const Vector3> direction) const {
  const auto n = static_cast<Eigen::Index>(at.size());
  Matrix S(n, 3);
  Vector rest(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vector3& along = direction[static_cast<std::size_t>(i)];
    S.row(i) = along.transpose();
    rest[i] = along.dot(at[static_cast<std::size_t>(i)].local);
  }
  return dense_table(S, rest);
}

Energy Bead::energy(double, View, View v) const { return {0.5 * v.dot(M_ * v), 0.0}; }

void Bead::power(double t, std::optional<double>, View, View v, View w,
                 std::span<double> by_source) const {
  by_source[0] = -w.dot(C_ * v);
  by_source[1] = w.dot(load(t));
}

}  // namespace saltus::contract
