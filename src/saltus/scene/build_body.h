// From BodySpec to a group with its initial state.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/scene/model.h"
#include "saltus/scene/scene.h"

namespace saltus {

/// A body that was built. Of the four kinds that stand alone one is set, and `dynamics` is the same object. Rigid bodies
/// share a group: theirs is set when all of its bodies are known.
struct BuiltBody {
  std::shared_ptr<const Dynamics> dynamics;
  std::shared_ptr<const Modal> modal;
  std::shared_ptr<const Linear> linear;
  std::shared_ptr<const Lagrangian> lagrangian;
  std::shared_ptr<const Particles> particles;
  std::vector<DofPoint> dof_points;  ///< kind linear: one a degree of freedom
  int dofs = 0;                      ///< modes or degrees of freedom, prescribed ones included
  GroupState initial;                ///< physical q and v at t = 0, of a body that stands alone

  bool kind_rigid = false;
  int group = -1;  ///< in the model, -1: it belongs to the fixed world
  int first = 0;   ///< its place, or that of its first copy, among the bodies of the group
  std::vector<Vector3>
      origins;  ///< of kind rigid: origin of the group's frame in that of the body, one a copy

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
