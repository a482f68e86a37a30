// The normal along which two polyhedra are farthest apart, among those of faces and pairs of edges.
#pragma once
#include <limits>

#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// Of the size: separations this close are equal, the first one counts.
inline constexpr double kAxisTie = 1e-10;

/// s = min n . a - max n . b along the unit vector n from b to a, and what n is normal to: a face
/// of a, a face of b, or an edge of each.
struct Axis {
  double s = -std::numeric_limits<double>::infinity();
  Vector3 n = Vector3::UnitZ();
  int of_a = -1, of_b = -1;
};

/// The largest s over faces of a, faces of b and pairs of edges, in this order of preference where
/// they are equal up to `tie` [m]. Ends early with some axis of s > limit, and with no feature
/// (of_a = of_b = -1) where the two are farther apart than along any such axis, by 1e-3 of their
/// size.
Axis separating_axis(const Polyhedron& a, const Polyhedron& b, double tie, double limit);

/// The same by trying all of them, whatever the distance.
Axis best_of_all_axes(const Polyhedron& a, const Polyhedron& b, double tie, double limit);

double separation(const Polyhedron& a, const Polyhedron& b, const Vector3& n);

/// The normal from b to a across edge e of a and edge f of b; false where these make no face of a -
/// b.
bool edge_normal(const Polyhedron& a, int e, const Polyhedron& b, int f, Vector3& n);

}  // namespace saltus
