// Boundary surface of a deformable body, given by points that move with the body. Contact detection
// works on it.
#pragma once
#include <array>
#include <vector>

#include "saltus/dynamics/point_table.h"

namespace saltus {

/// A flat facet with three vertices, counter-clockwise seen from outside, or an edge with two
/// vertices for a body in the x-y plane, with the outside on its right. The point with weights w
/// (>= 0, sum 1) is {body, feature, sum_k w_k local[k]}.
struct BoundaryFacet {
  /// indices into BoundarySurface::vertices; the third is -1 for an edge
  std::array<int, 3> vertex{-1, -1, -1};
  int body = 0, feature = 0;
  std::array<Vector3, 3> local{Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};

  int corners() const { return vertex[2] < 0 ? 2 : 3; }
  PointRef point(const Vector3& w) const {
    return {body, feature, w[0] * local[0] + w[1] * local[1] + w[2] * local[2]};
  }
};

/// Vertices that belong to no facet can contact facets of other bodies, but nothing can contact the
/// region between them.
struct BoundarySurface {
  std::vector<PointRef> vertices;
  std::vector<BoundaryFacet> facets;
};

}  // namespace saltus
