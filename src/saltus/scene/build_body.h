// From BodySpec to a group with its initial state.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/dynamics/boundary_surface.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/redistributed_mass.h"
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

/// A body that was built. Of the kinds that stand alone one is set, and `dynamics` is the same object. Rigid bodies
/// share a group: theirs is set when all of its bodies are known.
struct BuiltBody {
  std::shared_ptr<const Dynamics> dynamics;
  std::shared_ptr<const Modal> modal;
  std::shared_ptr<const Linear> linear;
  std::shared_ptr<const Lagrangian> lagrangian;
  std::shared_ptr<const Particles> particles;
  std::shared_ptr<const PseudoRigid> pseudo_rigid;
  std::shared_ptr<const Fem> fem;  ///< of kind fem; its mesh and places where `massless` or
                                   ///< a ReducedMesh moves
  std::shared_ptr<const RedistributedMass> massless;
  std::shared_ptr<const ElasticBeam> beam;
  std::vector<DofPoint> dof_points;       ///< kind linear: one a degree of freedom
  std::vector<std::size_t> row_contacts;  ///< contacts with rows over its coordinates, a point each
  int first_row_point = 0;                ///< PointRef::feature of the first of them
  int dofs = 0;                           ///< modes or degrees of freedom, prescribed ones included
  std::vector<Vector3> reduced;           ///< kind fem in its modes: the places of fem.modes.at,
  std::vector<double> along;              ///< and x of each along the body [m]
  Pose placed;                            ///< kind fem: of the frame of the mesh in the reference
  std::vector<int> held;  ///< kind fem: prescribed degrees of freedom, in their order
  std::vector<BuiltBoundary> boundaries;  ///< kinds pseudo-rigid (one a copy) and fem
  bool plane = false;                     ///< kind fem: it stays in the plane of x and y
  std::vector<std::string> copies;        ///< kind pseudo-rigid: names, where there are several
  std::vector<std::string> warnings;      ///< what is legal and doubtful
  GroupState initial;  ///< physical q and v at t = 0, of a body that stands alone

  bool kind_rigid = false;
  int group = -1;  ///< in the model, -1: it belongs to the fixed world
  int first = 0;   ///< its place, or that of its first copy, among the bodies of the group
  std::vector<Vector3> origins;  ///< of kinds rigid and pseudo-rigid: origin of the group's frame
                                 ///< in that of the body, one a copy

  /// Its points are places [x, y, z] in its frame, without end.
  bool has_places() const { return kind_rigid || pseudo_rigid || fem; }
  /// Component of q of a degree of freedom, -1: its motion is prescribed.
  int free_index(int dof) const;
};

/// A data file that the scene names: at least `columns` columns, which `what` describes ("j, nu [Hz], sigma [1/s]").
/// path: the entry that names it.
Matrix read_table(const Scene& scene, const std::string& file, int columns, std::string_view what,
                  const std::string& path);

/// path: "bodies[0]".
BuiltBody build_body(const Scene& scene, const BodySpec& body, const std::string& path);

}  // namespace saltus
