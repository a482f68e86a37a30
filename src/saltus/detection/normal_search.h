// The normal along which two convex shapes of which one is smooth are farthest apart, to round-off.
#pragma once
#include "saltus/shapes/convex.h"

namespace saltus {

/// Numbers of the features of a cylinder and an ellipsoid, as Polyhedron::codes() has for corners
/// and edges.
struct SmoothCodes {
  static constexpr int kInside = 0;                      ///< of a flat end, of an ellipsoid
  static constexpr int kMantle = 1;                      ///< the line of the mantle that touches
  static constexpr int rim(int end) { return 2 + end; }  ///< end 0: below, 1: above
  static constexpr int line_end(int end) { return 4 + end; }
  static constexpr int fixed(int end, int quarter) { return 6 + 4 * end + quarter; }
  static constexpr int crossing(int end, bool leaving) { return 14 + 2 * end + (leaving ? 1 : 0); }
  static constexpr int kCylinder = 18, kEllipsoid = 1;  ///< how many there are
};
int codes(const Convex& shape);

/// Where the cores touch or come closest: n from b to a, s(n) (separation()), a point of each, the
/// features they are on.
struct Touch {
  Vector3 n = Vector3::UnitZ();
  double s = 0.0;
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();  ///< on_a - on_b = s n
  int code_a = 0, code_b = 0;
};

/// The largest s(n) near one of `starts`. With each shape n lies on a flat face (it is its normal),
/// on an edge or mantle (normal to a line), or anywhere (a rim, a corner, an ellipsoid); Newton's
/// method on what is free of n finds the best of each choice that lies near the start, and the best
/// of all counts. Faces count first where they are as good up to
/// 1e-12 of the size.
Touch largest_separation(const Convex& a, const Convex& b, std::span<const Vector3> starts);

}  // namespace saltus
