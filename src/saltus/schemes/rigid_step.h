// Shared by the schemes of rigid bodies: blocks of RigidData and the outstanding change of a pass.
// Internal to this folder.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/schemes/implicit.h"

namespace saltus::rigid {

/// x -= A^-1 b on the free components, those with a nonzero diagonal entry in J^-1.
inline void subtract_solution(const Matrix3& A, const Vector3& b, const Matrix3& inertia_inverse,
                              Vector3& x) {
  Matrix3 kept = A;
  Vector3 right = b;
  for (int i = 0; i < 3; ++i)
    if (inertia_inverse(i, i) == 0.0) {
      kept.row(i).setZero();
      kept.col(i).setZero();
      kept(i, i) = 1.0;
      right[i] = 0.0;
    }
  x -= kept.inverse() * right;
}

/// Outstanding change of a pass: the largest |dv|_M / max(|v0|_M, |v1|_M, |A^-1 r|_M) of a body, 0
/// if it is round-off (RoundOff). response = A^-1 r; `history` and the last three arguments are for
/// RoundOff.
inline double outstanding(const Dynamics& body, const Trial& x, const Vector& dv,
                          const Vector& response, View q_at, View v_at, Vector& history,
                          Vector& product, Vector& scratch, Vector& scale) {
  const RigidData& data = *body.rigid();
  double largest = 0.0;
  for (std::size_t i = 0; i < data.mass.size(); ++i) {
    const RigidAt at(static_cast<std::ptrdiff_t>(i));
    const auto square = [&](View y) {
      const Vector3 w = at.spin(y);
      return data.mass[i] * at.linear(y).squaredNorm() + w.dot(data.inertia[i] * w);
    };
    const double change = square(dv),
                 size = std::max({square(x.start->v), square(x.v), square(response)});
    if (!std::isfinite(change) || !std::isfinite(size))
      return std::numeric_limits<double>::infinity();
    if (change > kNoEnergy) largest = std::max(largest, std::sqrt(change / size));
  }
  return RoundOff::reached(body, x, largest, dv, x.A, q_at, v_at, history, product, scratch, scale)
             ? 0.0
             : largest;
}

}  // namespace saltus::rigid
