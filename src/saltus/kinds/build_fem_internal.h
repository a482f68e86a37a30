// Internals of build_fem(): the data of an entry of kind fem during its construction, and the
// steps.
#pragma once
#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/kinds/build_fem_mesh.h"
#include "saltus/kinds/build_kinds.h"

namespace saltus {

inline constexpr std::array kSpaceAxes{"x", "y", "z"};

/// An entry of kind fem during its construction.
struct FemMaking {
  const Scene& scene;
  const BodySpec& body;
  const FemSpec& spec;
  std::string path;  ///< "bodies[0].fem"
  Mesh mesh;         ///< in its own frame
  Mesh placed;       ///< undeformed, in space
  std::vector<FemMaterial> materials;
  Pose pose;

  int nodes() const { return static_cast<int>(mesh.nodes.cols()); }
  /// Why axes beyond the dimension of the mesh are not available.
  std::string flat() const {
    return mesh.dimension == 1 ? "its mesh is a line along x" : "its mesh is planar";
  }
  /// Checks that a vector of the scene lies within the dimension of the mesh.
  Vector3 within(const std::array<double, 3>& given, const std::string& key,
                 const char* hint = "leave this component out") const {
    const Vector3 x = to_vector3(given);
    for (int k = mesh.dimension; k < 3; ++k)
      if (x[k] != 0.0)
        throw SceneError(key,
                         fmt::format("'{}' cannot move along {}: {}", body.name,
                                     kSpaceAxes[static_cast<std::size_t>(k)], flat()),
                         hint);
    return x;
  }
  /// key: of the entry that names the axis.
  void expect_axis(int axis, const std::string& key) const {
    if (axis >= mesh.dimension)
      throw SceneError(key,
                       fmt::format("'{}' has no {}: {}", body.name,
                                   kSpaceAxes[static_cast<std::size_t>(axis)], flat()),
                       "leave it out");
  }
};

// -- supports and loads (build_fem_loads.cpp)
std::vector<Prescribed> held_of(const FemMaking& m);
/// path: "bodies[0].fem.loads[0]".
Load load_of(const FemMaking& m, const FemLoadSpec& spec, const std::string& path);
std::vector<NodeStop> stops_of(const FemMaking& m);
/// A warning if a node starts beyond its plane.
std::optional<std::string> overlap_of(const FemMaking& m, std::span<const NodeStop> stops);

// -- the state at t = 0 (build_fem_start.cpp)
/// Displacements and velocities of all nodes, 3 each.
struct FemStart {
  Vector u, v;
  std::vector<std::string> warnings;
};
FemStart fem_start(const FemMaking& m, std::span<const Prescribed> held,
                   std::span<const NodeStop> stops);

// -- reduced bodies (build_fem_modes.cpp)
/// Reduces `built`, which is `fem` with its state at t = 0, to its lowest modes about the
/// undeformed state.
void reduce_by_points(const FemMaking& m, const Fem& fem, BuiltBody& built);
/// Reduces `built`, the body of `system`, to the nodes of `keep` and the lowest modes with these
/// nodes fixed.
void reduce_by_nodes(const FemMaking& m, const FemSystem& system, BuiltBody& built);

}  // namespace saltus
