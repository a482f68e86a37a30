// Initial assembly of bodies connected by joints: positions that satisfy every joint, and
// velocities compatible with them. A Model does not check its initial state: call assemble() before
// you build one from parts with joints.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// Projects the initial state of the groups connected by joints or couplings onto the constraints,
/// by Newton's method in the mass metric (ConstraintProjection):
///
///     S L = -g(q),  q <- q (+) M^-1 G^T L   until |g| <= 1e-13 of the size of the mechanism
///     v <- v - M^-1 G^T S^-1 (G v + d0)
///
/// A move or a velocity change above 1e-6 gives a warning. Throws SceneError with the name of the
/// joint with the largest violation if the joints cannot be closed, or of the drive that prescribes
/// a motion the bodies cannot perform.
void assemble(ModelParts& parts);

/// As assemble(), for parts whose joints may already be assembled, as those of a Model: states that
/// satisfy the joints stay bitwise the same, and warnings already in `parts` are not repeated.
void assemble_again(ModelParts& parts);

}  // namespace saltus
