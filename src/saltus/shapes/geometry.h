// Small geometric functions shared by the files of this folder.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "saltus/shapes/shape.h"

namespace saltus {

/// Limits of the lengths of shapes [m]: their fifth powers neither overflow nor underflow.
inline constexpr double kShortestLength = 1e-50, kLongestLength = 1e50;

/// True for finite points with no component beyond the longest length.
inline bool is_place(const Vector3& x) {
  return x.allFinite() && x.lpNorm<Eigen::Infinity>() <= kLongestLength;
}

/// The smallest box around points; there is at least one.
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

/// The unit normal of a flat face, from its area vector and a long vector t within the face.
/// Round-off rotates the area vector of a narrow face by 1e-16 length/width; its component along t,
/// where the lever arm is long, is removed.
inline Vector3 face_normal(const Vector3& area, const Vector3& t) {
  const Vector3 n = area.stableNormalized(), u = t.stableNormalized();
  return (n - n.dot(u) * u).normalized();
}

/// False if the height of a triangle is below 1e-12 of its longest side: its normal is then
/// unreliable.
inline bool has_area(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double longest =
      std::max({(b - a).stableNorm(), (c - b).stableNorm(), (a - c).stableNorm()});
  if (!(longest >= kShortestLength)) return false;
  return ((b - a) / longest).cross((c - a) / longest).norm() > 1e-12;
}

/// Compensated sum (Neumaier): its error does not grow with the number of terms.
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
