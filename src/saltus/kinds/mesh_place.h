// Places in a mesh: which element holds a place, and at which xi; which nodes a scene means.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/math/rotation.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

/// A point of the material: node, or element and its natural coordinates.
struct MeshPlace {
  int node = -1;  ///< -1: inside `element`
  int element = 0;
  Vector3 xi = Vector3::Zero();
};

/// Diagonal of the box around the nodes [m].
double size_of(const Mesh& mesh);
/// The node nearest to X; the one of the lower number of two alike.
int nearest_node(const Mesh& mesh, const Vector3& X);
/// The material at X (in the reference): a node within 1e-9 of the size of the mesh, else the first
/// element that holds X to 1e-9 of its xi. Nothing: X is outside.
std::optional<MeshPlace> find_place(const Mesh& mesh, const Vector3& X);

}  // namespace saltus
