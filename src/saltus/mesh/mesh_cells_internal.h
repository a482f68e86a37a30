// Simple shapes as grids of bricks, quadrilaterals or lines, before they are cut into elements of
// the requested kind.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus::cells {

using Cell = std::vector<int>;  ///< nodes of a bar2, quad4 or hex8

struct Cells {
  int dimension = 3;
  std::vector<Vector3> nodes;
  std::vector<Cell> cells;
};

/// Nodes of the cells keep their numbers and are followed by those that cutting adds; mid-edge
/// nodes are in the middle of their edges.
Mesh elements_of(Cells cells, ElementKind kind);

/// Moves mid-edge nodes to place(a, b), where a < b are the corners of their edge.
void place_middles(Mesh& mesh, const std::function<Vector3(int, int)>& place);

/// Adds a node set with the nodes that satisfy the condition, and a face set with the faces of
/// `outside` all of whose nodes do.
void name_side(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
               const std::function<bool(const Vector3&)>& on);
/// Adds a face set with the faces whose corners all satisfy the condition, and a set of their
/// nodes.
void name_faces(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
                const std::function<bool(int)>& corner);

}  // namespace saltus::cells
