// A convex shape in the frame of a pair, known by its farthest points, and the closest points of
// two of them.
#pragma once
#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// The core of a convex shape: the shape is all that lies within `radius` of it. Capsules have a
/// segment as core, spheres a point (a polyhedron of one vertex); all other cores are the shape
/// itself, with radius 0.
struct Convex {
  enum class Kind { polyhedron, cylinder, ellipsoid };
  Kind kind = Kind::polyhedron;
  Polyhedron poly;                   ///< kind polyhedron
  Vector3 centre = Vector3::Zero();  ///< of the core, a point of it
  Matrix3 R = Matrix3::Identity();   ///< axes of cylinder and ellipsoid
  Vector3 radii =
      Vector3::Zero();  ///< half axes of an ellipsoid; radius, radius, half length of a cylinder
  double radius = 0.0;
  double size = 0.0;                ///< no point of the core is farther from the centre
  Vector3 shift = Vector3::Zero();  ///< added to every point
  double rounding =
      0.0;  ///< radius of a ball taken away: the core is the sum of it and what support() knows

  /// The point of the core farthest along d; `corner` is its vertex, or -1 where the shape is
  /// smooth.
  Vector3 support(const Vector3& d, int& corner) const;
  Vector3 support(const Vector3& d) const {
    int corner = 0;
    return support(d, corner);
  }
};

Convex convex(const Polyhedron& poly, double radius = 0.0);
Convex convex(const Cylinder& cylinder, const Pose& at);
Convex convex(const Ellipsoid& ellipsoid, const Pose& at);

/// s(n) = min n . a - max n . b over the points of both cores: the width of the gap along the unit
/// vector n, a lower bound of their distance. Its largest value over n is the distance, or in
/// penetration minus the depth.
double separation(const Convex& a, const Convex& b, const Vector3& n);

/// Corners of the difference a - b.
struct DifferencePoint {
  Vector3 w, on_a, on_b;  ///< w = on_a - on_b
  int corner_a = -1, corner_b = -1;
};
DifferencePoint difference_point(const Convex& a, const Convex& b, const Vector3& d);

/// The point of a - b closest to 0, as a mean of at most four of its points.
struct Closest {
  bool apart =
      false;  ///< false: the cores overlap, or touch within round-off; on_a, on_b are then not set
  double distance = 0.0;  ///< [m]
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();
  /// Those with weight when apart; else those around 0, fewer than four where the cores only touch.
  std::array<DifferencePoint, 4> simplex;
  int count = 0;
};
/// Gilbert, Johnson, Keerthi. `tolerance`: largest gap, relative to the distance, between the
/// distance found and its lower bound where a shape is smooth; polyhedra end exactly. Ends early
/// when the distance is surely above `limit` (apart, distance > limit; the points are not the
/// closest then).
Closest closest_points(const Convex& a, const Convex& b, double limit, double tolerance);

/// A normal n (from b to a, unit) near which cores that overlap come apart by a short motion, in
/// most cases the shortest. `touch` is the answer of closest_points. Found by the expanding
/// polytope of Gino van den Bergen up to some 1e-2 of the size in the depth.
Vector3 depth_normal(const Convex& a, const Convex& b, const Closest& touch);

}  // namespace saltus
