// Places in a mesh: which element contains a place, and its natural coordinates xi; which nodes a
// scene refers to.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/math/rotation.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

/// A material point: a node, or an element and natural coordinates.
struct MeshPlace {
  int node = -1;  ///< -1: inside `element`
  int element = 0;
  Vector3 xi = Vector3::Zero();
};

/// Diagonal of the bounding box of the nodes [m].
double size_of(const Mesh& mesh);
/// The node nearest to X; of equally near ones the one with the lowest number.
int nearest_node(const Mesh& mesh, const Vector3& X);
/// The material point at X (in the reference): a node within 1e-9 of the size of the mesh, else the
/// first element that contains X to within 1e-9 of its xi. Nothing: X is outside.
std::optional<MeshPlace> find_place(const Mesh& mesh, const Vector3& X);

}  // namespace saltus
