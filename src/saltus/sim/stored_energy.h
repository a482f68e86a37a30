// Energy in the springs of contacts and joints, which no body has.
#pragma once
#include <span>

#include "saltus/contact/joint_system.h"
#include "saltus/scene/model.h"

namespace saltus {

/// Every joint of the model; its members are the groups.
JointSystem all_joints(const Model& model);

/// Whether some law of the model stores energy.
bool has_springs(const Model& model);
struct StoredEnergy {
  double all = 0.0, joints = 0.0;  ///< of contacts and joints together, of joints alone [J]
};

/// Energy stored in the springs of contacts and joints [J]: k d^(p + 1)/(p + 1) at the penetrations d of (t, q). joints: all
/// of the model.
StoredEnergy stored_energy(const Model& model, JointSystem& joints, double t,
                           std::span<const GroupState> groups);

}  // namespace saltus
