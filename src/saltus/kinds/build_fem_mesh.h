// Meshes of a scene: builds a Mesh in its own frame from FemMeshSpec, and finds the sets that other
// entries name.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "saltus/spec/fem_spec.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// path: "bodies[0].fem.mesh". Throws a SceneError for faults that check(mesh) finds.
Mesh build_mesh(const Scene& scene, const FemMeshSpec& spec, const std::string& path);

/// Assigns one material to each element: splits blocks so that each has one material, with its
/// index in `materials`, and updates the sets. Without `materials` all elements have the material
/// of the body. path: "bodies[0].fem". Throws SceneError for unknown sets and for elements with no
/// material or with two.
std::vector<FemMaterial> assign_materials(const FemSpec& spec, Mesh& mesh, const std::string& path);

/// The faces of a set, which is not empty. path: of the entry that names the set.
const std::vector<MeshFace>& face_set(const Mesh& mesh, const std::string& set,
                                      const std::string& path);

/// The nodes that an entry refers to: a set, numbers, or a place in the frame of the mesh.
struct NodesAsked {
  const std::optional<std::string>& set;
  const std::vector<int>& nodes;
  const std::optional<std::array<double, 3>>& at;
};
/// In increasing order. path: of the entry that has `set`, `nodes` or `at`.
std::vector<int> nodes_asked(const Mesh& mesh, const NodesAsked& asked, const std::string& path);

}  // namespace saltus
