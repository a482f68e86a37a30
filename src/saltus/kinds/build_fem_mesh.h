// Meshes of a scene: from FemMeshSpec to a Mesh in its frame, and the sets that other entries name.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "saltus/spec/fem_spec.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// path: "bodies[0].fem.mesh". Throws SceneError with what check(mesh) finds.
Mesh build_mesh(const Scene& scene, const FemMeshSpec& spec, const std::string& path);

/// One material an element: blocks are split so that each has one, with its index in `materials`;
/// sets follow. Without `materials` that of all. path: "bodies[0].fem". Throws SceneError naming
/// sets that are not there and elements with no material or two.
std::vector<FemMaterial> assign_materials(const FemSpec& spec, Mesh& mesh, const std::string& path);

/// The faces of a set, none of them empty. path: of the entry that names it.
const std::vector<MeshFace>& face_set(const Mesh& mesh, const std::string& set,
                                      const std::string& path);

/// Which nodes an entry means: one of a set, numbers and a place in the frame of the mesh.
struct NodesAsked {
  const std::optional<std::string>& set;
  const std::vector<int>& nodes;
  const std::optional<std::array<double, 3>>& at;
};
/// Increasing. path: of the entry that has `set`, `nodes` or `at`.
std::vector<int> nodes_asked(const Mesh& mesh, const NodesAsked& asked, const std::string& path);

}  // namespace saltus
