// Energy stored in the springs of contacts and joints, which belongs to no body.
#pragma once
#include <optional>
#include <span>

#include "saltus/assembly/surface_finder.h"
#include "saltus/contact/joint_system.h"
#include "saltus/state/state.h"

namespace saltus {

/// All joints of the model; its members are the groups.
JointSystem all_joints(const Model& model);

struct StoredEnergy {
  double all = 0.0, joints = 0.0;  ///< of contacts and joints, and of joints only [J]
};

/// Energy that the force laws of a model store in a state: V of the gaps of pairs, of contacts
/// between shapes and of joint coordinates.
class Springs {
 public:
  /// The model must outlive this object.
  explicit Springs(const Model& model);
  /// Whether some law of the model stores energy.
  bool any() const { return any_; }
  /// joints: all joints of the model.
  StoredEnergy stored(JointSystem& joints, double t, std::span<const GroupState> groups);

 private:
  void add_pairs(double t, std::span<const GroupState> groups, StoredEnergy& sum) const;
  void add_surfaces(double t, std::span<const GroupState> groups, StoredEnergy& sum);
  void add_joints(JointSystem& joints, double t, std::span<const GroupState> groups,
                  StoredEnergy& sum) const;

  const Model& model_;
  bool any_ = false;
  std::optional<SurfaceFinder> surfaces_;  ///< if a law between shapes of the model is a force
  std::vector<const Vector*> at_;          ///< configuration of each group
};

/// energy_of() with data that is reused from one call to the next.
Energy energy_of(const Model& model, const State& state, Springs& springs);

}  // namespace saltus
