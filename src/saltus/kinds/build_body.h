// From BodySpec to a group with its initial state.
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

/// The surface of a body that deforms, with the name of what it is made of.
struct BuiltBoundary {
  std::string name, path;  ///< of the body; path: of the entry that names the material
  BoundarySurface boundary;
  std::string material;
  double thickness = 0.0;  ///< least extent of the body along its own axes [m]
  bool self = false;       ///< it may touch itself
};

/// A body that was built.
struct BuiltBody {
  std::shared_ptr<const Dynamics> dynamics;  ///< of its group; null until all bodies are known of
                                             ///< a group that several entries share
  std::shared_ptr<const BuiltKind> kind;
  std::vector<std::size_t> row_contacts;  ///< contacts with rows over its coordinates, a point each
  int first_row_point = 0;                ///< PointRef::feature of the first of them
  int dofs = 0;                           ///< modes or degrees of freedom, prescribed ones included
  std::vector<BuiltBoundary> boundaries;  ///< its surfaces that deform, one a copy
  bool plane = false;                     ///< its surface stays in the plane of x and y
  std::vector<std::string> copies;        ///< names of the bodies of its own group, where several
  std::vector<std::string> warnings;      ///< what is legal and doubtful
  GroupState initial;                     ///< physical q and v at t = 0, of its own group

  bool own_group = true;  ///< no other entry of the scene shares its group
  int group = -1;         ///< in the model, -1: it belongs to the fixed world
  int first = 0;          ///< its place, or that of its first copy, among the bodies of the group
  std::vector<Vector3> origins;  ///< of bodies with a frame: origin of the group's frame in that
                                 ///< of the body, one a copy
};

/// A data file that the scene names: at least `columns` columns, which `what` describes ("j, nu
/// [Hz], sigma [1/s]").
/// path: the entry that names it.
Matrix read_table(const Scene& scene, const std::string& file, int columns, std::string_view what,
                  const std::string& path);

/// By the row of its kind. Throws SceneError.
BuiltBody build_body(const BodyEntry& entry);

}  // namespace saltus
