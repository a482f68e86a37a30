// Convex shapes in the frame of a pair, represented by their farthest points, and the closest
// points of two of them.
#pragma once
#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// The core of a convex shape: the shape consists of all points within `radius` of it. The core of
/// a capsule is a segment, that of a sphere a point (a polyhedron of one vertex); all other cores
/// are the shape itself, with radius 0.
struct Convex {
  enum class Kind { polyhedron, cylinder, ellipsoid };
  Kind kind = Kind::polyhedron;
  Polyhedron poly;                   ///< kind polyhedron
  Vector3 centre = Vector3::Zero();  ///< centre of the core, one of its points
  Matrix3 R = Matrix3::Identity();   ///< axes of cylinder and ellipsoid
  Vector3 radii =
      Vector3::Zero();  ///< half axes of an ellipsoid; radius, radius, half length of a cylinder
  double radius = 0.0;
  double size = 0.0;                ///< distance of the farthest point of the core from the centre
  Vector3 shift = Vector3::Zero();  ///< translation of every point
  /// radius of a ball taken away: the core is the sum of the ball and the body that support() uses
  double rounding = 0.0;

  /// The point of the core farthest along d; `corner` is its vertex, or -1 if the shape is smooth.
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
/// vector n, a lower bound of their distance. Its maximum over n is the distance, or minus the
/// depth in penetration.
double separation(const Convex& a, const Convex& b, const Vector3& n);

/// Corners of the difference a - b.
struct DifferencePoint {
  Vector3 w, on_a, on_b;  ///< w = on_a - on_b
  int corner_a = -1, corner_b = -1;
};
DifferencePoint difference_point(const Convex& a, const Convex& b, const Vector3& d);

/// The point of a - b closest to 0, as a weighted mean of at most four of its points.
struct Closest {
  /// false: the cores overlap, or are in contact to within round-off; on_a, on_b are then not set
  bool apart = false;
  double distance = 0.0;  ///< [m]
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();
  /// If apart, the points with a nonzero weight; otherwise the points around 0, fewer than four if
  /// the cores only touch.
  std::array<DifferencePoint, 4> simplex;
  int count = 0;
};
/// GJK algorithm (Gilbert, Johnson, Keerthi). `tolerance`: largest difference, relative to the
/// distance, between the computed distance and its lower bound if a shape is smooth; for polyhedra
/// the result is exact. Stops early if the distance is certain to exceed `limit` (apart,
/// distance > limit; the points are then not the closest ones).
Closest closest_points(const Convex& a, const Convex& b, double limit, double tolerance);

/// A unit normal n, from b to a, near which a short motion separates overlapping cores, in most
/// cases the shortest one. `touch` is the result of closest_points. Uses the expanding polytope
/// algorithm of Gino van den Bergen, with a depth accurate to some 1e-2 of the size.
Vector3 depth_normal(const Convex& a, const Convex& b, const Closest& touch);

}  // namespace saltus
