// The velocity at which a dashpot acts in a step.
#pragma once

namespace saltus {

/// Weight w of u1 in the rate (1 - w) u0 + w u1 at which a dashpot c acts; z = h c/m, m the mass
/// that it moves. It multiplies a rate by (1 - (1 - w) z)/(1 + w z): w = 1/2 is of order 2, but for
/// z > 2 the rate would reverse in every step. There w = 1 - 1/z and the factor is 0, and under a
/// constant force F the rate is F/c at once.
inline double dashpot_weight(double z) { return z > 2.0 ? 1.0 - 1.0 / z : 0.5; }

}  // namespace saltus
