// Builds a group with its initial state from a BodySpec.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/dynamics/boundary_surface.h"
#include "saltus/kinds/built_kind.h"
#include "saltus/kinds/kinds.h"
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// The surface of a deformable body, with its material name.
struct BuiltBoundary {
  std::string name, path;  ///< of the body; path: of the entry that gives the material
  BoundarySurface boundary;
  std::string material;
  double thickness = 0.0;  ///< smallest extent of the body along its own axes [m]
  bool self = false;       ///< contact of the surface with itself is detected
};

/// A body that has been built.
struct BuiltBody {
  /// of its group; if entries share the group, null until all bodies are known
  std::shared_ptr<const Dynamics> dynamics;
  std::shared_ptr<const BuiltKind> kind;
  /// contacts with rows over its coordinates, one point each
  std::vector<std::size_t> row_contacts;
  int first_row_point = 0;                ///< PointRef::feature of the first of them
  int dofs = 0;                           ///< modes or degrees of freedom, prescribed ones included
  std::vector<BuiltBoundary> boundaries;  ///< its deformable surfaces, one per copy
  bool plane = false;                     ///< its surface stays in the x-y plane
  std::vector<std::string> copies;  ///< names of the bodies of its own group, if there are several
  std::vector<std::string> warnings;  ///< warnings about valid but doubtful input
  GroupState initial;                 ///< physical q and v at t = 0, of its own group

  bool own_group = true;  ///< no other entry of the scene shares its group
  int group = -1;         ///< index in the model; -1: belongs to the fixed world
  int first = 0;  ///< index of the body, or of its first copy, among the bodies of the group
  /// bodies with a frame: origin of the group's frame in the body frame, one per copy
  std::vector<Vector3> origins;
};

/// Reads a data file of the scene with at least `columns` columns, which `what` describes ("j, nu
/// [Hz], sigma [1/s]"). path: the entry that names the file.
Matrix read_table(const Scene& scene, const std::string& file, int columns, std::string_view what,
                  const std::string& path);

/// Calls the builder of the body's kind. Throws SceneError.
BuiltBody build_body(const BodyEntry& entry);

}  // namespace saltus
