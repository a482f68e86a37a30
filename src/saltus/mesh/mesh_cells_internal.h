// Simple shapes as grids of bricks, quadrilaterals or lines, before they are cut into elements of
// the wanted kind.
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

/// Nodes of the cells keep their numbers; those that cutting adds come behind them, middle nodes of
/// edges midway.
Mesh elements_of(Cells cells, ElementKind kind);

/// Middle nodes moved to place(a, b), a < b the corners of their edge.
void place_middles(Mesh& mesh, const std::function<Vector3(int, int)>& place);

/// A node set of the nodes, and a face set of the faces of `outside` with all nodes, that satisfy
/// the condition.
void name_side(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
               const std::function<bool(const Vector3&)>& on);
/// The same by the corners of faces; nodes are those of the faces.
void name_faces(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
                const std::function<bool(int)>& corner);

}  // namespace saltus::cells
