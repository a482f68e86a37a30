// Warnings about dampers for which the step is too long: valid input that reverses velocities.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

/// Effect of one step of a scheme on a velocity with m v' = -c v, z = h c/m.
struct DampedStep {
  bool turns = false;  ///< it reverses the velocity, with more than a fiftieth of its size
  bool grows = false;
};
/// Found by steps of the scheme on one rigid body (rigid) or one particle. Nothing if the scheme
/// supports neither.
std::optional<DampedStep> damped_step(const Scheme& scheme, bool rigid, double z);

/// Whether a scheme integrates the free motion of a rigid body exactly enough at several rotations
/// per step.
bool follows_any_spin(const Scheme& scheme);

/// Largest c/m [1/s] of the drag, dashpots and mass-proportional damping that damper_advice()
/// considers; 0: none.
double fastest_damping(const Dynamics& body, const GroupState& start, double h);

/// Reports drag, dashpots and mass-proportional damping of a group with h c/m > 2 under a scheme
/// that reverses velocities there: the body, h c/m, the longest step and schemes that damp. Ignores
/// motions whose frequency the step does not resolve (h omega >= 2), stiffness-proportional damping
/// of meshes, and bodies with more than 300 coordinates. h [s].
std::vector<std::string> damper_advice(const Group& group, const GroupState& start, double h);

}  // namespace saltus
