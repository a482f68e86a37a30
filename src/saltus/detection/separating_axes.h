// The normal along which two polyhedra are farthest apart, among normals of faces and of pairs of
// edges.
#pragma once
#include <limits>

#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// Relative to the size: separations this close count as equal, and the first one is used.
inline constexpr double kAxisTie = 1e-10;

/// s = min n . a - max n . b along the unit vector n from b to a, and the features that define n: a
/// face of a, a face of b, or an edge of each.
struct Axis {
  double s = -std::numeric_limits<double>::infinity();
  Vector3 n = Vector3::UnitZ();
  int of_a = -1, of_b = -1;
};

/// The largest s over faces of a, faces of b and pairs of edges, in this order of preference if
/// values are equal up to `tie` [m]. Stops early with some axis of s > limit, and without a feature
/// (of_a = of_b = -1) if the distance exceeds the separation along any such axis by 1e-3 of the
/// size.
Axis separating_axis(const Polyhedron& a, const Polyhedron& b, double tie, double limit);

/// As separating_axis(), by trying all axes at any distance.
Axis best_of_all_axes(const Polyhedron& a, const Polyhedron& b, double tie, double limit);

double separation(const Polyhedron& a, const Polyhedron& b, const Vector3& n);

/// The normal from b to a perpendicular to edge e of a and edge f of b; false if these form no face
/// of a - b.
bool edge_normal(const Polyhedron& a, int e, const Polyhedron& b, int f, Vector3& n);

}  // namespace saltus
