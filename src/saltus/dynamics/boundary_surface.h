// The surface of a body that deforms, in points that move with it: what contacts are looked for on.
#pragma once
#include <array>
#include <vector>

#include "saltus/dynamics/point_table.h"

namespace saltus {

/// A flat piece between three vertices, counter-clockwise seen from outside; between two of a body
/// in the plane of x and y, the outside on its right. The point of weights w (>= 0, sum 1) is
/// {body, feature, sum_k w_k local[k]}.
struct BoundaryFacet {
  std::array<int, 3> vertex{-1, -1, -1};  ///< of BoundarySurface::vertices; the third -1: an edge
  int body = 0, feature = 0;
  std::array<Vector3, 3> local{Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};

  int corners() const { return vertex[2] < 0 ? 2 : 3; }
  PointRef point(const Vector3& w) const {
    return {body, feature, w[0] * local[0] + w[1] * local[1] + w[2] * local[2]};
  }
};

/// Vertices without facets may touch others too, and are never touched between them.
struct BoundarySurface {
  std::vector<PointRef> vertices;
  std::vector<BoundaryFacet> facets;
};

}  // namespace saltus
