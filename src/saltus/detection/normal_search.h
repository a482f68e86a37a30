// The normal along which two convex shapes are farthest apart, to round-off; at least one shape is
// smooth.
#pragma once
#include "saltus/shapes/convex.h"

namespace saltus {

/// Feature numbers of a cylinder and an ellipsoid, like Polyhedron::codes() for corners and edges.
struct SmoothCodes {
  static constexpr int kInside = 0;  ///< interior of a flat end, or an ellipsoid
  static constexpr int kMantle = 1;  ///< the contact line of the mantle
  static constexpr int rim(int end) { return 2 + end; }  ///< end 0: lower, 1: upper
  static constexpr int line_end(int end) { return 4 + end; }
  static constexpr int fixed(int end, int quarter) { return 6 + 4 * end + quarter; }
  static constexpr int crossing(int end, bool leaving) { return 14 + 2 * end + (leaving ? 1 : 0); }
  static constexpr int kCylinder = 18, kEllipsoid = 1;  ///< number of codes
};
int codes(const Convex& shape);

/// Contact or closest points of the cores: n from b to a, s(n) (separation()), a point of each, and
/// the features they are on.
struct Touch {
  Vector3 n = Vector3::UnitZ();
  double s = 0.0;
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();  ///< on_a - on_b = s n
  int code_a = 0, code_b = 0;
};

/// The largest s(n) near one of `starts`. For each shape, n belongs to a flat face (its normal), to
/// an edge or mantle (perpendicular to a line), or is unrestricted (a rim, a corner, an ellipsoid).
/// For each combination near the start, Newton's method on the free part of n finds the best
/// normal, and the best of all is returned. Faces take precedence if they are as good up to 1e-12
/// of the size.
Touch largest_separation(const Convex& a, const Convex& b, std::span<const Vector3> starts);

}  // namespace saltus
