// The start of bodies that joints hold: places that close every joint, velocities that keep them
// closed. A Model does not check that it starts so: call assemble() before you make one of parts
// with joints.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// Moves the initial state of the groups that joints or couplings hold, by Newton's method in the
/// metric of the masses (ConstraintProjection):
///
///     S L = -g(q),  q <- q (+) M^-1 G^T L   until |g| <= 1e-13 of the size of the mechanism
///     v <- v - M^-1 G^T S^-1 (G v + d0)
///
/// A move or a change of velocity above 1e-6 becomes a warning. Throws SceneError naming the joint
/// that stays open the most where they cannot close, or the drive that asks for what its bodies
/// cannot do.
void assemble(ModelParts& parts);

/// The same of parts whose joints may have been assembled before, as those of a Model: what fits
/// keeps its bits, and warnings that `parts` has already are not repeated.
void assemble_again(ModelParts& parts);

}  // namespace saltus
