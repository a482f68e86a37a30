#include <cmath>

#include "small_kinds.h"

namespace saltus::contract {

void refill(const Matrix& dense, Factor& A) {
  using Form = std::unique_ptr<Operator>;
  if (!std::holds_alternative<Form>(A.form)) A.form = Form(std::make_unique<DenseOperator>());
  static_cast<DenseOperator&>(*std::get<Form>(A.form)).factorise(dense);
}

// The inertial force is part of d/dt of the kinetic energy with M(q): its work has no account of its own.
RailPendulum::RailPendulum(Data data, Units u)
    : d_(data),
      sources_{{{"gravity", true}, {"elastic", true}, {"inertial", true}, {"dashpot", false}}} {
  d_.block *= u.mass;
  d_.bob *= u.mass;
  d_.rod *= u.length;
  d_.gravity *= u.acceleration();
  d_.spring *= u.force() / u.length;
  d_.dashpot *= u.force() / u.velocity();
}

void RailPendulum::force(double, View q, View v, Out f) const {
  const double ml = d_.bob * d_.rod;
  f[0] = -(d_.block + d_.bob) * d_.gravity - d_.spring * q[0] - d_.dashpot * v[0] -
         ml * std::cos(q[1]) * v[1] * v[1];
  f[1] = -ml * d_.gravity * std::sin(q[1]);
}

Eigen::Matrix2d RailPendulum::combine(Combination s, View q, View v) const {
  const double ml = d_.bob * d_.rod, sine = std::sin(q[1]), cosine = std::cos(q[1]);
  Eigen::Matrix2d M, C, K;
  M << d_.block + d_.bob, ml * sine, ml * sine, ml * d_.rod;
  C << d_.dashpot, 2.0 * ml * cosine * v[1], 0.0, 0.0;
  K << d_.spring, -ml * sine * v[1] * v[1], 0.0, ml * d_.gravity * cosine;
  return s.m * M + s.c * C + s.k * K;
}

void RailPendulum::multiply(Combination s, double, View q, View v, View x, Out y) const {
  y = combine(s, q, v) * x;
}

void RailPendulum::factorise(Combination s, double, View q, View v, Factor& A) const {
  static thread_local Matrix dense(2, 2);
  dense = combine(s, q, v);
  refill(dense, A);
}

void RailPendulum::points(double, View q, std::span<const PointRef> at, Out x) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    Vector3 place(0.0, 0.0, q[0]);
    if (at[i].feature == 1) place += d_.rod * Vector3(std::sin(q[1]), 0.0, -std::cos(q[1]));
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = place;
  }
}

void RailPendulum::point_rows(View q, View, std::span<const PointRef> at, PointRows& J) const {
  J.width = 2;
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.clear();
  for (const PointRef& point : at) {
    const double l = point.feature == 1 ? d_.rod : 0.0;
    for (double value : {0.0, l * std::cos(q[1]), 0.0, 0.0, 1.0, l * std::sin(q[1])})
      J.value.push_back(value);
    J.offset.push_back(J.offset.back() + 1);
  }
}

Energy RailPendulum::energy(double, View q, View v) const {
  return {0.5 * v.dot(combine({1.0, 0.0, 0.0}, q, v) * v),
          (d_.block + d_.bob) * d_.gravity * q[0] + 0.5 * d_.spring * q[0] * q[0] -
              d_.bob * d_.rod * d_.gravity * std::cos(q[1])};
}

void RailPendulum::power(double, std::optional<double>, View q, View v, View w,
                         std::span<double> by_source) const {
  const double ml = d_.bob * d_.rod;
  by_source[0] = -(d_.block + d_.bob) * d_.gravity * w[0] - ml * d_.gravity * std::sin(q[1]) * w[1];
  by_source[1] = -d_.spring * q[0] * w[0];
  by_source[2] = -ml * std::cos(q[1]) * v[1] * v[1] * w[0];
  by_source[3] = -d_.dashpot * v[0] * w[0];
}

}  // namespace saltus::contract
