// Small geometry that the files of this room share.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "saltus/shapes/shape.h"

namespace saltus {

/// Lengths of shapes [m]: their fifth powers are numbers.
inline constexpr double kShortestLength = 1e-50, kLongestLength = 1e50;

/// Finite, and no component beyond the longest length.
inline bool is_place(const Vector3& x) {
  return x.allFinite() && x.lpNorm<Eigen::Infinity>() <= kLongestLength;
}

/// The least box around points; there is at least one.
inline Bounds box_around(std::span<const Vector3> points) {
  Bounds box{points.front(), points.front()};
  for (const Vector3& x : points) {
    box.low = box.low.cwiseMin(x);
    box.high = box.high.cwiseMax(x);
  }
  return box;
}

/// (b - a) x (c - a), twice the area along the normal.
inline Vector3 area_vector(const Vector3& a, const Vector3& b, const Vector3& c) {
  return (b - a).cross(c - a);
}

/// The unit normal of a flat face from its area vector and a long way t within it. Round-off turns
/// the area vector of a narrow face by 1e-16 length/width; what of it lies along t, where the lever
/// is long, is taken away.
inline Vector3 face_normal(const Vector3& area, const Vector3& t) {
  const Vector3 n = area.stableNormalized(), u = t.stableNormalized();
  return (n - n.dot(u) * u).normalized();
}

/// False where the height of a triangle is below 1e-12 of its longest side: it has no normal to
/// rely on.
inline bool has_area(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double longest =
      std::max({(b - a).stableNorm(), (c - b).stableNorm(), (a - c).stableNorm()});
  if (!(longest >= kShortestLength)) return false;
  return ((b - a) / longest).cross((c - a) / longest).norm() > 1e-12;
}

/// A sum that carries what round-off takes from it (Neumaier): its error does not grow with the
/// number of terms.
class CompensatedSum {
 public:
  void add(double x) {
    const double sum = sum_ + x;
    carry_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + carry_; }

 private:
  double sum_ = 0.0, carry_ = 0.0;
};

}  // namespace saltus
