// Dampers that a step is too long for: what is legal and turns velocities round.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

/// What a scheme makes in one step of a velocity under  m v' = -c v,  z = h c/m.
struct DampedStep {
  bool turns = false;  ///< it turns the velocity round by more than a fiftieth
  bool grows = false;
};
/// Found by steps of the scheme on one rigid body (rigid) or one particle. Nothing where it moves
/// neither.
std::optional<DampedStep> damped_step(const Scheme& scheme, bool rigid, double z);

/// Whether a scheme follows the free motion of a rigid body that turns by several turns in a step.
bool follows_any_spin(const Scheme& scheme);

/// Drag, dashpots and damping by mass of a group with  h c/m > 2  under a scheme that turns
/// velocities round there: which body, h c/m, the longest step and schemes that damp. Motions whose
/// frequency the step does not resolve (h omega >= 2) and damping by stiffness of meshes are left
/// alone, and bodies of more than 300 coordinates. h [s].
std::vector<std::string> damper_advice(const Group& group, const GroupState& start, double h);

}  // namespace saltus
