// Triangle surfaces of shapes for drawing. They are not used in the mechanics.
#pragma once
#include <array>
#include <vector>

#include "saltus/shapes/shape.h"

namespace saltus {

struct DrawnSurface {
  /// sphere: of radius 1 about the origin. plane: z = 0, solid below. Both have no tables.
  enum class Kind { sphere, plane, mesh };
  Kind kind = Kind::mesh;
  std::vector<Vector3> points;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise as seen from outside
  /// Visible lines: borders, and edges between faces whose normals differ by more than 30 degrees.
  /// Each starts with the smaller point; in increasing order.
  std::vector<std::array<int, 2>> edges;

  bool operator==(const DrawnSurface&) const = default;
};

/// A shape is `surface` scaled by `scale` along its own axes. Spheres, ellipsoids, boxes (corners
/// (+-1, +-1, +-1)) and cylinders (radius 1, from z = -1 to 1, 48 sides) share one surface per
/// kind; other shapes have their own with scale 1. Hulls, meshes and height fields are exact; the
/// half spheres of a capsule have 32 sides and 16 zones from pole to pole.
struct DrawnShape {
  DrawnSurface surface;
  Vector3 scale = Vector3::Ones();
};
DrawnShape drawn(const Shape& shape);

/// Borders and edges of more than 30 degrees of a surface; triangles without area are ignored.
std::vector<std::array<int, 2>> sharp_edges(const std::vector<Vector3>& points,
                                            const std::vector<std::array<int, 3>>& triangles);

}  // namespace saltus
