// The visible parts of a mesh: its outer faces as triangles, its sharp edges, its bars.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus {

struct ViewSurface {
  /// nodes of the mesh at the points of the surface; increasing, or for chains in order along them
  std::vector<int> nodes;
  std::vector<std::uint32_t> triangles, edges;  ///< 3 and 2 point indices each
  bool chain = false;  ///< only bars that form one chain through all points: no triangles, no edges
};

/// Outer faces of solid elements, and plane elements; faces with mid-edge nodes are divided at
/// these. Edges are those of one face or of more than two, those where the normals of two faces
/// differ by more than 30 degrees, and bars.
ViewSurface view_surface(const Mesh& mesh);

}  // namespace saltus
