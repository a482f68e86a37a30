// What is seen of a mesh: its outer faces as triangles, its sharp edges, its bars.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus {

struct ViewSurface {
  std::vector<int>
      nodes;  ///< of the mesh, the points of the surface; increasing, of chains along them
  std::vector<std::uint32_t> triangles, edges;  ///< 3 and 2 points each
  bool chain =
      false;  ///< bars alone, one behind the other through all points: no triangles, no edges
};

/// Outer faces of solid elements, plane elements as they are; faces with nodes in the middle of
/// their edges are split at these. Edges are those of one face or more than two, those where the
/// normals of two faces differ by more than 30 degrees, and bars.
ViewSurface view_surface(const Mesh& mesh);

}  // namespace saltus
