// Energy in the springs of contacts and joints, which no body has.
#pragma once
#include <optional>
#include <span>

#include "saltus/assembly/surface_finder.h"
#include "saltus/contact/joint_system.h"
#include "saltus/state/state.h"

namespace saltus {

/// Every joint of the model; its members are the groups.
JointSystem all_joints(const Model& model);

struct StoredEnergy {
  double all = 0.0, joints = 0.0;  ///< of contacts and joints together, of joints alone [J]
};

/// What the laws of a model that are forces store at a state: V of the gaps of pairs, of contacts
/// between shapes and of coordinates of joints.
class Springs {
 public:
  /// The model outlives it.
  explicit Springs(const Model& model);
  /// Whether some law of the model stores energy.
  bool any() const { return any_; }
  /// joints: all of the model.
  StoredEnergy stored(JointSystem& joints, double t, std::span<const GroupState> groups);

 private:
  void add_pairs(double t, std::span<const GroupState> groups, StoredEnergy& sum) const;
  void add_surfaces(double t, std::span<const GroupState> groups, StoredEnergy& sum);
  void add_joints(JointSystem& joints, double t, std::span<const GroupState> groups,
                  StoredEnergy& sum) const;

  const Model& model_;
  bool any_ = false;
  std::optional<SurfaceFinder> surfaces_;  ///< of models in which a law between shapes is a force
  std::vector<const Vector*> at_;          ///< configuration of each group
};

/// energy_of() with what is kept from one call to the next.
Energy energy_of(const Model& model, const State& state, Springs& springs);

}  // namespace saltus
