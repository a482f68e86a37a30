// What build_fem() is made of: an entry of kind fem while it is built, and the steps of that.
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

/// An entry of kind fem while it is built.
struct FemMaking {
  const Scene& scene;
  const BodySpec& body;
  const FemSpec& spec;
  std::string path;  ///< "bodies[0].fem"
  Mesh mesh;         ///< in its own frame
  Mesh placed;       ///< where it is undeformed
  std::vector<FemMaterial> materials;
  Pose pose;

  int nodes() const { return static_cast<int>(mesh.nodes.cols()); }
  /// Why no axis past the dimension is free.
  std::string flat() const {
    return mesh.dimension == 1 ? "its mesh is a line along x" : "its mesh is plane";
  }
  /// A vector of the scene that must stay within the dimension of the mesh.
  Vector3 within(const std::array<double, 3>& given, const std::string& key,
                 const char* hint = "leave this part out") const {
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

// -- what holds and pushes it (build_fem_loads.cpp)
std::vector<Prescribed> held_of(const FemMaking& m);
/// path: "bodies[0].fem.loads[0]".
Load load_of(const FemMaking& m, const FemLoadSpec& spec, const std::string& path);
std::vector<NodeStop> stops_of(const FemMaking& m);
/// A warning where a node starts beyond its plane.
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
/// `built` is `fem` with its state at t = 0, and becomes the body in its lowest modes, about its
/// undeformed state.
void reduce_by_points(const FemMaking& m, const Fem& fem, BuiltBody& built);
/// `built` becomes the body of `system` with the nodes of `keep` as they are, and the lowest modes
/// between them.
void reduce_by_nodes(const FemMaking& m, const FemSystem& system, BuiltBody& built);

}  // namespace saltus
